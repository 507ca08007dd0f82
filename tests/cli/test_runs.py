"""`snellen show`: what there is, whatever else lies in the folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.present.made import group, made_run, protocol, score
from tests.support.command import snellen

from snellen.core.errors import SnellenError
from snellen.core.records import Totals
from snellen.core.results import ProtocolSummary
from snellen.engine.runs.listing import listing
from snellen.present.terminal.run_list import print_listing

PAPER = protocol("paper", group({"split": "P3"}, accuracy=score(0.25)), group({"split": "O3"}, accuracy=score(0.5)))


def made(
    folder: Path, name: str, created: str, *protocols: ProtocolSummary, subject: str = "baseline/x", **summary: Any
) -> Path:
    run = made_run(folder / name, *(protocols or (PAPER,)), subject=subject, **summary)
    manifest = msgspec.structs.replace(run.manifest, created=created)
    (run.path / "run.json").write_bytes(msgspec.json.encode(manifest))
    return run.path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs, one that is not marked yet, two that are damaged, a folder, a file, and something hidden."""
    runs = tmp_path / "runs"
    paid = Totals(calls=3, cost=0.0123, cost_unknown=1)
    made(runs, "made-up_one_0a0a0a0a", "2026-11-16T10:00:00Z", synthetic=True)
    made(runs, "made-up_two_1b1b1b1b", "2026-11-17T09:30:00Z", subject="api/m", complete=False, totals=paid)
    half = made(runs, "made-up_half_2c2c2c2c", "2026-11-17T11:00:00Z")
    (half / "summary.json").unlink()
    broken = made(runs, "made-up_broken_3d3d3d3d", "2026-11-17T12:00:00Z")
    (broken / "summary.json").write_text("{")
    (runs / "unreadable").mkdir()
    (runs / "unreadable" / "run.json").write_bytes(b"\xff{")
    (runs / "notes").mkdir()
    (runs / "todo.txt").write_text("x")
    (runs / ".cache").mkdir()
    return runs


def test_a_row_a_run_the_latest_first_and_the_rest_is_said(folder: Path, tmp_path: Path) -> None:
    done = snellen("show", folder, cache=tmp_path / "cache", COLUMNS="80")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, (line for line in lines if str(folder) not in line))) <= 80
    assert lines[2].split() == ["1b1b1b1b", "made-up", "api/m", "11-17", "09:30", "144", "25.0–50.0", "0.0123+", "!"]
    assert lines[3].split() == ["0a0a0a0a", "made-up", "baseline/x", "11-16", "10:00", "144", "25.0–50.0", "–", "S"]
    said = " ".join(done.stdout.split())
    assert "S: SYNTHETIC data" in said and "!: not complete" in said
    assert "made-up_half_2c2c2c2c (unfinished)" in said
    assert "made-up_broken_3d3d3d3d (damaged)" in said and "unreadable (damaged)" in said
    assert "notes (no run): a folder without run.json" in said and "todo.txt (no run): a file" in said
    assert ".cache" not in said
    assert lines[-1] == f"Next: snellen show {folder}/*_1b1b1b1b"


def test_json_has_the_same_and_the_numbers(folder: Path, tmp_path: Path) -> None:
    said = json.loads(snellen("show", folder, "--json", cache=tmp_path / "cache").stdout)
    assert [Path(r["run"]).name for r in said["runs"]] == ["made-up_two_1b1b1b1b", "made-up_one_0a0a0a0a"]
    first = said["runs"][0]
    assert (first["complete"], first["synthetic"], first["cost"], first["cost_unknown"]) == (False, False, 0.0123, 1)
    assert (first["protocol"], first["metric"]) == ("paper", "accuracy")
    assert {part: h["value"] for part, h in first["headlines"].items()} == {"P3": 0.25, "O3": 0.5}
    kinds = {Path(p["run"]).name: p["kind"] for p in said["passed_over"]}
    assert kinds == {
        "made-up_half_2c2c2c2c": "unfinished",
        "made-up_broken_3d3d3d3d": "damaged",
        "unreadable": "damaged",
        "notes": "no run",
        "todo.txt": "no run",
    }


