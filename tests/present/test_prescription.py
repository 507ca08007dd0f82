"""The prescription in the terminal: twenty lines, in words, with the right ratios; and the other commands on such runs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import msgspec
import pytest
from rich.console import Console
from tests.present.eye_runs import COARSE, FINE, Eyes, eyes
from tests.support.command import snellen as command

from snellen import exams
from snellen.comparison.thresholds import ExamThresholds, RunThresholds, examined
from snellen.core.prescription import Range, Share, Threshold, amount
from snellen.engine.runs.run import Run
from snellen.present.model import threshold_text as prescription_words
from snellen.present.page.prescription_view import resolutions
from snellen.present.terminal import prescription as prescription_table
from snellen.present.terminal import tables
from snellen.present.terminal.run import print_run

__all__ = ["eyes"]


def printed(
    found: ExamThresholds, monkeypatch: pytest.MonkeyPatch, *, verbose: bool = False, width: int = 80
) -> list[str]:
    out = io.StringIO()
    monkeypatch.setattr(tables, "console", lambda: Console(file=out, width=width, highlight=False))
    prescription_table.print_prescription(found, Path("runs/prescription.html"), verbose=verbose)
    return out.getvalue().splitlines()


def eight(one: RunThresholds, **more: object) -> RunThresholds:
    """The run as if it had eight faculties."""
    row = one.rows[0]
    names = ("letters", "contrast", "colour", "orientation", "size", "hidden", "pointing", "difference")
    return one._replace(rows=tuple(msgspec.structs.replace(row, faculty=name, **more) for name in names))


def test_a_prescription_has_a_row_for_each_faculty_with_all_that_it_takes_to_read_it(
    eyes: Eyes, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = printed(examined([eyes.sharp]), monkeypatch)
    assert lines[0] == "eye exam · api/sharp · seed 0 · SYNTHETIC sheets"
    letters = next(line for line in lines if line.startswith("letters"))
    found = examined([eyes.sharp]).first.rows[0]
    assert found.threshold is not None
    assert 5.0 < found.threshold.value < 7.0
    assert letters.split() == [
        "letters", *amount(found.threshold.value, "px").split(),
        *prescription_words.interval(found).split(), "40", "5/5", "0/5",
    ]  # fmt: skip
    assert "0.0135 USD" in "\n".join(lines)  # 135 questions at 0.0001
    assert lines[-1] == "Page: runs/prescription.html"


def test_what_could_not_be_measured_is_said_in_words_and_never_as_a_number(
    eyes: Eyes, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(printed(examined([eyes.sharp]), monkeypatch))
    assert "colour not measurable" in " ".join(text.split())
    assert (
        "colour: not measurable: 5 of 5 replies to the easiest sheets chose nothing (5 could not be read)"
        in " ".join(text.split())
    )
    assert "Not measurable: colour." in text


def test_a_threshold_past_the_ladder_is_a_bound(eyes: Eyes, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(printed(examined([eyes.best]), monkeypatch))
    assert "at most 2.0 px" in text
    assert "reads letters of 2.0 px and more (the finest asked)" in text
    assert "[" not in next(line for line in text.splitlines() if line.startswith("letters"))


@pytest.mark.parametrize("lost", [False, True])
def test_eight_faculties_take_at_most_twenty_lines_of_eighty_columns(
    eyes: Eyes, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    found = examined([eyes.sharp])
    one = eight(found.first)
    if lost:
        rows = tuple(
            msgspec.structs.replace(row, threshold=None, why_not="wrong", reason=f"only {at} of them were right " * 4)
            for at, row in enumerate(one.rows)
        )
        one = one._replace(rows=rows)
    lines = printed(found._replace(each=(one,)), monkeypatch)
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("pointing ") for line in lines) == 1
    assert ("-v" in "\n".join(lines)) is lost
    longer = printed(found._replace(each=(one,)), monkeypatch, verbose=True)
    assert len(longer) > 20
    assert any(line.startswith("faculty") and "slope" in line for line in longer)


def test_two_models_are_compared_by_the_ratio_of_their_thresholds(eyes: Eyes, monkeypatch: pytest.MonkeyPatch) -> None:
    found = examined([eyes.sharp, eyes.dull])
    ratio = found.compared[0].ratios[0]
    assert ratio is not None
    assert 1 < ratio.low < COARSE / FINE < ratio.high
    lines = printed(found, monkeypatch)
    text = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= 80
    assert "A api/sharp" in text and "B api/dull" in text
    said = prescription_words.ratio(ratio)
    assert f"B needs letters {said} times as large as A does; cannot be told apart from it in contrast." in text
    back = prescription_table.document(examined([eyes.dull, eyes.sharp]))
    assert back["says"][0].startswith("B makes do with letters 0.")


def test_many_models_are_told_on_a_narrow_screen(eyes: Eyes, monkeypatch: pytest.MonkeyPatch) -> None:
    found = examined([eyes.sharp, eyes.dull, eyes.best])
    lines = printed(found, monkeypatch, width=60)
    assert any(line.startswith("faculty") for line in lines)
    assert max(map(len, (line for line in lines if not line.startswith("Page")))) <= 60


def test_names_and_reasons_from_outside_are_inert_in_the_terminal(eyes: Eyes, monkeypatch: pytest.MonkeyPatch) -> None:
    found = examined([eyes.sharp])
    nasty = found.first._replace(name="api/\x1b[2J[red]x\u202e")
    text = "\n".join(printed(found._replace(each=(nasty,)), monkeypatch))
    assert "\x1b" not in text and "\u202e" not in text
    assert "[red]x" in text


# ---------------------------------------------------------------- resolution


def row(size: int, value: float, unit: str = "px") -> Threshold:
    """A threshold with answers that give it: all wrong below, all right above."""
    ladder = tuple(2 * 24 ** (i / 35) for i in range(36))
    from snellen.core.prescription import LevelCounts

    rungs = tuple(LevelCounts(level=v, right=4 * (v >= value), wrong=4 * (v < value)) for v in ladder)
    return Threshold(
        faculty="letters", title="Letters", dial="height", unit=unit, finer="smaller", about="", guess=0.1, ladder=ladder,
        questions=144, catch=Share(5, 5), blank=Share(0, 5), sent_as=f"{size} px png",
        threshold=Range(value, value / 1.1, value * 1.1), rungs=rungs,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("second", "unit", "words"),
    [
        (6.0, "px", "detail is passed on"),
        (12.0, "px", "more resolution does not help"),
        (8.5, "px", "some of the detail is lost"),
        (6.0, "%", "does not clearly change"),
        (12.0, "%", "the threshold changes"),
    ],
)
def test_where_detail_stops_being_passed_on_is_said(second: float, unit: str, words: str) -> None:
    rows = [row(512, 6.0, unit), row(1024, second, unit)]
    sizes = {one.name: int(one.sent_as.split()[0]) for one in rows}
    (found,) = resolutions(exams.load("eye"), rows, sizes)
    assert words in found.says[0]
    assert found.says[0].startswith("From 512 to 1024 px ")
    assert [one.share for one in found.sent] == (
        ["1.2 %", f"{100 * second / 1024:.2g} %"] if unit == "px" else ["", ""]
    )


# ---------------------------------------------------------------- other commands


def test_a_run_is_shown_as_its_prescription(eyes: Eyes, capsys: pytest.CaptureFixture[str]) -> None:
    print_run(Run(eyes.sharp.path))
    text = " ".join(capsys.readouterr().out.split())
    assert "letters 5" in text or "letters 6" in text
    assert text.count("5 of 5 replies to the easiest sheets") == 1
    assert "Percent" not in text and "threshold, px" not in text


def test_every_command_on_a_run_works_or_says_why_not(eyes: Eyes, tmp_path: Path) -> None:
    sharp, dull = eyes.sharp.path, eyes.dull.path

    def say(*words: object) -> tuple[int, str]:
        done = command(*words, cache=tmp_path / "cache", COLUMNS="80")
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    code, text = say("compare", sharp, dull)
    assert code == 0 and "B needs letters" in text
    code, text = say("compare", sharp.parent)
    assert code == 0 and "eye exam · 3 models" in text
    code, text = say("compare", sharp, dull, "--json")
    document = json.loads(command("compare", sharp, dull, "--json", cache=tmp_path / "cache").stdout)
    assert code == 0 and document["compared"][0]["ratios"]["B"]["low"] > 1
    for refused in (
        ("compare", sharp, dull, "--flips", "2"),
        ("gate", dull, "--baseline", sharp, "--max-drop", "2"),
        ("explain", sharp),
        ("export", sharp, "--out", tmp_path / "c.svg"),
    ):
        code, text = say(*refused)
        assert code == 2 and text.count("snellen:") == 1, text
    code, text = say("protocols", "--run", sharp)
    assert code == 0 and "px" in text and "percent" not in text
    code, text = say("show", sharp.parent)
    assert code == 0 and "letters at most 2.0 px" in text
    code, text = say("report", sharp, "--out", tmp_path / "r.html", "--json")
    assert code == 0 and "reads letters of" in text
    code, text = say("export", eyes.best.path, "--table", "paper", "--format", "md")
    assert code == 0 and "2.00 (at most" in text and "count as guesses" in text


def test_list_faculties_says_dial_ladder_guessing_and_question(tmp_path: Path) -> None:
    done = command("list", "faculties", "--json", cache=tmp_path / "cache")
    rows = {one["name"]: one for one in json.loads(done.stdout)["faculties"]}
    assert rows["letters"]["dial"] == "letter height in pixels as sent"
    assert rows["letters"]["ladder"] == "2 to 48 px, 36 levels"
    assert rows["letters"]["guess"] == "10.0 %"
    assert rows["letters"]["question"].endswith("Reply with the letter only.")
    shown = command("list", "faculties", cache=tmp_path / "cache", COLUMNS="120")
    assert "Reply with the number only." in " ".join(shown.stdout.split())
