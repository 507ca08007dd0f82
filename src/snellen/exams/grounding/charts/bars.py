"""Bars with whiskers: a row for each method, a column for each kind of element, the same scale everywhere.

Methods that look at the answer are hatched and stand below a line, in a block of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from snellen.exams.grounding.charts.results import ORIGINAL, MethodRow, Rate
from snellen.exams.grounding.charts.shapes import (
    ChartDrawing,
    ChartRect,
    ChartText,
    DrawnLine,
    Shape,
    shortened,
    text_width,
)
from snellen.exams.grounding.names import ORACLE_TITLE

INK, FAINT, GRID = "#1f2933", "#5f6b7a", "#dfe4ea"
BAR, WHISKER = "#79aede", "#173a5e"
ORACLE_FILL, ORACLE_INK = "#fbeed6", "#b7791f"
MARGIN, ROW, BAR_HEIGHT = 24.0, 48.0, 16.0
COLUMNS_A_BAND = 5
WHISKERS = "Whiskers: 95 % intervals, clustered by screenshot. n = elements."


class BarColumn(NamedTuple):
    """A column of bars: its heading, a line below that, and the rate of each row."""

    heading: str
    note: str
    rates: tuple[Rate, ...]


class _Layout(NamedTuple):
    rows: Sequence[MethodRow]
    labels: float
    width: float
    beside: float  # room for values to the right of the bars; 0: they stand below
    mixed: bool


def bars(
    title: str, subtitle: str, rows: Sequence[MethodRow], columns: Sequence[BarColumn], notes: Sequence[str]
) -> ChartDrawing:
    """The whole chart; many columns go into several bands, one below the other."""
    single = len(columns) == 1
    mixed = len({row.protocol for row in rows}) > 1
    names = [text_width(row.method, 13) for row in rows] + [text_width(set_and_rule(row, mixed), 11) for row in rows]
    labels = min(330.0, max([120.0, *names]) + 14)
    wide = 440.0 if single else 168.0
    layout = _Layout(rows, labels, wide, 190.0 if single else 0.0, mixed)
    each = math.ceil(len(columns) / math.ceil(len(columns) / COLUMNS_A_BAND))
    bands = [columns[i : i + each] for i in range(0, len(columns), each)]
    gap = 36.0
    total = 2 * MARGIN + labels + max(len(b) for b in bands) * (wide + gap) - gap + layout.beside
    total = max(total, 2 * MARGIN + text_width(title, 19), 560.0)
    shapes: list[Shape] = [ChartText(MARGIN, 36, title, 19, INK, bold=True)]
    y = 36.0
    for line in _wrapped(subtitle, total - 2 * MARGIN, 12.5):
        y += 19
        shapes.append(ChartText(MARGIN, y, line, 12.5, FAINT))
    for band in bands:
        y = _band(shapes, layout, band, y + 20, total, gap)
    y += 8
    for note in (WHISKERS, *notes):
        for line in _wrapped(note, total - 2 * MARGIN, 11.5):
            y += 16
            shapes.append(ChartText(MARGIN, y, line, 11.5, FAINT))
    return ChartDrawing(total, y + 20, title, _about(title, rows, columns), tuple(shapes))


def _band(
    shapes: list[Shape], layout: _Layout, columns: Sequence[BarColumn], y: float, total: float, gap: float
) -> float:
    """One band of columns with all rows; gives where it ends."""
    left = MARGIN + layout.labels
    places = [left + i * (layout.width + gap) for i in range(len(columns))]
    if any(c.heading for c in columns):
        for x, column in zip(places, columns, strict=True):
            shapes.append(ChartText(x, y + 14, shortened(column.heading, layout.width, 13), 13, INK, bold=True))
            shapes.append(ChartText(x, y + 30, shortened(column.note, layout.width + gap, 11), 11, FAINT))
        y += 38 if any(c.note for c in columns) else 22
    for oracle in (False, True):
        chosen = [i for i, row in enumerate(layout.rows) if row.oracle is oracle]
        if not chosen:
            continue
        if oracle:
            shapes.append(DrawnLine(MARGIN, y + 12, total - MARGIN, y + 12, ORACLE_INK, 1.5))
            shapes.append(ChartText(MARGIN, y + 30, ORACLE_TITLE, 12.5, ORACLE_INK, bold=True))
            y += 40
        y = _block(shapes, layout, columns, places, chosen, y)
    return y


def _block(
    shapes: list[Shape],
    layout: _Layout,
    columns: Sequence[BarColumn],
    places: Sequence[float],
    chosen: Sequence[int],
    y: float,
) -> float:
    bottom = y + ROW * len(chosen)
    for x in places:
        for share in (0, 25, 50, 75, 100):
            at = x + layout.width * share / 100
            shapes.append(DrawnLine(at, y, at, bottom, GRID if share else FAINT, 1.0))
            if layout.beside or share % 50 == 0:
                words = f"{share} %" if layout.beside or share == 100 else str(share)
                shapes.append(ChartText(at, bottom + 14, words, 11, FAINT, "middle"))
    for number, i in enumerate(chosen):
        top = y + ROW * number
        row = layout.rows[i]
        room = layout.labels - 12
        shapes.append(ChartText(MARGIN, top + 20, shortened(row.method, room, 13), 13, INK))
        shapes.append(ChartText(MARGIN, top + 35, shortened(set_and_rule(row, layout.mixed), room, 11), 11, FAINT))
        for x, column in zip(places, columns, strict=True):
            _cell(shapes, layout, column.rates[i], row.oracle, x, top)
    return bottom + 22


def _cell(shapes: list[Shape], layout: _Layout, rate: Rate, oracle: bool, x: float, top: float) -> None:
    lift = 14.0 if layout.beside else 6.0
    y = top + lift
    if rate.value is None:
        shapes.append(ChartText(x + 6, y + BAR_HEIGHT - 3, "no elements", 11, FAINT))
        return
    long = layout.width * rate.value
    if oracle:
        shapes.append(ChartRect(x, y, long, BAR_HEIGHT, ORACLE_FILL, ORACLE_INK, hatch="#e0a94f"))
    else:
        shapes.append(ChartRect(x, y, long, BAR_HEIGHT, BAR))
    ink = "#5c3b0c" if oracle else WHISKER
    if rate.low is not None and rate.high is not None:
        a, b, middle = x + layout.width * rate.low, x + layout.width * rate.high, y + BAR_HEIGHT / 2
        shapes.append(DrawnLine(a, middle, b, middle, ink, 1.8))
        shapes.extend(DrawnLine(end, middle - 4, end, middle + 4, ink, 1.8) for end in (a, b))
    said = f"{100 * rate.value:.1f} %"
    if layout.beside:
        place = x + layout.width + 16
        shapes.append(ChartText(place, y + 8, said, 13, INK, bold=True))
        shapes.append(ChartText(place, y + 24, f"{_interval(rate)}n = {rate.n}", 11, FAINT))
    else:
        shapes.append(ChartText(x + 1, y + BAR_HEIGHT + 14, said, 11.5, INK))
        shapes.append(ChartText(x + layout.width, y + BAR_HEIGHT + 14, f"n = {rate.n}", 11, FAINT, "end"))


def _interval(rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return "no interval, "
    return f"{100 * rate.low:.1f} to {100 * rate.high:.1f} %, "


def set_and_rule(row: MethodRow, mixed: bool) -> str:
    """What stands below a method's name: its data set, and the rule where the chart has several."""
    rule = "original rule" if row.protocol == ORIGINAL else f"protocol {row.protocol}"
    return f"{row.dataset} · {rule}" if mixed else row.dataset


def _wrapped(text: str, room: float, size: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _about(title: str, rows: Sequence[MethodRow], columns: Sequence[BarColumn]) -> str:
    """The chart in words, for those who do not see it."""
    said = []
    for i, row in enumerate(rows):
        values = [
            (f"{c.heading} " if c.heading else "")
            + ("no elements" if (r := c.rates[i]).value is None else f"{100 * r.value:.1f} % ({_interval(r)}n = {r.n})")
            for c in columns
        ]
        mark = " (ORACLE, looks at the answer)" if row.oracle else ""
        said.append(f"{row.method}{mark} on {row.dataset}: {', '.join(values)}")
    return f"{title}. " + "; ".join(said) + "."
