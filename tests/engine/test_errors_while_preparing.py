"""An unexpected error while questions are prepared loses no paid call."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint
from tests.support.sets import png, write_config, write_set

from snellen.core.errors import SnellenError
from snellen.core.pixels import as_accepted, decode_problem
from snellen.core.types import Answer, Sample
from snellen.engine.ask import controls
from snellen.engine.plan.plan import Plan, make_plan
from snellen.engine.plan.request import Limits, RunRequest
from snellen.engine.run import run_plan


def claiming(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose header claims a size, whole from its signature to its end."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def planned(data: Path, endpoint: Endpoint, out: Path, *arms: str) -> Plan:
    request = RunRequest("salbench", "api/m", data, ("paper",), controls=arms, options={"base_url": endpoint.url})
    return make_plan(request._replace(out=out, limits=Limits(concurrency=8)))


def answers(plan: Plan) -> dict[tuple[str, str], Answer]:
    from snellen.engine.runs.folder import RunFolder

    return {(a.id, a.prompt): a for a in RunFolder(plan.folder).answers()}


@pytest.mark.parametrize("size", [(2**31, 2**31), (50_000, 50_000), (70_000, 1)])
def test_a_picture_too_large_is_one_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    drawn: list[tuple[int, int]] = []
    draw = controls.grey_png

    def noted(width: int, height: int) -> bytes:
        drawn.append((width, height))
        if width * height > 10**6:
            raise MemoryError
        return draw(width, height)

    monkeypatch.setattr(controls, "grey_png", noted)
    images = [{"bytes": claiming(*size) if i == 20 else png(i), "path": None} for i in range(40)]
    write_config(tmp_path / "set", "P3", 40, image=images)
    with Endpoint(delay=0.01) as endpoint:
        plan = planned(tmp_path / "set", endpoint, tmp_path / "runs", "blank")
        finished = run_plan(plan)
        assert finished.stopped is None
        found = answers(plan)
        failed = {key: a.failure for key, a in found.items() if a.failure is not None}
        assert len(found) == 80
        assert set(failed) == {("P3/img00020", "question"), ("P3/img00020", "question+blank")}
        assert {f.kind for f in failed.values()} == {"bad-image"}
        assert all("larger than" in f.reason for f in failed.values())
        assert set(drawn) == {(8, 8)}
        assert len(endpoint.requests) == 40  # 39 pictures, and one blank that is the same for all
        run_plan(planned(tmp_path / "set", endpoint, tmp_path / "runs", "blank"))
        assert len(endpoint.requests) == 40  # the resume pays for nothing again


def test_such_a_picture_is_neither_decoded_nor_sent() -> None:
    assert "larger than" in str(decode_problem(claiming(50_000, 50_000)))
    with pytest.raises(SnellenError, match="larger than"):
        as_accepted(claiming(50_000, 50_000), frozenset({"png"}))


def test_a_question_that_cannot_be_made_is_one_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_set(tmp_path / "set", 40)
    with Endpoint(delay=0.01) as endpoint:
        plan = planned(tmp_path / "set", endpoint, tmp_path / "runs")
        ask = type(plan.exam).ask

        def breaks(exam: Any, prompt: str, sample: Sample, shots: Any = ()) -> Any:
            if sample.id == "P3/img00033" and sample.pictures:
                raise KeyError("no such thing")
            return ask(exam, prompt, sample, shots)

        monkeypatch.setattr(type(plan.exam), "ask", breaks)
        run_plan(plan)
        found = answers(plan)
        failed = [a for a in found.values() if a.failure is not None]
        assert len(found) == 40
        assert [a.id for a in failed] == ["P3/img00033"]
        assert failed[0].failure is not None
        assert failed[0].failure.kind == "question-failed"
        assert "KeyError" in failed[0].failure.reason


@pytest.mark.parametrize("kind", [MemoryError, OSError, SnellenError])
def test_data_that_ends_in_an_error_keeps_what_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    write_set(tmp_path / "set", 60)
    with Endpoint(delay=0.05) as endpoint:
        plan = planned(tmp_path / "set", endpoint, tmp_path / "runs")
        full = type(plan.data).full

        def breaks(data: Any, wanted: Callable[[str], bool]) -> Iterator[Sample]:
            for sample in full(data, wanted):
                if sample.id == "P3/img00045":
                    raise kind("the disk is gone")
                yield sample

        monkeypatch.setattr(type(plan.data), "full", breaks)
        for _ in range(2):
            with pytest.raises(kind):
                run_plan(plan)
            assert len(answers(plan)) == 45
            assert len(endpoint.requests) == 45
        monkeypatch.undo()
