"""Own questions in every form that is read, and every problem by row and column."""

from __future__ import annotations

import tracemalloc
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from tests.support.own_sets import CHOICE, lines, parquet, pictures, table
from tests.support.sets import png

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.types import Sample
from snellen.exams.own.check import check
from snellen.exams.own.data import OwnData
from snellen.exams.own.exam import EXAM


def samples(where: Path, **selection: Any) -> list[Sample]:
    return list(OwnData(where, Selection(**selection)).light())


def only(where: Path) -> Sample:
    (found,) = samples(where)
    return found


def problems(where: Path) -> list[str]:
    return [str(p) for p in check(where) if p.fatal]


def notes(where: Path) -> str:
    return "\n".join(p.what for p in check(where) if not p.fatal)


# ---------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("row", "kind", "truth"),
    [
        (CHOICE, "choice", "blue"),
        (CHOICE | {"answer": "B"}, "choice", "blue"),
        (CHOICE | {"answer": ["blue"]}, "choice", "blue"),
        (CHOICE | {"answer": ["red", "green"]}, "labels", ["red", "green"]),
        (CHOICE | {"answer": "red", "kind": "labels"}, "labels", ["red"]),
        ({"image": "1.png", "question": "How many?", "answer": 3}, "number", 3),
        ({"image": "1.png", "question": "How much?", "answer": "2.5"}, "number", 2.5),
        ({"image": "1.png", "question": "How much?", "answer": "1,200,000"}, "number", 1200000),
        ({"image": "1.png", "question": "Which?", "answer": "0,125", "kind": "text"}, "text", ["0,125"]),
        ({"image": "1.png", "question": "How many?", "answer": 3, "kind": "text"}, "text", ["3"]),
        ({"image": "1.png", "question": "What?", "answer": "sofa"}, "text", ["sofa"]),
        ({"image": "1.png", "question": "What?", "answer": ["sofa", "couch"]}, "text", ["sofa", "couch"]),
    ],
)
def test_the_kind_is_told_from_the_row(row: dict[str, Any], kind: str, truth: Any, tmp_path: Path) -> None:
    found = only(lines(tmp_path / "d", row))
    assert (found.tags["task"], found.truth) == (kind, truth)


@pytest.mark.parametrize("answer", ["1,200", "3,5", "-0,125"])
def test_a_decimal_comma_and_a_thousand_are_not_told_apart(answer: str, tmp_path: Path) -> None:
    where = lines(tmp_path / "d", {"image": "1.png", "question": "How much?", "answer": answer})
    assert f"'{answer}' may be a decimal or a thousand" in problems(where)[0]


def test_a_workbooks_shares_dates_and_errors_are_problems(tmp_path: Path) -> None:
    pictures(tmp_path, 1)
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.append(["image", "question", "answer"])
    for value in (0.25, 25, date(2024, 5, 1), "#N/A", 7):
        sheet.append(["1.png", "What?", value])
    sheet["C2"].number_format, sheet["C3"].number_format = "0%", '0"%"'
    book.save(tmp_path / "q.xlsx")
    *shown, error = problems(tmp_path / "q.xlsx")
    assert [said.partition(" is shown in another way")[0] for said in shown] == [
        "q.xlsx row 2, column 'answer': 0.25",
        "q.xlsx row 3, column 'answer': 25",
        "q.xlsx row 4, column 'answer': 2024-05-01 00:00:00",
    ]
    assert error == "q.xlsx row 5, column 'answer': #N/A is an error of the spreadsheet"


def test_one_question_with_several_right_options_makes_all_of_the_file_such(tmp_path: Path) -> None:
    """Else the wording would tell how many are right."""
    where = lines(tmp_path / "d", CHOICE, CHOICE | {"answer": ["red", "green"]})
    assert [s.truth for s in samples(where)] == [["blue"], ["red", "green"]]
    assert "all with options are asked for all that are right" in notes(where)


# ---------------------------------------------------------------- files


def test_a_column_without_a_name_as_pandas_writes_its_index_is_no_kind_or_tolerance(tmp_path: Path) -> None:
    pictures(tmp_path)
    (tmp_path / "q.csv").write_text(",image,question,answer\n7,1.png,How many?,3\nx,2.png,How many?,4\n")
    assert [s.truth for s in samples(tmp_path)] == [3, 4]
    assert not problems(tmp_path)


