"""Letters from pixels, by two crude but honest rules.

**Small letters.** Every pixel is ink or ground, whichever is nearer. Each of a letter's 5 x 5 cells is looked up at one pixel, the one at
the cell's middle. A letter is read only if each of its five rows of cells has a row of pixels of its own, and each of its columns a column:
one pixel per stroke. If strokes are d pixels wide, the middles of the outer ones are 4 d apart. They always fall on five different pixels
if d is 1 or more, and never if it is 3/4 or less. In between the probability is 4 d - 3, depending on the letter's position. Across and
down that is (4 d - 3) squared: half at d = (3 + 1 / sqrt 2) / 4 = 0.927, a letter of 4.63 pixels. Pixels are those of the picture as
received, so any reduction on the way moves the threshold.

**Faint letters.** The picture is averaged over blocks of 8 x 8 pixels. A block is ink if it is darker than the ground by four times the
blocks' own spread. Pixels with a spread of s give blocks with a spread of s / 8. So half of the blocks of a letter that is darker by s / 2
grey levels are seen, and a little above that the letter is read. This is a quarter of a level (0.3%) for the drawn noise alone (s = 0.5),
and proportionally more with added noise.
"""

from __future__ import annotations

import numpy as np

from snellen.exams.eye.solver.base import Mask, Pixels, grey, ground, nearest_letter, span
from snellen.synthetic.sheets.marks import STROKES

SMALLEST = 40
"""The shortest side, in pixels, at which anything is measured."""
BLOCK, TIMES = 8, 4.0
_LINE = 9  # letters and gaps of a line
_ROOM = 2  # pixels around a triangle that still contain a little of it
_DEEP = 0.98  # a letter has at least 4% of the blocks: this one is among them
_FLOOR = 0.02  # levels: blocks of a picture without noise do not vary at all
_AS_SPREAD = 1.4826  # from the median deviation to a normal spread


def middle_letter(picture: Pixels) -> str:
    """Return the letter at which the two triangles point; empty if no line of letters is found between them."""
    light = grey(picture)
    base = float(ground(light))
    share = (base - light) / max(base - float(light.min()), 1.0)  # fraction of ink in each pixel
    ink = share > 0.5
    bands = _bands(ink.max(axis=1))
    if len(bands) < 3:
        return ""
    upper, lower = bands[0], bands[-1]
    (upper_y, upper_x), (lower_y, lower_x) = (_middle(share, ink, band) for band in (upper, lower))
    left, right = span(ink[upper[1] : lower[0]].max(axis=0))
    stroke = (right - left) / (_LINE * STROKES)
    at = (np.arange(STROKES) - STROKES // 2) * stroke
    rows, columns = (
        np.floor(middle + at).astype(np.intp) for middle in ((upper_y + lower_y) / 2, (upper_x + lower_x) / 2)
    )
    if min(len(set(rows.tolist())), len(set(columns.tolist()))) < STROKES:
        return ""
    if rows[0] < 0 or columns[0] < 0 or rows[-1] >= ink.shape[0] or columns[-1] >= ink.shape[1]:
        return ""
    return nearest_letter(ink[rows[:, None], columns[None, :]].astype(np.float64))


def _middle(share: Pixels, ink: Mask, band: tuple[int, int]) -> tuple[float, float]:
    """Return the middle of a triangle's ink, down and across. Pixels at the edges count by their share, so the position is exact to less
    than a pixel.

    By whole pixels it would be off by up to half a pixel, more at some sizes of the picture than at others, and thresholds with it.
    """
    across = span(ink[slice(*band)].max(axis=0))
    (top, bottom), (left, right) = ((max(first - _ROOM, 0), last + _ROOM) for first, last in (band, across))
    part = share[top:bottom, left:right]
    down, over = (np.arange(side) + 0.5 for side in part.shape)
    mass = float(part.sum())
    return top + float(part.sum(axis=1) @ down) / mass, left + float(part.sum(axis=0) @ over) / mass


def _bands(seen: Mask) -> list[tuple[int, int]]:
    """Return the runs of rows with something visible."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], seen, [False]]).astype(np.int8)))
    return [(int(first), int(last)) for first, last in steps.reshape(-1, 2)]


def faint_letter(picture: Pixels) -> str:
    """Return the one large letter; empty if no block is darker than blocks are by chance."""
    light = grey(picture)
    high, wide = (side // BLOCK for side in light.shape)
    blocks = light[: high * BLOCK, : wide * BLOCK].reshape(high, BLOCK, wide, BLOCK).mean(axis=(1, 3))
    base = float(np.median(blocks))
    spread = max(_AS_SPREAD * float(np.median(np.abs(blocks - base))), _FLOOR)
    darker = base - blocks
    ink = darker > max(
        TIMES * spread, float(np.quantile(darker, _DEEP)) / 2
    )  # of a plain letter's edge, the darker half
    ink &= _neighbours(ink) > 0  # an isolated block is chance
    top, bottom = span(ink.max(axis=1))
    left, right = span(ink.max(axis=0))
    if min(bottom - top, right - left) < STROKES:
        return ""
    return nearest_letter(_cells(ink[top:bottom, left:right].astype(np.float64)))


def _neighbours(ink: Mask) -> Pixels:
    """Return how many of the eight blocks around each are ink."""
    room = np.pad(ink.astype(np.float64), 1)
    high, wide = ink.shape
    return sum(
        (room[y : y + high, x : x + wide] for y in range(3) for x in range(3) if (y, x) != (1, 1)), np.zeros(ink.shape)
    )


def _cells(ink: Pixels) -> Pixels:
    """Return the share of ink in each of 5 x 5 cells."""
    for _ in range(2):
        edges = np.linspace(0, ink.shape[0], STROKES + 1)
        sums = np.concatenate([np.zeros((1, ink.shape[1])), ink.cumsum(axis=0)])
        whole = np.minimum(edges.astype(np.intp), ink.shape[0] - 1)
        at = sums[whole] + (sums[whole + 1] - sums[whole]) * (edges - whole)[:, None]
        ink = (np.diff(at, axis=0) * (STROKES / ink.shape[0])).T
    return ink
