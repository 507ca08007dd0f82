"""The drawings of a prescription as places in an SVG: curves with the answers on them, ratios, thresholds by size, the letter chart.

Pure: numbers in, places out. The templates only print them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log, log10, sqrt
from typing import NamedTuple

from snellen.core.gallery import UnshortenedText
from snellen.core.prescription import Range, Threshold, figure

WIDE, HIGH = 320.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 30.0, 10.0, 10.0, 34.0
DOT = 3.2
"""The radius of a dot that stands for one answer; its area grows with the answers."""
LARGEST = 9.0


class Tick(NamedTuple):
    """A place on an axis, and what is written there."""

    at: float
    text: str


class AnswerDot(NamedTuple):
    """The answers at one level: where they are, how large, and how many of how many were right."""

    x: float
    y: float
    r: float
    text: str


class Curve(NamedTuple):
    """A psychometric curve. `line` and `band` are points of an SVG; empty where nothing could be fitted."""

    line: UnshortenedText
    band: UnshortenedText
    dots: list[AnswerDot]
    ticks: list[Tick]
    guess: float
    threshold: float | None
    low: float
    high: float
    bound: str


def position(ladder: Sequence[float], value: float) -> float:
    """Where a value is on a ladder: 0 its hardest level, 1 its easiest."""
    return log(value / ladder[0]) / log(ladder[-1] / ladder[0])


def nice(low: float, high: float, most: int = 5) -> list[float]:
    """Round values between two, on a scale of ratios: of 1, 2, 5 and their tenfolds as many as have room.

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
    """The curve of a threshold with its answers."""

    def x(value: float) -> float:
        place = min(1.04, max(-0.04, position(row.ladder, value)))
        return LEFT + place * (WIDE - LEFT - RIGHT)

    def y(share: float) -> float:
        return TOP + (1 - share) * (HIGH - TOP - BOTTOM)

    line = " ".join(f"{x(v):.1f},{y(p):.1f}" for v, p, _low, _high in row.curve)
    upper = [f"{x(v):.1f},{y(high):.1f}" for v, _p, _low, high in row.curve]
    lower = [f"{x(v):.1f},{y(low):.1f}" for v, _p, low, _high in reversed(row.curve)]
    dots = [
        AnswerDot(
            x(rung.level),
            y(rung.right / rung.n),
            min(LARGEST, DOT * sqrt(rung.n)),
            f"{rung.right} of {rung.n} right at {figure(rung.level)} {row.unit}",
        )
        for rung in row.rungs
    ]
    ends = sorted((row.ladder[0], row.ladder[-1]))
    found = row.threshold
    return Curve(
        line=UnshortenedText(line),
        band=UnshortenedText(" ".join((*upper, *lower))),
        dots=dots,
        ticks=[Tick(x(v), f"{v:g}") for v in nice(ends[0], ends[1])],
        guess=y(row.guess),
        threshold=None if found is None else x(found.value),
        low=0.0 if found is None else min(x(found.low), x(found.high)),
        high=0.0 if found is None else max(x(found.low), x(found.high)),
        bound=row.bound,
    )


# ---------------------------------------------------------------- ratios


class RatioScale(NamedTuple):
    """A scale of ratios around one, from 0 to 1 along its length."""

    reach: float
    ticks: list[Tick]

    def at(self, value: float) -> float:
        return 0.5 + log(value) / (2 * self.reach)


def ratios(found: Sequence[Range | None]) -> RatioScale:
    """A scale that has room for some ratios with their intervals."""
    ends = [abs(log(v)) for one in found if one is not None for v in (one.low, one.high)]
    reach = 1.08 * max([*ends, log(2)])
    scale = RatioScale(reach, [])
    values = [v for v in (0.1, 0.2, 0.5, 1, 2, 5, 10) if abs(log(v)) <= reach]
    return scale._replace(ticks=[Tick(scale.at(v), f"{v:g}") for v in values])


# ---------------------------------------------------------------- thresholds by size


class Bar(NamedTuple):
    """A threshold and its interval on a scale from 0 to 1."""

    value: float
    low: float
    high: float


