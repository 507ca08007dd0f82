"""A check of the unit of a run's points: a model may answer in thousandths while the protocol reads pixels.

The score stays as it is. But where a run's points would hit far more often on another scale, a note says so and says what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from snellen.core.extras import RunFacts
from snellen.core.types import Outcome
from snellen.exams.grounding.geometry import Point
from snellen.exams.grounding.marking.marks import PLAIN, Truth, hits, truth_of
from snellen.exams.grounding.marking.osworld import LMMS
from snellen.exams.grounding.protocols import prediction_of
from snellen.exams.grounding.reading.predictions import Prediction
from snellen.exams.grounding.reading.seeclick import SEECLICK

MOST = 1000  # points that are checked
FEWEST = 3
GAIN = 0.1  # of all points, that another scale must hit in addition
_INSIDE = 0.95  # of all points, that must lie on the screen on another scale

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
_UNDER = {SEECLICK: " under screenspot", LMMS: " under osworld-g"}


class _Scale(NamedTuple):
    """A possible other scale of the points: multiply them by the screen's side to some power, and by a number."""

    read: str
    other: str
    power: int
    number: float


_SCALES = (
    _Scale(PIXELS, FRACTIONS, 1, 1.0),
    _Scale(PIXELS, PERCENTS, 1, 1 / 100),
    _Scale(PIXELS, THOUSANDTHS, 1, 1 / 1000),
    _Scale(FRACTIONS, PIXELS, -1, 1.0),
    _Scale(THOUSANDTHS, PIXELS, -1, 1000.0),
    _Scale(FRACTIONS, THOUSANDTHS, 0, 1 / 1000),
    _Scale(THOUSANDTHS, FRACTIONS, 0, 1000.0),
)


def notes(run: RunFacts) -> Iterator[str]:
    """Yield a sentence where the points of a run seem to have another unit under one protocol."""
    seen = list(islice(_points(run), MOST))
    if len(seen) < FEWEST:
        return
    now = sum(hits(point, truth) for _said, point, truth in seen)
    most, best = max(((_hits(seen, scale), scale) for scale in _SCALES), key=lambda one: one[0])
    if most - now < max(2, GAIN * len(seen)):
        within_one = all(min(point.x, point.y) >= 0 and max(point.x, point.y) <= 1 for _said, point, _truth in seen)
        if now or not within_one:
            return
        best = _SCALES[0]
    yield _sentence(best, len(seen), now, max(most, now), seen[0][0].method)


def _points(run: RunFacts) -> Iterator[tuple[Prediction, Point, Truth]]:
    """Yield the points of targets that are there."""
    for sample, answer, mark in run.records() if run.records is not None else ():
        if mark.outcome in (Outcome.ERROR, Outcome.EMPTY) or answer.failure is not None:
            continue
        truth = truth_of(sample)
        said = prediction_of(run.protocol, answer.text, sample)
        if not truth.absent and said.status == "found" and said.point is not None and not said.oracle:
            yield said, Point(*said.point, truth.space), truth


def _hits(seen: Sequence[tuple[Prediction, Point, Truth]], scale: _Scale) -> int:
    """Return the number of points that would hit on another scale; 0 where many would lie off the screen."""
    points = [
        Point(
            point.x * scale.number * truth.space.width**scale.power,
            point.y * scale.number * truth.space.height**scale.power,
            truth.space,
        )
        for _said, point, truth in seen
    ]
    if sum(point.inside for point in points) < _INSIDE * len(points):
        return 0
    return sum(hits(point, truth) for point, (_said, _point, truth) in zip(points, seen, strict=True))


def _sentence(scale: _Scale, n: int, now: int, then: int, reader: str) -> str:
    """Return the sentence of a note. `reader` is the reader of plain replies, or the method whose predictions these are."""
    figures = f"{100 * now / n:.1f} % of them hit; as {scale.other} {100 * then / n:.1f} % would"
    if reader == SEECLICK:
        todo = "mark them under 'click', which takes pixels" if scale.other == PIXELS else "give them in fractions"
    elif reader in (PLAIN, LMMS):
        todo = "give them in pixels, or as percents with the sign"
        todo += ", or mark them under 'screenspot', which takes fractions" if scale.other == FRACTIONS else ""
    else:
        todo = f"if that is how the model counts, run with --method-option {_FORMATS[scale.other]}"
    read = f"{scale.read}{_UNDER.get(reader, '')}"
    return f"The {n} points look like {scale.other}, and were read as {read}: {figures}. The score is as read; {todo}."
