"""docs/examples/blink.py: a multiple-choice benchmark of the hub in one short file, as a plugin and as it would be built in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.support.blink import make_blink, picture

from snellen import api, exams
from snellen.choice import ChoiceExam, choice_sample
from snellen.cli.main import app
from snellen.core.errors import SnellenError
from snellen.core.extras import DataTraits, Probes, RowFormat, SampleOptions, TextGuess, rows_of
from snellen.registry import plugins

FILE = Path(__file__).parents[2] / "docs" / "examples" / "blink.py"


def snellen(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)), standalone_mode=False)


@pytest.fixture(autouse=True)
def blink(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(plugins.VARIABLE, "")
    plugins.name_files([str(FILE)])
    yield


def test_it_is_one_file_of_at_most_40_lines_that_imports_the_library_alone() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    imported = {n.module for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom)}
    assert imported == {"collections.abc", "typing", "snellen", "snellen.choice"}


def test_the_page_shows_the_file_as_it_stands() -> None:
    page = FILE.parents[1] / "extending.md"
    assert f"```python\n{FILE.read_text(encoding='utf-8')}```" in page.read_text(encoding="utf-8")


def test_a_row_is_a_question_with_the_pictures_that_it_has(tmp_path: Path) -> None:
    make_blink(tmp_path)
    samples = list(exams.load("blink").samples(tmp_path))
    assert [s.id for s in samples[:2]] == ["val_Counting_1", "val_Counting_2"]
    assert [len(s.pictures) for s in samples] == [1, 1, 1, 3, 3, 3]
    assert samples[0].truth == "2 dots" and samples[0].tags == {"split": "val", "task": "Counting"}
    assert samples[0].pictures[0].data == picture(2)["bytes"]


def test_extras_of_a_subclass_stand_beside_those_of_every_choice_exam() -> None:
    class Own(ChoiceExam):
        extras = (
            RowFormat(lambda row: choice_sample(str(row["id"]), "q", ("a", "b"), 0)),
            DataTraits(last_resort=True),
        )

    assert rows_of(Own()).sample({"id": 1}).truth == "a"
    kinds = [type(one) for one in Own().extras]
    assert set(kinds) == {RowFormat, DataTraits, Probes, SampleOptions, TextGuess} and len(set(kinds)) == len(kinds)


def test_it_runs_with_its_options_in_another_order_and_is_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_blink(tmp_path / "set", 12)
    monkeypatch.chdir(tmp_path)
    assert exams.resolve("set")[0] == "blink"
    run = api.evaluate("set", model="baseline/constant:B", controls=["options"], out=tmp_path / "runs")
    assert {row.control for row in run.controls} == {"options"}
    assert {p.protocol for p in run.summary.plain} == {"robust", "exact"}
    assert run.summary.plain[0].groups[0].metrics["accuracy"].value == 0.25
    audit = snellen("protocols", "set", "--blind")
    assert audit.return_value == 0 and "text" in audit.output, audit.output
    print(audit.output)


def test_data_check_knows_the_folder_and_names_row_and_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_blink(tmp_path / "good")
    make_blink(tmp_path / "hidden", answer="hidden")
    assert snellen("data", "check", tmp_path / "good").return_value == 0
    assert {s.truth for s in exams.load("blink").samples(tmp_path / "hidden")} == {None}
    import pyarrow.parquet as pq

    path = tmp_path / "good" / "Jigsaw" / "val-00000-of-00001.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[1]["choices"] = ["one"]
    rows[2]["image_2"]["bytes"] = b"torn"
    pq.write_table(type(table).from_pylist(rows, table.schema), path)
    found = snellen("data", "check", tmp_path / "good")
    assert found.return_value == 2 and "row 2: 1 option" in found.output and "val_Jigsaw_3 image 2" in found.output
    with pytest.raises(SnellenError, match="row 2: 1 option;"):
        list(exams.load("blink").samples(tmp_path / "good"))
