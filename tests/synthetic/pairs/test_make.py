"""Synthetic pairs: D3's own format, one stated difference a pair, captions that tell it, the same bytes every time."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.d3.data import D3Data
from snellen.exams.d3.exam import EXAM as BENCHMARK
from snellen.exams.d3.recorded import recorded
from snellen.synthetic.pairs import make as maker
from snellen.synthetic.pairs.make import make, variants
from snellen.synthetic.scenes.words import facts

COUNT, SEED = 18, 3
KINDS = {"attribute", "count", "position", "orientation", "state", "presence"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("d3")
    seen: list[tuple[int, int]] = []
    files = make(out, count=COUNT, seed=SEED, workers=1, progress=lambda done, total: seen.append((done, total)))
    assert set(files) == {p for p in out.rglob("*") if p.is_file()}
    assert seen == [(i + 1, COUNT) for i in range(COUNT)]
    return out


def read(folder: Path, name: str) -> dict[str, Any]:
    out: dict[str, Any] = json.loads((folder / name).read_text())
    return out


def test_the_files_are_those_of_the_real_set(made: Path) -> None:
    dataset = read(made, "dataset.json")
    assert list(dataset) == [str(uid) for uid in range(COUNT)]
    names = [pair[side] for pair in dataset.values() for side in ("left", "right")]
    assert len(set(names)) == 2 * COUNT
    for name in names:
        assert re.fullmatch(r"\./images/\w+\.jpg", name)
        with Image.open(made / name) as image:
            assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (320, 240))
    assert read(made, "snellen_synthetic.json") == {"generator": "d3", "version": 2, "seed": SEED, "count": COUNT}


def test_kinds_are_balanced_and_pairs_are_near_identical(made: Path) -> None:
    told, dataset = read(made, "differences.json"), read(made, "dataset.json")
    assert Counter(t["kind"] for t in told.values()) == dict.fromkeys(KINDS, COUNT // 6)
    for uid, pair in dataset.items():
        left, right = (np.asarray(Image.open(made / pair[side]), dtype=np.int16) for side in ("left", "right"))
        apart = (np.abs(left - right).max(axis=2) > 40).mean()
        assert 0.0008 < apart < 0.35, (uid, told[uid])
        assert told[uid]["left"] != told[uid]["right"]


def test_reference_captions_state_the_difference_in_full_sentences(made: Path) -> None:
    told, captions = read(made, "differences.json"), read(made, "captions/reference.json")
    assert captions.keys() == told.keys()
    for uid, sides in captions.items():
        assert sides["left"] != sides["right"]
        assert sides.pop("snellen.synthetic") == {"generator": "d3", "version": 2, "seed": SEED}
        for side, caption in sides.items():
            assert re.fullmatch(r"([A-Z][^.]*\. ?)+", caption)
            assert caption.lower().startswith(told[uid][side])
            assert not re.search(r"\b(image|picture|photo)", caption)
            assert len(caption.split()) < 50


def test_the_same_seed_gives_the_same_bytes_and_a_larger_set_begins_with_the_smaller(
    made: Path, tmp_path: Path
) -> None:
    make(tmp_path / "again", count=COUNT, seed=SEED, workers=2)
    again = {p.relative_to(tmp_path / "again"): p.read_bytes() for p in (tmp_path / "again").rglob("*") if p.is_file()}
    assert again == {p.relative_to(made): p.read_bytes() for p in made.rglob("*") if p.is_file()}
    make(tmp_path / "small", count=2, seed=SEED)
    small = read(tmp_path / "small", "dataset.json")
    assert small == {uid: pair for uid, pair in read(made, "dataset.json").items() if int(uid) < 2}
    for pair in small.values():
        for side in ("left", "right"):
            assert (tmp_path / "small" / pair[side]).read_bytes() == (made / pair[side]).read_bytes()
    assert maker.difference(SEED + 1, 0) != maker.difference(SEED, 0)


def test_another_set_in_the_folder_is_not_touched(made: Path) -> None:
    before = sorted(p.stat().st_mtime_ns for p in made.rglob("*"))
    with pytest.raises(SnellenError, match="choose another folder"):
        make(made, count=COUNT + 1, seed=SEED)
    assert before == sorted(p.stat().st_mtime_ns for p in made.rglob("*"))


def test_training_draws_other_pairs_than_those_of_make(made: Path) -> None:
    learnt = [maker.difference(SEED, index, "train") for index in range(COUNT)]
    assert {told.kind for told in learnt} == KINDS
    shown = {(c["left"], c["right"]) for c in read(made, "captions/reference.json").values()}
    assert not shown & {told.captions for told in learnt}


def test_words_are_few_enough_for_a_tiny_model() -> None:
    captions = (caption for index in range(300) for caption in maker.difference(0, index).captions)
    assert len({word.strip(".,").lower() for caption in captions for word in caption.split()}) < 250


@pytest.mark.parametrize("size", [3, 16])
def test_in_a_set_every_image_has_what_no_other_has(size: int) -> None:
    for index in range(4):
        told = variants(SEED, index, size)
        assert len({d.other for d in told}) == size
        assert len({d.one for d in told}) == 1
        true = [{f.text for f in facts(d.other)} for d in told]
        for place, one in enumerate(told):
            assert not any(one.said_of_other in others for i, others in enumerate(true) if i != place)
            assert one.captions[1].lower().startswith(one.said_of_other)
            assert one.aspect == "item" or one.said_of_other in true[place]


def test_sets_are_in_the_real_format_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    files = make(tmp_path / "a", sets=4, count=3, seed=SEED, workers=1)
    make(tmp_path / "b", sets=4, count=3, seed=SEED, workers=1)
    assert {p.relative_to(tmp_path / "a"): p.read_bytes() for p in files} == {
        p.relative_to(tmp_path / "b"): p.read_bytes() for p in (tmp_path / "b").rglob("*") if p.is_file()
    }
    data = D3Data(tmp_path / "a", Selection(tasks=("set",)))
    samples = list(data.full(lambda _id: True))
    assert [s.tags["task"] for s in samples] == ["set of 4"] * 3
    assert all(len({p.data for p in s.pictures}) == 4 for s in samples)
    assert recorded(read(tmp_path / "a", "captions/reference.json"))
    assert not [p for p in BENCHMARK.check(tmp_path / "a") if p.fatal]
    with pytest.raises(SnellenError, match="another synthetic set"):
        make(tmp_path / "a", sets=3, count=3, seed=SEED)
    with pytest.raises(SnellenError, match="--sets 17: a set has 3 to 16 images"):
        make(tmp_path / "c", sets=17, count=3, seed=SEED)
