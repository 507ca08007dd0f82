"""The part of a sheet to show in its original pixels. Pure: the sheet is drawn again to locate its letters."""

from __future__ import annotations

from snellen.core.gallery import Region
from snellen.core.types import Sample
from snellen.synthetic.sheets import draw

A_LINE = 4.5
"""Half of a line of five letters with a letter's width between them, in units of a letter."""
LEAST = 24.0
AROUND = 1.35
TARGET = 100.0


def close_up(sample: Sample, seed: int) -> Region | None:
    """Return the line of letters, the faint letter, or the target with its surroundings; None for the whole sheet."""
    level, size, faculty = float(sample.facts["level"]), float(sample.facts["size"]), sample.tags["faculty"]
    if faculty == "pointing":
        left, top, right, bottom = (float(n) for n in str(sample.truth).split(","))
        half = max(TARGET, 0.75 * (right - left))
        return _inside((left + right) / 2, (top + bottom) / 2, half, half, size)
    if faculty not in ("letters", "contrast"):
        return None
    number = int(sample.facts["number"])
    facts = draw(faculty, level, seed=seed, number=number, size=int(size)).facts
    if "centre" in facts:
        x, y = facts["centre"]
        return _inside(x, y, max(A_LINE * level + 6, LEAST), max(0.8 * level, LEAST / 3), size)
    left, top, right, bottom = facts["box"]
    half = AROUND * (right - left) / 2
    return _inside((left + right) / 2, (top + bottom) / 2, half, half, size)


def _inside(x: float, y: float, wide: float, high: float, size: float) -> Region:
    """Return a part around a point, extending `wide` and `high` to each side, clipped to the picture, on whole pixels."""
    left, right = max(0, round(x - wide)), min(size, round(x + wide))
    top, bottom = max(0, round(y - high)), min(size, round(y + high))
    return float(left), float(top), float(right), float(bottom)