def test_the_same_questions_as_lines_csv_and_parquet_are_the_same(tmp_path: Path) -> None:
    plain = {"question": "Which colour?", "answer": "blue", "topic": "ink"}
    other = plain | {"answer": "red", "topic": "paint"}
    listed = {"options": ["red", "blue", "green"]}
    a = lines(tmp_path / "a", {"image": "1.png"} | plain | listed, {"image": "2.png"} | other | listed)
    cell = {"options": "red | blue | green"}
    b = table(tmp_path / "b", [{"image": "1.png"} | plain | cell, {"image": "2.png"} | other | cell])
    letters = {"A": "red", "B": "blue", "C": "green"}
    c = table(tmp_path / "c", [{"img": "1.png"} | plain | letters, {"img": "2.png"} | other | letters])
    d = parquet(tmp_path / "d", [{"image": 1} | plain | listed, {"image": 2} | other | listed])
    expected = [(s.id, s.tags, s.truth, s.facts["options"]) for s in samples(a)]
    assert expected[0] == ("1", {"task": "choice", "topic": "ink"}, "blue", ["red", "blue", "green"])
    for where in (b, c, d, tmp_path / "a", tmp_path / "b"):
        assert [(s.id, s.tags, s.truth, s.facts["options"]) for s in samples(where)] == expected
    for where in (a, b, c, d):
        shown = list(OwnData(where, Selection()).full(lambda name: name == "2"))
        assert [p.data for s in shown for p in s.pictures] == [png(2)]


def test_several_pictures_and_pictures_in_a_list_of_parquet(tmp_path: Path) -> None:
    where = lines(tmp_path / "d", CHOICE | {"image": ["1.png", "3.png"]})
    (found,) = OwnData(where, Selection()).full(lambda _: True)
    assert [p.data for p in found.pictures] == [png(1), png(3)]


def test_pictures_in_folders_by_class_with_a_question_beside_them(tmp_path: Path) -> None:
    for name in ("cat", "hot_dog"):
        pictures(tmp_path / "d" / name, 2)
    with pytest.raises(SnellenError, match=r"no question: write it into .*question\.txt"):
        samples(tmp_path / "d")
    (tmp_path / "d" / "question.txt").write_text("What is it?\n", encoding="utf-8")
    found = samples(tmp_path / "d")
    assert [(s.id, s.truth) for s in found] == [
        ("cat/1.png", "cat"),
        ("cat/2.png", "cat"),
        ("hot_dog/1.png", "hot dog"),
        ("hot_dog/2.png", "hot dog"),
    ]
    assert EXAM.ask("question", found[0]).text.splitlines()[:3] == ["What is it?", "A. cat", "B. hot dog"]


def test_columns_by_other_names_and_tags_with_few_values(tmp_path: Path) -> None:
    rows = [
        {
            "file": "1.png",
            "Prompt": f"q{i}",
            "choices": "a|b",
            "gt": "a",
            "split": "dev",
            "topic": f"t{i % 2}",
            "note": f"n{i}",
        }
        for i in range(30)
    ]
    found = samples(table(tmp_path / "d", rows))
    assert found[0].tags == {"split": "dev", "task": "choice", "topic": "t0"}
    assert len(samples(tmp_path / "d", splits=("DEV",), limit=3)) == 3
    with pytest.raises(SnellenError, match="unknown split 'test' of own: choose from dev"):
        samples(tmp_path / "d", splits=("test",))


def test_a_limit_draws_and_does_not_take_the_first(tmp_path: Path) -> None:
    where = lines(tmp_path / "d", *(CHOICE | {"id": f"q{i:02}"} for i in range(40)))
    few = [s.id for s in samples(where, limit=5)]
    assert len(few) == 5 and few != [f"q{i:02}" for i in range(5)]
    assert set(few) <= {s.id for s in samples(where, limit=9)}


def test_an_edited_row_or_picture_is_another_data_set(tmp_path: Path) -> None:
    where = lines(tmp_path / "d", CHOICE)
    before = OwnData(where, Selection()).fingerprint
    assert OwnData(where, Selection()).fingerprint == before
    (tmp_path / "d" / "1.png").write_bytes(png(9))
    drawn = OwnData(where, Selection()).fingerprint
    lines(tmp_path / "d", CHOICE | {"question": "Which color?"})
    assert len({before, drawn, OwnData(where, Selection()).fingerprint}) == 3
    (tmp_path / "d").rename(tmp_path / "moved")
    lines(tmp_path / "moved", CHOICE)
    assert OwnData(tmp_path / "moved" / "questions.jsonl", Selection()).fingerprint == before


