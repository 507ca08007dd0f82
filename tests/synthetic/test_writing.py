"""Writing: folders are claimed, never overwritten; files appear whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snellen.core.errors import SnellenError
from snellen.synthetic.writing import MARKER, claim, origin_of, write_bytes

ORIGIN = origin_of("g", seed=2, count=3)


def test_a_folder_is_marked_and_may_be_claimed_again_for_the_same_set(tmp_path: Path) -> None:
    marker = claim(tmp_path / "new", ORIGIN)
    assert marker.name == MARKER
    assert json.loads(marker.read_text()) == {"generator": "g", "version": 2, "seed": 2, "count": 3}
    assert claim(tmp_path / "new", ORIGIN) == marker
    (tmp_path / "empty").mkdir()
    claim(tmp_path / "empty", ORIGIN)


def test_anything_else_is_left_alone(tmp_path: Path) -> None:
    claim(tmp_path / "made", ORIGIN)
    with pytest.raises(SnellenError, match=r"holds another synthetic set \(generator g, version 2, seed 2, count 3"):
        claim(tmp_path / "made", origin_of("g", seed=2, count=4))
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
        claim(tmp_path / "x", origin_of("g", seed=seed, count=count))
    assert not (tmp_path / "x").exists()


def test_files_appear_whole(tmp_path: Path) -> None:
    assert write_bytes(tmp_path / "a" / "b.bin", b"12").read_bytes() == b"12"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["b.bin"]
