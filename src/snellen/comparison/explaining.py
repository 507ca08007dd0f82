"""The reasons why two numbers differ: every reading of a run's stored answers, and the place of a claimed figure among them.

Reads runs, writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from snellen.comparison.explained import (
    AS_WRONG,
    BY_PART,
    BY_SAMPLE,
    DIMENSIONS,
    Explanation,
    FigureCheck,
    GapStep,
    Reading,
    Swing,
)
from snellen.comparison.readings import SAME, Choice, Readings
from snellen.comparison.remarking import RunMarks, marked_again
from snellen.comparison.verdict import amount
from snellen.core.errors import SnellenError, unknown
from snellen.core.extras import PaperTables
from snellen.core.figures import between, listed, percent
from snellen.core.model_names import model_name
from snellen.engine.runs.run import Run

NEAREST = 3
"""The number of readings that are named if no reading matches a figure."""
_LIKELY = 0.05
"""The chance of a coincidence from which on it is mentioned."""
_ROUNDING = 1e-9
"""An upper bound for rounding errors of sums."""


def explain_run(
    path: str | Path,
    figure: str | None = None,
    *,
    tolerance: float | None = None,
    part: str = "",
    metric: str = "",
    published: str = "",
) -> Explanation:
    """Re-mark a run's stored answers in every defensible way, and compare a claimed or published figure with the results."""
    run = Run(Path(path))
    found = marked_again(run)
    readings = Readings(found.times)
    if part and part not in readings.scopes:
        raise unknown("part", part, readings.scopes, of=str(run.path))
    if metric:
        _check_metric(readings, metric)
    figures = [claimed(figure, tolerance)._replace(part=part, metric=metric)] if figure is not None else []
    if published:
        figures += _published(found, readings, published, part, tolerance)
    scope = part or readings.main_scope(metric)
    headline = _own(readings, scope, metric)
    curve = readings.readings(readings.every(scope, metric), metric)
    values = [r.value for r in curve]
    made = Explanation(
        exam=found.exam.name,
        subject=model_name(found.manifest),
        run=str(run.path),
        synthetic=found.manifest.data.synthetic,
        part=scope,
        parts=tuple(readings.scopes),
        repeats=len(found.times),
        headline=headline,
        readings=curve,
        within=_within(readings, part, scope, metric) if figures else (),
        values=len({round(v, SAME) for v in values}),
        lowest=values[0],
        median=median(values),
        highest=values[-1],
        below=sum(v < headline.value - 10**-SAME for v in values),
        swings=_swings(headline, curve),
        notes=found.notes,
        figures=tuple(_held(readings, one, scope) for one in figures),
    )
    said = [line for one in made.figures for line in _of_figure(one, made)] if made.figures else _of_all(made)
    return replace(made, verdict=tuple(said))


def _own(readings: Readings, scope: str, metric: str) -> Reading:
    """Return the run's own number for some parts."""
    base = readings.base(scope, metric)
    found = readings.readings([base], metric)
    if not found:
        raise SnellenError(f"'{base.metric}' of '{scope}' has no value under '{base.protocol}'")
    return found[0]


def _within(readings: Readings, part: str, scope: str, metric: str) -> tuple[Reading, ...]:
    """Return the readings that are searched beside the curve: of groups within a part, and of other parts if none was named."""
    wanted = [part] if part else list(readings.scopes)
    others = [choice for name in wanted if name != scope for choice in readings.every(name, metric)]
    single = [name for name in wanted if len(readings.scopes[name]) == 1]
    groups = [choice for name in single for choice in readings.every(name, metric, within=True)]
    return readings.readings(others + groups, metric)


def _swings(headline: Reading, curve: Sequence[Reading]) -> tuple[Swing, ...]:
    """Return how far each choice moves the number with everything else as in the run. The largest comes first."""
    found = []
    for name in DIMENSIONS:
        alone = [headline, *(r for r in curve if r.changes == (name,))]
        if len(alone) > 1:
            low, high = min(alone, key=lambda r: r.value), max(alone, key=lambda r: r.value)
            found.append(Swing(choice=name, readings=len(alone), lowest=low, highest=high))
    return tuple(sorted(found, key=lambda s: -s.size))


# ---------------------------------------------------------------- figures


class _ClaimedFigure(NamedTuple):
    """A figure as a user typed it: its share, and half a unit of its last digit."""

    text: str
    value: float
    tolerance: float
    source: str = ""
    part: str = ""
    metric: str = ""


