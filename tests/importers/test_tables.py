"""Tables: anybody's CSV or JSON lines, and VLMEvalKit's files by its documented form."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import openpyxl
import pytest
from tests.importers.conftest import Imports

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.importers.reading import read_log
from snellen.importers.record import read_samples

IDS = [f"P3/syn-p3-s5-{i:05}" for i in range(12)]
SAID = ["Color", "Size", "Orientation"] * 4


def table(path: Path, head: list[str], rows: list[list[object]]) -> Path:
    """One table in the form that the file's name asks for."""
    if path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in [head, *rows]:
            book.active.append(row)
        book.save(path)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(head, r, strict=True))) for r in rows), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps([dict(zip(head, r, strict=True)) for r in rows]), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",").writerows([head, *rows])
    return path


@pytest.mark.parametrize("form", [".csv", ".tsv", ".xlsx", ".json", ".jsonl"])
def test_a_table_of_ids_and_replies_in_any_form(imported: Imports, tmp_path: Path, form: str) -> None:
    rows: list[list[object]] = [[i, said, n % 2] for n, (i, said) in enumerate(zip(IDS, SAID, strict=True))]
    done = imported("csv", table(tmp_path / f"mine{form}", ["id", "response", "score"], rows), model="mine")
    assert (done.record.samples, done.run.manifest.subject.spec) == (12, "import/csv:mine")
    assert {a.id: a.text for a in done.run.answers()} == dict(zip(IDS, SAID, strict=True))
    assert [(f.logged, f.computed) for f in done.record.figures] == [(None, 0.5)]


def test_columns_have_other_names_and_a_failure_is_no_answer(imported: Imports, tmp_path: Path) -> None:
    head = ["sample_id", "prediction", "model", "error"]
    rows: list[list[object]] = [[IDS[0], "Color", "gpt", ""], [IDS[1], "", "gpt", "429 too many requests"]]
    done = imported("csv", table(tmp_path / "x.csv", head, rows))
    answers = {a.id: a for a in done.run.answers()}
    assert answers[IDS[0]].failure is None
    assert answers[IDS[1]].failure is not None
    assert answers[IDS[1]].failure.reason == "429 too many requests"
    assert done.run.summary.failed == 1
    assert done.run.manifest.subject.spec == "import/csv:gpt"


def test_a_column_may_say_that_nothing_failed(imported: Imports, tmp_path: Path) -> None:
    rows: list[list[object]] = [
        [name, "Color", mark] for name, mark in zip(IDS, ("False", "None", "0", ""), strict=False)
    ]
    done = imported("csv", table(tmp_path / "x.csv", ["id", "response", "error"], rows))
    assert done.run.summary.failed == 0


def test_a_reply_with_line_breaks_and_quotes_is_kept_whole(imported: Imports, tmp_path: Path) -> None:
    said = 'First "this",\nthen\r\nthat: Color'
    done = imported("csv", table(tmp_path / "x.csv", ["id", "response"], [[IDS[0], said]]))
    assert [a.text for a in done.run.answers()] == [said]


@pytest.mark.parametrize(
    ("head", "rows", "says"),
    [
        (["id", "what"], [[1, "Color"]], "no column with the reply .* it has id, what"),
        (["id", "response", "model"], [[IDS[0], "a", "m1"], [IDS[1], "b", "m2"]], "names m1, m2; a run has one"),
        (["id", "response"], [], "it has no rows"),
        (["id", "response"], [[IDS[0], "a", "stray"]], "more cells than the header"),
    ],
)
def test_what_is_wrong_with_a_table_is_one_line(
    imported: Imports, tmp_path: Path, head: list[str], rows: list[list[object]], says: str
) -> None:
    with pytest.raises(SnellenError, match=says):
        imported("csv", table(tmp_path / "x.csv", head, rows))


# ---------------------------------------------------------------- VLMEvalKit


def vlmevalkit(folder: Path, form: str = ".xlsx", total: str | None = "0.5") -> Path:
    """Predictions with hits, and the totals beside them, as VLMEvalKit names and fills them."""
    place = folder / "GPT4o"
    place.mkdir()
    head = ["index", "question", "answer", "prediction", "hit", "log", "split"]
    truth = ["size", "color", "orientation", "orientation"]
    rows: list[list[object]] = [
        [n, "Which feature?", truth[n], said, hit, "exact", "P3"]
        for n, (said, hit) in enumerate(
            [("Size", 1), ("Color", 1), ("Size", 0), ("Failed to obtain answer via API.", 0)]
        )
    ]
    if total is not None:
        table(place / "GPT4o_SalBench_acc.csv", ["split", "Overall"], [["P3", total]])
    return table(place / f"GPT4o_SalBench_openai_result{form}", head, rows)


