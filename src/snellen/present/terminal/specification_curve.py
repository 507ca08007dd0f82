"""A specification curve in characters: readings from lowest to highest, and below them the choices behind each. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from snellen.comparison.explained import AS_WRONG, Explanation, Reading

LABEL = 22
HEIGHT = 6
MOST_COLUMNS = 56
ALL, SOME, NONE = "█", "▒", "·"
POINT, OWN = "•", "◆"
VALUES: dict[str, Callable[[Reading], str]] = {
    "protocol": lambda r: r.protocol,
    "prompt": lambda r: r.prompt,
    "metric": lambda r: r.label,
    "average": lambda r: f"mean {r.average}",
    "non-answers": lambda r: r.non_answers,
}


ChoiceMarks = tuple[str, list[tuple[str, str]]]
"""The options of one dimension: a name and a row of marks for each."""


def buckets(readings: Sequence[Reading], most: int = MOST_COLUMNS) -> list[list[Reading]]:
    """Return the readings in order, one or several in each column."""
    count = min(most, len(readings))
    edges = [round(i * len(readings) / count) for i in range(count + 1)]
    return [list(readings[a:b]) for a, b in pairwise(edges)]


def curve(found: Explanation, columns: Sequence[Sequence[Reading]]) -> list[str]:
    """Return the numbers: a point for each column, in its middle. The run's own number is marked."""
    low, high = found.lowest, found.highest
    grid = [[" "] * len(columns) for _ in range(HEIGHT)]
    for at, column in enumerate(columns):
        own = any(not r.changes for r in column)
        value = found.headline.value if own else column[len(column) // 2].value
        place = round((value - low) / (high - low) * (HEIGHT - 1)) if high > low else 0
        grid[HEIGHT - 1 - place][at] = OWN if own else POINT
    names = {0: f"{100 * high:.1f}", HEIGHT - 1: f"{100 * low:.1f}"}
    return [f"{names.get(i, ''):>{LABEL}} {''.join(row)}".rstrip() for i, row in enumerate(grid)]


def choices(found: Explanation, columns: Sequence[Sequence[Reading]]) -> list[ChoiceMarks]:
    """Return the choices behind the readings of each column. The dimension that changes the number most comes first."""
    order = [s.choice for s in found.swings] + list(VALUES)
    made = []
    for name in dict.fromkeys(n for n in order if n in VALUES):
        of = VALUES[name]
        values = list(dict.fromkeys(of(r) for r in [found.headline, *found.readings]))
        if len(values) > 1:
            values.sort(key=lambda v, of=of: v not in (of(found.headline), AS_WRONG))  # type: ignore[misc]
            made.append((name, [(value, _marks(columns, of, value)) for value in values]))
    return made


def _marks(columns: Sequence[Sequence[Reading]], of: Callable[[Reading], str], value: str) -> str:
    row = []
    for column in columns:
        such = sum(of(r) == value for r in column)
        row.append(ALL if such == len(column) else SOME if such else NONE)
    return "".join(row)
