"""The drawings of a prescription as SVG coordinates: curves with the answers on them, ratios, thresholds by size, the letter chart.

Pure: numbers in, coordinates out. The templates only print them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, floor, log, log10, sqrt
from typing import NamedTuple

from snellen.core.gallery import UnshortenedText
from snellen.core.prescription import Range, Threshold, figure

WIDE, HIGH = 320.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 30.0, 10.0, 10.0, 34.0
DOT = 3.2
"""The radius of a dot for one answer. The dot's area grows with the number of answers."""
LARGEST = 9.0


class Bar(NamedTuple):
    """A value and its interval on a scale from 0 to 1."""

    value: float
    low: float
    high: float


class LogScale(NamedTuple):
    """A logarithmic scale: the value at its start, and the value at its end."""

    first: float
    last: float

    def at(self, value: float) -> float:
        """Return the position of a value, from 0 to 1."""
        return log(value / self.first) / log(self.last / self.first)

    def bar(self, found: Range | None) -> Bar | None:
        """Return the positions of a value and its interval."""
        return None if found is None else Bar(self.at(found.value), self.at(found.low), self.at(found.high))


Tick = tuple[float, str]
"""A position on an axis, and its label."""


class Curve(NamedTuple):
    """A psychometric curve. `line` and `band` are points of an SVG, empty if nothing could be fitted.

    `dots` are the answers at one level: x, y, radius, the number right, and the total.
    """

    line: UnshortenedText
    band: UnshortenedText
    dots: list[tuple[float, float, float, str]]
    ticks: list[Tick]
    guess: float
    threshold: float | None
    low: float
    high: float


