"""sRGB to CIELAB and back: differences in Lab are close to what people see, so strengths are stated there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_TO_RGB = np.linalg.inv(_TO_XYZ)
_WHITE = _TO_XYZ.sum(axis=1)
_KNEE = 6.0 / 29.0

_LEVELS = np.arange(256) / 255.0
_LINEAR: Floats = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)


def rgb_to_lab(rgb: npt.ArrayLike) -> Floats:
    """Convert sRGB values 0 to 255 to Lab (D65); any shape whose last axis is the three channels."""
    levels = np.clip(np.asarray(rgb, dtype=np.float64), 0.0, 255.0)
    whole = np.minimum(levels.astype(np.intp), 254)
    low = _LINEAR[whole]
    linear = low + (levels - whole) * (_LINEAR[whole + 1] - low)
    xyz = linear @ (_TO_XYZ / _WHITE[:, None]).T
    f = np.where(xyz > _KNEE**3, np.cbrt(xyz), xyz / (3 * _KNEE**2) + 4.0 / 29.0)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def lab_to_rgb(lab: npt.ArrayLike) -> Floats:
    """Convert Lab to sRGB values, outside 0 to 255 where the colour cannot be shown."""
    values = np.asarray(lab, dtype=np.float64)
    fy = (values[..., 0] + 16) / 116
    f = np.stack([fy + values[..., 1] / 500, fy, fy - values[..., 2] / 200], axis=-1)
    xyz = np.where(f > _KNEE, f**3, 3 * _KNEE**2 * (f - 4.0 / 29.0)) * _WHITE
    linear = xyz @ _TO_RGB.T
    return 255.0 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 1e-12) ** (1 / 2.4) - 0.055)


def difference(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return the distance in Lab (CIE 1976); about 2.3 is just noticeable."""
    gap = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    return np.sqrt((gap * gap).sum(axis=-1))
