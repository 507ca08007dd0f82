"""Where to look: cropping strategies around a locator. All of them are blind.

The original places its crops around the true centre and stops when an answer is right. Here crops are placed around the method's own
first answer, or everywhere; among several answers the most confident wins, or, where there are no confidences, the one that the
others agree with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol as Interface

from snellen.exams.grounding.geometry import UNIT, Box, Crop, Pixels, distance
from snellen.exams.grounding.methods.base import Tools
from snellen.exams.grounding.methods.looks import Locator, Look, Trail

SIZES = (200, 300, 500)
SURE = 0.9  # a lexical score at which further crops are not worth their calls
AGREEMENT = 0.02  # of the diagonal: how near two answers are that mean the same
REGROUND_SIDE = 1024
NARROW_STEPS = 3
NARROW_PART = 0.5
# the original's regions, all of them, whatever the target: toolbar, side bars, status bar, middle, quadrants
PANELS: tuple[tuple[float, float, float, float], ...] = (
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


class Strategy(Interface):
    """Decides where a locator looks, and which of its answers counts."""

    needs: tuple[str, ...] = ()
    most: int
    """How many looks it takes at most."""

    async def search(self, locator: Locator, trail: Trail, tools: Tools) -> Look:
        """Look, perhaps several times; the answer in the screenshot's pixels."""


class Fixed(Strategy):
    """The whole screenshot, then squares of fixed sizes (perhaps none) around the method's own first answer."""

    def __init__(self, sizes: Sequence[int] = SIZES) -> None:
        self.sizes = tuple(sizes)
        self.most = 1 + len(self.sizes)

    async def search(self, locator: Locator, trail: Trail, tools: Tools) -> Look:
        first = await trail.look(locator, trail.view.whole, trail.view.instruction, tools)
        looks = [first]
        if first.point is None:
            return first
        for size in self.sizes:
            if is_sure(locator, looks) or trail.spent:
                break
            crop = Crop.around(first.point, size, size, shift=True)
            looks.append(await trail.look(locator, crop, trail.view.instruction, tools))
        return choose(locator, looks)


class Panels(Strategy):
    """The whole screenshot and every panel where screens keep things: always all of them, since nobody tells which one."""

    most = 1 + len(PANELS)

    async def search(self, locator: Locator, trail: Trail, tools: Tools) -> Look:
        looks = []
        for crop in panels(trail.view.space):
            if trail.spent:
                break
            looks.append(await trail.look(locator, crop, trail.view.instruction, tools))
        return choose(locator, looks)


class Narrow(Strategy):
    """Look, and look again at a part of the last view around the answer (moved inside the screenshot).

    The part is a square of `side` pixels, or else half the last view each way.
    """

    def __init__(self, steps: int, side: int | None = None) -> None:
        self.most, self.side = steps, side

    async def search(self, locator: Locator, trail: Trail, tools: Tools) -> Look:
        crop = trail.view.whole
        best = await trail.look(locator, crop, trail.view.instruction, tools)
        for _ in range(self.most - 1):
            if best.point is None or trail.spent:
                break
            wide, high = (self.side or max(28, round(s * NARROW_PART)) for s in (crop.inner.width, crop.inner.height))
            crop = Crop.around(best.point, wide, high, shift=True)
            if crop == trail.view.whole:
                break
            best = finer(locator, best, await trail.look(locator, crop, trail.view.instruction, tools))
        return best


def panels(space: Pixels) -> list[Crop]:
    """The whole screenshot and all panels, in whole pixels."""
    return [Crop.whole(space), *(Crop.of(Box(*p, UNIT).to(space)) for p in PANELS)]


# ---------------------------------------------------------------- which answer counts


def choose(locator: Locator, looks: Sequence[Look]) -> Look:
    """The answer among several looks: the surest, or the one that most others agree with; ties go to the earlier look.

    Without any answer: a refusal if one was clear, else what went wrong.
    """
    found = [look for look in looks if look.point is not None]
    if not found:
        ranked = (look for status in ("refused", "unparsable", "error") for look in looks if look.status == status)
        return next(ranked, Look("error", reason="nothing was looked at"))
    if locator.scored:
        return max(found, key=lambda look: look.confidence or 0.0)
    return max(found, key=lambda look: sum(_nearness(look, other) for other in found))


def finer(locator: Locator, before: Look, after: Look) -> Look:
    """The later look where it has an answer; among comparable confidences, not where it is less sure."""
    if after.point is None:
        return before
    if locator.scored and (after.confidence or 0.0) < (before.confidence or 0.0):
        return before
    return after


def is_sure(locator: Locator, looks: Sequence[Look]) -> bool:
    """Whether a comparable confidence is so high that more looks would not help."""
    return locator.scored and any((look.confidence or 0.0) >= SURE for look in looks)


def _nearness(one: Look, other: Look) -> float:
    """1 for the same place, falling off within a few percent of the diagonal."""
    if one.point is None or other.point is None:
        return 0.0
    reach = AGREEMENT * math.hypot(*one.point.space.size)
    return math.exp(-((distance(one.point, other.point) / reach) ** 2) / 2)
