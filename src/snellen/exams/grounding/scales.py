"""Whether the points of a run seem to count something else than what they were read as: a model that says thousandths, read as pixels.

The score stays what it is. But a run whose points would hit far more often on another scale must say so, and say what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from snellen.core.extras import RunFacts
from snellen.core.types import Outcome
from snellen.exams.grounding.geometry import Point
from snellen.exams.grounding.marking.marks import PLAIN, Truth, hits, truth_of
from snellen.exams.grounding.marking.osworld import LMMS
from snellen.exams.grounding.protocols import prediction_of
from snellen.exams.grounding.reading.predictions import Prediction
from snellen.exams.grounding.reading.seeclick import SEECLICK

MOST = 1000  # points that are looked at
FEWEST = 3
GAIN = 0.1  # of all points, that another scale must hit in addition
INSIDE = 0.95  # of all points, that must lie on the screen on another scale

PIXELS, FRACTIONS, PERCENTS, THOUSANDTHS = (
    "pixels of the screenshot",
    "fractions (0 to 1)",
    "percents",
    "thousandths (0 to 1000)",
)
_FORMATS = {
    PIXELS: "format=pixels",
    FRACTIONS: "format=unit",
    PERCENTS: "format=molmo",
    THOUSANDTHS: "format=qwen3-vl (or space=relative_1000 with the format of the model)",
}


class Scale(NamedTuple):
    """Points were read as one thing and may be another. `times` is by what they are to be multiplied, given a side of the screen."""

    read: str
    other: str
    screens: int
    number: float

    def times(self, side: float) -> float:
        return self.number * side**self.screens


SCALES = (
    Scale(PIXELS, FRACTIONS, 1, 1.0),
    Scale(PIXELS, PERCENTS, 1, 1 / 100),
    Scale(PIXELS, THOUSANDTHS, 1, 1 / 1000),
    Scale(FRACTIONS, PIXELS, -1, 1.0),
    Scale(THOUSANDTHS, PIXELS, -1, 1000.0),
    Scale(FRACTIONS, THOUSANDTHS, 0, 1 / 1000),
    Scale(THOUSANDTHS, FRACTIONS, 0, 1000.0),
)


def notes(run: RunFacts) -> Iterator[str]:
    """What must be said of the scale of a run's points under one protocol: a sentence, or nothing."""
    if run.records is None:
        return
    seen = list(_points(run))
    if len(seen) < FEWEST:
        return
    now = sum(hits(Point(*said.point, truth.space), truth) for said, truth in seen if said.point is not None)
    best, most = None, 0
    for scale in SCALES:
        found = _hits(seen, scale)
        if found > most:
            best, most = scale, found
    if best is None or most - now < max(2, GAIN * len(seen)):
        best = next((s for s in SCALES[:1] if now == 0 and _within_one(seen)), None)
    if best is not None:
        yield _sentence(best, len(seen), now, max(most, now), seen[0][0].method)


def _points(run: RunFacts) -> Iterator[tuple[Prediction, Truth]]:
    """The points of targets that are there, the first thousand."""
    left = MOST
    for sample, answer, mark in run.records() if run.records is not None else ():
        if mark.outcome in (Outcome.ERROR, Outcome.EMPTY) or answer.failure is not None:
            continue
        truth = truth_of(sample)
        said = prediction_of(run.protocol, answer.text, sample)
        if truth.absent or said.status != "found" or said.point is None or said.oracle:
            continue
        yield said, truth
        left -= 1
        if not left:
            return


def _hits(seen: Iterable[tuple[Prediction, Truth]], scale: Scale) -> int:
    """How many points would hit on another scale; 0 where many would lie beside the screen."""
    right = inside = total = 0
    for said, truth in seen:
        if said.point is None:
            continue
        width, height = truth.space.size
        point = Point(said.point[0] * scale.times(width), said.point[1] * scale.times(height), truth.space)
        total, inside, right = total + 1, inside + point.inside, right + hits(point, truth)
    return right if inside >= INSIDE * total else 0


def _within_one(seen: Iterable[tuple[Prediction, Truth]]) -> bool:
    return all(said.point is not None and min(said.point) >= 0 and max(said.point) <= 1 for said, _truth in seen)


def _sentence(scale: Scale, n: int, now: int, then: int, reader: str) -> str:
    """`reader` is who read plain replies, or the method whose predictions these are."""
    figures = f"{100 * now / n:.1f} % of them hit; as {scale.other} {100 * then / n:.1f} % would"
    under = {SEECLICK: " under screenspot", LMMS: " under osworld-g"}.get(reader, "")
    if reader == SEECLICK:
        todo = "mark them under 'click', which takes pixels" if scale.other == PIXELS else "give them in fractions"
    elif reader in (PLAIN, LMMS):
        todo = "give them in pixels, or as percents with the sign"
        todo += ", or mark them under 'screenspot', which takes fractions" if scale.other == FRACTIONS else ""
    else:
        todo = f"if that is how the model counts, run with --method-option {_FORMATS[scale.other]}"
    return f"The {n} points look like {scale.other}, and were read as {scale.read}{under}: {figures}. The score is as read; {todo}."
