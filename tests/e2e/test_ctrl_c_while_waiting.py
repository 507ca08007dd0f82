"""Ctrl-C and SIGTERM end a command that waits for a model list or for data."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.command import environment, start
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

from snellen.core.errors import SnellenError
from snellen.core.extras import maker_of
from snellen.core.options import Selection
from snellen.engine.ask.questions import Feed
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import Limits, RunRequest
from snellen.engine.run import run_plan

LONG = 60  # seconds: far more than a stop takes, far less than the time limits that would end the waiting by themselves

BLOCKED = '''
"""An exam whose question 5 waits for a pipe that nobody writes to."""
from pathlib import Path
from snellen import Exam, Prompt, Protocol, Sample

def ask(sample, _shots):
    if sample.id == "s5":
        Path(sample.facts["pipe"]).with_suffix(".reached").touch()
        Path(sample.facts["pipe"]).read_bytes()
    return "Which one is it?"

class Blocked(Exam):
    name = "blocked"
    title = "blocked"
    prompts = {"question": Prompt("question", "which", ask)}
    protocols = {"exact": Protocol("exact", "equal", lambda reply, _s: reply, lambda r, s: r == s.truth)}

    def samples(self, where):
        for i in range(9):
            yield Sample(id=f"s{i}", tags={}, truth="x", facts={"pipe": str(where / "pipe")})

EXAM = Blocked()
'''

CLINGS = '''
"""A subject that never answers, and never ends."""
import asyncio, time
from pathlib import Path
from snellen.core.subject import Subject, SubjectKind

class Clings(Subject):
    def __init__(self, folder):
        self.spec, self.folder = "clings/x", Path(folder)
        self.identity = {"kind": "clings"}

    async def answer(self, question, prepared, call):
        (self.folder / "asked").touch()
        await asyncio.sleep(1000)

    async def close(self):
        (self.folder / "closing").touch()
        time.sleep(1000)

class Kind(SubjectKind):
    prefix = "clings"

    def build(self, name, given):
        return Clings(name)

SUBJECTS = {"clings": Kind()}
'''


def wait_for(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    while not condition():
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.02)


def ended(process: subprocess.Popen[str]) -> str:
    """What it said, once it has ended; a process that does not end is killed, and the test fails."""
    try:
        _out, said = process.communicate(timeout=LONG)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail("the signal was ignored")
    assert "Traceback" not in said, said
    return said


@contextmanager
def silent() -> Iterator[tuple[str, threading.Event]]:
    """A server that takes connections and never says anything; its address, and whether anybody asked."""
    asked = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept = []

        def serve() -> None:
            while True:
                try:
                    one, _ = server.accept()
                except OSError:
                    return
                kept.append(one)
                if one.recv(65536):
                    asked.set()

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1", asked


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_model_list_that_never_comes(tmp_path: Path, kind: signal.Signals) -> None:
    data = write_set(tmp_path / "set", 5)
    with silent() as (url, asked):
        words = ("run", "salbench", "--data", data, "--model", "api/m", "--base-url", url, "--out", tmp_path / "runs")
        process = start(*words, cache=tmp_path / "cache")
        wait_for(asked.is_set, process)
        process.send_signal(kind)
        assert "interrupted" in ended(process)
    assert process.returncode == 130


def test_data_that_cannot_be_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "blocked.py").write_text(BLOCKED)
    data = tmp_path / "set"
    data.mkdir()
    os.mkfifo(data / "pipe")
    process = start(
        *("run", "blocked", "--plugin", tmp_path / "blocked.py", "--data", data, "--model", "baseline/constant:x"),
        *("--out", tmp_path / "runs"),
        cache=tmp_path / "cache",
    )
    wait_for((data / "pipe.reached").exists, process)
    process.send_signal(signal.SIGINT)
    assert "interrupted" in ended(process)
    assert process.returncode == 130


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_acts_at_once(tmp_path: Path, kind: signal.Signals) -> None:
    """Nothing can hold it up, not even a subject that does not come to an end."""
    (tmp_path / "clings.py").write_text(CLINGS)
    process = start(
        *("run", "salbench", "--plugin", tmp_path / "clings.py", "--data", write_set(tmp_path / "set", 5)),
        *("--model", f"clings/{tmp_path}", "--out", tmp_path / "runs"),
        cache=tmp_path / "cache",
    )
    wait_for((tmp_path / "asked").exists, process)
    process.send_signal(kind)
    wait_for((tmp_path / "closing").exists, process)
    process.send_signal(kind)
    ended(process)
    assert process.returncode == (130 if kind == signal.SIGINT else -signal.SIGTERM)


@pytest.mark.parametrize("exam", ["d3", "grounding", "vqax"])
def test_a_pipe_in_the_place_of_a_picture_is_an_error(tmp_path: Path, exam: str) -> None:
    from snellen import exams

    made = exams.load(exam)
    maker_of(made).make(tmp_path, count=2, seed=1, workers=1, progress=None)
    files = [p for p in tmp_path.rglob("*") if p.suffix in (".png", ".jpg")]
    data = made.open(tmp_path, Selection())
    for picture in files:
        picture.unlink()
        os.mkfifo(picture)

    found: list[object] = []

    def read() -> None:
        try:
            found.extend(data.full(lambda _id: True))
        except SnellenError as error:
            found.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(LONG)
    assert not thread.is_alive(), "the pipe was read"
    assert isinstance(found[-1], SnellenError)
    assert "not a regular file" in str(found[-1])


NOTEBOOK = '''
"""A cell of a notebook: the thread of the cell has a loop already."""
import asyncio, signal, sys
import snellen

async def cell():
    try:
        snellen.evaluate("salbench", data=sys.argv[1], model="api/m", base_url=sys.argv[2], out=sys.argv[3], concurrency=2)
    except BaseException as error:
        print(type(error).__name__, error)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

asyncio.new_event_loop().run_until_complete(cell())
'''


def test_a_notebook_is_interrupted_before_everything_is_asked(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 300)
    with Endpoint(delay=0.1) as endpoint:
        words = ["-c", NOTEBOOK, str(data), endpoint.url, str(tmp_path / "runs")]
        process = subprocess.Popen(
            [sys.executable, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(tmp_path / "cache"),
        )
        wait_for(lambda: len(endpoint.requests) > 4, process)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=LONG)
        assert "Interrupted interrupted: everything answered so far is kept" in out, out + said
        assert len(endpoint.requests) < 300
        assert process.returncode == 0, said


def test_an_error_of_the_feed_after_the_stop_is_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pull, pulled = Feed.pull, []

    def breaks(feed: Feed) -> object:
        pulled.append(1)
        if len(pulled) > 1:
            raise SnellenError("the disk is gone")
        return pull(feed)

    monkeypatch.setattr(Feed, "pull", breaks)
    with Endpoint(delay=0.3, script=lambda _r, _n: (401, {}, b'{"error": {"message": "bad key"}}')) as endpoint:
        options = {"base_url": endpoint.url}
        request = RunRequest("salbench", "api/m", write_set(tmp_path / "set", 60), options=options, out=tmp_path)
        with pytest.raises(SnellenError, match="bad key"):
            run_plan(make_plan(request._replace(limits=Limits(concurrency=2, use_store=False))))
    gc.collect()
    assert len(pulled) == 2
    assert "never retrieved" not in caplog.text
