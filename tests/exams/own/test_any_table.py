"""Own data from any table: columns that a user names, several columns of pictures, workbooks, and the hub's layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from tests.support.blink import make_blink
from tests.support.own_sets import CHOICE, lines, parquet, pictures, table
from tests.support.sets import png

from snellen import api, exams
from snellen.cli.main import app
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.own.columns import columns_of

ODD = {"first": "1.png", "second": "2.png", "ask": "Which colour?", "ok": "red | blue", "gold": "blue"}
MAP = {"image": "first,second", "question": "ask", "options": "ok", "answer": "gold"}
FLAGS = [word for role, names in MAP.items() for word in ("--columns", f"{role}={names}")]
TOML = '[columns]\nimage = ["first", "second"]\nquestion = "ask"\noptions = "ok"\nanswer = "gold"\n'


def snellen(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)), standalone_mode=False)


def shown(where: Path, **columns: Any) -> list[list[bytes]]:
    data = exams.load("own").open(where, Selection(own={"columns": columns} if columns else {}))
    return [[p.data for p in s.pictures] for s in data.full(lambda _id: True)]


# ---------------------------------------------------------------- named columns


def test_a_map_says_which_column_is_what_and_may_name_several_for_pictures() -> None:
    found = columns_of(list(ODD), MAP)
    assert (found.images, found.question, found.options, found.answer) == (("first", "second"), "ask", "ok", "gold")
    assert not found.either and found.others == ()
    lettered = columns_of(
        [*ODD, "c1", "c2"], MAP | {"options": ["c1", "c2"], "answer_letter": "gold"} | {"answer": "gold"}
    )
    assert lettered.letters == ("c1", "c2") and lettered.style == "letter"


def test_the_question_may_be_another_column_than_the_one_of_that_name() -> None:
    found = columns_of(["image", "question", "prompt", "answer"], {"question": "prompt"})
    assert (found.question, found.others) == ("prompt", ("question",))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"image": "firs"}, r"--columns image=firs: no column 'firs'; it has 'first', .*; did you mean 'first'\?"),
        ({"picture": "first"}, "unknown role 'picture' of --columns"),
        ({"question": "first,second"}, "this role has one column"),
        ({}, r"no column 'image' .*; it has 'first', 'second', .*'--columns image=COLUMN' says which it is"),
    ],
)
def test_a_wrong_map_is_said_with_the_columns_that_are_there(given: dict[str, str], says: str) -> None:
    with pytest.raises(SnellenError, match=says):
        columns_of(list(ODD), given)


def test_check_run_and_dry_run_know_named_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    where = table(tmp_path / "d", [ODD, ODD | {"gold": "red"}])
    bare = snellen("data", "check", where)
    assert bare.return_value == 2 and "--columns image=COLUMN" in bare.output
    good = snellen("data", "check", where, *FLAGS)
    assert good.return_value == 0 and "read from the columns first, second, ask, ok, gold" in good.output, good.output
    model = ("--model", "baseline/chance")
    assert snellen("run", where, *model, *FLAGS, "--dry-run").return_value == 0
    assert snellen("run", where, *model, *FLAGS, "--out", tmp_path / "runs").return_value == 0
    assert [len(one) for one in shown(where, **MAP)] == [2, 2]
    odd = snellen("run", where, *model, "--columns", "image")
    assert "expected ROLE=COLUMN" in str(odd.exception)
    run = api.evaluate(
        where, model="baseline/chance", columns={"image": ["first", "second"], **{k: MAP[k] for k in list(MAP)[1:]}}
    )
    assert run.summary.samples == 2
    assert msgspec.to_builtins(run.manifest.options.own)["columns"]["question"] == "ask"


def test_a_toml_beside_the_data_names_columns_and_the_command_line_comes_first(tmp_path: Path) -> None:
    where = table(tmp_path / "d", [ODD])
    (tmp_path / "d/data.toml").write_text(TOML)
    assert shown(where) == [[png(1), png(2)]] == shown(tmp_path / "d")
    assert shown(where, image="second") == [[png(2)]]
    for text, says in (
        ("[columns", "not valid TOML"),
        ("x = 1", r"only a table \[columns\]"),
        ("[columns]\nimage = 1", "columns.image"),
    ):
        (tmp_path / "d/data.toml").write_text(text)
        with pytest.raises(SnellenError, match=says):
            shown(where)


def test_no_map_leads_out_of_the_folder(tmp_path: Path) -> None:
    where = table(tmp_path / "d", [ODD | {"second": "../2.png"}])
    pictures(tmp_path)
    with pytest.raises(SnellenError, match="leads out of the data's folder"):
        shown(where, **MAP)
    (tmp_path / "map.toml").write_text(TOML)
    (tmp_path / "d/data.toml").symlink_to("../map.toml")
    with pytest.raises(SnellenError, match="link that leads out"):
        shown(where)


# ---------------------------------------------------------------- several columns of pictures


def test_image_and_images_are_read_row_by_row(tmp_path: Path) -> None:
    one = CHOICE | {"images": []}
    many = {k: v for k, v in CHOICE.items() if k != "image"} | {"images": ["2.png", "3.png"]}
    assert shown(lines(tmp_path, one, many, CHOICE | {"images": ["4.png"]})) == [[png(1)], [png(2), png(3)], [png(1)]]


def test_columns_of_pictures_in_parquet_are_shown_in_order_without_the_empty_ones(tmp_path: Path) -> None:
    make_blink(tmp_path, 2)
    images = ",".join(f"image_{n}" for n in (1, 2, 3, 4))
    found = shown(tmp_path / "Jigsaw", image=images)
    assert [len(one) for one in found] == [3, 3] and len(set(found[0])) == 3
    mixed = parquet(tmp_path / "mixed", [{"image": 1, "other": "1.png", "question": "q", "answer": "a"}])
    with pytest.raises(SnellenError, match="some hold pictures and others their names"):
        shown(mixed, image="image,other")


# ---------------------------------------------------------------- workbooks and the hub's layout


def test_a_workbook_is_a_table(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    rows = [["image", "question", "answer"], ["1.png", "How many?", 3], [None, None, None], ["9.png", "And here?", 4]]
    for row in rows:
        book.active.append(row)
    where = pictures(tmp_path / "d") / "questions.xlsx"
    book.save(where)
    said = snellen("data", "check", tmp_path / "d")
    assert said.return_value == 2 and "questions.xlsx row 4, column 'image': no picture '9.png'" in said.output
    pictures(tmp_path / "d", 9)
    data = exams.load("own").open(where, Selection())
    assert [(s.tags["task"], s.truth) for s in data.light()] == [("number", 3), ("number", 4)]


def test_the_hubs_layout_is_one_table_with_its_splits(tmp_path: Path) -> None:
    rows = [{"image": n, "question": f"Which of these is {n}?", "answer": "red"} for n in (1, 2, 3, 4)]
    for name, some in (
        ("test-00000-of-00001", rows[:1]),
        ("val-00000-of-00002", rows[1:3]),
        ("val-00001-of-00002", rows[3:]),
    ):
        parquet(tmp_path / "set/data", some, f"{name}.parquet")
    (tmp_path / "set/dataset_infos.json").write_text("{}")
    assert exams.resolve(str(tmp_path / "set"))[0] == "own"
    assert shown(tmp_path / "set") == [[png(n)] for n in (1, 2, 3, 4)]
    data = exams.load("own").open(tmp_path / "set", Selection(splits=("val",)))
    assert [(s.id, s.tags["split"]) for s in data.light()] == [("2", "val"), ("3", "val"), ("4", "val")]
    bad = pq.read_table(tmp_path / "set/data/val-00001-of-00002.parquet").set_column(1, "question", pa.array([""]))
    pq.write_table(bad, tmp_path / "set/data/val-00001-of-00002.parquet")
    said = snellen("data", "check", tmp_path / "set")
    assert "data/val-00001-of-00002.parquet row 1, column 'question': the question is empty" in said.output
    parquet(tmp_path / "set/data", [{"image": 1, "text": "q", "answer": "a"}], "val-00001-of-00002.parquet")
    with pytest.raises(SnellenError, match="has other columns than data/test-00000"):
        shown(tmp_path / "set")


def test_a_data_folder_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    parquet(tmp_path / "elsewhere", [{"image": 1, "question": "q", "answer": "a"}], "val-00000-of-00001.parquet")
    (tmp_path / "set").mkdir()
    (tmp_path / "set/data").symlink_to("../elsewhere")
    with pytest.raises(SnellenError, match="link that leads out of its folder"):
        shown(tmp_path / "set")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = " + "9" * 5000, "data.toml: not valid TOML"),
        ("x = " + "[" * 9000, "data.toml: not valid TOML"),
        ("#" * 100_000, "data.toml: longer than 20,000 characters"),
        ('[columns]\nimage = "image"\nquestion = "answer"\nanswer = "answer"\n', "'answer' stands in two places"),
    ],
)
def test_a_toml_that_cannot_be_used_is_one_line(text: str, says: str, tmp_path: Path) -> None:
    lines(tmp_path, CHOICE)
    (tmp_path / "data.toml").write_text(text)
    with pytest.raises(SnellenError, match=says) as caught:
        shown(tmp_path)
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- names that mean something already


def test_a_column_called_task_breaks_results_down_and_decides_nothing(tmp_path: Path) -> None:
    rows = [dict(CHOICE, task=kind) for kind in ("text", "counting")]
    data = exams.load("own").open(lines(tmp_path / "d", *rows), Selection())
    tags = [(s.tags["task"], s.tags["task_column"]) for s in data.light()]
    assert tags == [("choice", "text"), ("choice", "counting")]


def test_two_columns_that_differ_in_case_alone_are_refused() -> None:
    names = ["image", "question", "answer", "Answer"]
    with pytest.raises(SnellenError, match="both 'answer' and 'Answer' could be the answer: '--columns answer=answer'"):
        columns_of(names)
    assert [columns_of(names, {"answer": name}).answer for name in ("answer", "Answer")] == ["answer", "Answer"]
    assert columns_of(["image", "question", "answer", "Topic", "topic"]).others == ("Topic", "topic")
    assert columns_of(["image", "question", "answer", "Path", "path"]).image == "image"
    assert columns_of(["image", "question", "answer", " "]).others == (" ",)
    with pytest.raises(SnellenError, match="could be the answer"):
        columns_of(["image", "question", "answer_letter", "Answer_Letter"])


def test_the_command_line_comes_before_data_toml_also_for_the_kind_of_answer(tmp_path: Path) -> None:
    folder = lines(tmp_path / "d", dict(CHOICE, good="B", gold="red")).parent
    (folder / "data.toml").write_text('[columns]\nanswer_letter = "good"\n')
    data = exams.load("own").open(folder, Selection(own={"columns": {"answer": "gold"}}))
    assert [s.truth for s in data.light()] == ["red"]


def test_a_named_split_is_not_overwritten_by_another_column(tmp_path: Path) -> None:
    rows = [dict(CHOICE, split=other, part=part) for other, part in (("x", "val"), ("y", "test"))]
    data = exams.load("own").open(lines(tmp_path / "d", *rows), Selection(own={"columns": {"split": "part"}}))
    assert [(s.tags["split"], s.tags["split_column"]) for s in data.light()] == [("val", "x"), ("test", "y")]