def nice(low: float, high: float, most: int = 5) -> list[float]:
    """Return round values between two, on a logarithmic scale: 1, 2, 5 and their multiples by ten, as many as fit.

    >>> nice(2, 48), nice(0.1, 80)
    ([2, 5, 10, 20], [0.1, 1, 10])
    """
    tens = range(floor(log10(low)), ceil(log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        found = [step * 10.0**ten for ten in tens for step in steps]
        inside = [float(f"{v:.6g}") for v in found if low * 0.999 <= v <= high * 1.001]
        if len(inside) <= most:
            return [int(v) if v >= 1 else v for v in inside]
    return [low, high]


def curve(row: Threshold) -> Curve:
    """Return the curve of a threshold with its answers."""
    scale = LogScale(row.ladder[0], row.ladder[-1])

    def x(value: float) -> float:
        return LEFT + min(1.04, max(-0.04, scale.at(value))) * (WIDE - LEFT - RIGHT)

    def y(share: float) -> float:
        return TOP + (1 - share) * (HIGH - TOP - BOTTOM)

    def points(places: Sequence[tuple[float, float]]) -> UnshortenedText:
        return UnshortenedText(" ".join(f"{x(v):.1f},{y(share):.1f}" for v, share in places))

    upper = [(v, high) for v, _p, _low, high in row.curve]
    lower = [(v, low) for v, _p, low, _high in reversed(row.curve)]
    found = row.threshold
    ends = sorted((x(found.low), x(found.high))) if found is not None else (0.0, 0.0)
    return Curve(
        line=points([(v, p) for v, p, _low, _high in row.curve]),
        band=points([*upper, *lower]),
        dots=[
            (
                x(rung.level),
                y(rung.right / rung.n),
                min(LARGEST, DOT * sqrt(rung.n)),
                f"{rung.right} of {rung.n} right at {figure(rung.level)} {row.unit}",
            )
            for rung in row.rungs
        ],
        ticks=[(x(v), f"{v:g}") for v in nice(min(row.ladder), max(row.ladder))],
        guess=y(row.guess),
        threshold=None if found is None else x(found.value),
        low=ends[0],
        high=ends[1],
    )


def ratio_scale(found: Sequence[Range | None]) -> tuple[LogScale, list[Tick]]:
    """Return a scale around one that has room for some ratios with their intervals, and its ticks."""
    ends = [abs(log(v)) for one in found if one is not None for v in (one.low, one.high)]
    reach = exp(1.08 * max([*ends, log(2)]))
    scale = LogScale(1 / reach, reach)
    return scale, [(scale.at(v), f"{v:g}") for v in (0.1, 0.2, 0.5, 1, 2, 5, 10) if 1 / reach <= v <= reach]


def by_size(rows: Sequence[Threshold]) -> list[Bar | None]:
    """Return thresholds of one dial side by side, on a logarithmic scale with room for all."""
    known = [row.threshold for row in rows if row.threshold is not None]
    if not known:
        return [None for _row in rows]
    low, high = min(one.low for one in known), max(one.high for one in known)
    margin = (high / low) ** 0.05 if high > low else 2.0
    scale = LogScale(low / margin, high * margin)
    return [scale.bar(row.threshold) for row in rows]


# ---------------------------------------------------------------- the letter chart

STEP, GAP = 10**0.1, 9.0
BEFORE, A_LETTER, APART = 58.0, 9.0, 17.0
"""Space before the lines (for their heights), the width of a letter of a mark after them, and the distance between marks."""
LINES = ("KRSVD", "NCHZO", "VDSNR", "ZOKCH", "HNVSZ", "DCRKO", "SZNHV")
"""The letters of the lines. If there are more lines, they start again from the first."""


class _ChartLine(NamedTuple):
    """A line of the chart: letters of a height in pixels as sent, each at its x, whether they are read, and the line's position."""

    height: float
    text: str
    glyphs: list[tuple[str, float]]
    y: float
    read: bool


class _ChartReach(NamedTuple):
    """A model's reach on the chart: the positions of the threshold, of its interval's ends, and of the text beside it."""

    text: str
    y: float
    low: float
    high: float
    said_at: float


class LetterChart(NamedTuple):
    """The letter chart with a mark for each model that was examined."""

    wide: float
    high: float
    end: float
    lines: list[_ChartLine]
    reaches: list[_ChartReach]


def letter_chart(marks: Sequence[tuple[str, Threshold]]) -> LetterChart | None:
    """Return lines of letters from the ladder's largest to its smallest.

    Each is a tenth of a decade below the last, as on a chart of Bailey and Lovie. Each of `marks` (words, threshold) gets the position down
    to which it is read.
    """
    known = [(text, row, row.threshold) for text, row in marks if row.threshold is not None]
    if not known:
        return None
    ladder = known[0][1].ladder
    tallest, finest = max(ladder), min(found.value for _text, _row, found in known)

    def top(height: float) -> float:
        """Return the top of a line of letters of a height: below all larger lines."""
        above = log(tallest / height) / log(STEP)
        return 12 + 1.35 * (tallest - height) * STEP / (STEP - 1) + GAP * above

    def bottom(height: float) -> float:
        return top(height) + 1.17 * height + GAP / 2

    lines: list[_ChartLine] = []
    height = tallest
    while height >= min(ladder) * 0.99:
        left, y = BEFORE + 9 * (tallest - height) / 2, top(height)
        letters = enumerate(LINES[len(lines) % len(LINES)])
        glyphs = [(letter, left + 2 * height * place) for place, letter in letters]
        lines.append(_ChartLine(height, f"{figure(height)} px", glyphs, y, height >= finest * 0.999))
        height /= STEP
    reaches: list[_ChartReach] = []
    for text, row, found in sorted(known, key=lambda one: -one[2].value):
        at = bottom(found.value)
        low, high = (at, at) if row.bound else (bottom(found.high), bottom(found.low))
        said_at = max(at, reaches[-1].said_at + APART) if reaches else at
        reaches.append(_ChartReach(text, at, low, high, said_at))
    end = BEFORE + 9 * tallest + 8
    behind = 16 + A_LETTER * max(len(text) for text, _row, _found in known)
    return LetterChart(end + behind, max(bottom(lines[-1].height) + 8, reaches[-1].said_at + 8), end, lines, reaches)
