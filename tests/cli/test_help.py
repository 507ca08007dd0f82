"""What every command says of itself fits a terminal, and what may be missing is known to `doctor` and said in a line."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.support.sets import write_set

import snellen
from snellen.cli import doctor_command
from snellen.cli.main import app, main
from snellen.core.errors import SnellenError
from snellen.core.records import Totals
from snellen.engine.run import nothing_asked, this_time

ROOT = Path(__file__).parents[2]
NOT_FOR_USERS = {"all", "dev", "docs"}


def commands() -> list[str]:
    return app.list_commands(click.Context(app))


@pytest.mark.parametrize("name", ["", *commands()])
def test_help_fits_80_columns(name: str) -> None:
    done = CliRunner().invoke(app, [*([name] if name else []), "--help"], terminal_width=80)
    assert done.exit_code == 0
    assert [line for line in done.output.splitlines() if len(line) > 80] == []


def test_doctor_knows_every_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(doctor_command.EXTRAS) == set(extras) - NOT_FOR_USERS


@pytest.mark.parametrize(
    ("missing", "words", "extra"),
    [
        ("uvicorn", ["view", ".", "--no-open"], "view"),
        ("starlette", ["view", ".", "--no-open"], "view"),
        ("matplotlib", ["export", "{run}", "--out", "{run}/c.png"], "charts"),
        ("xlsxwriter", ["export", "{run}", "--out", "{run}/x.xlsx"], "excel"),
        ("openpyxl", ["import", "csv", "{run}/t.xlsx", "--exam", "salbench"], "import"),
    ],
)
def test_what_is_missing_is_said_in_one_line(missing: str, words: list[str], extra: str, tmp_path: Path) -> None:
    run = a_run(tmp_path)
    (run / "t.xlsx").write_bytes(b"PK\x03\x04")
    call = "import sys; sys.modules[sys.argv.pop(1)] = None; from snellen.cli.main import main; sys.exit(main())"
    given = [word.format(run=run) for word in words]
    done = subprocess.run([sys.executable, "-c", call, missing, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert f"[{extra}]'" in done.stderr and "pip install" in done.stderr


def a_run(folder: Path) -> Path:
    """A small run on disk."""
    write_set(folder / "data", 3)
    return snellen.evaluate(
        "salbench", model="baseline/chance", data=folder / "data", out=folder / "runs", use_store=False
    ).path


def test_an_exit_code_that_somebody_asks_for_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a library that answers a signal with sys.exit."""

    def ends(**_words: object) -> None:
        sys.exit(15)

    monkeypatch.setattr(app, "main", ends)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 15


def test_a_developer_can_see_where_a_reader_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(**_words: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(app, "main", fails)
    monkeypatch.setattr(sys, "argv", ["snellen", "report", "runs"])
    for variable, code in (("", 2), ("1", 1)):
        monkeypatch.setenv("SNELLEN_TRACEBACK", variable)
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == code
        assert ("Traceback" in capsys.readouterr().err) == bool(variable)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("help run", "Usage: snellen run "),
        ("help", "Usage: snellen "),
        ("version", f"snellen {snellen.__version__}"),
        ("list models", "anthropic/NAME"),
    ],
)
def test_what_people_type_by_habit_works(typed: str, said: str) -> None:
    done = CliRunner().invoke(app, typed.split(), prog_name="snellen")
    assert done.exit_code == 0 and said in done.output


def test_messages_name_a_next_step_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SNELLEN_DATA_DIR", str(tmp_path / "none"))
    (tmp_path / "shots").mkdir()
    (tmp_path / "shots/a.png").write_bytes(b"")
    (tmp_path / "q.ods").write_bytes(b"")

    def told(typed: str) -> str:
        done = CliRunner().invoke(app, typed.split())
        assert isinstance(done.exception, SnellenError), done.output
        return str(done.exception)

    annotate = "'snellen annotate shots --as NAME' draws boxes"
    assert annotate in told("data check shots") and annotate in told("data init grounding --out shots")
    assert told("data check q.ods").endswith("; save the sheet as CSV or .xlsx")
    assert "'snellen data get vqax' says where the real one is" in told("run vqax --model api/m")
    assert "'snellen data get salbench' fetches the real one" in told("run salbench --model api/m")
    assert "is not a run folder" in told("export gone --format tex")


def test_one_is_not_many() -> None:
    assert this_time(1, 1, "", Totals(stored=1)) == [
        "1 call was made now; 1 answer was taken from the store; 1 answer was there already"
    ]
    assert nothing_asked(1, "") == ["nothing was asked: the one answer was there already; --fresh asks again"]
