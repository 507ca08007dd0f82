"""What the faculties declare is what is drawn and can be asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snellen.exams.eye.faculties import FACULTIES, Faculty
from snellen.synthetic.sheets import DRAWERS, draw

ALL = pytest.mark.parametrize("faculty", FACULTIES.values(), ids=FACULTIES)


def test_every_kind_of_sheet_is_a_faculty() -> None:
    assert list(FACULTIES) == list(DRAWERS)
    assert all(name == faculty.name for name, faculty in FACULTIES.items())


@ALL
def test_ladders_go_from_the_hardest_up_in_equal_ratios(faculty: Faculty) -> None:
    steps = np.diff(np.log(faculty.levels))
    assert 30 <= len(faculty.levels) <= 50
    assert steps.min() > 0 if faculty.finer == "smaller" else steps.max() < 0
    assert np.abs(steps).max() < 0.2
    assert np.abs(steps - steps.mean()).max() < 0.03
    assert faculty.levels[-1] <= DRAWERS[faculty.name].most


@ALL
def test_a_guess_is_right_once_in_as_many_as_there_are_options(faculty: Faculty) -> None:
    assert faculty.guess == (1 / len(faculty.options) if faculty.options else 0)
    assert len(set(faculty.options)) == len(faculty.options)


@ALL
def test_a_question_says_how_to_reply_and_names_every_option(faculty: Faculty) -> None:
    assert "Reply with" in faculty.question.split(". ")[-1]
    assert faculty.question.isascii()
    assert len(faculty.question) < 320
    words = faculty.question.replace(",", " ").replace(".", " ").split()
    assert set(faculty.options) <= set(words)


@ALL
def test_both_ends_of_a_ladder_can_be_drawn_and_have_a_truth_among_the_options(faculty: Faculty) -> None:
    for level in (faculty.levels[0], faculty.levels[-1]):
        for number in range(12):
            sheet = draw(faculty.name, level, seed="ends", number=number, size=faculty.size)
            assert len(sheet.pictures) == (2 if faculty.name == "difference" else 1)
            assert sheet.truth in faculty.options if faculty.options else sheet.truth.count(",") == 3


def test_no_two_questions_are_alike() -> None:
    asked = [faculty.question for faculty in FACULTIES.values()]
    assert not any(one in other for one in asked for other in asked if one is not other)


@ALL
def test_the_page_on_sheets_has_the_ladder_and_the_guessing_rate(faculty: Faculty) -> None:
    page = (Path(__file__).parents[3] / "docs" / "sheets.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{faculty.name}` |"))
    assert f"| {faculty.levels[0]:g} to {faculty.levels[-1]:g} {faculty.unit} |" in row
    assert (f"| 1 in {len(faculty.options)} |" if faculty.options else "| never |") in row
