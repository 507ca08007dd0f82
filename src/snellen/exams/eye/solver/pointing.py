"""The red square from pixels: the middle of the red pixels that have only red ones around them.

A pixel is red if the square covers more than half of it. Three by three such pixels are always found if the square is 3.41 pixels wide (2 +
sqrt 2), and never if it is 2.41 (1 + sqrt 2). At 2.94 they are found half of the time, depending on its position (on a ground without
colour; computed over all positions). Pixels are those of the picture as received, so any reduction on the way moves the threshold.
"""

from __future__ import annotations

import numpy as np

from snellen.exams.eye.solver.base import Pixels
from snellen.synthetic.sheets.pointing import SIDE, TARGET

_RED = (TARGET[0] - max(TARGET[1:])) / 2


def red_square(picture: Pixels) -> str:
    """Return the middle of the red square in thousandths of the picture; empty if no pixel is surrounded by red ones."""
    red = picture[..., 0] - np.maximum(picture[..., 1], picture[..., 2]) > _RED
    for _ in range(2):  # along one side, then along the other
        red = (red[:-2] & red[1:-1] & red[2:]).T
    rows, columns = np.nonzero(red)
    if not len(rows):
        return ""
    high, wide = picture.shape[:2]
    x, y = (float(columns.mean()) + 1.5) * SIDE / wide, (float(rows.mean()) + 1.5) * SIDE / high
    return f"{round(x, 1):g},{round(y, 1):g}"
