"""CIEDE2000: the distance between two colours that the CIE recommends.

After Sharma, Wu and Dalal (2005), whose test pairs are in the tests. In double precision, element by element.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from snellen.synthetic.sheets.paper import Floats

_FAR = 25.0**7


def _hue(a: Floats, b: Floats) -> Floats:
    out: Floats = np.degrees(np.arctan2(b, a)) % 360.0
    return np.where((a == 0) & (b == 0), 0.0, out)


def _cos(degrees: Floats) -> Floats:
    return np.cos(np.radians(degrees))


def ciede2000(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return the distance of Lab colours; any shape whose last axis is L, a, b."""
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    l1, a1, b1 = one[..., 0], one[..., 1], one[..., 2]
    l2, a2, b2 = two[..., 0], two[..., 1], two[..., 2]
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    grow = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + _FAR))
    a1, a2 = a1 * grow, a2 * grow
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = _hue(a1, b1), _hue(a2, b2)
    grey = c1 * c2 == 0
    turn = h2 - h1
    turn = np.where(turn > 180, turn - 360, np.where(turn < -180, turn + 360, turn))
    turn = np.where(grey, 0.0, turn)
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2)
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    far = np.abs(h1 - h2) > 180
    hue = np.where(grey, h1 + h2, np.where(far, (h1 + h2 + np.where(h1 + h2 < 360, 360, -360)) / 2, (h1 + h2) / 2))
    t = 1 - 0.17 * _cos(hue - 30) + 0.24 * _cos(2 * hue) + 0.32 * _cos(3 * hue + 6) - 0.20 * _cos(4 * hue - 63)
    sl = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    sc, sh = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    bend = 60 * np.exp(-(((hue - 275) / 25) ** 2))
    rt = -2 * np.sqrt(chroma**7 / (chroma**7 + _FAR)) * np.sin(np.radians(bend))
    x, y, z = dl / sl, dc / sc, dh / sh
    return np.sqrt(x * x + y * y + z * z + rt * y * z)
