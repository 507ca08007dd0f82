"""What a comparison says in words, and what it must not say: too few images, and how much of a lead is parsing."""

from __future__ import annotations

import pytest
from tests.compare.test_differences import compared, made

from snellen.comparison.differences import PairedSample
from snellen.comparison.ranking import ranking
from snellen.comparison.results import ComparisonRow, RunSide
from snellen.comparison.verdict import leading, verdict
from snellen.core.protocol import Protocol
from snellen.core.types import Outcome
from snellen.present.terminal.comparison import print_differences

GOOD, BAD, LOST = Outcome.CORRECT, Outcome.WRONG, Outcome.UNPARSABLE


def on_images(first: int, second: int, n: int, images: int) -> list[PairedSample]:
    """So many right of n questions on a few images, for either side."""
    sides = [[GOOD] * right + [BAD] * (n - right) for right in (first, second)]
    return made(*sides, [f"{i % images}.png" for i in range(n)])


def test_on_few_images_there_is_no_verdict() -> None:
    """95 against 0 points could not be told apart, beside an interval of 74 to 99 and the claim that 41 points would show."""
    (row,) = compared(on_images(95, 0, 100, 5), power=0.05)
    assert (row.smallest, row.needed, row.able) == (None, None, False)
    said = (
        "Too few images to compare A and B: on 5 images no difference can be told from chance, however large. "
        "It takes at least 6."
    )
    assert verdict([row]) == (said,) and leading([row]) == said
    (row,) = compared(on_images(95, 0, 100, 6), power=0.05)
    assert row.able and row.needed is None and verdict([row])[-1] == "A leads."
    (row,) = compared(on_images(95, 0, 100, 8), power=0.05)
    assert row.needed is not None


def test_the_table_says_on_how_many_images(capsys: pytest.CaptureFixture[str]) -> None:
    from snellen.comparison.results import Comparison

    sides = tuple(RunSide(letter=x, run=x, subject=x) for x in "AB")
    rows = tuple(compared(on_images(94, 21, 200, 3)))
    found = Comparison(
        exam="own", synthetic=False, sides=sides, protocols=("plain",), samples=200, notes=(), rows=rows, verdict=()
    )
    print_differences(found)
    out = capsys.readouterr().out
    assert "200 on 3 images" in out and "No p (–): on so few images no difference can be told from chance." in out
    assert "would show" not in out


def test_more_runs_take_more_images() -> None:
    """Three pairs, by Holm's correction: 3 * 2 / 2 ** 6 is more than one in twenty."""

    def said(images: int) -> str:
        pairs = (("A", "B", 95, 0), ("A", "C", 95, 50), ("B", "C", 0, 50))
        rows = [_named(compared(on_images(first, second, 100, images))[0], a, b) for a, b, first, second in pairs]
        sides = [RunSide(letter=x, run=x, subject=x) for x in "ABC"]
        return leading(rows, ranking("plain", rows, sides))

    assert said(6) == (
        "Under 'plain' A is first with 95.0 (score); 6 images cannot tell 3 runs apart, whatever their scores: it takes at least 7."
    )
    assert said(7) == "Under 'plain' A leads with 95.0 (score); C and B are behind it."


def _named(row: ComparisonRow, first: str, second: str) -> ComparisonRow:
    import msgspec

    return msgspec.structs.replace(row, first_run=first, second_run=second)


# ---------------------------------------------------------------- parsing


def read(n: int, both: int, only_b: int, only_a: int, lost: int, name: str) -> list[ComparisonRow]:
    """Replies of which a protocol cannot read some of A's that B has right."""
    rest = n - both - only_b - only_a - lost
    first = [GOOD] * (both + only_a) + [BAD] * only_b + [LOST] * lost + [BAD] * rest
    second = [GOOD] * both + [BAD] * only_a + [GOOD] * (only_b + lost) + [BAD] * rest
    return compared(made(first, second), Protocol(name))


def test_how_much_of_a_lead_is_parsing_is_said_with_what_is_left() -> None:
    exact, robust = read(50, 15, 0, 0, 20, "exact"), read(50, 18, 17, 7, 0, "robust")
    said = verdict([*exact, *robust])
    assert said[-1] == (
        "20.0 of 40.0 points in score are parsing: the same replies, read by 'robust', leave 20.0 points [0.8, 37.8], which could be chance."
    ), said
    exact, robust = read(400, 160, 0, 0, 160, "exact"), read(400, 300, 20, 20, 0, "robust")
    assert verdict([*exact, *robust])[-1].startswith("40.0 of 40.0 points in score are parsing: the same replies")
    robust = read(400, 270, 40, 10, 0, "robust")
    assert verdict([*exact, *robust])[-1].startswith(
        "32.5 of 40.0 points in score are parsing: the same replies, read by 'robust', leave 7.5 points [4."
    )
