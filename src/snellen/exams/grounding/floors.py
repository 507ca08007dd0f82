"""The score of a method that never looks at the screen: the best constant point, and guesses from the instructions.

Everything is in fractions of the screen, so that a point is the same one on screens of different sizes. A point that is right only for
targets of a single screenshot does not count: in a group of three it would score a third, and it says nothing of other screenshots.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from snellen.core.results import Floor
from snellen.core.types import Sample
from snellen.exams.grounding.compat import original
from snellen.exams.grounding.marking.marks import Truth, in_polygon, truth_of
from snellen.exams.grounding.reading.predictions import Prediction, to_text
from snellen.stats import text_floor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

REFUSE, MIDDLE, RANDOM = "always refuse", "the middle", "a random point"
_GUESS = "guess"
"""The method of predictions from the instruction alone."""
_NEIGHBOURS = 30
_SHARPNESS = 2


class Area(NamedTuple):
    """The area in which a click is right, in fractions of the screen: boxes (x1, y1, x2, y2), or polygons with the boxes around them.

    `screen` names the screenshot. Without boxes the target is absent.
    """

    screen: str
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    polygons: tuple[tuple[float, ...], ...] = ()

    def holds(self, x: float, y: float) -> bool:
        """Tell whether a click at this place is right."""
        if self.polygons:
            return any(in_polygon(x, y, polygon) for polygon in self.polygons)
        return any(x1 <= x <= x2 and y1 <= y <= y2 for x1, y1, x2, y2 in self.boxes)

    @property
    def share(self) -> float:
        """The part of the screen that is right, which is the score of a random point."""
        return min(1.0, sum((x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in self.boxes))


def area_of(truth: Truth, screen: str) -> Area:
    """Return the area of a target."""
    width, height = truth.space.size
    boxes = tuple((b.x1 / width, b.y1 / height, b.x2 / width, b.y2 / height) for b in truth.boxes)
    polygons = tuple(tuple(v / (height if i % 2 else width) for i, v in enumerate(p)) for p in truth.polygons)
    return Area(screen, boxes, polygons)


def widened(area: Area) -> Area:
    """Return the area in which openadapt-grounding accepts a point: the first box, larger on every side."""
    more = original.TOLERANCE
    return Area(area.screen, tuple((a - more, b - more, c + more, d + more) for a, b, c, d in area.boxes[:1]))


@lru_cache(maxsize=512)  # protocols share areas
def floor(areas: tuple[Area, ...], *, refusals: bool = True) -> Floor:
    """Return the best of: one point for all, a refusal to all (where `refusals` can be right), a random point on average."""
    n = len(areas)
    options = [
        Floor(sum(area.holds(0.5, 0.5) for area in areas) / n, MIDDLE),
        Floor(sum(area.share for area in areas) / n, RANDOM),
    ]
    if refusals:
        options.append(Floor(sum(not area.boxes for area in areas) / n, REFUSE))
    best = best_point(areas)
    if best is not None:
        hits, (x, y) = best
        options.append(Floor(hits / n, f"the point {100 * x:.1f} %, {100 * y:.1f} % of the screen"))
    return max(options, key=lambda option: option.value)


def best_point(areas: Sequence[Area]) -> tuple[int, tuple[float, float]] | None:
    """Return the number of targets for which the best point is right, and the point; None where none is right on two screenshots.

    It is a sweep over all edges, exact for targets of one box each. For polygons and several boxes, their bounding boxes say where to try.
    """
    import numpy as np

    boxes = np.array([box for area in areas for box in area.boxes], dtype=np.float64).reshape(-1, 4)
    best: tuple[int, tuple[float, float]] | None = None
    for most, corner in _sweep(boxes):
        if most < 2 or (best is not None and most <= best[0]):
            break
        point = _inner(boxes, corner)
        right = [area for area in areas if area.holds(*point)]
        if len({area.screen for area in right}) > 1 and (best is None or len(right) > best[0]):
            best = len(right), point
    return best


def _sweep(boxes: Floats) -> list[tuple[int, tuple[float, float]]]:
    """Return for every left edge the place on it that most boxes cover, as (number of boxes, (x, y)); the best first.

    A place that as many boxes cover as any can be moved left to a left edge and up to an upper edge, so none is missed.
    """
    import numpy as np

    left, top, right, bottom = boxes[np.argsort(boxes[:, 1], kind="stable")].T
    found = []
    for x in np.unique(left):
        here = np.flatnonzero((left <= x) & (right >= x))
        ended = np.sort(bottom[here]).searchsorted(top[here])
        # of boxes that begin at one height, the last one has them all
        cover = np.arange(1, len(here) + 1) - ended
        at = int(cover.argmax())
        found.append((int(cover[at]), (float(x), float(top[here][at]))))
    return sorted(found, key=lambda one: -one[0])


def _inner(boxes: Floats, corner: tuple[float, float]) -> tuple[float, float]:
    """Return the middle of the space that belongs to the same boxes as its upper left corner."""
    x, y = corner
    left, top, right, bottom = boxes.T
    over = (left <= x) & (right >= x) & (top <= y) & (bottom >= y)
    far_x = min([float(right[over].min()), *left[left > x].tolist()])
    far_y = min([float(bottom[over].min()), *top[top > y].tolist()])
    return (x + far_x) / 2, (y + far_y) / 2


# ---------------------------------------------------------------- from the instruction alone


def guesses(known: Sequence[Sample], asked: Sequence[Sample]) -> list[str]:
    """Return the places where the most similar known instructions had their targets: for each, the place that most of them share.

    They are predictions in the stored form of runs, which every protocol reads alike, whatever units it expects in a plain reply.
    """
    import numpy as np

    areas = [area_of(truth_of(sample), sample.id) for sample in known]
    there = [i for i, area in enumerate(areas) if area.boxes]
    if 2 * len(there) <= len(known):
        return [_stored(sample, None) for sample in asked]
    boxes = np.array([areas[i].boxes[0] for i in there], dtype=np.float64)
    likes = text_floor.likeness([_said(known[i]) for i in there], [_said(s) for s in asked])
    found = []
    for sample, like in zip(asked, likes, strict=True):
        near = np.argsort(-like, kind="stable")[:_NEIGHBOURS]
        weights = like[near].astype(np.float64) ** _SHARPNESS + 1e-6
        found.append(_stored(sample, _shared(boxes[near], weights)))
    return found


def _stored(sample: Sample, place: tuple[float, float] | None) -> str:
    """Return a guess as a prediction; without a place, the prediction that the target is absent."""
    width, height = int(sample.facts["width"]), int(sample.facts["height"])
    if place is None:
        return to_text(Prediction(method=_GUESS, status="refused", size=(width, height)))
    point = round(place[0] * width, 1), round(place[1] * height, 1)
    return to_text(Prediction(method=_GUESS, status="found", size=(width, height), point=point))


def _shared(boxes: Floats, weights: Floats) -> tuple[float, float]:
    """Return the middle of the place that boxes of most weight share; for a few boxes."""
    import numpy as np

    left, top, right, bottom = boxes.T
    across = (left <= left[:, None]) & (left[:, None] <= right)
    down = (top <= top[:, None]) & (top[:, None] <= bottom)
    at, below = np.unravel_index(int(((across * weights) @ down.T).argmax()), (len(boxes), len(boxes)))
    return _inner(boxes, (float(left[at]), float(top[below])))


def _said(sample: Sample) -> str:
    return str(sample.facts["instruction"])