def claimed(text: str, tolerance: float | None = None) -> _ClaimedFigure:
    """Parse a figure: `63.4` and `63.4%` are in percent, `0.634` is a share.

    >>> claimed("63.4").value, round(claimed("0.634").tolerance, 5), claimed("0.5%").value
    (0.634, 0.0005, 0.005)
    """
    found = re.fullmatch(r"\s*(\d{1,4})?(\.\d{1,12})?\s*(%)?\s*", text, re.ASCII)
    if found is None or not (found[1] or found[2]):
        raise SnellenError(f"'{text[:40]}' is no figure: write it as 63.4, 63.4% or 0.634")
    number, digits = float(f"{found[1] or 0}{found[2] or ''}"), len(found[2] or ".") - 1
    if (
        number in (0, 1) and not found[3]
    ):  # a share of 0 would have too few digits: it would match within 50 points, for example
        raise SnellenError(f"{text.strip()} is ambiguous: write {'1% or 100%' if number else '0% or 0.0%'}")
    whole = 1 if number < 1 and not found[3] else 100
    if number > whole:
        raise SnellenError(f"{text.strip()} is more than 100 %: only scores that are shares can be explained")
    half = 0.5 * 10**-digits / whole
    return _ClaimedFigure(text.strip(), number / whole, half if tolerance is None else tolerance)


def _check_metric(readings: Readings, metric: str) -> None:
    known: dict[str, None] = {}
    for found in readings.marked.values():
        declared = [m.name for m in found.protocol.metrics if not m.unit and "*" not in m.name]
        known |= dict.fromkeys((*found.metrics(), *found.values, *declared))
        if found.about(metric).unit:
            raise SnellenError(
                f"--metric {metric} is measured in {found.about(metric).unit}: only shares can be explained"
            )
    if metric not in known:
        raise unknown("metric", metric, known, of="this run")


def _published(
    found: RunMarks, readings: Readings, model: str, part: str, tolerance: float | None
) -> list[_ClaimedFigure]:
    """Return the paper's figures of a model for the parts that this run has. Empty for synthetic data."""
    if found.manifest.data.synthetic:
        raise SnellenError("--published: this run is on synthetic data, which no paper has figures for")
    tables = found.exam.extra(PaperTables)
    every = (row for key in readings.marked for row in (tables.published(*key) if tables is not None else ()))
    rows = [(name, row) for row in every if (name := " · ".join(row.by.values())) in readings.scopes]
    rows = [(name, row) for name, row in rows if part in ("", name)]
    if not rows:
        raise SnellenError(f"--published: {found.exam.name} has no published figures for the parts of this run")
    wanted = [(name, row) for name, row in rows if row.model == model]
    if not wanted:
        raise unknown("published model", model, dict.fromkeys(row.model for _name, row in rows), of=found.exam.name)
    return [
        claimed(f"{100 * row.value:.1f}", tolerance)._replace(
            source=f"{row.model}, {row.source}", part=name, metric=row.metric
        )
        for name, row in wanted
    ]


def _held(readings: Readings, figure: _ClaimedFigure, scope: str) -> FigureCheck:
    """Compare a figure with the readings of its part, or of all parts if it names none."""
    scope, metric = figure.part or scope, figure.metric
    curve = readings.readings(readings.every(scope, metric), metric)
    some = [*curve, *_within(readings, figure.part, scope, metric)]

    def off(reading: Reading) -> float:
        return abs(reading.value - figure.value)

    def far(reading: Reading) -> tuple[int, bool, float]:
        """Return a sort key: the fewest changes first, then the requested part, then the closest number."""
        return len(reading.changes), reading.part != scope, off(reading)

    hits = tuple(sorted((r for r in some if off(r) <= figure.tolerance + _ROUNDING), key=far))
    nearest: dict[float, Reading] = {}
    for one in sorted(some, key=lambda r: (round(off(r), SAME), far(r))):
        if not one.samples:
            nearest.setdefault(round(one.value, SAME), one)
    closest = tuple(nearest.values())[:NEAREST]
    best = (hits or closest)[0]
    choice = Choice(*(getattr(best, field) for field in Choice._fields))
    interval = readings.interval(choice)
    simple = [r.value for r in some if not hits or len(r.changes) <= len(best.changes)]
    low, high = (None, None) if interval is None else interval[:2]
    claim = figure._asdict()
    del claim["metric"]
    return FigureCheck(
        **claim,
        start=_own(readings, best.part, metric),
        searched=len(some),
        simple=len(simple),
        hits=hits,
        nearest=() if hits else closest,
        split=_split(readings, readings.base(best.part, metric), choice),
        low=low,
        high=high,
        holds=None if low is None or high is None else low <= figure.value <= high,
        coincidence=luck(simple, figure.tolerance),
    )


