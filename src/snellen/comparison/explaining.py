"""Why is my number not theirs? Every reading of a run's stored answers, and what a claimed figure is among them. Reads, writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from snellen.comparison.choices import DIMENSIONS, AnalysisChoice
from snellen.comparison.explained import Explanation, FigureCheck, Reading, Swing
from snellen.comparison.explained_words import verdict
from snellen.comparison.figures import ClaimedFigure, claimed, hit, luck, split
from snellen.comparison.readings import ALL, Readings
from snellen.comparison.remarking import RunMarks, marked_again
from snellen.comparison.repeated import of_repeats
from snellen.comparison.resampling import interval_of
from snellen.core.errors import SnellenError, unknown
from snellen.core.extras import PaperTables
from snellen.core.model_names import model_name
from snellen.engine.runs.run import Run

NEAREST = 3
"""So many readings are named where no reading lands on a figure."""
SAME = 6
"""Numbers that agree in so many digits are the same."""


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
    readings = of_repeats(found.columns, found.again)
    if part and part not in readings.scopes:
        raise unknown("part", part, readings.scopes, of=str(run.path))
    _check_metric(readings, metric)
    figures = [claimed(figure, tolerance)._replace(part=part, metric=metric)] if figure is not None else []
    if published:
        figures += _published(found, readings, published, part, tolerance)
    return explanation(run, found, readings, figures, part, metric)


def explanation(
    run: Run, found: RunMarks, readings: Readings, figures: Sequence[ClaimedFigure], part: str, metric: str
) -> Explanation:
    """All readings of one part (or of all parts together), and the figures among these and those of other parts and groups."""
    lead = LeadReadings(readings, metric)
    scope = part or lead.scope()
    headline = lead.base(scope)
    curve = lead.readings(readings.every(scope, metric))
    values = [r.value for r in curve]
    searched = _Searched(lead, bool(part), scope, curve) if figures else None
    held = tuple(searched.held(one) for one in figures) if searched is not None else ()
    made = Explanation(
        exam=found.exam.name,
        subject=model_name(found.manifest),
        run=str(run.path),
        synthetic=found.manifest.data.synthetic,
        part=scope,
        parts=tuple(readings.scopes),
        repeats=1 + len(found.again),
        headline=headline,
        readings=curve,
        within=searched.within if searched is not None else (),
        values=len({round(v, SAME) for v in values}),
        lowest=values[0],
        median=median(values),
        highest=values[-1],
        below=sum(v < headline.value - 10**-SAME for v in values),
        swings=_swings(headline, curve),
        notes=found.notes,
        figures=held,
    )
    return replace(made, verdict=verdict(made))


class LeadReadings:
    """What a run leads with, and readings as records beside it."""

    def __init__(self, readings: Readings, metric: str = "") -> None:
        self.all, self.metric = readings, metric
        self.protocol, self.prompt = next(iter(readings.marked))

    def scope(self) -> str:
        """All parts together where they have one number, else the first part that has one."""
        order = [ALL, *self.all.scopes] if ALL in self.all.scopes else list(self.all.scopes)
        found = next((name for name in order if self.all.number(self.choice(name)) is not None), None)
        if found is None:
            raise SnellenError("no part of this run has a score that is a share: there is nothing to explain")
        return found

    def choice(self, scope: str) -> AnalysisChoice:
        return self.all.base(self.protocol, self.prompt, scope, self.metric)

    def base(self, scope: str) -> Reading:
        """The run's own number for some parts."""
        found = self.record(self.choice(scope))
        if found is None:
            raise SnellenError(f"'{self.choice(scope).metric}' of '{scope}' has no value under '{self.protocol}'")
        return found

    def record(self, choice: AnalysisChoice) -> Reading | None:
        number, found = self.all.number(choice), self.all.columns(choice)
        if number is None or found is None:
            return None
        return Reading(
            protocol=choice.marker,
            prompt=choice.prompt,
            metric=choice.metric,
            label=found.about(choice.metric).label_of(choice.metric),
            part=choice.scope,
            average=choice.average,
            samples=choice.samples,
            non_answers=choice.silent,
            value=number.value,
            n=number.n,
            changes=tuple(choice.changes(self.choice(choice.scope))),
        )

    def readings(self, choices: Iterable[AnalysisChoice]) -> tuple[Reading, ...]:
        """The lowest first; of equal ones that with the fewest changes."""
        found = [r for choice in choices if (r := self.record(choice)) is not None]
        return tuple(sorted(found, key=lambda r: (round(r.value, SAME), len(r.changes))))


