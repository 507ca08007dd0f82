"""A model has one name in every exam, and `--name` and `--names` give it another in tables and charts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.present.made import group, made_run, protocol, score
from tests.support.command import snellen

from snellen.cli.model_labels import read_labels
from snellen.core.errors import SnellenError
from snellen.core.model_names import labelled, model_name
from snellen.engine.runs.run import Run
from snellen.present.model.run_view import run_view


def run_of(path: Path, subject: str) -> Run:
    return made_run(path, protocol("paper", group({"split": "P3"}, accuracy=score(0.25))), subject=subject)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("api/model-a", "api/model-a"),
        ("vlm/api/model-a", "api/model-a"),
        ("vlm+screenseeker/api/model-a", "vlm+screenseeker/api/model-a"),
        ("ocr", "ocr"),
    ],
)
def test_a_model_has_one_name_whatever_the_exam(tmp_path: Path, spec: str, name: str) -> None:
    run = run_of(tmp_path / "run", spec)
    assert model_name(run.manifest) == name
    assert {row.subject for row in run.score_rows()} == {name}
    with labelled({name: "Model A"}):
        assert model_name(run.manifest) == "Model A"
    assert model_name(run.manifest) == name


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("names.toml", '"api/a" = "Model A"\n"api/b" = "B, the second"\n'),
        ("names.txt", "api/a = Model A\n\napi/b=B, the second\n"),
        ("names.csv", 'api/a,Model A\napi/b,"B, the second"\n'),
    ],
)
def test_labels_of_a_file(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)
    assert read_labels(tmp_path / file) == {"api/a": "Model A", "api/b": "B, the second"}


@pytest.mark.parametrize(("file", "text"), [("n.toml", '"a" = 1'), ("n.toml", "a ="), ("n.csv", "just a line")])
def test_a_file_that_is_no_list_of_labels_is_refused(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(SnellenError, match=file):
        read_labels(tmp_path / file)


def test_tables_and_pages_have_the_label(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "vlm/api/model-a")
    (tmp_path / "names.csv").write_text("api/model-a,from the file\n")
    names = ("--names", tmp_path / "names.csv")
    done = snellen("export", run.path, *names, cache=tmp_path / "cache")
    assert done.returncode == 0 and "from the file" in done.stdout, done.stderr
    done = snellen("export", run.path, "--name", "api/model-a=Named", *names, cache=tmp_path / "cache")
    assert "Named" in done.stdout and "from the file" not in done.stdout
    with labelled({"api/model-a": "on the page"}):
        assert run_view(run).title == "made-up · on the page"


def test_a_label_without_a_model_is_refused(tmp_path: Path) -> None:
    done = snellen("show", run_of(tmp_path / "run", "api/a").path, "--name", "api/a", cache=tmp_path / "cache")
    assert done.returncode == 2 and "SPEC=LABEL" in done.stderr
