"""The files of annotators: one writer each, whole at every moment, nothing through a link, nothing outside the folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.annotate.desks import HEIGHT, HOSTILE, WIDTH, draw, rows

from snellen.annotate import serving
from snellen.annotate.annotator_files import BOXES, AnnotatorAnswers, AnnotatorBoxes, StalePage, load, revision_of
from snellen.annotate.exporting import document, known, write
from snellen.annotate.pictures import find
from snellen.annotate.questions import file_questions, read_questions
from snellen.annotate.rows import DrawnBox
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.grounding.check import check

NONE = revision_of([])


NOW = "snellen.annotate.annotator_files.now"


@pytest.fixture(autouse=True)
def _time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NOW, lambda: "t")


def desk_of(folder: Path, name: str = "ann") -> AnnotatorBoxes:
    return AnnotatorBoxes(folder, name)


def test_a_box_keeps_its_id_and_its_time_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NOW, lambda: "early")
    (shot,) = find(draw(tmp_path, "a.png")).shots
    first = desk_of(tmp_path).save(shot, [DrawnBox(box=[1, 2, 30, 40]), DrawnBox(box=[5, 5, 9, 9])], NONE)
    assert [(row.id, row.time) for row in first] == [("a_0", "early"), ("a_1", "early")]
    again = [DrawnBox(first[0].id, " Go\n", first[0].box), DrawnBox(first[1].id, "", first[1].box)]
    monkeypatch.setattr(NOW, lambda: "late")
    second = desk_of(tmp_path).save(shot, again, revision_of(first))
    assert [(row.id, row.instruction, row.time) for row in second] == [("a_0", "Go", "late"), ("a_1", "", "early")]
    third = desk_of(tmp_path).save(
        shot, [DrawnBox("a_1", "", first[1].box), DrawnBox(box=[0, 0, 3, 3])], revision_of(second)
    )
    assert [row.id for row in third] == ["a_1", "a_2"]
    assert load(tmp_path, BOXES, "ann") == third


def test_a_box_is_cut_at_the_picture_s_edge(tmp_path: Path) -> None:
    (shot,) = find(draw(tmp_path, "a.png")).shots
    (row,) = desk_of(tmp_path).save(shot, [DrawnBox(box=[650, -20, 500.126, 90])], NONE)
    assert row.box == [500.13, 0, WIDTH, 90]


def test_two_people_work_at_once_and_one_person_only_once(tmp_path: Path) -> None:
    draw(tmp_path, "a.png")
    with desk_of(tmp_path), desk_of(tmp_path, "bob"), pytest.raises(SnellenError, match="in another window"):
        desk_of(tmp_path).__enter__()
    with desk_of(tmp_path):
        pass


@pytest.mark.parametrize("name", ["", "..", "a/b", "a.b", "-a", "ä", "x" * 41, "a\n"])
def test_a_name_that_is_no_part_of_a_file_s_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SnellenError, match="--as NAME"):
        desk_of(tmp_path, name)


def test_nothing_is_read_or_written_through_a_link(tmp_path: Path) -> None:
    folder = draw(tmp_path / "shots", "a.png")
    (tmp_path / "outside.jsonl").write_text("precious")
    (folder / "annotations.ann.jsonl").symlink_to(tmp_path / "outside.jsonl")
    (shot,) = find(folder).shots
    with pytest.raises(SnellenError, match="is a link"):
        desk_of(folder).save(shot, [DrawnBox(box=[1, 2, 30, 40])], NONE)
    assert (tmp_path / "outside.jsonl").read_text() == "precious"


def test_a_damaged_line_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    (shot,) = find(draw(tmp_path, "a.png")).shots
    (tmp_path / "annotations.ann.jsonl").write_text('{"id": "a_0"}\n')
    with pytest.raises(SnellenError, match=r"annotations\.ann\.jsonl line 1.*image"):
        desk_of(tmp_path).save(shot, [], NONE)
    assert (tmp_path / "annotations.ann.jsonl").read_text() == '{"id": "a_0"}\n'


def test_pictures_are_found_and_strange_ones_named(tmp_path: Path) -> None:
    folder = draw(tmp_path / "shots", "a.png", "b/a.png", "b/a.jpg", HOSTILE, ".hidden/c.png", "d\\e.png")
    draw(tmp_path, "outside.png")
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    (folder / "broken.png").write_bytes(b"no picture")
    (folder / os.fsdecode(b"\xff.png")).write_bytes((folder / "a.png").read_bytes())
    turned = Image.new("RGB", (30, 20)).getexif()
    turned[0x0112] = 6
    Image.new("RGB", (30, 20)).save(folder / "turned.jpg", exif=turned)
    found = find(folder)
    assert {shot.name for shot in found.shots} == {"a.png", "b/a.png", "b/a.jpg", HOSTILE}
    assert len({shot.title for shot in found.shots}) == 4
    said = dict(found.passed)
    assert "outside the folder" in said["link.png"] and "known image format" in said["broken.png"]
    assert "EXIF" in said["turned.jpg"] and "UTF-8" in said["\udcff.png"] and "d\\e.png" in said


def test_a_folder_without_pictures_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="no pictures"):
        find(tmp_path)
    with pytest.raises(SnellenError, match="no folder"):
        find(tmp_path / "nowhere")


# ---------------------------------------------------------------- annotations.json


def test_what_is_exported_is_read_by_the_grounding_exam_and_comes_back(tmp_path: Path) -> None:
    shots = find(draw(tmp_path, "a.png", "b.png")).shots
    desk = desk_of(tmp_path)
    drawn = [
        DrawnBox(box=[100, 80, 241, 121], instruction="Press the button", element_type="button"),
        DrawnBox(absent=True, instruction="Log out"),
        DrawnBox(box=[1, 2, 30, 40]),
    ]
    desk.save(shots[0], drawn, NONE)
    content = document("mine", "ann", shots, load(tmp_path, BOXES, "ann"))
    write(tmp_path, content)
    assert list(check(tmp_path)) == []
    back = known(tmp_path, shots, "bob", "t")
    assert [(row.image, row.instruction, row.box, row.element_type, row.absent) for row in back] == [
        ("a.png", "Press the button", [100, 80, 241, 121], "button", False),
        ("a.png", "Log out", [], "unknown", True),
    ]
    write(tmp_path, content)  # what we wrote may be written again


def test_somebody_else_s_annotations_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "annotations.json").write_text('{"name": "theirs", "version": "1", "samples": []}')
    with pytest.raises(SnellenError, match="move it away"):
        write(tmp_path, document("mine", "ann", [], []))
    assert "theirs" in (tmp_path / "annotations.json").read_text()


# ---------------------------------------------------------------- questions

ROWS: list[dict[str, Any]] = [
    {"id": "q1", "image": "a.png", "question": "Which colour?", "options": ["navy", "red"], "answer": "red", "by": 1},
    {"id": "q2", "image": ["a.png", "b.png"], "question": "How many?", "answer": 2},
]


def asked(folder: Path, name: str = "questions.jsonl", text: str | None = None) -> Path:
    draw(folder, "a.png", "b.png")
    (folder / name).write_text(text if text is not None else "\n".join(map(json.dumps, ROWS)))
    return folder / name


def test_answers_are_kept_in_the_order_of_the_questions(tmp_path: Path) -> None:
    found = file_questions(tmp_path, asked(tmp_path))
    desk = AnnotatorAnswers(tmp_path, "ann", found.ids)
    nothing = revision_of(None)
    desk.save("q2", "2", nothing)
    row = desk.save("q1", " navy ", nothing)
    assert row is not None
    assert rows(tmp_path, "answers.ann.jsonl") == [
        {"id": "q1", "text": "navy", "annotator": "ann", "time": "t"},
        {"id": "q2", "text": "2", "annotator": "ann", "time": "t"},
    ]
    with pytest.raises(StalePage):
        desk.save("q1", "red", nothing)
    assert desk.save("q1", "", revision_of(row)) is None
    assert [one["id"] for one in rows(tmp_path, "answers.ann.jsonl")] == ["q2"]


def test_a_person_who_answers_does_not_see_the_answer(tmp_path: Path) -> None:
    path = asked(tmp_path)
    assert file_questions(tmp_path, path).item(0).answer == ""
    assert file_questions(tmp_path, path, with_answers=True).item(0).answer == "red"


def test_corrected_questions_are_the_file_again_with_who_said_so(tmp_path: Path) -> None:
    found = file_questions(tmp_path, asked(tmp_path), with_answers=True)
    AnnotatorAnswers(tmp_path, "ann", found.ids, found.corrected).save("q1", "navy", revision_of(None))
    assert rows(tmp_path, "corrected.ann.jsonl") == [
        ROWS[0] | {"answer": "navy", "corrected_by": "ann", "corrected_at": "t"},
        ROWS[1],
    ]


def test_corrections_that_a_crash_kept_out_of_the_corrected_questions_come_with_the_next_start(tmp_path: Path) -> None:
    file = asked(tmp_path)
    found = file_questions(tmp_path, file, with_answers=True)
    AnnotatorAnswers(tmp_path, "ann", found.ids, found.corrected).save("q1", "navy", revision_of(None))
    whole = (tmp_path / "corrected.ann.jsonl").read_bytes()
    (tmp_path / "corrected.ann.jsonl").unlink()
    serving.answers(tmp_path, "ann", file, "", Selection(), True).files.begin()
    assert (tmp_path / "corrected.ann.jsonl").read_bytes() == whole


def test_a_table_from_a_spreadsheet_is_read_too(tmp_path: Path) -> None:
    text = "\ufeffimage,question,A,B,answer\na.png,Which?,navy,red,A\nb.png,Which?,x|y,z,B\n"
    first, second = read_questions(asked(tmp_path, "q.csv", text))
    assert (first.item.id, first.item.options, second.item.id) == ("1", ("navy", "red"), "2")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"image": "a.png"}, "line 2, column question"),
        ({"question": "x"}, "line 2, column image"),
        ({"id": "q1", "image": "a.png", "question": "x"}, "'q1' repeats"),
        ({"image": "../secret.png", "question": "x"}, "outside the folder"),
        ({"image": "gone.png", "question": "x"}, "not found"),
        ([1], "line 2: not a JSON object"),
    ],
)
def test_what_is_wrong_with_a_file_of_questions_is_said(tmp_path: Path, row: Any, told: str) -> None:
    path = asked(tmp_path, text="\n".join(map(json.dumps, [ROWS[0], row])))
    with pytest.raises(SnellenError, match=told):
        file_questions(tmp_path, path)


def test_sizes_are_those_of_the_file(tmp_path: Path) -> None:
    (shot,) = find(draw(tmp_path, "a.png")).shots
    assert (shot.width, shot.height) == (WIDTH, HEIGHT)