def choice_of(reading: Reading) -> AnalysisChoice:
    """The choices behind a reading."""
    return AnalysisChoice(
        reading.protocol,
        reading.protocol,
        reading.prompt,
        reading.metric,
        reading.part,
        reading.average,
        reading.samples,
        reading.non_answers,
    )


def _swings(headline: Reading, curve: Sequence[Reading]) -> tuple[Swing, ...]:
    """How far each choice moves the number, everything else being as the run has it; the furthest first."""
    found = []
    for name in DIMENSIONS:
        alone = [headline, *(r for r in curve if r.changes == (name,))]
        if len(alone) > 1:
            low, high = min(alone, key=lambda r: r.value), max(alone, key=lambda r: r.value)
            found.append(Swing(choice=name, readings=len(alone), lowest=low, highest=high))
    return tuple(sorted(found, key=lambda s: -s.size))


# ---------------------------------------------------------------- figures


class _Searched:
    """The readings among which a figure is looked for: the curve's, those of groups within a part, and of other parts if none was named."""

    def __init__(self, lead: LeadReadings, named: bool, scope: str, curve: Sequence[Reading]) -> None:
        self._lead, self._scope, self._curve = lead, scope, curve
        every = lead.all
        wanted = [scope] if named else list(every.scopes)
        others = [c for name in wanted if name != scope for c in every.every(name, lead.metric)]
        inner = [
            c
            for name in wanted
            if len(every.scopes[name].parts) == 1
            for c in every.every(name, lead.metric, within=True)
        ]
        self.within = lead.readings([*others, *inner])

    def held(self, figure: ClaimedFigure) -> FigureCheck:
        """A figure held against them."""
        lead = self._lead
        some = [*self._curve, *self.within]
        if figure.part or figure.metric != lead.metric:
            lead = LeadReadings(self._lead.all, figure.metric)
            scope = figure.part or self._scope
            every = lead.all
            some = [
                *lead.readings(every.every(scope, figure.metric)),
                *(
                    lead.readings(every.every(scope, figure.metric, within=True))
                    if len(every.scopes[scope].parts) == 1
                    else ()
                ),
            ]
        hits = sorted((r for r in some if hit(r.value, figure)), key=lambda r: _far(r, figure, self._scope))
        nearest: list[Reading] = []
        for one in sorted(
            (r for r in some if not r.samples),
            key=lambda r: (round(abs(r.value - figure.value), SAME), _far(r, figure, self._scope)),
        ):
            if all(round(one.value, SAME) != round(other.value, SAME) for other in nearest):
                nearest.append(one)
            if len(nearest) == NEAREST:
                break
        best = (hits or nearest)[0]
        interval = interval_of(lead.all, choice_of(best))
        simple = [r.value for r in some if not hits or len(r.changes) <= len(best.changes)]
        chance = luck(simple, figure.tolerance)
        return FigureCheck(
            text=figure.text,
            value=figure.value,
            tolerance=figure.tolerance,
            source=figure.source,
            part=figure.part,
            start=lead.base(best.part),
            searched=len(some),
            simple=len(simple),
            hits=tuple(hits),
            nearest=() if hits else tuple(nearest),
            split=split(lead.all, lead.choice(best.part), choice_of(best)),
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
            holds=None if interval is None else interval.low <= figure.value <= interval.high,
            coincidence=chance.any,
            expected=chance.many,
        )


def _far(reading: Reading, figure: ClaimedFigure, scope: str) -> tuple[int, bool, float]:
    """What comes first: the fewest changes, the part that was asked for, the closest number."""
    return len(reading.changes), reading.part != scope, abs(reading.value - figure.value)


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
    """The paper's figures of a model for the parts that this run has; never beside synthetic data."""
    if found.manifest.data.synthetic:
        raise SnellenError("--published: this run is on synthetic data, which no paper has figures for")
    tables = found.exam.extra(PaperTables)
    rows = [
        row
        for protocol, prompt in readings.marked
        for row in (tables.published(protocol, prompt) if tables is not None else ())
        if " · ".join(row.by.values()) in readings.scopes and part in ("", " · ".join(row.by.values()))
    ]
    if not rows:
        raise SnellenError(f"--published: {found.exam.name} has no published figures for the parts of this run")
    own = [row for row in rows if row.model == model]
    if not own:
        raise unknown("published model", model, dict.fromkeys(row.model for row in rows), of=found.exam.name)
    made = []
    for row in own:
        name = " · ".join(row.by.values())
        one = claimed(f"{100 * row.value:.1f}", tolerance)
        made.append(one._replace(source=f"{row.model}, {row.source}", part=name, metric=row.metric))
    return made
