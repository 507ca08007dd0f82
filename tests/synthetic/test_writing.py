"""Writing: folders are claimed, never overwritten; work comes back in order from any number of processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snellen.core.errors import SnellenError
from snellen.synthetic.writing import MARKER, Origin, claim, in_order, write_bytes

ORIGIN = Origin(generator="g", version=1, seed=2, count=3)


def test_a_folder_is_marked_and_may_be_claimed_again_for_the_same_set(tmp_path: Path) -> None:
    marker = claim(tmp_path / "new", ORIGIN)
    assert marker.name == MARKER
    assert json.loads(marker.read_text()) == {"generator": "g", "version": 1, "seed": 2, "count": 3}
    assert claim(tmp_path / "new", ORIGIN) == marker
    (tmp_path / "empty").mkdir()
    claim(tmp_path / "empty", ORIGIN)


def test_anything_else_is_left_alone(tmp_path: Path) -> None:
    claim(tmp_path / "made", ORIGIN)
    with pytest.raises(SnellenError, match=r"holds another synthetic set \(generator g, version 1, seed 2, count 3"):
        claim(tmp_path / "made", Origin(generator="g", version=1, seed=2, count=4))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(SnellenError, match="not made here"):
        claim(tmp_path / "mine", ORIGIN)
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    with pytest.raises(SnellenError, match="not a folder"):
        claim(tmp_path / "mine" / "thesis.txt", ORIGIN)
    for text in ("{", "[]"):
        (tmp_path / "made" / MARKER).write_text(text)
        with pytest.raises(SnellenError, match="cannot be read"):
            claim(tmp_path / "made", ORIGIN)


@pytest.mark.parametrize(("seed", "count", "said"), [(-1, 3, "negative"), (0, 0, "at least 1")])
def test_nonsense_is_refused_before_anything_is_written(tmp_path: Path, seed: int, count: int, said: str) -> None:
    with pytest.raises(SnellenError, match=said):
        claim(tmp_path / "x", Origin(generator="g", version=1, seed=seed, count=count))
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_work_comes_back_in_order(workers: int | None) -> None:
    assert list(in_order(abs, range(-20, 0), workers)) == list(range(20, 0, -1))
    assert list(in_order(abs, [], workers)) == []


def test_a_failure_in_a_worker_is_raised_here() -> None:
    with pytest.raises(TypeError):
        list(in_order(abs, ["not a number"] * 20, 2))  # type: ignore[list-item]


def test_files_appear_whole(tmp_path: Path) -> None:
    assert write_bytes(tmp_path / "a" / "b.bin", b"12").read_bytes() == b"12"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["b.bin"]