def by_size(rows: Sequence[Threshold]) -> list[Bar | None]:
    """Thresholds of one dial side by side, on a scale of ratios that has room for all."""
    known = [row.threshold for row in rows if row.threshold is not None]
    if not known:
        return [None for _row in rows]
    low, high = log(min(one.low for one in known)), log(max(one.high for one in known))
    span = (high - low) or 1.0

    def at(value: float) -> float:
        return 0.05 + 0.9 * (log(value) - low) / span

    return [None if (one := row.threshold) is None else Bar(at(one.value), at(one.low), at(one.high)) for row in rows]


# ---------------------------------------------------------------- the letter chart

STEP, GAP = 10**0.1, 9.0
BEFORE, A_LETTER, APART = 58.0, 9.0, 17.0
"""Room before the lines, for their heights; of a letter of a mark behind them; and from one mark to the next."""
LINES = ("KRSVD", "NCHZO", "VDSNR", "ZOKCH", "HNVSZ", "DCRKO", "SZNHV")
"""What they say, again from the first where there are more."""


class ChartLetter(NamedTuple):
    """A letter at a place."""

    letter: str
    x: float
    y: float


class ChartLine(NamedTuple):
    """A line of the chart: letters of a height in pixels as sent, whether they are read, and where it is."""

    height: float
    text: str
    glyphs: list[ChartLetter]
    y: float
    read: bool


class ChartReach(NamedTuple):
    """How far down the chart somebody reads: the place of the threshold, of its interval's ends, and of the words beside it."""

    text: str
    y: float
    low: float
    high: float
    said_at: float


class LetterChart(NamedTuple):
    """The letter chart with a mark for each who was examined."""

    wide: float
    high: float
    end: float
    lines: list[ChartLine]
    reaches: list[ChartReach]


def letter_chart(marks: Sequence[tuple[str, Threshold]]) -> LetterChart | None:
    """Lines of letters from the ladder's largest to its smallest, each a tenth of a decade below the last, as on a chart of Bailey and
    Lovie; and for each of `marks` (words, threshold) the place down to which it is read.
    """
    known = [(text, row, row.threshold) for text, row in marks if row.threshold is not None]
    if not known:
        return None
    tallest, smallest = max(known[0][1].ladder), min(known[0][1].ladder)
    finest = min(found.value for _text, _row, found in known)
    lines, y = list[ChartLine](), 12.0
    for at, height in enumerate(_heights(tallest, smallest)):
        left = BEFORE + 9 * (tallest - height) / 2
        letters = enumerate(LINES[at % len(LINES)])
        glyphs = [ChartLetter(letter, left + 2 * height * place, y) for place, letter in letters]
        lines.append(ChartLine(height, f"{figure(height)} px", glyphs, y, height >= finest * 0.999))
        y += height + GAP + 0.35 * height
    reaches = _apart([_reach(text, row, found, lines) for text, row, found in known])
    end = BEFORE + 9 * tallest + 8
    behind = 16 + A_LETTER * max(len(text) for text, _row, _found in known)
    return LetterChart(end + behind, max(y + 4, reaches[-1].said_at + 8), end, lines, reaches)


def _heights(tallest: float, smallest: float) -> Iterator[float]:
    height = tallest
    while height >= smallest * 0.99:
        yield height
        height /= STEP


def _reach(text: str, row: Threshold, found: Range, lines: Sequence[ChartLine]) -> ChartReach:
    low, high = (found.value, found.value) if row.bound else (found.low, found.high)
    y = _place(found.value, lines)
    return ChartReach(text, y, _place(high, lines), _place(low, lines), y)


def _apart(reaches: Sequence[ChartReach]) -> list[ChartReach]:
    """From the top down, the words of each far enough below those before."""
    found: list[ChartReach] = []
    for one in sorted(reaches, key=lambda reach: reach.y):
        least = found[-1].said_at + APART if found else one.y
        found.append(one._replace(said_at=max(one.y, least)))
    return found


def _place(height: float, lines: Sequence[ChartLine]) -> float:
    """How far down letters of a height are, between two lines by their ratio: below the last line that is at least so high."""
    bottoms = [(line.height, line.y + line.height + GAP / 2 + 0.17 * line.height) for line in lines]
    if height >= bottoms[0][0]:
        return lines[0].y
    for (upper, y0), (lower, y1) in pairwise(bottoms):
        if height >= lower:
            share = log(upper / height) / log(upper / lower)
            return y0 + share * (y1 - y0)
    return bottoms[-1][1]