def test_a_summary_that_somebody_edited_is_not_shown(tmp_path: Path) -> None:
    from snellen.core.records import written

    path = made(tmp_path, "a_b_4e4e4e4e", "2026-11-17T09:30:00Z")
    summary = listing(tmp_path).runs[0].summary
    (path / "summary.json").write_bytes(written(summary).replace(b'"value": 0.25', b'"value": 0.95'))
    found = listing(tmp_path)
    assert not found.runs
    assert [(p.kind, "changed after Snellen wrote it" in p.why) for p in found.passed] == [("damaged", True)]


def test_of_many_runs_only_the_summaries_that_are_shown_are_opened(tmp_path: Path) -> None:
    for i in range(50):
        path = made(tmp_path, f"a_b_{i:08x}", f"2026-11-17T09:{i:02d}:00Z")
        (path / "answers.jsonl").mkdir()  # whoever opened it would fail
        if i < 45:
            (path / "summary.json").write_text("never read")
    found = listing(tmp_path, 5)
    assert [run.path.name for run in found.runs] == [f"a_b_{i:08x}" for i in range(49, 44, -1)]
    assert (found.older, found.passed) == (45, ())
    assert len(listing(tmp_path).passed) == 45


def test_a_damaged_one_among_the_latest_makes_room_for_the_next(tmp_path: Path) -> None:
    for i in range(4):
        made(tmp_path, f"run{i}", f"2026-11-17T09:{i:02d}:00Z")
    (tmp_path / "run3" / "summary.json").write_text("")
    found = listing(tmp_path, 2)
    assert [run.path.name for run in found.runs] == ["run2", "run1"]
    assert found.older == 1


def test_the_default_folder_and_none(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "1b1b1b1b" in snellen("show", cache=tmp_path / "cache").stdout
    gone = snellen("show", tmp_path / "none", cache=tmp_path / "cache")
    assert gone.returncode == 2 and "no such folder" in gone.stderr
    (tmp_path / "empty").mkdir()
    assert "No runs in" in snellen("show", tmp_path / "empty", cache=tmp_path / "cache").stdout
    typo = snellen("shwo", cache=tmp_path / "cache")
    assert typo.returncode == 2 and "did you mean 'show'" in typo.stderr


def test_names_from_outside_are_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    made(tmp_path, "a\x1b[2J_b_[bold]", "2026\x1b[31m\n-11", subject="api/\x1b]0;owned\x07[red]x[/red]\n\nfake row")
    (tmp_path / "stray\x1b[31m").write_text("")
    print_listing(tmp_path, listing(tmp_path))
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out
    assert "[red]x[/red]" in "".join(out.split())
    assert not any(line.startswith("fake row") for line in out.splitlines())


def test_two_runs_with_one_ending_go_by_their_whole_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, "a_same", "2026-11-17T09:00:00Z")
    made(tmp_path, "b_same", "2025-11-17T09:00:00Z")
    print_listing(tmp_path, listing(tmp_path))
    out = capsys.readouterr().out
    assert "a_same" in out and "b_same" in out and "2025-11-17" in out and f"snellen show {tmp_path}/a_same" in out


def test_a_pipe_in_the_place_of_a_record_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "trap").mkdir()
    os.mkfifo(tmp_path / "trap" / "run.json")
    found = listing(tmp_path)
    assert [(p.path.name, p.kind) for p in found.passed] == [("trap", "no run")]


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(SnellenError, match="a file, and runs are folders"):
        listing(tmp_path / "x")


def test_much_that_is_passed_over_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, "a_b_5f5f5f5f", "2026-11-17T09:30:00Z")
    for i in range(9):
        (tmp_path / f"file{i}").write_text("")
    print_listing(tmp_path, listing(tmp_path))
    out = capsys.readouterr().out
    assert out.count("Passed over: file") == 5 and "Passed over, too: 4 no run." in out


def test_a_run_that_was_interrupted_shows_how_far_it_came_and_names_are_cut_not_broken(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    asked = {"asked": {"question": 9}, "questions": 360, "failed": 1}
    made(runs, "a_1b1b1b1b", "2026-11-17T09:30:00Z", subject=f"baseline/{'long' * 20}", complete=False, **asked)
    done = snellen("show", runs, cache=tmp_path / "cache", COLUMNS="80")
    row, after = done.stdout.splitlines()[2:4]
    assert "8/360" in row.split() and "…" in row and len(row) <= 80
    assert after.startswith("When in UTC")
    (told,) = json.loads(snellen("show", runs, "--json", cache=tmp_path / "cache").stdout)["runs"]
    assert (told["answered"], told["questions"]) == (8, 360)
