"""A classical detector of controls: frames and filled boxes by their edges, icons by the edges that remain without words and frames.

Nothing is learnt, and nothing is tuned to a generator. An edge is where two neighbouring pixels differ. A box is an area that edges
enclose in a rectangle. An icon is a small blob of edges.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels8 = NDArray[np.uint8]

Edges = tuple[int, int, int, int]

STEP = 9  # a difference between neighbours that is an edge
_FILLED = 0.78  # the share of its bounding rectangle that a box fills, rounded corners allowed
SMALLEST = 9
_LARGEST_SHARE = 0.2  # of the screen: larger boxes are panels and windows
LARGEST = (400, 200)  # an empty box; a field is lower and may be wider
_FIELD_HEIGHT = 64
ICON = (8, 96)
_ICON_RATIO = 3.2
_OUTLINE = 3.3  # edge pixels of an icon, in its longer side: the rounded corner of a frame has fewer
_JOIN = 5  # parts of an icon that are nearer than this belong together


def find_shapes(pixels: Pixels8, words: Sequence[Edges]) -> tuple[list[tuple[Edges, list[int]]], list[Edges]]:
    """Return controls, each with the words in it (by index), and icons; from top to bottom."""
    edges = _edge_map(pixels)
    scale = max(1.0, min(pixels.shape[:2]) / 1080)
    boxes = _enclosed(edges)
    controls = []
    for box in boxes:
        inside = sorted((i for i, w in enumerate(words) if _centre_in(w, box)), key=lambda i: words[i][0])
        if _is_control(box, [words[i] for i in inside], boxes, scale):
            controls.append((box, inside))
    icons = sorted(_blobs(edges, words, scale), key=reading_order)
    return sorted(controls, key=lambda c: reading_order(c[0])), icons


def reading_order(box: Edges) -> tuple[int, int]:
    """Return the key that sorts boxes from top to bottom, then from left to right."""
    return box[1] // 8, box[0]


def _within(inner: Edges, box: Edges) -> bool:
    """Tell whether a box lies in another one."""
    return box[0] <= inner[0] and inner[2] <= box[2] and box[1] <= inner[1] and inner[3] <= box[3]


def _cv2() -> Any:
    return importlib.import_module("cv2")


def _edge_map(pixels: Pixels8) -> Pixels8:
    """Return 255 where a pixel differs from its right or lower neighbour."""
    import numpy as np

    values = pixels.astype(np.int16)
    edges = np.zeros(pixels.shape[:2], dtype=np.uint8)
    edges[:, :-1][np.abs(np.diff(values, axis=1)).max(axis=2) >= STEP] = 255
    edges[:-1, :][np.abs(np.diff(values, axis=0)).max(axis=2) >= STEP] = 255
    return edges


def _enclosed(edges: Pixels8) -> list[Edges]:
    """Return rectangular areas that edges enclose: the insides of frames, of filled boxes, of table cells."""
    cv2 = _cv2()
    height, width = edges.shape
    contours, tree = cv2.findContours(edges, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    found: list[Edges] = []
    for contour, (_next, _previous, _child, parent) in zip(contours, () if tree is None else tree[0], strict=True):
        if parent < 0:
            continue  # only holes are insides
        x, y, wide, high = (int(v) for v in cv2.boundingRect(contour))
        if wide < SMALLEST or high < SMALLEST or wide * high > _LARGEST_SHARE * width * height:
            continue
        if cv2.contourArea(contour) >= _FILLED * (wide - 1) * (high - 1):
            found.append((x, y, x + wide, y + high))
    kept: list[Edges] = []  # without near copies (the inner and outer edge of one frame): the larger one stays
    for box in sorted(found, key=lambda b: -(b[2] - b[0]) * (b[3] - b[1])):
        if not any(all(abs(a - b) <= 4 for a, b in zip(box, other, strict=True)) for other in kept):
            kept.append(box)
    return kept


def _is_control(box: Edges, words: Sequence[Edges], boxes: Sequence[Edges], scale: float) -> bool:
    """Tell whether an enclosed area is a control: empty and not too large, or around one line of words."""
    wide, high = _size(box)
    if not words:
        return high <= _FIELD_HEIGHT * scale or (wide <= LARGEST[0] * scale and high <= LARGEST[1] * scale)
    tall = max(w[3] - w[1] for w in words)
    if max(w[3] for w in words) - min(w[1] for w in words) > 1.8 * tall or high > 4 * tall:
        return False  # several lines: a panel
    smaller = (other for other in boxes if other != box and _within(other, box))
    return not any(all(_centre_in(w, other) for w in words) for other in smaller)


def _blobs(edges: Pixels8, words: Sequence[Edges], scale: float) -> list[Edges]:
    """Return small groups of edges that are neither writing nor frames."""
    import numpy as np

    cv2 = _cv2()
    rest = edges.copy()
    for shape in ((1, 40), (40, 1)):  # long straight runs: frames, dividers, underlines
        rest[cv2.morphologyEx(edges, cv2.MORPH_OPEN, np.ones(shape, dtype=np.uint8)) > 0] = 0
    for x1, y1, x2, y2 in words:
        rest[y1:y2, x1:x2] = 0
    side = max(3, round(_JOIN * scale)) | 1
    joined = cv2.dilate(rest, np.ones((side, side), dtype=np.uint8))
    count, _labels, stats, _middles = cv2.connectedComponentsWithStats(joined, connectivity=8)
    found = []
    for i in range(1, count):
        x, y, wide, high, _area = (int(v) for v in stats[i])
        box = _grown((x, y, x + wide, y + high), -(side // 2))
        shorter, longer = sorted(_size(box))
        inked = np.count_nonzero(rest[box[1] : box[3], box[0] : box[2]])
        if ICON[0] <= shorter and longer <= min(ICON[1] * scale, _ICON_RATIO * shorter) and inked >= _OUTLINE * longer:
            found.append(box)
    return found


def _size(box: Edges) -> tuple[int, int]:
    return box[2] - box[0], box[3] - box[1]


def _centre_in(inner: Edges, box: Edges) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _grown(box: Edges, by: int) -> Edges:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by
