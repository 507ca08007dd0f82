"""Writing synthetic sets: exact counts, the same bytes every time, folders that are not ours left alone."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.grounding.data import GroundingData
from snellen.synthetic.screens.make import make

COUNT, SEED = 9, 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("grounding") / "set"
    seen: list[tuple[int, int]] = []
    files = make(out, count=COUNT, seed=SEED, workers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i + 1, COUNT) for i in range(COUNT)]
    assert sum(f.suffix == ".png" for f in files) == COUNT and all(f.is_file() for f in files)
    return out


def content(folder: Path) -> dict[str, str]:
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(made: Path, tmp_path: Path) -> None:
    make(tmp_path / "again", count=COUNT, seed=SEED, workers=2)
    assert content(tmp_path / "again") == content(made)
    make(made, count=COUNT, seed=SEED, workers=1)  # the same set over itself
    assert content(tmp_path / "again") == content(made)


def test_a_screenshot_depends_on_seed_and_index_alone(made: Path, tmp_path: Path) -> None:
    make(tmp_path / "small", count=3, seed=SEED, workers=1)
    small, large = (json.loads((f / "annotations.json").read_text()) for f in (tmp_path / "small", made))
    assert small["samples"] == large["samples"][:3]
    for sample in small["samples"]:
        assert (tmp_path / "small" / sample["image_path"]).read_bytes() == (made / sample["image_path"]).read_bytes()
    make(tmp_path / "other", count=1, seed=SEED + 1, workers=1)
    other = json.loads((tmp_path / "other" / "annotations.json").read_text())
    assert other["samples"][0]["metadata"]["sha256"] != large["samples"][0]["metadata"]["sha256"]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_exactly_the_count_is_delivered(tmp_path: Path, count: int) -> None:
    make(tmp_path / "set", count=count, seed=1, workers=1)
    assert len(list((tmp_path / "set" / "images").glob("*.png"))) == count
    assert len(json.loads((tmp_path / "set" / "annotations.json").read_text())["samples"]) == count


def test_the_files_say_where_they_come_from(made: Path) -> None:
    marker = json.loads((made / "snellen_synthetic.json").read_text())
    assert (marker["style"], marker["seed"], marker["count"]) == ("layouts", SEED, COUNT)
    root = json.loads((made / "annotations.json").read_text())
    assert list(root) == ["name", "version", "metadata", "samples"] and root["metadata"]["num_samples"] == COUNT
    for sample in root["samples"]:
        data = (made / sample["image_path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == sample["metadata"]["sha256"]
    data = GroundingData(made, Selection())
    assert data.synthetic and set(data.format.name.split()) == {"annotations"}


def test_one_resolution_for_all(tmp_path: Path) -> None:
    make(tmp_path / "set", count=3, seed=2, workers=1, screen=(1920, 1080))
    samples = json.loads((tmp_path / "set" / "annotations.json").read_text())["samples"]
    assert {(s["width"], s["height"]) for s in samples} == {(1920, 1080)}


def test_folders_that_hold_something_else_are_left_alone(made: Path, tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match=f"style layouts, seed {SEED}, count {COUNT}"):
        make(made, count=COUNT + 1, seed=SEED)
    with pytest.raises(SnellenError, match="was not made here"):
        (tmp_path / "mine.txt").write_text("x")
        make(tmp_path, count=1, seed=0)
    with pytest.raises(SnellenError, match="is not a folder"):
        make(tmp_path / "mine.txt", count=1, seed=0)


def test_bad_wishes_are_refused(tmp_path: Path) -> None:
    for wish, words in (
        ({"count": 0, "seed": 0}, "count must be"),
        ({"count": 1, "seed": -1}, "seed must not"),
        ({"count": 1, "seed": 0, "style": "fancy"}, "unknown style 'fancy'"),
        ({"count": 1, "seed": 0, "absent": 2.0}, "between 0 and 1"),
        ({"count": 1, "seed": 0, "screen": (320, 200)}, "at least 640x480"),
        ({"count": 9, "seed": 0, "style": "original", "absent": 0.5}, "use the style 'layouts'"),
    ):
        with pytest.raises(SnellenError, match=words):
            make(tmp_path / "set", **wish)  # type: ignore[arg-type]
    assert not (tmp_path / "set").exists()