def test_many_rows_are_not_held(tmp_path: Path) -> None:
    """Rows are read again for each pass, and pictures only where they are asked for."""
    rows = [
        {"image": f"{1 + i % 4}.png", "question": f"{i} " * 100, "options": ["a", "b"], "answer": "a"}
        for i in range(2_000)
    ]
    folder = lines(tmp_path / "d", *rows)
    size = (tmp_path / "d" / "questions.jsonl").stat().st_size
    del rows
    found = []
    for data in [OwnData(folder, Selection(limit=50)) for _ in range(2)]:
        tracemalloc.start()
        assert sum(1 for _ in data.light()) == 50
        assert 0 < len([s.pictures for s in data.full(lambda name: int(name) % 2 == 1)]) < 50
        found.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    most = min(found)  # imports, and threads of other tests, are counted too, but not each time
    assert most < size / 2


# ---------------------------------------------------------------- how answers are written


@pytest.mark.parametrize(
    ("answers", "truths", "says"),
    [
        (["A", "c"], ["red", "green"], "its letter"),
        ([0, 2], ["red", "green"], "its index from 0"),
        ([1, 3], ["red", "green"], "its number from 1"),
        (["Red", "green "], ["red", "green"], "the option's text"),
    ],
)
def test_answers_by_letter_index_or_text_are_told_apart_by_the_whole_file(
    answers: list[Any], truths: list[str], says: str, tmp_path: Path
) -> None:
    where = lines(tmp_path / "d", *(CHOICE | {"answer": a} for a in answers))
    assert [s.truth for s in samples(where)] == truths
    assert says in notes(where)


def test_an_index_that_could_count_from_0_or_1_is_a_problem_that_a_name_mends(tmp_path: Path) -> None:
    where = lines(tmp_path / "d", CHOICE | {"answer": 1}, CHOICE | {"answer": 2})
    (said,) = problems(where)
    assert "column 'answer': the answers could name an option by its index from 0 or by its number from 1" in said
    assert "'answer_index' or 'answer_number'" in said
    with pytest.raises(SnellenError, match="could name an option"):
        samples(where)
    row = {k: v for k, v in CHOICE.items() if k != "answer"}
    for name, truth in (("answer_index", "blue"), ("answer_number", "red")):
        assert only(lines(tmp_path / name, row | {name: 1})).truth == truth


def test_numbers_as_options_are_texts_where_an_index_does_not_fit(tmp_path: Path) -> None:
    where = lines(tmp_path / "d", CHOICE | {"options": ["5", "6", "7"], "answer": 6})
    assert only(where).truth == "6"


