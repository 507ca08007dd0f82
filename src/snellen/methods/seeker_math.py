"""The arithmetic of ScreenSeekeR: patches, votes and the reading of the planner's replies. Pure; fractions of the current picture.

Equal to the reference where the reference works (tests/parity); each of its mistakes is noted at its function.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from snellen.core.types import Struct
from snellen.exams.grounding.geometry import UNIT, Box, iou

Patch = tuple[float, float, float, float]

SMALLEST = (1280, 768)
LARGEST_RATIO = 2.5
SAME = 0.5
SIGMA = 0.3
_TAGS = [
    re.compile(rf"<{name}>(.{{1,300}}?)</{name}>", re.DOTALL | re.IGNORECASE)
    for name in ("element", "area", "neighbor")
]
_FENCE = re.compile(r"```json\s{0,8}(.*?)```", re.DOTALL)
_NO_TARGET = re.compile(r"\bno target\b", re.IGNORECASE)


class ElementCheck(Struct, frozen=True):
    """The planner's verdict on a marked element."""

    result: Literal["is_target", "target_elsewhere", "target_not_found"]
    new_instruction: str | None = None


def score_patch(patch: Patch, point: tuple[float, float]) -> float:
    """Return how well a vote supports a patch: a Gaussian around the patch's middle, 0 outside.

    A patch without area supports nothing (the reference divides by zero there).
    """
    x1, y1, x2, y2 = patch
    x, y = point
    if x2 <= x1 or y2 <= y1 or not (x1 <= x <= x2 and y1 <= y <= y2):
        return 0.0
    dx, dy = (x - x1) / (x2 - x1) - 0.5, (y - y1) / (y2 - y1) - 0.5
    return math.exp(-(dx * dx + dy * dy) / (2 * SIGMA * SIGMA))


def score_patches(patches: Sequence[Patch], votes: Sequence[Patch]) -> list[float]:
    """Return the support of every patch, by the middles of all votes."""
    middles = [((x1 + x2) / 2, (y1 + y2) / 2) for x1, y1, x2, y2 in votes]
    return [sum(score_patch(patch, middle) for middle in middles) for patch in patches]


def dilate(
    patch: Patch, width: int, height: int, smallest: tuple[int, int] = SMALLEST, ratio: float = LARGEST_RATIO
) -> list[Patch]:
    """Grow a patch to a size worth looking at; one that is too long is halved first."""
    x1, y1, x2, y2 = patch
    wide, high = (x2 - x1) * width, (y2 - y1) * height
    if wide < smallest[0] and high < smallest[1]:
        parts: list[Patch] = [patch]
    elif wide <= ratio * high and high <= ratio * wide:
        return [patch]
    elif wide > high:
        middle = (x1 + x2) / 2
        parts = [(x1, y1, middle, y2), (middle, y1, x2, y2)]
    else:
        middle = (y1 + y2) / 2
        parts = [(x1, y1, x2, middle), (x1, middle, x2, y2)]
    grown = []
    for a, b, c, d in parts:
        (left, right), (top, bottom) = _stretched(a, c, width, smallest[0]), _stretched(b, d, height, smallest[1])
        grown.append((left, top, right, bottom))
    return grown


def _stretched(start: float, end: float, length: int, smallest: int) -> tuple[float, float]:
    """Move both ends out equally; at an edge of the picture all of it goes to the other side."""
    missing = (smallest - (end - start) * length) / 2 / length
    if missing <= 0:
        return start, end
    if start - missing < 0:
        return 0, min(1, end + 2 * missing)
    if end + missing > 1:
        return max(0, start - 2 * missing), 1
    return start - missing, end + missing


def distinct(patches: Sequence[Patch], same: float = SAME) -> list[Patch]:
    """Return the patches in their order, without those that mostly cover an earlier one."""
    kept: list[Box] = []
    for patch in patches:
        box = Box(*patch, UNIT)
        if all(iou(box, other) < same for other in kept):
            kept.append(box)
    return [box.corners for box in kept]


def ranked(candidates: Sequence[Patch], width: int, height: int) -> list[Patch]:
    """Return patches worth looking into, best first: every candidate is grown, and every candidate votes."""
    patches = [grown for c in candidates for grown in dilate(c, width, height)]
    scores = score_patches(patches, candidates)
    return distinct([patches[i] for i in sorted(range(len(patches)), key=lambda i: -scores[i])])


def read_hints(reply: str) -> tuple[list[str], bool]:
    """Return the tagged elements, areas and neighbors of a planner's reply, and whether it says that the target is absent.

    The reference sends the tags along. It never notices "No target", which counts only where nothing is named.
    """
    text = reply[:50_000]
    names = list(dict.fromkeys(" ".join(name.split()) for tag in _TAGS for name in tag.findall(text)))
    return names, not names and bool(_NO_TARGET.search(text))


def read_check(reply: str) -> ElementCheck | None:
    """Return the planner's verdict: from a ```json block, or from a bare object (which the reference does not read)."""
    text = next(reversed(_FENCE.findall(reply[:50_000])), reply)
    try:
        check = msgspec.json.decode(text[text.find("{") : text.rfind("}") + 1], type=ElementCheck)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
    return check
