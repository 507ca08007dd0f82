"""Accuracy against time: a dot for each method at its place, with whiskers both ways and a number, and the names of the numbers beside."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from snellen.exams.grounding.charts.bars import FAINT, GRID, INK, MARGIN, ORACLE_INK, set_and_rule
from snellen.exams.grounding.charts.results import MethodRow
from snellen.exams.grounding.charts.shapes import ChartDrawing, ChartText, Dot, DrawnLine, Shape, shortened
from snellen.exams.grounding.names import ORACLE_TITLE

PALETTE = ("#1d6fb8", "#2f8f46", "#8e44ad", "#c0392b", "#00838f", "#6d4c41", "#5c6bc0", "#7c7c13")
TARGET_RATE, TARGET_MS = 0.8, 2000.0
LEAST_MS = 1.0  # what is quicker is drawn here
INSET = 34.0
APART = 22.0
DOT, BADGE = 4.5, 9.5  # radius of a marker, and of the number beside it
RINGS = 12
WIDE, HIGH, LEGEND = 620.0, 420.0, 360.0
LOG_ABOVE = 50.0  # times between the fastest and the slowest
NOTE = (
    "The small dot is the method's place, the number its name. Whiskers: 95 % intervals of the means over screenshots. "
    "Dashed: openadapt-grounding's targets, 80 % and 2 s."
)


class _Axis(NamedTuple):
    place: Callable[[float], float]
    ticks: tuple[float, ...]
    log: bool


def scatter(title: str, subtitle: str, axis: str, rows: Sequence[MethodRow], notes: Sequence[str]) -> ChartDrawing:
    """The whole chart. Methods whose time is not known are named below it."""
    drawn = [row for row in rows if row.overall.value is not None and row.latency_ms.value is not None]
    left, top = MARGIN + 46, 88.0
    scale = _axis([row.latency_ms.value or 0.0 for row in drawn], left)
    shapes: list[Shape] = [
        ChartText(MARGIN, 36, title, 19, INK, bold=True),
        ChartText(MARGIN, 56, subtitle, 12.5, FAINT),
    ]
    _frame(shapes, scale, left, top, axis)
    for number, row in enumerate(drawn, 1):
        _whiskers(shapes, scale, row, top, _colour(row, number))
    _markers(shapes, scale, drawn, top)
    end = _legend(shapes, drawn, left + WIDE + 34, top)
    y = max(top + HIGH + 62, end + 14)
    unknown = [row.method for row in rows if row not in drawn]
    more = [f"Without a known time or without elements, not shown: {', '.join(unknown)}."] if unknown else []
    width = left + WIDE + 34 + LEGEND + MARGIN
    for note in (NOTE, *notes, *more):
        y += 16
        shapes.append(ChartText(MARGIN, y, shortened(note, width - 2 * MARGIN, 11.5), 11.5, FAINT))
    return ChartDrawing(width, y + 20, title, _about(title, drawn), tuple(shapes))


def _axis(times: Sequence[float], left: float) -> _Axis:
    """Linear from 0, or by powers of ten where methods are too far apart for that."""
    slowest = max([*times, 1.0])
    fastest = max(LEAST_MS, min([*times, slowest]))
    if slowest / fastest <= LOG_ABOVE:
        step = _step(slowest * 1.15)
        most = step * math.ceil(slowest * 1.15 / step)
        ticks = tuple(step * i for i in range(round(most / step) + 1))
        return _Axis(lambda ms: left + INSET + (WIDE - 2 * INSET) * ms / most, ticks, False)
    low, high = math.floor(math.log10(fastest)), math.ceil(math.log10(slowest * 1.1))
    ticks = tuple(10.0**power for power in range(low, high + 1))

    def place(ms: float) -> float:
        return left + INSET + (WIDE - 2 * INSET) * (math.log10(max(ms, 10.0**low)) - low) / (high - low)

    return _Axis(place, ticks, True)


def _step(most: float) -> float:
    """A round number that goes into a length four to ten times."""
    power = 10.0 ** math.floor(math.log10(most / 4))
    return power * next(m for m in (5.0, 2.5, 2.0, 1.0) if m * power <= most / 4 or m == 1.0)


def _frame(shapes: list[Shape], scale: _Axis, left: float, top: float, axis: str) -> None:
    bottom = top + HIGH
    shapes.append(ChartText(MARGIN, top - 10, axis, 12, INK))
    for share in (0, 20, 40, 60, 80, 100):
        y = bottom - HIGH * share / 100
        shapes.append(DrawnLine(left, y, left + WIDE, y, FAINT if share == 0 else GRID))
        shapes.append(ChartText(left - 8, y + 4, f"{share} %", 11, FAINT, "end"))
    for tick in scale.ticks:
        x = scale.place(tick)
        shapes.append(DrawnLine(x, top, x, bottom, GRID))
        words = f"{_ms(tick)} or less" if scale.log and tick == scale.ticks[0] else _ms(tick)
        shapes.append(ChartText(x, bottom + 18, words, 11, FAINT, "middle"))
    shapes.append(DrawnLine(left, top, left, bottom, FAINT))
    words = "mean time per element" + (", each step ten times as long" if scale.log else "")
    shapes.append(ChartText(left + WIDE / 2, bottom + 40, words, 12, INK, "middle"))
    y = bottom - HIGH * TARGET_RATE
    shapes.append(DrawnLine(left, y, left + WIDE, y, FAINT, 1.2, dashed=True))
    if scale.ticks[0] <= TARGET_MS <= scale.ticks[-1]:
        x = scale.place(TARGET_MS)
        shapes.append(DrawnLine(x, top, x, bottom, FAINT, 1.2, dashed=True))


def _y(top: float, share: float) -> float:
    return top + HIGH * (1 - share)


def _colour(row: MethodRow, number: int) -> str:
    return ORACLE_INK if row.oracle else PALETTE[(number - 1) % len(PALETTE)]


def _whiskers(shapes: list[Shape], scale: _Axis, row: MethodRow, top: float, colour: str) -> None:
    rate, time = row.overall, row.latency_ms
    x, y = scale.place(time.value or 0.0), _y(top, rate.value or 0.0)
    if rate.low is not None and rate.high is not None:
        shapes.append(DrawnLine(x, _y(top, rate.low), x, _y(top, rate.high), colour, 1.8))
        shapes.extend(DrawnLine(x - 5, _y(top, v), x + 5, _y(top, v), colour, 1.8) for v in (rate.low, rate.high))
    if time.low is not None and time.high is not None:
        a, b = scale.place(time.low), scale.place(time.high)
        shapes.append(DrawnLine(a, y, b, y, colour, 1.8))
        shapes.extend(DrawnLine(v, y - 5, v, y + 5, colour, 1.8) for v in (a, b))


def _markers(shapes: list[Shape], scale: _Axis, rows: Sequence[MethodRow], top: float) -> None:
    """A dot for every method exactly at its place, and its number near by, where no other dot or number is."""
    places = [(scale.place(row.latency_ms.value or 0.0), _y(top, row.overall.value or 0.0)) for row in rows]
    numbers: list[tuple[float, float]] = []
    for (x, y), row, number in zip(places, rows, range(1, len(rows) + 1), strict=True):
        at = _free(x, y, [*numbers, *(p for p in places if p != (x, y))], top)
        numbers.append(at)
        shapes.append(DrawnLine(x, y, *at, _colour(row, number), 1.0))
    for (x, y), row, number in zip(places, rows, range(1, len(rows) + 1), strict=True):
        shapes.append(Dot(x, y, DOT, _colour(row, number), "#ffffff", diamond=row.oracle))
    for at, row, number in zip(numbers, rows, range(1, len(rows) + 1), strict=True):
        _numbered(shapes, row, *at, number)


def _free(x: float, y: float, taken: Sequence[tuple[float, float]], top: float) -> tuple[float, float]:
    """The nearest place round a dot, in the frame, that is far enough from what is there already; up and to the right first."""
    for radius in range(1, RINGS):
        for turn in range(12):
            angle = math.radians(45 + 30 * turn)
            at = x + APART * radius * math.cos(angle), y - APART * radius * math.sin(angle)
            inside = top - APART < at[1] < top + HIGH + APART / 2
            if inside and all(math.dist(at, other) >= APART for other in taken):
                return at
    return x + APART * RINGS, y


def _numbered(shapes: list[Shape], row: MethodRow, x: float, y: float, number: int) -> None:
    colour = _colour(row, number)
    disc, diamond = Dot(x, y, BADGE, colour, "#ffffff"), Dot(x, y, BADGE, "#fff8ea", colour, diamond=True)
    shapes.append(diamond if row.oracle else disc)
    shapes.append(ChartText(x, y + 4, str(number), 10.5, "#5c3b0c" if row.oracle else "#ffffff", "middle", bold=True))


def _legend(shapes: list[Shape], rows: Sequence[MethodRow], x: float, y: float) -> float:
    told, mixed = False, len({row.protocol for row in rows}) > 1
    for number, row in enumerate(rows, 1):
        if row.oracle and not told:
            told = True
            y += 6
            shapes.append(DrawnLine(x, y - 2, x + LEGEND, y - 2, ORACLE_INK, 1.5))
            head, _, tail = ORACLE_TITLE.partition(" and ")
            shapes.append(ChartText(x, y + 16, head, 12, ORACLE_INK, bold=True))
            shapes.append(ChartText(x, y + 31, f"and {tail}", 12, ORACLE_INK, bold=True))
            y += 50
        _numbered(shapes, row, x + 12, y + 10, number)
        shapes.append(ChartText(x + 32, y + 8, shortened(row.method, LEGEND - 32, 12.5), 12.5, INK))
        rate, time = row.overall, row.latency_ms
        said = f"{100 * (rate.value or 0):.1f} %, {_ms(time.value or 0)}, n = {rate.n}, {set_and_rule(row, mixed)}"
        shapes.append(ChartText(x + 32, y + 23, shortened(said, LEGEND - 32, 11), 11, FAINT))
        y += 38
    return y


def _ms(value: float) -> str:
    """A time for people: milliseconds below a second, seconds above."""
    if value >= 1000:
        return f"{value / 1000:g} s" if value % 100 == 0 else f"{value / 1000:.2f} s"
    return "0" if value == 0 else f"{value:.2g} ms" if value < 1 else f"{value:.3g} ms"


def _about(title: str, rows: Sequence[MethodRow]) -> str:
    said = [
        f"{row.method}{' (ORACLE, looks at the answer)' if row.oracle else ''} on {row.dataset}: "
        f"{100 * (row.overall.value or 0):.1f} %, {_ms(row.latency_ms.value or 0)}, n = {row.overall.n}"
        for row in rows
    ]
    return f"{title}. " + "; ".join(said) + "."