# ---------------------------------------------------------------- problems


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"image": "7.png"}, "column 'image': no picture '7.png'"),
        ({"image": "1.pgn"}, "did you mean '1.png'?"),
        ({"image": ""}, "column 'image': no picture is named"),
        ({"image": "https://example.org/a.png"}, "is an address, not a file"),
        ({"image": "data:image/png;base64,AAAA"}, "is an address, not a file"),
        ({"image": "../../../etc/passwd"}, "leads out of the data's folder"),
        ({"image": "/etc/passwd"}, "leads out of the data's folder"),
        ({"image": "a\0b"}, "NUL"),
        ({"question": " "}, "column 'question': the question is empty"),
        ({"answer": None}, "column 'answer': the answer is empty"),
        ({"answer": "pink"}, "'pink' is none of the options by the option's text; there are A red, B blue, C green"),
        ({"options": ["red"]}, "column 'options': only one option"),
        ({"options": ["red", "Red"], "answer": "red"}, "the option 'Red' is there twice"),
        ({"options": ["red", ""], "answer": "red"}, "option B is empty"),
        ({"options": ["B", "C", "A"], "answer": "C"}, "column 'options': the option 'B' is another option's letter"),
        ({"options": [str(i) for i in range(30)]}, "30 options; at most 26"),
        ({"kind": "riddle"}, "'riddle' is no kind: choose from choice, labels, number, text"),
        ({"kind": "number"}, "is not one number, and the kind is 'number'"),
        ({"options": None, "answer": True}, "true or false"),
        ({"options": None, "answer": 3, "tolerance": -1}, "column 'tolerance': '-1' is no tolerance"),
        ({"options": None, "kind": "choice"}, "needs options"),
    ],
)
def test_every_problem_has_its_row_and_column(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    where = lines(tmp_path / "d", CHOICE, CHOICE | change)
    (said,) = problems(where)
    assert said.startswith("questions.jsonl line 2, column '") and says in said
    with pytest.raises(SnellenError) as error:
        samples(where)
    assert says in str(error.value) and f"'snellen data check {where}' lists all" in str(error.value)


def test_all_problems_of_a_row_are_told(tmp_path: Path) -> None:
    where = lines(
        tmp_path / "d", CHOICE, CHOICE | {"image": "9.png", "question": "", "answer": "pink", "kind": "riddle"}
    )
    assert {p.rpartition("column '")[2].partition("'")[0] for p in problems(where)} == {"image", "question", "kind"}
    lines(tmp_path / "d", CHOICE, CHOICE | {"image": "9.png", "answer": "pink"})
    assert {p.rpartition("column '")[2].partition("'")[0] for p in problems(where)} == {"image", "answer"}


def test_ids_that_repeat_torn_rows_and_pictures_that_do_not_decode(tmp_path: Path) -> None:
    where = lines(tmp_path / "d", CHOICE | {"id": "a"}, CHOICE | {"id": "a"}, CHOICE | {"id": "b", "image": "4.png"})
    (tmp_path / "d" / "4.png").write_bytes(png(4)[:40])
    with where.open("a") as file:
        file.write('{"id": "c", "image"')
    repeats, torn, broken = problems(where)
    assert "line 2, column 'id': the id 'a' is there twice" in repeats
    assert "line 4: not valid JSON" in torn
    assert "line 3, column 'image': 4.png: " in broken


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            [{"question": "q", "answer": "a"}],
            "no column 'image' (or images, image_path, img); it has 'question', 'answer'",
        ),
        ([{"image": "1.png", "answer": "a"}], "no column 'question'"),
        ([{"image": "1.png", "question": "q"}], "no column 'answer'"),
        ([{"img": "1.png", "file": "x", "question": "q", "answer": "a"}], "call one of them 'image'"),
    ],
)
def test_a_column_that_is_missing_or_unclear_is_said_with_what_there_is(
    rows: list[dict[str, Any]], says: str, tmp_path: Path
) -> None:
    where = lines(tmp_path / "d", *rows)
    assert [says in p for p in problems(where)] == [True]
    assert EXAM.recognises(where) == "a table"  # --columns may say more


def test_a_folder_with_two_tables_or_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="pictures, and no file that says what is asked"):
        samples(pictures(tmp_path / "d"))
    lines(tmp_path / "d", CHOICE)
    lines(tmp_path / "d", CHOICE, name="more.jsonl")
    with pytest.raises(SnellenError, match=r"several tables \(more.jsonl, questions.jsonl\): name one"):
        samples(tmp_path / "d")


# ---------------------------------------------------------------- wording


def test_the_wording_of_each_kind(tmp_path: Path) -> None:
    where = lines(
        tmp_path / "d",
        CHOICE,
        CHOICE | {"kind": "labels"},
        {"image": "1.png", "question": "How many?", "answer": 3},
        {"image": "1.png", "question": "What?", "answer": "sofa"},
    )
    assert [EXAM.ask("question", s).text for s in samples(where)] == [
        "Which colour?\nA. red\nB. blue\nC. green\nAnswer with the letter of the right option only.",
        "Which colour?\nA. red\nB. blue\nC. green\nSeveral options may be right. Answer with the letters of all right options "
        "only, separated by commas.",
        "How many?\nAnswer with a number only.",
        "What?\nAnswer with a word or a short phrase only.",
    ]
    assert EXAM.ask("bare", samples(where)[0]).text == "Which colour?\nA. red\nB. blue\nC. green"


def test_a_wording_of_ones_own_is_filled_in_and_a_question_never_is(tmp_path: Path) -> None:
    where = lines(tmp_path / "d", CHOICE | {"question": "Is {options} a {question}?"})
    (tmp_path / "d" / "prompt.txt").write_text("Look.\n{question}\n{options}\nJust the letter.", encoding="utf-8")
    said = EXAM.ask("question", only(where)).text
    assert said == "Look.\nIs {options} a {question}?\nA. red\nB. blue\nC. green\nJust the letter."
    (tmp_path / "d" / "prompt.txt").write_text("Look.", encoding="utf-8")
    with pytest.raises(SnellenError, match=r"has no \{question\} in it"):
        samples(where)


def test_an_empty_option_behind_the_last_letter_is_one_line(tmp_path: Path) -> None:
    options = [*(f"option {i}" for i in range(27)), "", "last"]
    (problem,) = problems(lines(tmp_path, CHOICE | {"options": options, "answer": "last"}))
    assert "29 options; at most 26 can be lettered" in problem
