"""An eye for the tests' endpoint: it reads charts from the pixels that it receives, however they were changed on the way.

It knows where the letters of a chart are, but not which letters they are. Its sight is slightly blurred, so that it cannot read
letters of a few pixels, in any picture.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image

from snellen.synthetic.charts import COLOURS, DIGIT_HEIGHT, DIGITS, LETTERS, NUMBERED, LetterRow, ink

BLUR = 0.8
ALIKE, APART = 0.72, 0.04
FAINTEST = 0.35
SIDE = 32


def _normal(levels: np.ndarray, faintest: float = FAINTEST) -> np.ndarray | None:
    spread = float(levels.std())
    return None if spread < faintest else (levels - levels.mean()) / spread


@lru_cache(maxsize=4096)
def _template(text: str, height: int, side: int) -> np.ndarray:
    image = Image.fromarray(-255 * ink(text, height, side))
    found = _normal(np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BICUBIC)))
    assert found is not None
    return found


def _best(cell: Image.Image, texts: list[str], height: int, side: int, faintest: float = FAINTEST) -> str:
    seen = _normal(np.asarray(cell, dtype=np.float32), faintest)
    if seen is None:
        return "-"
    scores = sorted(((float((seen * _template(t, height, side)).mean()), t) for t in texts), reverse=True)
    return scores[0][1] if scores[0][0] >= ALIKE and scores[0][0] - scores[1][0] >= APART else "-"


def read_rows(
    image: Image.Image, rows: tuple[LetterRow, ...], width: int, blur: float = BLUR, faintest: float = FAINTEST
) -> list[str]:
    """Return the letters of each row; `width` is that of the chart as drawn. `blur` and `faintest` make weaker eyes."""
    scale = image.width / width
    grey = _blurred(image, blur)
    said = []
    for row in rows:
        letters = ""
        for cell in row.cells:
            part = grey.resize((SIDE, SIDE), Image.Resampling.BICUBIC, box=tuple(v * scale for v in cell.box))
            letters += _best(part, list(LETTERS), row.height, cell.side, faintest)
        said.append(letters)
    return said


def _blurred(image: Image.Image, blur: float = BLUR) -> Image.Image:
    """Return the grey levels as the eye sees them. (Pillow blurs whole levels only, which would remove faint letters.)"""
    levels = np.asarray(image.convert("L"), dtype=np.float32)
    far = max(3, round(3 * blur))
    reach = np.arange(-far, far + 1)
    weights = np.exp(-(reach**2) / (2 * blur**2))
    weights /= weights.sum()
    for axis in (0, 1):
        padded = np.pad(levels, [(far, far) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
        length = levels.shape[axis]
        levels = sum(w * np.take(padded, range(i, i + length), axis=axis) for i, w in enumerate(weights))
    return Image.fromarray(levels.astype(np.float32))


def read_number(image: Image.Image) -> str:
    """Return the number on a numbered picture."""
    scale = image.width / NUMBERED
    part = _blurred(image).resize((SIDE, SIDE), Image.Resampling.BICUBIC, box=tuple(v * scale for v in DIGITS.box))
    return _best(part, [str(n) for n in range(10, 100)], DIGIT_HEIGHT, DIGITS.side)


def find_discs(image: Image.Image) -> dict[str, tuple[float, float]]:
    """Return the middle of each coloured disc, in pixels of the picture as seen."""
    pixels = np.asarray(image.convert("RGB"), dtype=np.int32)
    found = {}
    for colour, rgb in COLOURS.items():
        ys, xs = np.nonzero(np.abs(pixels - np.array(rgb)).max(axis=2) < 45)
        if len(xs):
            found[colour] = (float(np.median(xs)) + 0.5, float(np.median(ys)) + 0.5)
    return found