def luck(values: Sequence[float], tolerance: float) -> float:
    """Return the share of the figures between the lowest and the highest reading that match one.

    >>> round(luck([0.0, 0.5, 0.5, 1.0], 0.1), 6)
    0.4
    """
    own = np.unique(np.round(values, 9))
    if len(own) < 2:
        return 0.0
    low, high = own[0], own[-1]
    left, right = np.clip(own - tolerance, low, high), np.clip(own + tolerance, low, high)
    covered = np.minimum(right, np.append(left[1:], high)) - left
    return float(covered.sum() / (high - low))


# ---------------------------------------------------------------- from one number to another


def _split(readings: Readings, start: Choice, end: Choice) -> tuple[GapStep, ...]:
    """Return the gap between two numbers, choice by choice. The changes add up to it.

    Choices change in the order of DIMENSIONS. If a step between two of them has no number, they become one step.
    """
    steps: list[GapStep] = []
    own = readings.number(start)
    at, value, changed = start, own.value if own is not None else 0.0, list[str]()
    for name, field in DIMENSIONS.items():
        if getattr(start, field) == getattr(end, field):
            continue
        at = at._replace(**{field: getattr(end, field)})
        changed.append(name)
        now = readings.number(at)
        if now is not None:
            before, after = (_named(readings, one, changed) for one in (start, end))
            steps.append(GapStep(stage=listed(changed), before=before, after=after, change=now.value - value))
            value, changed = now.value, []
    return tuple(steps)


def _named(readings: Readings, choice: Choice, names: Sequence[str]) -> str:
    """Return the values of the named choices as text."""
    fields = [DIMENSIONS[name] for name in names]
    values = [readings.label_of(choice) if f == "metric" else str(getattr(choice, f)) or "all" for f in fields]
    return ", ".join(dict.fromkeys(values))


# ---------------------------------------------------------------- as sentences


def described(reading: Reading, found: Explanation) -> str:
    """Describe the choices of a reading: the metric, the protocol, and what differs from the run."""
    said = [f"{reading.label} under '{reading.protocol}'"]
    if len({r.prompt for r in found.readings}) > 1:
        said.append(f"prompt '{reading.prompt}'")
    if len(found.parts) > 1:
        said.append(reading.part)
    if reading.samples:
        said.append(f"{reading.samples} only")
    if reading.average not in (BY_SAMPLE, BY_PART) or "average" in reading.changes:
        said.append(f"mean {reading.average}")
    if reading.non_answers != AS_WRONG:
        said.append(f"non-answers: {reading.non_answers}")
    return ", ".join(said)


def _of_all(found: Explanation) -> list[str]:
    if found.values == 1:
        return [f"Every reading of these answers gives {percent(found.headline.value)}."]
    said = []
    if found.swings and found.swings[0].size > 0:
        top = found.swings[0]
        said.append(
            f"What moves the number most is the {top.choice}: from {percent(top.lowest.value)} to "
            f"{percent(top.highest.value)}, all else being as the run has it."
        )
    same = sum(abs(r.value - found.headline.value) < 5e-4 for r in found.readings)
    above = len(found.readings) - found.below - same
    return [*said, f"Of {len(found.readings)} readings {found.below} are below the run's own number, {above} above it."]


def _of_figure(one: FigureCheck, found: Explanation) -> list[str]:
    name = f"{one.text} ({one.source})" if one.source else one.text
    if one.hits:
        best, more = one.hits[0], len(one.hits) - 1
        others = {0: "", 1: " One other reading gives it, too."}.get(more, f" {more} other readings give it, too.")
        own = "" if best.changes else "the run's own number: "
        said = [f"{name} is {own}{described(best, found)}.{others}"]
        if one.coincidence >= _LIKELY:
            said.append(
                f"That may be a coincidence: {one.simple:,} readings are as simple, and {100 * one.coincidence:.0f} % of all figures "
                "between the lowest and the highest of them land on one."
            )
        return said
    near = one.nearest[0]
    said = [
        f"None: no choice gives {name}. The nearest of {one.searched:,} readings is {percent(near.value)}, "
        f"{amount(abs(near.value - one.value), '')} off: {described(near, found)}."
    ]
    if one.low is not None and one.high is not None:
        bounds = f"At n = {near.n:,} the interval of that is {between(one.low, one.high)}, which"
        said.append(
            f"{bounds} holds {one.text}: other samples of the same kind could give it."
            if one.holds
            else f"{bounds} does not hold it: other answers would be needed (another model, prompt, decoding or data), not another reading."
        )
    return said
