"""Processes that call a function: arguments and results as they are annotated, errors as they were, and no process left behind."""

from __future__ import annotations

import io
import os
import signal
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.workers.functions import Counter, Point, described, doubled, environment, fails, moved

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.workers.calls import WorkFailed
from snellen.workers.pool import WorkerLost
from snellen.workers.processes import ProcessWorker, here, receive, send


def test_arguments_and_results_have_the_types_that_are_annotated(tmp_path: Path) -> None:
    work = partial(described, tmp_path, partial(doubled), suffix="!")
    with here(work, 1) as workers:
        assert workers.submit([(range(3),)]).result()[0] == (tmp_path / "made!", (0, 2, 4))
    with here(moved, 1) as workers:
        asked = [(Point(n, 0.5), Point(1, 1)) for n in range(3)]
        assert workers.submit(asked).result() == [Point(n + 1, 1.5) for n in range(3)]
    with here("tests.workers.functions:doubled", 1) as workers:
        assert workers.submit([(4,)]).result()[0] == 8


def test_a_class_makes_an_object_that_is_called() -> None:
    with here(partial(Counter, 10), 1) as workers:
        assert [workers.submit([(n,)]).result()[0] for n in (1, 2, 3)] == [11, 13, 16]


def test_errors_are_told_as_they_were(capfd: pytest.CaptureFixture[str]) -> None:
    with here(fails, 1) as workers:
        with pytest.raises(SnellenError, match=r"^ours$"):
            workers.submit([("ours",)]).result()[0]
        with pytest.raises(WorkFailed, match="ValueError: other") as told:
            workers.submit([("other",)]).result()[0]
        assert "functions.py" in told.value.__notes__[0]
        assert workers.submit([("print",)]).result()[0] == 1
        assert "and another writes" in capfd.readouterr().err
    with here("tests.workers.functions:nothing", 1) as workers, pytest.raises(WorkFailed, match="AttributeError"):
        workers.submit([(1,)]).result()[0]
    with pytest.raises(TypeError, match="not a function of a module"):
        here(lambda: 1, 1)


def test_a_process_that_ends_is_replaced() -> None:
    with here(fails, 1) as workers:
        with pytest.raises(WorkerLost, match="the worker for process 1 ended with code 3"):
            workers.submit([("end",)]).result()[0]
        assert workers.submit([("print",)]).result()[0] == 1
        (worker,) = workers._busy
        assert isinstance(worker, ProcessWorker)
        going_on = workers.submit([("hang",)])
        os.kill(worker.process.pid, signal.SIGKILL)
        with pytest.raises(WorkerLost, match="was killed"):
            going_on.result(60)
        going_on = workers.submit([("hang",)])
    with pytest.raises(WorkerLost):
        going_on.result(60)


def test_no_process_gets_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-workers-0123456789abcd"
    Secret(key)
    for name in ("OPENAI_API_KEY", "MY_OWN_NAME"):
        monkeypatch.setenv(name, key)
    with here(environment, 1, {"OMP_NUM_THREADS": "3"}) as workers:
        found = [workers.submit([(name,)]).result()[0] for name in ("OPENAI_API_KEY", "MY_OWN_NAME", "OMP_NUM_THREADS")]
    assert found == [None, None, "3"]


def test_modules_are_found_as_this_process_finds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("def answer() -> int:\n    return 42\n")
    monkeypatch.chdir(tmp_path)
    with here("mine:answer", 1) as workers, pytest.raises(WorkFailed, match="No module named 'mine'"):
        workers.submit([()]).result()[0]
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    with here("mine:answer", 1) as workers:
        assert workers.submit([()]).result()[0] == 42


def test_a_frame_that_breaks_off_is_none() -> None:
    pipe = io.BytesIO()
    send(pipe, 7, b"whole")
    frame = pipe.getvalue()
    assert receive(io.BytesIO(frame)) == (7, b"whole")
    assert receive(io.BytesIO(frame[:-1])) is None
    assert receive(io.BytesIO(frame[:10])) is None
