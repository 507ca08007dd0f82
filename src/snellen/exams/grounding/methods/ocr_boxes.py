"""A classical detector of controls: frames and filled boxes by their edges, icons by what is left when words and frames are taken out.

No learning, nothing tuned to a generator: an edge is where two neighbouring pixels differ, a box is an area that edges enclose in a
rectangle, an icon is a small blob of edges.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels8 = NDArray[np.uint8]

Edges = tuple[int, int, int, int]

STEP = 9  # a difference between neighbours that is an edge
FILLED = 0.78  # how much of its bounding rectangle a box fills, rounded corners allowed
SMALLEST = 9
LARGEST_SHARE = 0.2  # of the screen: larger boxes are panels and windows
TICK = (9, 34)  # sides of check boxes and radio buttons
ICON = (8, 96)
ICON_RATIO = 3.2
OUTLINE = 3.3  # edge pixels of an icon, in its longer side: the rounded corner of a frame has fewer
JOIN = 5  # parts of an icon that are nearer than this belong together


class ScreenShape(NamedTuple):
    """Something that is not writing. `inside` are the words that stand in it, by index."""

    box: Edges
    kind: str
    inside: tuple[int, ...] = ()


def _cv2() -> Any:
    return importlib.import_module("cv2")


def find_shapes(pixels: Pixels8, words: Sequence[Edges], unread: Sequence[Edges] = ()) -> list[ScreenShape]:
    """Controls with and without words, then icons; each from top to bottom."""
    edges = edge_map(pixels)
    scale = max(1.0, min(pixels.shape[:2]) / 1080)
    boxes = [b for b in enclosed(edges) if not any(_within(b, w) for w in words)]  # the inside of an "o" is no box
    controls = [shape for box in boxes if (shape := _control(box, words, boxes, scale)) is not None]
    ticks = [_grown(c.box, 4) for c in controls if c.kind == "checkbox"]
    icons = [box for box in blobs(edges, words, scale) if not any(_within(box, t) for t in ticks)]
    icons += [box for box in unread if _is_blob(box, scale) and not any(_meet(box, other) for other in icons)]
    return [*sorted(controls, key=_place), *sorted((ScreenShape(box, "icon") for box in icons), key=_place)]


def edge_map(pixels: Pixels8) -> Pixels8:
    """255 where a pixel differs from its right or lower neighbour."""
    import numpy as np

    values = pixels.astype(np.int16)
    edges = np.zeros(pixels.shape[:2], dtype=np.uint8)
    edges[:, :-1][np.abs(np.diff(values, axis=1)).max(axis=2) >= STEP] = 255
    edges[:-1, :][np.abs(np.diff(values, axis=0)).max(axis=2) >= STEP] = 255
    return edges


def enclosed(edges: Pixels8) -> list[Edges]:
    """Rectangular areas that edges enclose: the insides of frames, of filled boxes, of table cells."""
    cv2 = _cv2()
    height, width = edges.shape
    contours, tree = cv2.findContours(edges, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    found: list[Edges] = []
    for contour, (_next, _previous, _child, parent) in zip(contours, () if tree is None else tree[0], strict=True):
        if parent < 0:
            continue  # only holes are insides
        x, y, wide, high = (int(v) for v in cv2.boundingRect(contour))
        if wide < SMALLEST or high < SMALLEST or wide * high > LARGEST_SHARE * width * height:
            continue
        if cv2.contourArea(contour) >= FILLED * (wide - 1) * (high - 1):
            found.append((x, y, x + wide, y + high))
    return _distinct(found)


def blobs(edges: Pixels8, words: Sequence[Edges], scale: float) -> list[Edges]:
    """Small groups of edges that are neither writing nor frames."""
    import numpy as np

    cv2 = _cv2()
    rest = _without_lines(edges)
    for x1, y1, x2, y2 in words:
        rest[y1:y2, x1:x2] = 0
    side = max(3, round(JOIN * scale)) | 1
    joined = cv2.dilate(rest, np.ones((side, side), dtype=np.uint8))
    count, _labels, stats, _middles = cv2.connectedComponentsWithStats(joined, connectivity=8)
    found = []
    for i in range(1, count):
        x, y, wide, high, _area = (int(v) for v in stats[i])
        box = _grown((x, y, x + wide, y + high), -(side // 2))
        inked = np.count_nonzero(rest[box[1] : box[3], box[0] : box[2]])
        if _is_blob(box, scale) and inked >= OUTLINE * max(box[2] - box[0], box[3] - box[1]):
            found.append(box)
    return found


def _without_lines(edges: Pixels8) -> Pixels8:
    """Edges without long straight runs: frames, dividers, underlines."""
    import numpy as np

    cv2 = _cv2()
    rest = edges.copy()
    for shape in ((1, 40), (40, 1)):
        lines = cv2.morphologyEx(edges, cv2.MORPH_OPEN, np.ones(shape, dtype=np.uint8))
        rest[lines > 0] = 0
    return rest


def _is_blob(box: Edges, scale: float) -> bool:
    wide, high = box[2] - box[0], box[3] - box[1]
    shorter, longer = min(wide, high), max(wide, high)
    return ICON[0] <= shorter and longer <= ICON[1] * scale and longer <= ICON_RATIO * shorter


def _control(box: Edges, words: Sequence[Edges], boxes: Sequence[Edges], scale: float) -> ScreenShape | None:
    """What kind of control an enclosed area is; None for a panel."""
    wide, high = box[2] - box[0], box[3] - box[1]
    inside = [i for i, w in enumerate(words) if _centre_in(w, box)]
    if not inside:
        shorter, longer = min(wide, high), max(wide, high)
        if TICK[0] * scale <= shorter and longer <= TICK[1] * scale and longer <= 1.35 * shorter:
            return ScreenShape(box, "checkbox")
        if 16 <= high <= 64 * scale and wide >= 2.5 * high:
            return ScreenShape(box, "field")
        return ScreenShape(box, "box") if high <= 200 * scale and wide <= 400 * scale else None
    tall = max(words[i][3] - words[i][1] for i in inside)
    top, bottom = min(words[i][1] for i in inside), max(words[i][3] for i in inside)
    if bottom - top > 1.8 * tall or high > 4 * tall:
        return None  # several lines: a panel
    smaller = (other for other in boxes if other != box and _within(other, box))
    if any(all(_centre_in(words[i], other) for i in inside) for other in smaller):
        return None  # a smaller box holds the same words
    left, right = min(words[i][0] for i in inside), max(words[i][2] for i in inside)
    before, after = left - box[0], box[2] - right
    centred = abs(before - after) <= max(6, 0.25 * (right - left), 0.6 * tall)
    kind = "button" if centred and before <= 8 * tall else "field" if before <= 4 * tall else "box"
    return ScreenShape(box, kind, tuple(sorted(inside, key=lambda i: words[i][0])))


def _centre_in(inner: Edges, box: Edges) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _within(inner: Edges, box: Edges) -> bool:
    return box[0] <= inner[0] and inner[2] <= box[2] and box[1] <= inner[1] and inner[3] <= box[3]


def _grown(box: Edges, by: int) -> Edges:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _meet(a: Edges, b: Edges) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _distinct(boxes: list[Edges]) -> list[Edges]:
    """Boxes without near copies (the inner and outer edge of one frame): the larger one stays."""
    kept: list[Edges] = []
    for box in sorted(boxes, key=lambda b: -(b[2] - b[0]) * (b[3] - b[1])):
        if not any(all(abs(a - b) <= 4 for a, b in zip(box, other, strict=True)) for other in kept):
            kept.append(box)
    return kept


def _place(shape: ScreenShape) -> tuple[Any, ...]:
    return shape.box[1] // 8, shape.box[0]
