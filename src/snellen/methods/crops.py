"""Where to look: cropping strategies around a locator. All of them are blind.

The original places its crops around the true centre and stops when an answer is right. Here crops are placed around the method's own
first answer, or everywhere. Among several answers the most confident wins. Where confidences cannot be compared, the answer wins that
the others agree with.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.exams.grounding.geometry import UNIT, Box, Crop, Pixels, distance
from snellen.exams.grounding.reading.predictions import Prediction
from snellen.methods import prompts
from snellen.methods.base import Locator, Look, Method, MethodView, Search, Tools

SIZES = (200, 300, 500)
SURE = 0.9  # a lexical score at which further crops are not worth their calls
_AGREEMENT = 0.02  # of the diagonal: how near two answers are that mean the same
REGROUND_SIDE = 1024
NARROW_STEPS = 3
# the original's regions, all of them, whatever the target: toolbar, side bars, status bar, middle, quadrants
_PANELS: tuple[tuple[float, float, float, float], ...] = (
    (0.0, 0.0, 1.0, 0.15),
    (0.0, 0.0, 0.3, 1.0),
    (0.7, 0.0, 1.0, 1.0),
    (0.0, 0.85, 1.0, 1.0),
    (0.15, 0.1, 0.85, 0.9),
    (0.0, 0.0, 0.5, 0.5),
    (0.5, 0.0, 1.0, 0.5),
    (0.0, 0.5, 0.5, 1.0),
    (0.5, 0.5, 1.0, 1.0),
)


class Strategy(NamedTuple):
    """A plan of looks for a locator, and the choice of the answer: at most `most` looks; the answer in the screenshot's pixels."""

    most: int
    search: Callable[[Search], Awaitable[Look]]
    needs: tuple[str, ...] = ()


class Composed(Method):
    """A method made of a locator, a strategy and a threshold below which it refuses to answer."""

    def __init__(
        self,
        name: str,
        locator: Locator,
        strategy: Strategy,
        threshold: float | None = None,
        max_calls: int | None = None,
    ) -> None:
        self.name, self.identity = name, locator.identity
        self._locator, self._strategy, self._threshold, self._max_calls = locator, strategy, threshold, max_calls
        self.needs = tuple(dict.fromkeys((*locator.needs, *strategy.needs)))
        self.most = min(strategy.most, max_calls or strategy.most)
        only_planned = locator.prompt[1] == 0 and "planner" in self.needs
        self.prompt = (prompts.PLANNER, 1) if only_planned else locator.prompt

    async def locate(self, view: MethodView, tools: Tools) -> Prediction:
        """Search, then refuse an answer that is too unsure."""
        search = Search(view, self._locator, tools, self._max_calls)
        try:
            look = await self._strategy.search(search)
        except SnellenError as error:  # a screenshot that does not decode
            look = Look("error", reason=str(error))
        return search.prediction(self.name, self._held(look))

    def _held(self, look: Look) -> Look:
        """Refuse a point below the threshold; without any confidence a threshold cannot be applied."""
        if self._threshold is None or look.status != "found":
            return look
        nothing = look._replace(point=None, box=None)
        if look.confidence is None:
            why = "a confidence threshold is set, and this answer has no confidence (the endpoint gave no token probabilities)"
            return nothing._replace(status="error", reason=why)
        if look.confidence < self._threshold:
            why = f"confidence {look.confidence:.2f} is under the threshold {self._threshold:.2f}"
            return nothing._replace(status="refused", reason=why)
        return look


# ---------------------------------------------------------------- strategies


def fixed(sizes: Sequence[int] = ()) -> Strategy:
    """Look at the whole screenshot, then at squares of fixed sizes around the method's own first answer."""

    async def look(search: Search) -> Look:
        first = await search.look(search.view.whole)
        if first.point is None:
            return first
        looks = [first]
        for size in sizes:
            if search.spent or (search.locator.scored and max(look.confidence or 0.0 for look in looks) >= SURE):
                break
            looks.append(await search.look(Crop.around(first.point, size, size)))
        return choose(looks, search.locator.scored)

    return Strategy(1 + len(sizes), look)


def all_panels() -> Strategy:
    """Look at the whole screenshot and at every panel where screens usually have things."""

    async def look(search: Search) -> Look:
        looks = []
        for crop in panels(search.view.whole.parent):
            if search.spent:
                break
            looks.append(await search.look(crop))
        return choose(looks, search.locator.scored)

    return Strategy(1 + len(_PANELS), look)


def narrow(steps: int, side: int | None = None) -> Strategy:
    """Look, and look again at a part of the last view around the answer, moved inside the screenshot.

    The part is a square of `side` pixels, or else half the last view each way.
    """

    async def look(search: Search) -> Look:
        crop = search.view.whole
        best = await search.look(crop)
        for _ in range(steps - 1):
            if best.point is None or search.spent:
                break
            wide, high = (side or max(28, round(s / 2)) for s in (crop.inner.width, crop.inner.height))
            crop = Crop.around(best.point, wide, high)
            if crop == search.view.whole:
                break
            best = finer(best, await search.look(crop), search.locator.scored)
        return best

    return Strategy(steps, look)


def panels(space: Pixels) -> list[Crop]:
    """Return the whole screenshot and all panels, in whole pixels."""
    return [Crop.whole(space), *(Crop.of(Box(*p, UNIT).to(space)) for p in _PANELS)]


# ---------------------------------------------------------------- which answer counts


def choose(looks: Sequence[Look], scored: bool) -> Look:
    """Return the surest answer, or the one that most others agree with; ties go to the earlier look.

    Without any answer: a refusal if one was clear, else the error.
    """
    found = [look for look in looks if look.point is not None]
    if not found:
        ranked = (look for status in ("refused", "unparsable", "error") for look in looks if look.status == status)
        return next(ranked, Look("error", reason="nothing was looked at"))
    if scored:
        return max(found, key=lambda look: look.confidence or 0.0)
    return max(found, key=lambda look: sum(_nearness(look, other) for other in found))


def finer(before: Look, after: Look, scored: bool) -> Look:
    """Return the later look where it has an answer, unless confidences can be compared and it is less sure."""
    less_sure = scored and (after.confidence or 0.0) < (before.confidence or 0.0)
    return before if after.point is None or less_sure else after


def _nearness(one: Look, other: Look) -> float:
    """Return 1 for the same place, falling off within a few percent of the diagonal."""
    if one.point is None or other.point is None:
        return 0.0
    reach = _AGREEMENT * math.hypot(*one.point.space.size)
    return math.exp(-((distance(one.point, other.point) / reach) ** 2) / 2)
