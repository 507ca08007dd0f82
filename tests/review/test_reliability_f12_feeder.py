"""Reliability F12: a small TMPDIR or a killed feeding process ended the run as "a bug in snellen"; interrupts printed tracebacks."""

from __future__ import annotations

import errno
import io
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

from snellen.core.types import Answer
from snellen.engine.answer import feeding
from snellen.engine.answer.feeding import Feed, ProcessFeed, open_feed
from snellen.engine.plan.plan import Plan, make_plan
from snellen.engine.plan.request import Limits, RunRequest
from snellen.engine.run import run_plan
from snellen.engine.runs.folder import RunFolder

COUNT = 120


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(feeding, "ENOUGH_FOR_A_PROCESS", 10)
    write_set(tmp_path / "set", COUNT)
    with Endpoint() as endpoint:
        options = {"base_url": endpoint.url}
        request = RunRequest("salbench", "api/m", tmp_path / "set", ("paper",), options=options, out=tmp_path / "runs")
        yield make_plan(request._replace(limits=Limits(concurrency=8))), endpoint


def answers(plan: Plan) -> list[Answer]:
    return list(RunFolder(plan.folder).answers())


def test_no_room_for_the_shared_memory(planned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, endpoint = planned

    def full(*_args: Any, **_more: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    assert run_plan(plan).stopped is None
    assert len(answers(plan)) == len(endpoint.requests) == COUNT


def test_a_file_that_cannot_be_made_long_enough(planned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, _endpoint = planned

    class Short(io.FileIO):
        def truncate(self, _size: Any = None, /) -> int:
            raise OSError(errno.EFBIG, "File too large")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: Short(tempfile.mkstemp()[1], "r+"))
    assert isinstance(open_feed(plan, plan.folder, lambda _key: False, COUNT), Feed)


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_feeder_that_dies_is_replaced(planned: Any, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """As when the disk under the shared memory is full, or the system is out of memory."""
    plan, endpoint = planned
    pull: Callable[[ProcessFeed], Any] = ProcessFeed.pull
    pulled: list[int] = []

    def dies(feed: ProcessFeed) -> Any:
        if len(pulled) == after:
            feed._process.kill()
            feed._process.wait()
            if feed._process.stdout is not None:
                feed._process.stdout.read()  # nothing of what it had written is left
        pulled.append(1)
        return pull(feed)

    monkeypatch.setattr(ProcessFeed, "pull", dies)
    finished = run_plan(plan)
    assert finished.stopped is None
    assert any("read in a thread" in note for note in finished.notes)
    kept = answers(plan)
    assert len({a.id for a in kept}) == len(kept) == len(endpoint.requests) == COUNT


def test_an_error_inside_the_process_is_told_and_survived(planned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, endpoint = planned
    spec = plan.subject.feed_spec()
    monkeypatch.setattr(plan.subject, "feed_spec", lambda: spec | {"settings": {**spec["settings"], "unheard_of": 1}})
    finished = run_plan(plan)
    assert finished.stopped is None
    assert any("unheard_of" in note for note in finished.notes)
    assert len(answers(plan)) == len(endpoint.requests) == COUNT


def test_closing_while_it_reads_is_quiet(planned: Any, capfd: pytest.CaptureFixture[str]) -> None:
    plan, _endpoint = planned
    said: list[BaseException] = []
    for _ in range(4):
        feed = feeding.Feeder(plan, plan.folder, lambda _key: False, COUNT)

        def read(feed: feeding.Feeder = feed) -> None:
            try:
                while feed.pull():
                    pass
            except BaseException as error:
                said.append(error)

        thread = threading.Thread(target=read)
        thread.start()
        feed.close()
        thread.join(60)
        assert not thread.is_alive()
    assert said == []
    assert "Traceback" not in capfd.readouterr().err
