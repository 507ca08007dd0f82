"""Why is my number not theirs? Every reading of a run's stored answers, and what a claimed figure is among them. Reads, writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from snellen.comparison.choices import DIMENSIONS, Choice
from snellen.comparison.explained import Explanation, FigureCheck, Reading, Swing
from snellen.comparison.explained_words import verdict
from snellen.comparison.figures import ClaimedFigure, claimed, hit, luck, split
from snellen.comparison.readings import SAME, Readings, RepeatedReadings
from snellen.comparison.remarking import RunMarks, marked_again
from snellen.core.errors import SnellenError, unknown
from snellen.core.extras import PaperTables
from snellen.core.model_names import model_name
from snellen.engine.runs.run import Run

NEAREST = 3
"""So many readings are named where no reading lands on a figure."""
Found = tuple[Reading, ...]


def explain_run(
    path: str | Path,
    figure: str | None = None,
    *,
    tolerance: float | None = None,
    part: str = "",
    metric: str = "",
    published: str = "",
) -> Explanation:
    """Re-mark a run's stored answers in every defensible way, and hold a claimed or published figure against what they give."""
    run = Run(Path(path))
    found = marked_again(run)
    readings = Readings(found.times[0]) if len(found.times) == 1 else RepeatedReadings(found.times)
    if part and part not in readings.scopes:
        raise unknown("part", part, readings.scopes, of=str(run.path))
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
    return replace(made, verdict=verdict(made))


def _own(readings: Readings, scope: str, metric: str) -> Reading:
    """Return the run's own number for some parts."""
    base = readings.base(scope, metric)
    found = readings.reading(base, base)
    if found is None:
        raise SnellenError(f"'{base.metric}' of '{scope}' has no value under '{base.protocol}'")
    return found


def _within(readings: Readings, part: str, scope: str, metric: str) -> Found:
    """Return the readings that are searched beside the curve: of groups within a part, and of other parts if none was named."""
    wanted = [part] if part else list(readings.scopes)
    found: list[Choice] = []
    for name in wanted:
        if name != scope:
            found += readings.every(name, metric)
    for name in wanted:
        if len(readings.scopes[name]) == 1:
            found += readings.every(name, metric, within=True)
    return readings.readings(found, metric)


def _swings(headline: Reading, curve: Sequence[Reading]) -> tuple[Swing, ...]:
    """Return how far each choice moves the number, everything else being as the run has it; the furthest first."""
    found = []
    for name in DIMENSIONS:
        alone = [headline, *(r for r in curve if r.changes == (name,))]
        if len(alone) > 1:
            low, high = min(alone, key=lambda r: r.value), max(alone, key=lambda r: r.value)
            found.append(Swing(choice=name, readings=len(alone), lowest=low, highest=high))
    return tuple(sorted(found, key=lambda s: -s.size))


# ---------------------------------------------------------------- figures


def _held(readings: Readings, figure: ClaimedFigure, scope: str) -> FigureCheck:
    """Hold a figure against the readings of its part, or of all parts where it names none."""
    scope, metric = figure.part or scope, figure.metric
    curve = readings.readings(readings.every(scope, metric), metric)
    some = [*curve, *_within(readings, figure.part, scope, metric)]

    def far(reading: Reading) -> tuple[int, bool, float]:
        """The fewest changes first, then the part that was asked for, then the closest number."""
        return len(reading.changes), reading.part != scope, abs(reading.value - figure.value)

    hits = tuple(sorted((r for r in some if hit(r.value, figure)), key=far))
    nearest: dict[float, Reading] = {}
    for one in sorted(some, key=lambda r: (round(abs(r.value - figure.value), SAME), far(r))):
        if not one.samples:
            nearest.setdefault(round(one.value, SAME), one)
    closest = tuple(nearest.values())[:NEAREST]
    best = (hits or closest)[0]
    choice = Choice(*(getattr(best, field) for field in Choice._fields[:-1]))
    interval = readings.interval(choice)
    simple = [r.value for r in some if not hits or len(r.changes) <= len(best.changes)]
    chance = luck(simple, figure.tolerance)
    return FigureCheck(
        text=figure.text,
        value=figure.value,
        tolerance=figure.tolerance,
        source=figure.source,
        part=figure.part,
        start=_own(readings, best.part, metric),
        searched=len(some),
        simple=len(simple),
        hits=hits,
        nearest=() if hits else closest,
        split=split(readings, readings.base(best.part, metric), choice),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        holds=None if interval is None else interval.low <= figure.value <= interval.high,
        coincidence=chance.any,
        expected=chance.many,
    )


def _check_metric(readings: Readings, metric: str) -> None:
    if not metric:
        return
    known: dict[str, None] = {}
    for found in readings.marked.values():
        known.update(dict.fromkeys((*found.metrics(), *found.values)))
        known.update(dict.fromkeys(m.name for m in found.protocol.metrics if not m.unit and "*" not in m.name))
        if found.about(metric).unit:
            raise SnellenError(
                f"--metric {metric} is measured in {found.about(metric).unit}: only shares can be explained"
            )
    if metric not in known:
        raise unknown("metric", metric, known, of="this run")


def _published(
    found: RunMarks, readings: Readings, model: str, part: str, tolerance: float | None
) -> list[ClaimedFigure]:
    """Return the paper's figures of a model for the parts that this run has; never beside synthetic data."""
    if found.manifest.data.synthetic:
        raise SnellenError("--published: this run is on synthetic data, which no paper has figures for")
    tables = found.exam.extra(PaperTables)
    rows = [
        (" · ".join(row.by.values()), row)
        for protocol, prompt in readings.marked
        for row in (tables.published(protocol, prompt) if tables is not None else ())
    ]
    rows = [(name, row) for name, row in rows if name in readings.scopes and part in ("", name)]
    if not rows:
        raise SnellenError(f"--published: {found.exam.name} has no published figures for the parts of this run")
    if not any(row.model == model for _name, row in rows):
        raise unknown("published model", model, dict.fromkeys(row.model for _name, row in rows), of=found.exam.name)
    return [
        claimed(f"{100 * row.value:.1f}", tolerance)._replace(
            source=f"{row.model}, {row.source}", part=name, metric=row.metric
        )
        for name, row in rows
        if row.model == model
    ]
