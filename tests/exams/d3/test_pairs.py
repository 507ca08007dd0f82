"""Pairs of one's own: rows in every kind of file, two folders, captions as recorded replies, and problems with their rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from tests.support.extras import of

from snellen.core.errors import SnellenError
from snellen.core.extras import ReplayFormat
from snellen.core.options import Selection
from snellen.exams.d3.check import check
from snellen.exams.d3.data import D3Data
from snellen.exams.d3.exam import EXAM
from snellen.subjects.replay import Replay

ROWS = [
    {"id": "shop", "left": "old.png", "right": "new.png", "kind": "colour"},
    {"id": "home", "left": "new.png", "right": "old.png", "kind": "place"},
]


def pictures(where: Path, *names: str) -> Path:
    for i, name in enumerate(names or ("old.png", "new.png", "third.png")):
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (40, 30), (i * 50, 9, 9)).save(where / name)
    return where


def jsonl(where: Path, *rows: Any) -> Path:
    (pictures(where) / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return where


def problems(where: Path) -> list[str]:
    return [str(problem) for problem in check(where) if problem.fatal]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "parquet"])
def test_rows_of_two_pictures_are_pairs(tmp_path: Path, kind: str) -> None:
    pictures(tmp_path)
    path = tmp_path / f"pairs.{kind}"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    elif kind == "csv":
        path.write_text("\r\n".join([",".join(ROWS[0]), *(",".join(row.values()) for row in ROWS)]))
    else:
        text = json.dumps(ROWS) if kind == "json" else "# mine\n" + "\n".join(map(json.dumps, ROWS))
        path.write_text(text)
    for where in (tmp_path, path):
        samples = list(D3Data(where, Selection()).full(lambda _id: True))
        assert [(s.id, s.tags["task"], s.tags["kind"]) for s in samples] == [
            ("d3/shop", "pair", "colour"),
            ("d3/home", "pair", "place"),
        ]
        assert [p.name for p in samples[0].pictures] == ["old.png", "new.png"]
    assert not problems(tmp_path) and EXAM.recognises(tmp_path) == "pairs of pictures"


@pytest.mark.parametrize("slots", [("a", "b"), ("image_a", "image_b"), ("image1", "image2")])
def test_other_names_for_two_pictures(tmp_path: Path, slots: tuple[str, str]) -> None:
    [sample] = D3Data(jsonl(tmp_path, {slots[0]: "old.png", slots[1]: "new.png"}), Selection()).light()
    assert (sample.id, sample.facts["left"], sample.facts["right"]) == ("d3/1", "old.png", "new.png")


def test_three_pictures_are_a_set(tmp_path: Path) -> None:
    row = {"image1": "old.png", "image2": "new.png", "image3": "third.png"}
    [sample] = D3Data(jsonl(tmp_path, row), Selection()).light()
    assert sample.tags["task"] == "set of 3"


def test_two_folders_of_pictures_with_the_same_names(tmp_path: Path) -> None:
    pictures(tmp_path, "a/home.png", "b/home.png", "a/shop.png", "b/shop.jpg")
    assert [s.id for s in D3Data(tmp_path, Selection()).light()] == ["d3/home", "d3/shop"]
    before = D3Data(tmp_path, Selection()).fingerprint
    (tmp_path / "b" / "shop.jpg").write_bytes((tmp_path / "a" / "home.png").read_bytes() + b"x")
    assert D3Data(tmp_path, Selection()).fingerprint != before
    pictures(tmp_path, "a/lonely.png")
    assert problems(tmp_path) == ["picture 'lonely': is not in the folder 'b'"]


def test_captions_of_the_rows_are_replies_to_their_pairs(tmp_path: Path) -> None:
    row = ROWS[0] | {"left_caption": "A grey button.", "right_caption": "A red button."}
    where = jsonl(tmp_path, row, {"left": "new.png", "right": "old.png", "caption_left": "x", "caption_right": "y"})
    replay = Replay(where / "pairs.jsonl", of(EXAM, ReplayFormat).read)
    assert replay.recorded_ids == {s.id for s in D3Data(where, Selection()).light()} == {"d3/shop", "d3/2"}
    text = "id,left,right,left_caption,right_caption\nshop,old.png,new.png,A grey button.,A red button.\n"
    (where / "said.csv").write_text(text)
    assert Replay(where / "said.csv", of(EXAM, ReplayFormat).read).recorded_ids == {"d3/shop"}


def test_plain_replies_are_still_plain_replies(tmp_path: Path) -> None:
    (tmp_path / "said.jsonl").write_text('{"id": "d3/shop", "text": "hello"}\n')
    assert Replay(tmp_path / "said.jsonl", of(EXAM, ReplayFormat).read).recorded_ids == {"d3/shop"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"right": ""}, "pairs.jsonl line 2: column right: no picture"),
        ({"right": "../x.png"}, "pairs.jsonl line 2: '../x.png' leads out of the data's folder"),
        ({"right": 5}, "pairs.jsonl line 2: right must be the path of an image"),
        ({"id": "shop"}, "pairs.jsonl line 2: id 'shop' is given twice"),
        ({"right": "new.png"}, "pairs.jsonl line 2: two of its images are the same file content"),
    ],
)
def test_what_is_wrong_is_told_with_its_row(tmp_path: Path, row: dict[str, Any], words: str) -> None:
    found = problems(jsonl(tmp_path, ROWS[0], ROWS[1] | row))
    assert len(found) == 1 and found[0].startswith(words)


def test_a_picture_that_is_not_there_is_told_with_its_row(tmp_path: Path) -> None:
    where = jsonl(tmp_path, ROWS[0], ROWS[1] | {"right": "gone.png"})
    assert "pairs.jsonl line 2: image 'gone.png' is missing" in problems(where)
    with pytest.raises(SnellenError, match="1 of 2 pairs lack an image"):
        D3Data(where, Selection())


def test_several_files_of_pairs_are_not_mixed(tmp_path: Path) -> None:
    where = jsonl(tmp_path, *ROWS)
    (where / "more.csv").write_text("left,right\nold.png,new.png\n")
    with pytest.raises(SnellenError, match=r"several files of pairs \(more.csv, pairs.jsonl\): name one of them"):
        D3Data(where, Selection())
    assert len(D3Data(where / "more.csv", Selection())) == 1


def test_a_folder_of_something_else_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "questions.csv").write_text("image,question,A,B,answer\nold.png,What?,this,that,A\n")
    assert EXAM.recognises(tmp_path) is None
    with pytest.raises(SnellenError, match=r"no dataset\.json and no pairs"):
        D3Data(tmp_path, Selection())
