"""No command writes through symbolic links in a run folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.sets import write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.core.types import Answer
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.remark import remark
from snellen.engine.run import run_plan
from snellen.engine.runs.folder import RunFolder

PRECIOUS = b"do not touch\nhalf a line"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    write_set(tmp_path / "set", 6)
    return again(tmp_path)


def again(tmp_path: Path) -> Path:
    request = RunRequest("salbench", "baseline/constant:Color", tmp_path / "set", out=tmp_path / "runs")
    plan = make_plan(request)
    run_plan(plan)
    return plan.folder


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    path = tmp_path / "outside" / "file"
    path.parent.mkdir()
    path.write_bytes(PRECIOUS)
    return path


@pytest.mark.parametrize(
    "name",
    ["run.json.part", "summary.json.part", "marks/paper.jsonl.part", "marks/paper.jsonl", "summary.json", ".lock"],
)
def test_a_link_in_the_place_of_a_file(run: Path, precious: Path, name: str) -> None:
    link = run / name
    before = link.read_bytes() if link.exists() else None
    link.unlink(missing_ok=True)
    link.symlink_to(precious)
    remark(run)
    assert precious.read_bytes() == PRECIOUS
    assert not link.is_symlink()
    if name.endswith(".jsonl"):
        assert link.read_bytes() == before


@pytest.mark.parametrize("name", ["marks", "exports"])
def test_a_link_in_the_place_of_a_folder(run: Path, precious: Path, name: str) -> None:
    import shutil

    shutil.rmtree(run / name, ignore_errors=True)
    outside = precious.parent
    (outside / "paper.jsonl").write_bytes(PRECIOUS)
    (run / name).symlink_to(outside)
    RunFolder(run).clear("exports")
    RunFolder(run).write(f"{name}/paper.jsonl", b"x")
    remark(run)
    assert not (run / name).is_symlink()
    assert sorted(p.name for p in outside.iterdir()) == ["file", "paper.jsonl"]
    assert all(p.read_bytes() == PRECIOUS for p in outside.iterdir())


def test_answers_are_not_added_to_what_a_link_leads_to(tmp_path: Path, run: Path, precious: Path) -> None:
    (run / "answers.jsonl").unlink()
    (run / "answers.jsonl").symlink_to(precious)
    with pytest.raises(SnellenError, match="is a link or no file at all"):
        again(tmp_path)
    assert precious.read_bytes() == PRECIOUS
    with RunFolder(tmp_path / "other") as folder:
        folder.start_appending()
        folder.append(Answer(id="a", prompt="question", text="x"))


@pytest.mark.parametrize("name", ["../outside/x", "/x", "exports/../../x", ""])
def test_names_stay_in_the_folder(run: Path, name: str) -> None:
    with pytest.raises(SnellenError, match="no name for a file"):
        RunFolder(run).write(name, b"x")


def test_whatever_writes_into_a_run_folder_goes_through_one_place() -> None:
    """No other module of the engine opens files for writing, but for the log of a server that is started: it is in the cache folder."""
    engine = Path(snellen.__file__).parent / "engine"
    writes = re.compile(r"write_bytes\(|write_text\(|\.open\(\"[wax]|open\([^)]*\"[wax]b?\"|os\.open\(|os\.truncate\(")
    found = {p.relative_to(engine).as_posix() for p in engine.rglob("*.py") if writes.search(p.read_text("utf-8"))}
    assert found == {"runs/writing.py", "call/serving.py"}


def test_a_run_whose_answers_are_a_link_is_not_taken_for_an_empty_one(tmp_path: Path, run: Path) -> None:
    (run / "answers.jsonl").unlink()
    (run / "answers.jsonl").symlink_to("answers.jsonl")
    with pytest.raises(SnellenError):
        again(tmp_path)
    assert (run / "marks" / "paper.jsonl").exists()