@pytest.mark.parametrize("form", [".xlsx", ".tsv", ".json"])
def test_vlmevalkits_predictions_and_totals(imported: Imports, tmp_path: Path, form: str) -> None:
    done = imported("vlmevalkit", vlmevalkit(tmp_path, form), selection=Selection(tasks=("D",)))
    assert done.run.manifest.subject.spec == "import/vlmevalkit:GPT4o"
    assert [(f.name, f.logged, f.computed, f.agrees) for f in done.record.figures] == [("Overall", 0.5, 0.5, True)]
    assert done.record.matched == {"place": 4}  # its index is the row's number, and the answers confirm it
    failed = [a for a in done.run.answers() if a.failure is not None]
    assert [a.id for a in failed] == [IDS[3]]  # its sentinel is no reply


def test_totals_in_percent_and_wrong_totals(imported: Imports, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert read_log("vlmevalkit", [vlmevalkit(tmp_path / "a", total="50.0")]).figures[0].agrees
    assert read_log("vlmevalkit", [vlmevalkit(tmp_path / "b", total="0.75")]).figures[0].agrees is False


def test_a_pickle_is_never_opened(imported: Imports, tmp_path: Path) -> None:
    file = tmp_path / "GPT4o_SalBench.pkl"
    file.write_bytes(b"cposix\nsystem\n(S'touch owned'\ntR.")
    with pytest.raises(
        SnellenError, match=r"Snellen opens none; VLMEvalKit's \.xlsx, \.tsv or \.json has the same rows"
    ):
        imported("vlmevalkit", file)


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_csv_file_with_other_separators(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"id{mark}response\n{IDS[0]}{mark}Size, or color\n", encoding="utf-8")
    (row,) = read_log("csv", [path]).rows
    assert (row.id, row.text) == (IDS[0], "Size, or color")


def test_what_a_log_is_not_is_said(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="a folder, and a log is a file"):
        read_log("csv", [tmp_path])
    path = table(tmp_path / "r.csv", ["id", "response"], [[IDS[0], "Size"]])
    with pytest.raises(SnellenError, match=r"not a log of Inspect, which is LOG\.eval or LOG\.json"):
        read_log("inspect", [path])


def test_one_row_is_one_row(imported: Imports, tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", ["id", "response"], [["P3/nope", "Size"]])
    with pytest.raises(SnellenError, match="1 of 1 row fits no sample"):
        imported("csv", path)


@pytest.mark.parametrize("form", [".csv", ".tsv", ".xlsx"])
def test_a_column_that_is_there_twice_is_refused(tmp_path: Path, form: str) -> None:
    file = table(tmp_path / f"mine{form}", ["id", "response", "response"], [[IDS[0], "Color", "Size"]])
    with pytest.raises(SnellenError, match="the column 'response' is there twice"):
        read_log("csv", [file])


def test_an_empty_reply_is_not_filled_from_another_column(tmp_path: Path) -> None:
    file = table(tmp_path / "mine.csv", ["id", "response", "text"], [[i, "", "Color"] for i in IDS])
    assert {row.text for row in read_log("csv", [file]).rows} == {""}


def test_a_quote_that_is_never_closed_swallows_no_rows(tmp_path: Path) -> None:
    (tmp_path / "torn.csv").write_text('id,response\na,"3\nb,4\nc,5\n')
    with pytest.raises(SnellenError, match=r"torn.csv line \d: cannot be read as a table \(unexpected end of data\)"):
        read_log("csv", [tmp_path / "torn.csv"])


@pytest.mark.parametrize("score", ["0,5", "50%", "half"])
def test_a_score_that_is_not_a_number_is_refused_with_its_line(score: str, tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["id", "response", "score"], [[IDS[0], "Size", ""], [IDS[1], "Size", score]])
    with pytest.raises(SnellenError, match=rf"x\.csv line 3: the score '{score}' is not a number"):
        read_log("csv", [path])


def test_points_and_percent_tell_no_right_from_wrong(imported: Imports, tmp_path: Path) -> None:
    rows: list[list[object]] = [[i, "Size", score] for i, score in zip(IDS, (100, 0, 50, 20, 1), strict=False)]
    done = imported("csv", table(tmp_path / "x.csv", ["id", "response", "score"], rows))
    assert [one.right for one in read_samples(done.run.folder)] == [None] * 5


@pytest.mark.parametrize("name", ["M_SEEDBench2_Plus.tsv", "M_SEEDBench2_Plus_openai_result.tsv"])
def test_totals_of_another_data_set_are_not_taken(name: str, tmp_path: Path) -> None:
    file = table(tmp_path / name, ["index", "prediction"], [[0, "Size"]])
    table(tmp_path / "M_SEEDBench2_acc.csv", ["split", "Overall"], [["none", 0.5]])
    assert read_log("vlmevalkit", [file]).files == (str(file),)
    table(tmp_path / "M_SEEDBench2_Plus_acc.csv", ["split", "Overall"], [["none", 0.5]])
    assert len(read_log("vlmevalkit", [file]).files) == 2
