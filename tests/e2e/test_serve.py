"""`--serve`: the server is started where the model looks for it, waited for, and stopped however the run ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

import pytest
from tests.support.command import snellen, start
from tests.support.sets import write_set

STAND_IN = Path(__file__).parents[1] / "support" / "model_server.py"
KEY = "sk-serve-0123456789abcdef"


class Place:
    """A machine that has the stand-ins installed."""

    def __init__(self, folder: Path) -> None:
        (folder / "bin").mkdir()
        script = folder / "bin" / "vllm"
        script.write_text(f'#!/bin/sh\nexec {sys.executable} {STAND_IN} "$@"\n')
        script.chmod(0o755)
        package = folder / "packages" / "sglang"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "launch_server.py").write_text(STAND_IN.read_text())
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.cache, self.out, self.log = folder / "cache", folder / "runs", folder / "log"
        self.data = write_set(folder / "set", 6)
        self.environment = {
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder / "packages"),
            "STAND_IN_LOG": str(self.log),
            "VLLM_API_KEY": KEY,
        }

    def words(self, model: str, serve: str) -> tuple[object, ...]:
        at = f"http://127.0.0.1:{self.port}/v1"
        run = ("run", "salbench", "--data", self.data, "--model", model, "--out", self.out, "--base-url", at)
        return (*run, "--serve", serve, "--concurrency", 2)

    @property
    def lines(self) -> list[str]:
        return self.log.read_text().splitlines()

    @property
    def listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("tool", ["vllm", "sglang"])
def test_a_server_is_started_for_the_run_and_stopped_after_it(place: Place, tool: str) -> None:
    done = snellen(*place.words(f"{tool}/org/m", f"{tool} --dtype half"), cache=place.cache, **place.environment)
    assert done.returncode == 0, done.stderr
    where = f"--host 127.0.0.1 --port {place.port} --dtype half"
    model = "serve org/m" if tool == "vllm" else "--model-path org/m"
    assert place.lines == [f"{model} {where}", "ended"]
    assert not place.listens
    (run,) = place.out.iterdir()
    served = json.loads((run / "run.json").read_text())["subject"]["identity"]["served"]
    assert served.startswith(tool)
    assert served.endswith(where)
    printed = (place.cache / "servers" / f"{tool}-org-m.log").read_text()
    assert printed.startswith("loading ")
    assert KEY not in printed
    again = snellen(*place.words(f"{tool}/org/m", tool), cache=place.cache, **place.environment)
    assert again.returncode == 0, again.stderr
    assert len(place.lines) == 2  # nothing was left to ask, so nothing was started


def test_a_server_that_does_not_start_says_why(place: Place) -> None:
    done = snellen(*place.words("vllm/m", "vllm"), cache=place.cache, **place.environment, STAND_IN_FAILS="1")
    assert done.returncode == 2
    assert "vllm did not start (exit code 1)" in done.stderr
    assert "ValueError: no GPU was found" in done.stderr
    assert KEY not in done.stderr


def test_a_server_that_ends_in_the_middle_is_named(place: Place) -> None:
    words = (*place.words("vllm/m", "vllm"), "--tries", 1)
    done = snellen(*words, cache=place.cache, **place.environment, STAND_IN_DIES="1")
    assert done.returncode in (2, 3)
    assert "vllm ended before the run did (exit code 7)" in done.stderr
    assert "CUDA error: an illegal memory access" in done.stderr


def test_a_command_that_is_ended_leaves_no_server_behind(place: Place) -> None:
    process = start(*place.words("vllm/m", "vllm"), cache=place.cache, **place.environment, STAND_IN_DELAY="60")
    begin = time.monotonic()
    while not place.listens and time.monotonic() - begin < 60:
        time.sleep(0.05)
    assert place.listens
    process.terminate()
    process.communicate(timeout=60)
    assert place.lines[-1] == "ended"
    assert not place.listens


@pytest.mark.parametrize("early", [True, False])
def test_ctrl_c_stops_the_server_too(place: Place, early: bool) -> None:
    more = {"STAND_IN_DELAY": "5"}
    process = start(*place.words("vllm/m", "vllm"), cache=place.cache, **place.environment, **more)
    begin = time.monotonic()
    while not (place.log.exists() and (early or place.listens)) and time.monotonic() - begin < 60:
        time.sleep(0.05)
    time.sleep(0.0 if early else 2.0)
    process.send_signal(signal.SIGINT)
    _out, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert not place.listens


@pytest.mark.parametrize(
    ("model", "serve", "said"),
    [
        ("vllm/m", "sglang", "--serve sglang has no effect for vllm/m: it is for --model sglang/NAME"),
        ("vllm/m", "ollama", "--serve ollama: begins with one of sglang, vllm"),
        ("vllm/m", "vllm 'x", "--serve vllm 'x: No closing quotation"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(place: Place, model: str, serve: str, said: str) -> None:
    done = snellen(*place.words(model, serve), cache=place.cache, **place.environment)
    assert (done.returncode, done.stderr.strip().removeprefix("snellen: ")) == (2, said)
    assert not place.log.exists()


def test_a_suite_without_such_a_model_is_refused(place: Place) -> None:
    words = (*place.words("api/m", "vllm"), "--model", "api/n")
    done = snellen(*words, cache=place.cache, **place.environment)
    assert (done.returncode, "--serve vllm has no effect here" in done.stderr) == (2, True), done.stderr


def test_nothing_is_started_beside_another_server_or_where_there_is_none(place: Place) -> None:
    with socket.create_server(("127.0.0.1", place.port)):
        done = snellen(*place.words("vllm/m", "vllm"), cache=place.cache, **place.environment)
    assert done.returncode == 2
    assert f"something listens at 127.0.0.1:{place.port} already" in done.stderr
    assert not place.log.exists()
    nowhere = place.environment | {"PATH": "/nowhere", "PYTHONPATH": ""}
    for tool in ("vllm", "sglang"):
        done = snellen(*place.words(f"{tool}/m", tool), cache=place.cache, **nowhere)
        assert done.returncode == 2
        assert f"{tool} is not installed" in done.stderr


@pytest.mark.parametrize("more", [f"--api-key {KEY}", f"--api-key={KEY}", "--hf-token hf_0123456789abcdefghij"])
def test_a_key_among_the_servers_words_is_refused(place: Place, more: str) -> None:
    done = snellen(*place.words("vllm/m", f"vllm {more}"), cache=place.cache, **place.environment)
    assert done.returncode == 2 and "set VLLM_API_KEY" in done.stderr
    assert KEY not in done.stderr and not place.log.exists()
    assert not any(KEY in path.read_text(errors="replace") for path in place.out.rglob("*") if path.is_file())
