"""Numbers in replies, and the places that a form finds. Pure.

White space and repeats are bounded in every pattern of these files, so that no reply can make one slow.
"""

from __future__ import annotations

from typing import NamedTuple

Numbers = tuple[float, ...]
PERCENT = "percent"

N = r"(?<![\d\u2014\u2015\u00b1])-?\d{1,12}(?:\.\d{1,20})?"
W = r"\s{0,8}"


class PlaceMatch(NamedTuple):
    """A point (two numbers) or a box (four: corners), its place in the text, and whether its numbers are percents."""

    start: int
    end: int
    numbers: Numbers
    unit: str = ""


def unit_of(sign: str | None) -> str:
    """Return the unit of a sign behind a number; nothing for pixels."""
    return PERCENT if sign and "%" in sign else ""
