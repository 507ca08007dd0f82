"""Reading the real layout: what is there, what is missing, what is broken, with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.sets import png

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.data.synthetic_marker import MARK
from snellen.exams.d3.data import D3Data
from snellen.exams.d3.exam import EXAM as BENCHMARK


def write(folder: Path, entries: dict[str, Any], *, images: bool = True, **files: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dataset.json").write_text(json.dumps(entries), encoding="utf-8")
    paths = [p for e in entries.values() if isinstance(e, dict) for p in e.values() if isinstance(p, str)]
    for number, path in enumerate(paths if images else ()):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(png(number))
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def pairs(count: int) -> dict[str, dict[str, str]]:
    return {str(i): {"left": f"./images/l{i}.png", "right": f"./images/r{i}.png"} for i in range(count)}


def everything(_id: str) -> bool:
    return True


def test_one_sample_a_pair_with_the_files_bytes(tmp_path: Path) -> None:
    write(tmp_path, pairs(3))
    data = D3Data(tmp_path, Selection())
    full = list(data.full(everything))
    assert [s.id for s in full] == ["d3/0", "d3/1", "d3/2"]
    assert [s.id for s in data.light()] == [s.id for s in full]
    assert [p.data for p in full[1].pictures] == [png(2), png(3)]
    assert [p.name for p in full[1].pictures] == ["images/l1.png", "images/r1.png"]
    assert full[1].tags == {"split": "all", "task": "pair"}
    assert full[1].truth == {"uid": "1"}
    assert full[1].facts == {"left": "images/l1.png", "right": "images/r1.png", "uid": "1"}
    assert [s.id for s in data.full({"d3/2"}.__contains__)] == ["d3/2"]
    assert all(s.pictures == () for s in data.light())
    question = BENCHMARK.ask("pair", full[0])
    assert [p.data for p in question.pictures] == [png(0), png(1)]
    assert not data.synthetic
    assert data.missing == ()


def test_kinds_of_difference_and_the_synthetic_mark_are_read_where_they_are(tmp_path: Path) -> None:
    told = {"1": {"kind": "count", "about": "dogs", "left": "two dogs", "right": "three dogs"}}
    labelled: dict[str, Any] = {uid: entry | {MARK: {"generator": "d3"}} for uid, entry in pairs(2).items()}
    write(tmp_path, labelled, differences=told)
    data = D3Data(tmp_path, Selection())
    plain, counted = data.light()
    assert data.synthetic
    assert "kind" not in plain.tags
    assert counted.tags["kind"] == "count"
    assert counted.facts["difference"] == {"about": "dogs", "left": "two dogs", "right": "three dogs"}
    assert counted.facts["left"] == "images/l1.png"


def test_sets_of_more_than_two_images(tmp_path: Path) -> None:
    entries: dict[str, Any] = pairs(1) | {"s": {f"image{i}": f"images/s{i}.png" for i in (3, 1, 2)}}
    write(tmp_path, entries)
    data = D3Data(tmp_path, Selection())
    _pair, three = data.full(everything)
    assert three.tags == {"split": "all", "task": "set of 3"}
    assert [p.name for p in three.pictures] == ["images/s1.png", "images/s2.png", "images/s3.png"]
    assert "'image1', 'image2' and 'image3'" in BENCHMARK.ask("pair", three).text
    assert [s.id for s in D3Data(tmp_path, Selection(tasks=("set",))).light()] == ["d3/s"]
    assert [s.id for s in D3Data(tmp_path, Selection(tasks=("pair",))).light()] == ["d3/0"]


def test_limits_nest_and_follow_the_seed(tmp_path: Path) -> None:
    write(tmp_path, pairs(40))

    def ids(limit: int, seed: int) -> set[str]:
        data = D3Data(tmp_path, Selection(limit=limit, seed=seed))
        assert len(data) == limit == len(list(data.light()))
        return {s.id for s in data.light()}

    assert ids(5, 1) < ids(20, 1)
    assert ids(20, 1) != ids(20, 2)


def test_a_pair_without_an_image_is_never_asked_about(tmp_path: Path) -> None:
    write(tmp_path, pairs(4))
    (tmp_path / "images" / "r1.png").unlink()
    (tmp_path / "images" / "l3.png").unlink()
    with pytest.raises(
        SnellenError,
        match=r"2 of 4 pairs lack an image \(2 images, first './images/r1.png' of pair '1'\).*--max-missing 2",
    ):
        D3Data(tmp_path, Selection())
    with pytest.raises(SnellenError, match="2 of 4 pairs"):
        D3Data(tmp_path, Selection(max_missing=1))
    data = D3Data(tmp_path, Selection(max_missing=2))
    assert len(data) == 2
    assert data.missing == ("1", "3")
    assert [s.id for s in data.light()] == [s.id for s in data.full(everything)] == ["d3/0", "d3/2"]
    whole = write(tmp_path / "whole", pairs(4))
    assert data.fingerprint != D3Data(whole, Selection()).fingerprint


def test_a_folder_without_any_image_says_so_however_many_may_be_missing(tmp_path: Path) -> None:
    write(tmp_path, {"0": {"left": "./images/COCO_train2014_1.jpg", "right": "./images/sa_1.jpg"}}, images=False)
    with pytest.raises(SnellenError, match=r"1 of 1 pairs lack .*D3's dataset.zip has them all.*/images$"):
        D3Data(tmp_path, Selection(max_missing=9))


def test_images_are_also_found_in_cocos_own_folders_and_the_set_one_folder_deeper(tmp_path: Path) -> None:
    root = tmp_path / "dataset"
    write(root, pairs(1), images=False)
    for folder, name, number in (("train2014", "l0.png", 5), ("images/val2014", "r0.png", 6)):
        (root / folder).mkdir(parents=True)
        (root / folder / name).write_bytes(png(number))
    sample = next(iter(D3Data(tmp_path, Selection()).full(everything)))
    assert [p.data for p in sample.pictures] == [png(5), png(6)]
    assert sample.facts["left"] == "train2014/l0.png"
    write(tmp_path / "second", pairs(1))
    with pytest.raises(SnellenError, match=r"several data sets \(dataset, second\)"):
        D3Data(tmp_path, Selection())


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"left": "images/a.png"}, "expected an object with the paths"),
        (["images/a.png", "images/b.png"], "expected an object"),
        ({"left": 3, "right": "images/b.png"}, "left must be the path"),
        ({"left": "", "right": "images/b.png"}, "left must be the path"),
        ({"left": "../../etc/passwd", "right": "images/b.png"}, "leads out of the data's folder"),
        ({"left": "images/a.png", "right": "/etc/passwd"}, "leads out of the data's folder"),
        ({"image1": "images/a.png", "image2": "images/b.png", "left": "images/c.png"}, "name the images in one way"),
        ({f"image{i}": "images/a.png" for i in range(1, 20)}, "a set may have 16"),
    ],
)
def test_entries_that_cannot_be_used_are_named(tmp_path: Path, entry: Any, words: str) -> None:
    write(tmp_path, pairs(1))
    (tmp_path / "dataset.json").write_text(json.dumps(pairs(1) | {"bad": entry}), encoding="utf-8")
    with pytest.raises(SnellenError, match=f"entry 'bad': .*{words}"):
        D3Data(tmp_path, Selection())
    assert any("'bad'" in p.where and words in p.what for p in BENCHMARK.check(tmp_path))


def test_files_that_are_not_what_they_should_be(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="no folder"):
        D3Data(tmp_path / "nowhere", Selection())
    with pytest.raises(SnellenError, match=r"no dataset\.json and no pairs; unzip D3's dataset\.zip"):
        D3Data(tmp_path, Selection())
    for content in ("nonsense", "[]", "{", '{"0": NaN}'):
        (tmp_path / "dataset.json").write_text(content, encoding="utf-8")
        with pytest.raises(SnellenError, match="is not a JSON object"):
            D3Data(tmp_path, Selection())
        assert len(list(BENCHMARK.check(tmp_path))) == 1
    (tmp_path / "dataset.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SnellenError, match="no entries"):
        D3Data(tmp_path, Selection())
    write(tmp_path, pairs(1), differences={"0": {"kind": 3}})
    with pytest.raises(SnellenError, match=r"differences.json entry '0': expected an object with a text"):
        D3Data(tmp_path, Selection())


def test_unknown_splits_tasks_and_prompts(tmp_path: Path) -> None:
    write(tmp_path, pairs(1))
    assert len(D3Data(tmp_path, Selection(splits=("ALL",), tasks=("Pair",)))) == 1
    with pytest.raises(SnellenError, match="unknown split 'test'"):
        D3Data(tmp_path, Selection(splits=("test",)))
    with pytest.raises(SnellenError, match="unknown task 'triple'"):
        D3Data(tmp_path, Selection(tasks=("triple",)))
    with pytest.raises(SnellenError, match="nothing for --task set"):
        D3Data(tmp_path, Selection(tasks=("set",)))
    with pytest.raises(SnellenError, match="unknown prompt 'pairs' of d3: did you mean 'pair'"):
        BENCHMARK.prompt("pairs")
    with pytest.raises(SnellenError, match="takes no examples"):
        D3Data(tmp_path, Selection(shots=2)).shots("pair")


def test_the_fingerprint_follows_the_content(tmp_path: Path) -> None:
    folders = [write(tmp_path / n, pairs(2)) for n in ("a", "b", "c", "d")]
    (folders[2] / "images" / "r1.png").write_bytes(png(3, side=64))
    write(folders[3], pairs(2), differences={"0": {"kind": "state"}})
    prints = [D3Data(folder, Selection()).fingerprint for folder in folders]
    assert prints[0] == prints[1]
    assert len({*prints}) == 3


def test_check_lists_every_problem(tmp_path: Path) -> None:
    entries = pairs(4) | {"same": {"left": "./images/l0.png", "right": "./images/copy.png"}}
    write(tmp_path, entries, differences={"0": {"kind": "count"}, "77": {"kind": "count"}})
    (tmp_path / "images" / "copy.png").write_bytes((tmp_path / "images" / "l0.png").read_bytes())
    (tmp_path / "images" / "l1.png").write_bytes(b"not an image")
    (tmp_path / "images" / "r2.png").unlink()
    problems = list(BENCHMARK.check(tmp_path))
    fatal = {str(p) for p in problems if p.fatal}
    assert any(p.startswith("dataset.json: 1 of 5 pairs lack an image") for p in fatal)
    assert "dataset.json entry '2': image './images/r2.png' is missing" in fatal
    assert any(p.startswith("images/l1.png: image does not decode") for p in fatal)
    assert any(p.startswith("dataset.json entry 'same': two of its images are the same") for p in fatal)
    assert len(fatal) == 4
    assert len(problems) == len(fatal)


def test_a_good_folder_has_no_problem(tmp_path: Path) -> None:
    assert list(BENCHMARK.check(write(tmp_path, pairs(3)))) == []


@pytest.mark.parametrize("by_path", [True, False])
def test_the_list_may_have_any_name(tmp_path: Path, by_path: bool) -> None:
    write(tmp_path, pairs(2), captions={"0": {"left": "A dog.", "right": "A cat."}})
    (tmp_path / "dataset.json").rename(tmp_path / "my_test_pairs.json")
    where = tmp_path / "my_test_pairs.json" if by_path else tmp_path
    assert [s.id for s in D3Data(where, Selection()).light()] == ["d3/0", "d3/1"]
    assert BENCHMARK.recognises(where) == "D3's dataset.json"
    assert list(BENCHMARK.check(where)) == []
    (tmp_path / "other.json").write_text(json.dumps(pairs(1)), encoding="utf-8")
    with pytest.raises(SnellenError, match=r"several lists of pairs \(my_test_pairs\.json, other\.json\): name one"):
        D3Data(tmp_path, Selection())
