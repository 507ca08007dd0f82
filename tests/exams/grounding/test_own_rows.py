"""Own screenshots as rows: every way to write a box gives the same pixels, and what could mean two things is refused with its place."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.grounding.check import check
from snellen.exams.grounding.data import GroundingData
from snellen.exams.grounding.exam import EXAM

Rows = list[dict[str, Any]]
ROW: dict[str, Any] = {"image": "a.png", "instruction": "Pay", "box": [20, 10, 80, 40], "box_format": "xyxy-pixels"}
TRUTH = {"boxes": [[20.0, 10.0, 80.0, 40.0]], "absent": False}


def picture(path: Path, size: tuple[int, int] = (200, 100), **more: Any) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    out = io.BytesIO()
    Image.new("RGB", size, "white").save(out, path.suffix[1:].upper().replace("JPG", "JPEG"), **more)
    path.write_bytes(out.getvalue())
    return out.getvalue()


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in names}


def jsonl(where: Path, *rows: Any) -> Path:
    picture(where / "a.png")
    (where / "boxes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return where


def as_csv(where: Path, rows: Rows, delimiter: str = ",") -> Path:
    picture(where / "a.png")
    with (where / "boxes.csv").open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    return where


def truths(where: Path) -> list[Any]:
    return [sample.truth for sample in GroundingData(where, Selection()).light()]


def problems(where: Path) -> list[str]:
    return [str(problem) for problem in check(where) if problem.fatal]


# ---------------------------------------------------------------- the same box in every way

PLAIN = without(ROW, "box", "box_format")
WAYS: dict[str, dict[str, Any]] = {
    "corners": ROW,
    "size": ROW | {"box": [20, 10, 60, 30], "box_format": "xywh-pixels"},
    "shares": ROW | {"box": [0.1, 0.1, 0.4, 0.4], "box_format": "xyxy-shares"},
    "shares of size": ROW | {"box": [0.1, 0.1, 0.3, 0.3], "box_format": "XYWH_normalized"},
    "named column": PLAIN | {"bbox_xywh": [20, 10, 60, 30]},
    "named column of shares": PLAIN | {"box_xyxy_shares": [0.1, 0.1, 0.4, 0.4]},
    "four columns": PLAIN | {"x1": 20, "y1": 10, "x2": 80, "y2": 40},
    "four columns of size": PLAIN | {"x": 20, "y": 10, "width": 60, "height": 30},
    "corners by name": PLAIN | {"box": {"left": 20, "top": 10, "right": 80, "bottom": 40}},
    "a browser's box": PLAIN | {"box": {"x": 20, "y": 10, "width": 60, "height": 30}, "device_scale_factor": 1},
    "at twice the size": PLAIN | {"box": {"x": 10, "y": 5, "width": 30, "height": 15}, "deviceScaleFactor": 2},
    "by the window": PLAIN | {"boundingBox": {"x": 10, "y": 5, "width": 30, "height": 15}, "viewport": {"width": 100}},
    "text": ROW | {"box": "20, 10, 80, 40"},
    "JSON as text": ROW | {"box": "[20, 10, 80, 40]"},
    "ScreenSpot's names": {
        "img_filename": "a.png",
        "instruction": "Pay",
        "bbox": [20, 10, 60, 30],
        "data_type": "text",
    },
    "ScreenSpot-Pro's names": {
        "img_filename": "a.png",
        "instruction": "Pay",
        "bbox": [20, 10, 80, 40],
        "ui_type": "text",
        "img_size": [200, 100],
    },
}


@pytest.mark.parametrize("row", WAYS.values(), ids=WAYS)
def test_a_box_means_the_same_place_however_it_is_written(tmp_path: Path, row: dict[str, Any]) -> None:
    assert truths(jsonl(tmp_path, row)) == [TRUTH]
    assert not problems(tmp_path)


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "semicolons", "parquet"])
def test_every_kind_of_file_gives_the_same_samples(tmp_path: Path, kind: str) -> None:
    rows = [ROW | {"id": "pay", "split": "web"}, ROW | {"id": "help", "instruction": "Help", "split": "web"}]
    texts = [row | {"box": json.dumps(row["box"])} for row in rows]
    if kind == "parquet":
        picture(tmp_path / "a.png")
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "boxes.parquet")
    elif kind == "json":
        jsonl(tmp_path)
        (tmp_path / "boxes.jsonl").unlink()
        (tmp_path / "boxes.json").write_text(json.dumps(rows))
    elif kind == "jsonl":
        jsonl(tmp_path, *rows)
    else:
        as_csv(tmp_path, texts, ";" if kind == "semicolons" else ",")
    samples = list(GroundingData(tmp_path, Selection()).light())
    assert [(s.id, s.facts["instruction"], s.truth, s.tags["split"]) for s in samples] == [
        ("a.png/pay", "Pay", TRUTH, "web"),
        ("a.png/help", "Help", TRUTH, "web"),
    ]


def test_pictures_inside_a_parquet_file_are_read_from_it(tmp_path: Path) -> None:
    data = picture(tmp_path / "elsewhere" / "a.png")
    row = {"Image": {"bytes": data, "path": "a.png"}, "box_xyxy": [20.0, 10.0, 80.0, 40.0]}
    table = pa.Table.from_pylist([row | {"instruction": text} for text in ("Pay", "Help")])
    pq.write_table(table, tmp_path / "boxes.parquet")
    samples = list(GroundingData(tmp_path, Selection()).full(lambda _id: True))
    assert [s.truth for s in samples] == [TRUTH, TRUTH] and not problems(tmp_path)
    assert [s.pictures[0].data for s in samples] == [data, data]
    assert samples[0].facts["screen"] == samples[1].facts["screen"], "one picture is one screenshot, whoever repeats it"


def test_a_first_row_without_a_box_does_not_hide_the_column(tmp_path: Path) -> None:
    gone = without(ROW, "box", "box_format") | {"absent": True, "instruction": "Fly"}
    assert truths(jsonl(tmp_path, gone, ROW)) == [{"boxes": [], "absent": True}, TRUTH]


def test_several_boxes_and_none(tmp_path: Path) -> None:
    several = ROW | {"id": "any", "box": "20,10,80,40; 100 10 120 20"}
    objects = ROW | {"id": "listed", "boxes": [[1, 2, 3, 4], [5, 6, 7, 8]]}
    gone = ROW | {"id": "gone", "box": [], "absent": True}
    assert truths(jsonl(tmp_path, several, gone)) == [
        {"boxes": [[20, 10, 80, 40], [100, 10, 120, 20]], "absent": False},
        {"boxes": [], "absent": True},
    ]
    assert truths(jsonl(tmp_path, without(objects, "box"))) == [
        {"boxes": [[1, 2, 3, 4], [5, 6, 7, 8]], "absent": False}
    ]


def test_a_file_is_data_as_its_folder_is_and_other_files_beside_it_do_not_count(tmp_path: Path) -> None:
    where = jsonl(tmp_path, ROW)
    (where / "notes.csv").write_text("when,who\n1,me\n")
    assert truths(where) == truths(where / "boxes.jsonl") == [TRUTH]
    assert EXAM.recognises(where) == "screenshots with boxes (rows of image, instruction and box)"
    assert EXAM.recognises(where / "notes.csv") is None and EXAM.recognises(where / "a.png") is None
    (where / "more.jsonl").write_text(json.dumps(ROW))
    with pytest.raises(SnellenError, match=r"several files with boxes \(boxes.jsonl, more.jsonl\): name one of them"):
        truths(where)
    assert truths(where / "more.jsonl") == [TRUTH]


def test_tags_and_sizes_come_from_columns(tmp_path: Path) -> None:
    row = ROW | {"element_type": "icon", "platform": "web", "difficulty": "hard", "application": "shop"}
    [sample] = GroundingData(jsonl(tmp_path, row), Selection()).light()
    tags = sample.tags
    assert (tags["type"], tags["kind"], tags["platform"], tags["difficulty"]) == ("icon", "icon", "web", "hard")
    assert (sample.facts["width"], sample.facts["height"]) == (200, 100)


# ---------------------------------------------------------------- what could mean two things, or nothing

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "which four": (
        without(ROW, "box_format"),
        r"line 1: column box: \[20.0, 10.0, 80.0, 40.0\] may be x1, y1, x2, y2 or x, y, width, height: add a column box_format "
        r"\(choose from xyxy-pixels, xywh-pixels, xyxy-shares, xywh-shares\)",
    ),
    "shares as pixels": (ROW | {"box": [0.1, 0.1, 0.4, 0.4]}, r"less than a pixel.*box_format: xyxy-shares"),
    "pixels as shares": (ROW | {"box_format": "xyxy-shares"}, "is not inside the image, 200x100"),
    "size as corners": (ROW | {"box": [90, 30, 60, 30]}, "column box: box .* corners in the wrong order"),
    "corners as size": (ROW | {"box": [150, 10, 190, 40], "box_format": "xywh"}, "not inside the image"),
    "a browser's pixels": (
        without(ROW, "box_format") | {"box": {"x": 1, "y": 2, "width": 30, "height": 40}},
        "count CSS pixels: add a column device_scale_factor",
    ),
    "name against format": (PLAIN | {"box_xywh": [1, 2, 3, 4], "box_format": "xyxy"}, "the name says xywh"),
    "keys against format": (
        ROW | {"box": {"x": 1, "y": 2, "w": 3, "h": 4}},
        "keys x, y, w, h are xywh, and box_format",
    ),
    "unknown format": (ROW | {"box_format": "cxcywh"}, "unknown format 'cxcywh'; choose from xyxy-pixels"),
    "no area": (ROW | {"box": [20, 10, 20, 40]}, "has no area"),
    "zeros": (ROW | {"box": [0, 0, 0, 0]}, "has no area"),
    "no box": (ROW | {"box": []}, "column box: no box; where the target is not there, say so in a column absent"),
    "three numbers": (ROW | {"box": [1, 2, 3]}, r"expected four numbers, not \[1, 2, 3\]"),
    "not a number": (ROW | {"box": [1, 2, 3, "x"]}, "column box: expected a number, not 'x'"),
    "infinite": (ROW | {"box": "1, 2, inf, 4"}, "expected a number, not 'inf'"),
    "outside": (ROW | {"box": [150, 10, 250, 40]}, "not inside the image, 200x100"),
    "no words": (ROW | {"instruction": "  "}, "column instruction: no instruction"),
    "another size": (ROW | {"image_width": 400, "image_height": 200}, "the row says 400x200, and the image is 200x100"),
    "no such picture": (ROW | {"image": "b.png"}, "column image: image 'b.png' not found"),
    "out of the folder": (ROW | {"image": "../a.png"}, "must be a path inside the data set's folder"),
    "an address": (ROW | {"image": "https://example.org/a.png"}, "is an address; save the picture beside this file"),
    "a scale no screen has": (ROW | {"device_scale_factor": 0}, "column device_scale_factor: 0 gives a scale"),
    "two scales": (ROW | {"dpr": 1, "device_scale_factor": 1}, "give one of them"),
    "a maybe": (ROW | {"absent": "maybe"}, "column absent: expected true or false, not 'maybe'"),
}


@pytest.mark.parametrize(("row", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_row_and_column_and_never_guessed(
    tmp_path: Path, row: dict[str, Any], words: str
) -> None:
    good = [ROW | {"id": "good", "instruction": "Help"}] if "box" in row else []
    where = jsonl(tmp_path, row, *good)
    with pytest.raises(SnellenError, match=words):
        GroundingData(where, Selection())
    found = problems(where)
    assert len(found) == 1 and found[0].startswith("boxes.jsonl line 1: ")


def test_what_a_whole_file_does_not_say_is_told_once(tmp_path: Path) -> None:
    row = without(ROW, "box_format")
    [told] = problems(jsonl(tmp_path, *(row | {"instruction": f"Pay {i}"} for i in range(9))))
    assert told.startswith("boxes.jsonl line 1: column box: ")


def test_two_columns_of_boxes_are_two_truths(tmp_path: Path) -> None:
    where = jsonl(tmp_path, ROW | {"x1": 1, "y1": 2, "x2": 3, "y2": 4})
    assert problems(where) == ["boxes.jsonl: boxes in column box and in columns x1, y1, x2, y2: keep one of them"]


def test_columns_without_effect_are_a_note(tmp_path: Path) -> None:
    notes = [str(p) for p in check(jsonl(tmp_path, ROW | {"plattform": "web"}))]
    assert notes == ["boxes.jsonl: columns that have no effect: plattform"]
    assert truths(tmp_path) == [TRUTH]


def test_a_picture_that_its_exif_data_turns_is_refused(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    picture(tmp_path / "turned.jpg", exif=exif)
    exif[0x0112] = 1
    picture(tmp_path / "upright.jpg", exif=exif)
    where = jsonl(tmp_path, ROW | {"image": "turned.jpg"}, ROW | {"image": "upright.jpg"})
    assert problems(where) == [
        "boxes.jsonl line 1: column image: image 'turned.jpg' is turned by its EXIF data (orientation 6), and boxes may mean "
        "it turned or not: save it upright"
    ]


def test_a_torn_file_names_its_lines_and_a_file_of_something_else_its_columns(tmp_path: Path) -> None:
    jsonl(tmp_path, ROW)
    with (tmp_path / "boxes.jsonl").open("a") as file:
        file.write('{"image": "a.png", "instr\n[1, 2]\n# a comment\n')
    found = problems(tmp_path)
    assert [text.partition(" (")[0] for text in found] == [
        "boxes.jsonl line 2: not valid JSON",
        "boxes.jsonl line 3: not a JSON object",
    ]
    (tmp_path / "boxes.jsonl").write_text('{"picture": "a.png", "words": "Pay"}\n')
    with pytest.raises(
        SnellenError, match=r"boxes.jsonl has the columns picture, words; expected one of: .*image, ins"
    ):
        GroundingData(tmp_path, Selection())


def test_cells_that_do_not_fit_the_header_are_told(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    text = "image,instruction,x1,y1,x2,y2\na.png,Pay, now,20,10,80,40\na.png,Pay,20,10,80,40\n"
    (tmp_path / "boxes.csv").write_text(text)
    assert problems(tmp_path) == [
        "boxes.csv row 2: 7 cells, and the header has 6 columns",
    ]


def test_hostile_cells_stay_one_short_line(tmp_path: Path) -> None:
    evil = "\x1b[31m" + "x" * 5000 + "\n</script>"
    where = jsonl(tmp_path, ROW | {"box_format": evil}, ROW | {"box": evil}, ROW | {"box": [[[[]]]] * 50})
    for text in problems(where):
        assert len(text) < 300 and "\x1b" not in text and "\n" not in text
    assert len(problems(where)) == 3


def test_repeated_ids_are_told(tmp_path: Path) -> None:
    where = jsonl(tmp_path, ROW | {"id": "x"}, ROW | {"id": "x", "instruction": "Help"})
    assert problems(where) == ["boxes.jsonl line 2: id 'a.png/x' is given 2 times"]


@pytest.mark.parametrize("size", [200, "200x100"])
def test_a_size_that_is_no_list_is_a_problem_of_its_row(size: Any, tmp_path: Path) -> None:
    (problem,) = problems(jsonl(tmp_path, ROW | {"img_size": size}))
    assert problem.endswith(f"column img_size: expected a list of width and height, not {size!r}")


def test_a_copy_of_a_published_set_is_read_by_the_format_that_the_user_states(tmp_path: Path) -> None:
    """The hub's copies of ScreenSpot: Parquet with pictures inside, corners as shares, and no column that says so."""
    data = picture(tmp_path / "elsewhere" / "a.png")
    row = {"file_name": "a.png", "bbox": [0.1, 0.1, 0.4, 0.4], "instruction": "Pay", "data_type": "text", "image": data}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "test.parquet")
    assert "--box-format" in problems(tmp_path)[0]
    assert not [p for p in check(tmp_path, box_format="xyxy-shares") if p.fatal]
    stated = Selection(own={"box_format": "xyxy-shares"})
    assert [s.truth for s in GroundingData(tmp_path, stated).light()] == [TRUTH]
    with pytest.raises(SnellenError, match="--box-format: unknown format 'corners'; choose from xyxy-pixels"):
        GroundingData(tmp_path, Selection(own={"box_format": "corners"}))
