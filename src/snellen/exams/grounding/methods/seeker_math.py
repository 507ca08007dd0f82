"""The arithmetic of ScreenSeekeR: patches, votes and the reading of the planner's replies. Pure; fractions of the current picture.

Equal to the reference where the reference works (tests/parity); what it gets wrong is noted at each function.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

Patch = tuple[float, float, float, float]

SMALLEST = (1280, 768)
LARGEST_RATIO = 2.5
SAME = 0.5
MIDDLE = 0.5
SIGMA = 0.3
_TAGS = {
    name: re.compile(rf"<{name}>(.{{1,300}}?)</{name}>", re.DOTALL | re.IGNORECASE)
    for name in ("element", "area", "neighbor")
}
_FENCE = re.compile(r"```json\s{0,8}(.*?)```", re.DOTALL)
_NO_TARGET = re.compile(r"\bno target\b", re.IGNORECASE)
RESULTS = ("is_target", "target_elsewhere", "target_not_found")


class Hints(NamedTuple):
    """What the planner names: the element, the areas that may hold it, and its neighbours."""

    elements: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    neighbours: tuple[str, ...] = ()
    absent: bool = False

    @property
    def all(self) -> tuple[str, ...]:
        """Every hint once, in the order in which they are grounded."""
        return tuple(dict.fromkeys((*self.elements, *self.areas, *self.neighbours)))


class ElementCheck(NamedTuple):
    """What the planner says of a marked element."""

    result: str
    new_instruction: str | None = None


def score_patch(patch: Patch, point: tuple[float, float]) -> float:
    """How well a vote supports a patch: a Gaussian around the patch's middle, 0 outside.

    A patch without area supports nothing (the reference divides by zero there).
    """
    x1, y1, x2, y2 = patch
    x, y = point
    if x2 <= x1 or y2 <= y1 or not (x1 <= x <= x2 and y1 <= y <= y2):
        return 0.0
    dx, dy = (x - x1) / (x2 - x1) - MIDDLE, (y - y1) / (y2 - y1) - MIDDLE
    return math.exp(-(dx * dx + dy * dy) / (2 * SIGMA * SIGMA))


def score_patches(patches: Sequence[Patch], votes: Sequence[Patch]) -> list[float]:
    """The support of every patch, by the middles of all votes."""
    middles = [((x1 + x2) / 2, (y1 + y2) / 2) for x1, y1, x2, y2 in votes]
    return [sum(score_patch(patch, middle) for middle in middles) for patch in patches]


def dilate(
    patch: Patch, width: int, height: int, smallest: tuple[int, int] = SMALLEST, ratio: float = LARGEST_RATIO
) -> list[Patch]:
    """A patch grown to a size worth looking at; one that is too long is halved first."""
    wide, high = (patch[2] - patch[0]) * width, (patch[3] - patch[1]) * height
    if wide < smallest[0] and high < smallest[1]:
        return [_padded(patch, width, height, smallest)]
    if wide <= ratio * high and high <= ratio * wide:
        return [patch]
    x1, y1, x2, y2 = patch
    if wide > high:
        middle = (x1 + x2) / 2
        halves: list[Patch] = [(x1, y1, middle, y2), (middle, y1, x2, y2)]
    else:
        middle = (y1 + y2) / 2
        halves = [(x1, y1, x2, middle), (x1, middle, x2, y2)]
    return [_padded(half, width, height, smallest) for half in halves]


def _padded(patch: Patch, width: int, height: int, smallest: tuple[int, int]) -> Patch:
    x1, x2 = _stretched(patch[0], patch[2], width, smallest[0])
    y1, y2 = _stretched(patch[1], patch[3], height, smallest[1])
    return x1, y1, x2, y2


def _stretched(start: float, end: float, length: int, smallest: int) -> tuple[float, float]:
    """Both ends moved out equally; at an edge of the picture all of it goes to the other side."""
    missing = (smallest - (end - start) * length) / 2 / length
    if missing <= 0:
        return start, end
    low, high = start - missing, end + missing
    if low < 0:
        return 0, min(1, end + 2 * missing)
    if high > 1:
        return max(0, start - 2 * missing), 1
    return low, high


def overlap(a: Patch, b: Patch) -> float:
    """Intersection over union."""
    wide = min(a[2], b[2]) - max(a[0], b[0])
    high = min(a[3], b[3]) - max(a[1], b[1])
    if wide <= 0 or high <= 0:
        return 0.0
    common = wide * high
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common)


def distinct(patches: Sequence[Patch], same: float = SAME) -> list[Patch]:
    """Patches in their order, without those that mostly cover an earlier one."""
    kept: list[Patch] = []
    for patch in patches:
        if all(overlap(patch, other) < same for other in kept):
            kept.append(patch)
    return kept


def ranked(candidates: Sequence[Patch], width: int, height: int) -> list[Patch]:
    """Patches worth looking into, best first: every candidate is grown, and every candidate votes."""
    patches = [grown for c in candidates for grown in dilate(c, width, height)]
    scores = score_patches(patches, candidates)
    order = sorted(range(len(patches)), key=lambda i: -scores[i])
    return distinct([patches[i] for i in order])


def read_hints(reply: str) -> Hints:
    """The tagged names in a planner's reply, without their tags (the reference sends the tags along).

    "No target" counts only where nothing is named (the reference never notices it).
    """
    text = reply[:50_000]
    found = {name: tuple(" ".join(t.split()) for t in tag.findall(text)) for name, tag in _TAGS.items()}
    nothing = not any(found.values())
    return Hints(found["element"], found["area"], found["neighbor"], nothing and bool(_NO_TARGET.search(text)))


def read_check(reply: str, fenced: bool = False) -> ElementCheck | None:
    """The planner's verdict: from a ```json block, or (unless `fenced`, as in the reference) from a bare object."""
    blocks = _FENCE.findall(reply[:50_000])
    pieces = blocks[-1:] if blocks else []
    if not pieces and not fenced and 0 <= reply.find("{") < reply.rfind("}"):
        pieces = [reply[reply.find("{") : reply.rfind("}") + 1]]
    for piece in pieces:
        try:
            data = msgspec.json.decode(piece)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            return None
        if isinstance(data, dict) and data.get("result") in RESULTS:
            new = data.get("new_instruction")
            return ElementCheck(data["result"], new if isinstance(new, str) and new.strip() else None)
    return None
