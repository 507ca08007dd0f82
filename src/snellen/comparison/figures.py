"""A claimed figure held against readings: which land on it, how likely that is by chance, and the way there stage by stage. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, permutations
from typing import NamedTuple

from snellen.comparison.choices import Choice
from snellen.comparison.explained import GapStep
from snellen.comparison.readings import Readings
from snellen.comparison.verdict import listed
from snellen.core.errors import SnellenError

WITHIN = 1e-9
"""Rounding errors of sums are smaller than that."""
FIELDS = {
    "prompt": "prompt",
    "reading": "reader",
    "marking": "protocol",
    "metric": "metric",
    "average": "average",
    "samples": "samples",
    "non-answers": "non_answers",
}
"""The stages between a question and a number, and what of a choice belongs to each."""
TOGETHER = (
    (),
    ("reading", "marking"),
    ("reading", "marking", "metric"),
    ("prompt", "reading", "marking", "metric"),
    tuple(FIELDS),
)
"""Stages that are changed at once where a number halfway cannot be had: as few as possible."""


class ClaimedFigure(NamedTuple):
    """A figure as somebody typed it: its share, and half a unit of its last digit."""

    text: str
    value: float
    tolerance: float
    source: str = ""
    part: str = ""
    metric: str = ""


def claimed(text: str, tolerance: float | None = None) -> ClaimedFigure:
    """`63.4` and `63.4%` are in percent, `0.634` is a share.

    >>> claimed("63.4").value, round(claimed("0.634").tolerance, 5), claimed("0.5%").value
    (0.634, 0.0005, 0.005)
    """
    found = re.fullmatch(r"\s*(\d{1,4})?(\.\d{1,12})?\s*(%)?\s*", text, re.ASCII)
    if found is None or not (found[1] or found[2]):
        raise SnellenError(f"'{text[:40]}' is no figure: write it as 63.4, 63.4% or 0.634")
    number, digits = float(f"{found[1] or 0}{found[2] or ''}"), len(found[2] or ".") - 1
    if number in (0, 1) and not found[3]:  # a share of 0 would be one of a few digits: within 50 points, say
        raise SnellenError(f"{text.strip()} is ambiguous: write {'1% or 100%' if number else '0% or 0.0%'}")
    share = number < 1 and not found[3]
    value, half = (number, 0.5 * 10**-digits) if share else (number / 100, 0.005 * 10**-digits)
    if value > 1:
        raise SnellenError(f"{text.strip()} is more than 100 %: only scores that are shares can be explained")
    return ClaimedFigure(text.strip(), value, half if tolerance is None else tolerance)


def hit(value: float, figure: ClaimedFigure) -> bool:
    """Whether a reading lands on a figure."""
    return abs(value - figure.value) <= figure.tolerance + WITHIN


class ChanceHits(NamedTuple):
    """How easily some figure between the lowest and the highest reading lands on one: the share that does, and on how many in the mean."""

    any: float
    many: float


def luck(values: Sequence[float], tolerance: float) -> ChanceHits:
    """The chance of a coincidence.

    >>> [round(share, 6) for share in luck([0.0, 0.5, 0.5, 1.0], 0.1)]
    [0.4, 0.4]
    """
    own = sorted({round(v, 9) for v in values})
    if not own or own[-1] == own[0]:
        return ChanceHits(0.0, 0.0)
    low, high = own[0], own[-1]
    covered = total = 0.0
    end = low
    for value in own:
        left, right = max(low, value - tolerance), min(high, value + tolerance)
        total += right - left
        covered += max(0.0, right - max(left, end))
        end = max(end, right)
    return ChanceHits(covered / (high - low), total / (high - low))


# ---------------------------------------------------------------- the way from one number to another


def split(readings: Readings, start: Choice, end: Choice) -> tuple[GapStep, ...]:
    """The gap between two numbers, stage by stage; the changes add up to it.

    What a stage adds depends on which are changed before it, so it is averaged over all orders (Shapley's value), of which those count
    in which every number halfway exists. Where there is no such order, stages are changed together.
    """
    start, end = (choice._replace(reader=choice.protocol) for choice in (start, end))
    differ = [stage for stage, field in FIELDS.items() if getattr(start, field) != getattr(end, field)]
    for merged in TOGETHER:
        one = tuple(stage for stage in differ if stage in merged)
        groups = [(stage,) for stage in differ if stage not in one] + ([one] if one else [])
        changes = _averaged(readings, start, end, groups)
        if changes is not None:
            order = sorted(zip(groups, changes, strict=True), key=lambda item: differ.index(item[0][0]))
            return tuple(_step(readings, start, end, group, change) for group, change in order)
    return ()


def _averaged(readings: Readings, start: Choice, end: Choice, groups: Sequence[tuple[str, ...]]) -> list[float] | None:
    """Return what each group of stages adds, over every order without a gap; None where there is none."""
    found: list[list[float]] = []
    for order in permutations(range(len(groups))):
        at, moved = start, [0.0] * len(groups)
        values = [readings.number(start)]
        for place in order:
            at = at._replace(**{FIELDS[stage]: getattr(end, FIELDS[stage]) for stage in groups[place]})
            values.append(readings.number(at))
        known = [number.value for number in values if number is not None]
        if len(known) == len(values):
            for place, (before, after) in zip(order, pairwise(known), strict=True):
                moved[place] = after - before
            found.append(moved)
    return [sum(changes) / len(found) for changes in zip(*found, strict=True)] if found else None


def _step(readings: Readings, start: Choice, end: Choice, group: tuple[str, ...], change: float) -> GapStep:
    fields = [FIELDS[stage] for stage in group]
    if "reader" in fields and "protocol" in fields:
        fields.remove("reader")
    before, after = (", ".join(_said(readings, one, field) for field in fields) for one in (start, end))
    return GapStep(stage=listed(group), before=before, after=after, change=change)


def _said(readings: Readings, choice: Choice, field: str) -> str:
    value = str(getattr(choice, field))
    found = readings.columns(choice)
    if field == "metric" and found is not None:
        return found.about(value).label_of(value)
    return value or "all"
