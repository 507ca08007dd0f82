"""What a subject holds, such as workers, is let go exactly once, also where a run fails before it asks anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.sets import write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.core.subject import Subject
from snellen.engine.runs.folder import RunFolder


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    async def close(self: Subject) -> None:
        found.append(self.spec)

    monkeypatch.setattr(Subject, "close", close)
    return found


def test_a_run_closes_its_subject_once_whether_it_asks_or_not(tmp_path: Path, closed: list[str]) -> None:
    data = write_set(tmp_path / "set", 2)
    for _ in range(2):
        snellen.evaluate("salbench", model="baseline/chance", data=data, out=tmp_path / "runs")
        assert closed == ["baseline/chance"]
        closed.clear()


def test_a_plan_that_fails_closes_it(tmp_path: Path, closed: list[str]) -> None:
    data = write_set(tmp_path / "set", 2)
    with pytest.raises(SnellenError, match="concurrency"):
        snellen.evaluate("salbench", model="baseline/chance", data=data, out=tmp_path / "runs", concurrency=3)
    assert closed == ["baseline/chance"]


@pytest.mark.parametrize("fresh", [False, True])
def test_a_run_that_cannot_begin_closes_it(tmp_path: Path, closed: list[str], fresh: bool) -> None:
    data = write_set(tmp_path / "set", 2)
    run = snellen.evaluate("salbench", model="baseline/chance", data=data, out=tmp_path / "runs")
    closed.clear()
    with RunFolder(run.path), pytest.raises(SnellenError, match="another"):
        snellen.evaluate("salbench", model="baseline/chance", data=data, out=tmp_path / "runs", fresh=fresh)
    assert closed == ["baseline/chance"]


@pytest.mark.parametrize("where", ["snellen.engine.run._server_log", "snellen.engine.answer.loop.budget_of"])
def test_a_run_that_fails_right_before_it_asks_closes_it(
    tmp_path: Path, closed: list[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def fails(*_given: object, **_more: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(where, fails)
    with pytest.raises(OSError, match="no space left"):
        snellen.evaluate(
            "salbench", model="baseline/chance", data=write_set(tmp_path / "set", 2), out=tmp_path / "runs"
        )
    assert closed == ["baseline/chance"]
