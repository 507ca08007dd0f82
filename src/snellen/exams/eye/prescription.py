"""From answers to thresholds. Pure: an answer is a sheet and its outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from snellen.core.prescription import LevelCounts, Range, Share, Threshold
from snellen.core.types import Mark, Outcome, Sample
from snellen.exams.eye.faculties import FACULTIES, Faculty
from snellen.stats.measurable import measurable
from snellen.stats.psychometric import DialShape, ObserverFit, Trial, curve, fit, value_at

POINTS = 49
"""Points of a drawn curve."""
SEEN: Mapping[Outcome, bool] = {Outcome.CORRECT: True, Outcome.WRONG: False}
"""The outcomes that count as seen or not seen. Other outcomes do not affect the choice of levels."""
WORDS = {
    Outcome.UNPARSABLE: "could not be read",
    Outcome.REFUSED: "were refusals",
    Outcome.EMPTY: "were empty",
    Outcome.TRUNCATED: "were cut off",
}
CURES = {
    Outcome.UNPARSABLE: "look at the replies ('snellen show RUN --wrong')",
    Outcome.REFUSED: "look at the replies ('snellen show RUN --wrong')",
    Outcome.EMPTY: "a model that thinks needs more room: --max-tokens, --reasoning",
    Outcome.TRUNCATED: "give it more room: --max-tokens",
}


class SheetResult(NamedTuple):
    """One sheet (`trial`, `catch` or `blank`) at a value of the dial, and its outcome. `number` is its place in the course."""

    number: int
    sheet: str
    level: float
    outcome: Outcome

    @property
    def right(self) -> bool | None:
        return SEEN.get(self.outcome)


def answered(sample: Sample, mark: Mark) -> SheetResult:
    """Return a sheet of the record, with its mark."""
    return SheetResult(int(sample.facts["number"]), sample.tags["sheet"], float(sample.facts["level"]), mark.outcome)


def threshold(faculty: Faculty, sent_as: str, every: Iterable[SheetResult], *, drawn: bool = True) -> Threshold:
    """Return the threshold from the answers to a course. With `drawn`, include the curve."""
    asked = sorted(a for a in every if a.outcome is not Outcome.ERROR)
    trials = [a for a in asked if a.sheet != "blank"]
    catch, blank = ([a.right for a in asked if a.sheet == kind] for kind in ("catch", "blank"))
    found = Threshold(
        faculty=faculty.name,
        title=faculty.title,
        dial=faculty.dial,
        unit=faculty.unit,
        finer=faculty.finer,
        about=faculty.about,
        guess=faculty.guess,
        ladder=faculty.levels,
        questions=len(trials),
        catch=Share(catch.count(True), len(catch)),
        blank=Share(blank.count(True), len(blank)),
        sent_as=sent_as,
        silent={o.value: n for o, n in sorted(Counter(a.outcome for a in trials).items()) if o not in SEEN},
        rungs=_rungs(faculty, trials),
        sees=faculty.sees,
        needs=faculty.needs,
    )
    why = measurable(catch, blank, faculty.guess)
    if why:
        caught = [a.outcome for a in asked if a.sheet == "catch"]
        return msgspec.structs.replace(found, why_not=why, reason=_reason(why, found, caught))
    shape, done = DialShape(faculty.levels, faculty.guess), [Trial(a.level, a.right) for a in trials]
    fitted = fit(shape, done)
    value, bound = _bounded(faculty, fitted)
    values = [value_at(shape, i / (POINTS - 1)) for i in range(POINTS)]
    return msgspec.structs.replace(
        found,
        threshold=value,
        slope=Range(*fitted.slope),
        lapse=Range(*fitted.lapse),
        bound=bound,
        curve=tuple(curve(shape, done, values)) if drawn else (),
    )


def by_course(marked: Iterable[tuple[Sample, Mark]]) -> list[Threshold]:
    """Return the thresholds of a run, in the order of the faculties."""
    courses: dict[tuple[str, str], list[SheetResult]] = {}
    for sample, mark in marked:
        key = sample.tags["faculty"], sample.tags.get("sent as", "")
        courses.setdefault(key, []).append(answered(sample, mark))
    known = [key for name in FACULTIES for key in courses if key[0] == name]
    return [threshold(FACULTIES[name], sent_as, courses[name, sent_as]) for name, sent_as in known]


def _rungs(faculty: Faculty, trials: Sequence[SheetResult]) -> tuple[LevelCounts, ...]:
    counts = Counter((a.level, a.right) for a in trials)
    asked = [level for level in faculty.levels if any(counts[level, right] for right in (True, False, None))]
    return tuple(
        LevelCounts(level=v, right=counts[v, True], wrong=counts[v, False], silent=counts[v, None]) for v in asked
    )


def _bounded(faculty: Faculty, found: ObserverFit) -> tuple[Range, str]:
    """Return the threshold. Past an end of the ladder, return that end, and the side of it on which the threshold lies."""
    if not found.beyond:
        return Range(*found.threshold), ""
    end = faculty.levels[0] if found.beyond == "finer" else faculty.levels[-1]
    below = (found.beyond == "finer") == (faculty.levels[0] < faculty.levels[-1])
    return Range(end, found.threshold.low, found.threshold.high), "at most" if below else "at least"


def _reason(why: str, found: Threshold, catch: Sequence[Outcome]) -> str:
    """Return a sentence that says why a threshold is missing, and what to do."""
    right, n = found.catch.right, found.catch.n
    if why == "few":
        return f"only {n} of the easiest sheets were answered, too few to tell seeing from guessing"
    if why == "silent":
        silent = Counter(outcome for outcome in catch if outcome not in SEEN)
        kind, count = silent.most_common(1)[0]
        return f"{silent.total()} of {n} replies to the easiest sheets chose nothing ({count} {WORDS[kind]}): {CURES[kind]}"
    if why == "blind":
        blank = found.blank
        return f"blank sheets were answered as well ({blank.right} of {blank.n}) as the easiest ones ({right} of {n}): it does not look"
    return (
        f"only {right} of the {n} easiest sheets were right: it does not see them, or does not understand the question"
    )
