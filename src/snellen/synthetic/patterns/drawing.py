"""Outlines, antialiased patches and colours for composing the synthetic scenes."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from snellen.synthetic.drawings import read_table
from snellen.synthetic.patterns.colour import Floats, difference, lab_to_rgb, rgb_to_lab

TABLE = read_table("patterns/patterns.toml")
Pixels = npt.NDArray[np.uint8]
PixelBox = tuple[int, int, int, int]
DIFFICULTIES = tuple(TABLE["o3"])
RED = (255, 0, 0)


@dataclass(frozen=True, slots=True)
class OddOneOut:
    """A finished picture in which one object is odd, with its ground truth.

    `box` holds the target's ink, right and bottom edge exclusive.
    """

    image: Pixels
    box: PixelBox
    count: int
    features: tuple[str, ...]
    difficulty: str
    plural: str = "objects"
    singular: str = "object"


def _circle(points: int = 120) -> Floats:
    turn = np.linspace(0, 2 * np.pi, points, endpoint=False)
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


def _spikes(points: int, inner: float) -> Floats:
    turn = np.arange(2 * points) * np.pi / points
    radius = np.where(np.arange(2 * points) % 2 == 0, 1.0, inner)
    return np.stack([np.cos(turn), np.sin(turn)], axis=1) * radius[:, None]


def _leaf() -> Floats:
    along = np.linspace(-1, 1, 60)
    half = 0.42 * (1 - along**2)
    return np.concatenate([np.stack([along, half], 1), np.stack([along, -half], 1)[::-1][1:-1]])


def _drop() -> Floats:
    """Return an outline with a rounded end on the left and a point on the right: only a full turn maps it onto itself."""
    turn = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    return np.stack([np.cos(turn), 0.8 * np.sin(turn) * np.sin(turn / 2)], axis=1)


def _rectangle(aspect: float) -> Floats:
    return np.array([[-1, -aspect], [1, -aspect], [1, aspect], [-1, aspect]], dtype=np.float64)


def _cross(arm: float) -> Floats:
    quarter = np.array([[1, -arm], [1, arm], [arm, arm]])
    turns = [np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]) for t in np.arange(4) * np.pi / 2]
    return np.concatenate([quarter @ turn for turn in turns])


def _area_and_centroid(points: Floats) -> tuple[float, Floats]:
    """Return area and centre of mass of a simple polygon."""
    after = np.roll(points, -1, axis=0)
    cross = points[:, 0] * after[:, 1] - after[:, 0] * points[:, 1]
    area = float(cross.sum() / 2)
    return abs(area), ((points + after) * cross[:, None]).sum(axis=0) / (6 * area)


def unit_area(points: Floats) -> Floats:
    """Return the same outline with area 1, centred on its centre of mass."""
    area, centre = _area_and_centroid(points)
    return (points - centre) / np.sqrt(area)


_ARROW = np.array([[-0.5, -0.1], [-0.05, -0.1], [-0.05, -0.3], [0.5, 0.0], [-0.05, 0.3], [-0.05, 0.1], [-0.5, 0.1]])
_RAW: dict[str, tuple[Floats, float]] = {
    "circle": (_circle(), 0.0),
    "ellipse": (_circle() * [1.0, 0.5], 180.0),
    "egg": (_circle() * [1.0, 0.72], 180.0),
    "square": (_rectangle(1.0), 90.0),
    "rectangle": (_rectangle(0.5), 180.0),
    "bar": (_rectangle(0.2), 180.0),
    "triangle": (_spikes(3, 0.5), 120.0),
    "wedge": (np.array([[-0.6, -0.45], [1.0, 0.0], [-0.6, 0.45]]), 360.0),
    "arrow": (_ARROW, 360.0),
    "star": (_spikes(5, 0.45), 72.0),
    "hexagon": (_spikes(6, np.cos(np.pi / 6)), 60.0),
    "cross": (_cross(0.36), 90.0),
    "leaf": (_leaf(), 180.0),
    "drop": (_drop(), 360.0),
}
OUTLINES: dict[str, Floats] = {name: unit_area(points) for name, (points, _) in _RAW.items()}
"""Outlines of area 1 around their centre of mass."""
PERIOD: dict[str, float] = {name: period for name, (_, period) in _RAW.items()}
"""The smallest turn in degrees that maps the outline onto itself; 0 if every turn does and orientation cannot be seen."""


def reach(points: Floats) -> float:
    """Return the radius of the smallest circle around the origin that holds the outline."""
    return float(np.hypot(points[:, 0], points[:, 1]).max())


def turned(points: Floats, degrees: float) -> Floats:
    """Return the outline turned clockwise as seen on the screen (y points down)."""
    angle = np.radians(degrees)
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, s], [-s, c]])


def polar(points: Floats, angles: Floats) -> Floats:
    """Return the distance from the origin to the outline in each direction (the origin must see every part of the outline)."""
    start, edge = points, np.roll(points, -1, axis=0) - points
    ray = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    cross = ray[:, None, 0] * edge[None, :, 1] - ray[:, None, 1] * edge[None, :, 0]
    safe = np.where(np.abs(cross) < 1e-12, np.inf, cross)
    far = (start[None, :, 0] * edge[None, :, 1] - start[None, :, 1] * edge[None, :, 0]) / safe
    along = (start[None, :, 0] * ray[:, None, 1] - start[None, :, 1] * ray[:, None, 0]) / safe
    hit = (along >= -1e-9) & (along <= 1 + 1e-9) & (far > 0)
    return np.where(hit, far, 0.0).max(axis=1)


def coverage(points: Floats, oversample: int, margin: int = 0) -> tuple[npt.NDArray[np.float32], int, int]:
    """Return the covered share of each pixel under the outline (in image coordinates), and the patch's left and top."""
    left, top = np.floor(points.min(axis=0)).astype(int) - margin
    right, bottom = np.ceil(points.max(axis=0)).astype(int) + margin
    width, height = int(right - left), int(bottom - top)
    fine = Image.new("L", (width * oversample, height * oversample))
    moved = (points - [left, top]) * oversample - 0.5
    ImageDraw.Draw(fine).polygon([(float(x), float(y)) for x, y in moved], fill=255)
    patch = np.asarray(fine.reduce(oversample), dtype=np.float32) / np.float32(255)
    return patch, int(left), int(top)


def ink_box(cover: npt.NDArray[np.float32], left: int, top: int, level: float = 0.1) -> PixelBox:
    """Return the tight box of the visibly covered pixels, in image coordinates."""
    rows = np.flatnonzero((cover > level).any(axis=1))
    columns = np.flatnonzero((cover > level).any(axis=0))
    return left + int(columns[0]), top + int(rows[0]), left + int(columns[-1]) + 1, top + int(rows[-1]) + 1


def _like_frame(rgb: Floats) -> bool:
    """Tell whether a colour could be mistaken for the red rectangle."""
    return bool(rgb[0] > 175 and rgb[1] < 90 and rgb[2] < 90)


def _showable(lab: Floats) -> bool:
    """Tell whether a screen can show the colour and it is not the red of the rectangle."""
    rgb = lab_to_rgb(lab)
    return bool((rgb >= 0).all() and (rgb <= 255).all()) and not _like_frame(rgb)


def any_colour(rng: np.random.Generator, light: tuple[float, float], chroma: tuple[float, float]) -> Floats:
    """Return a random showable Lab colour with lightness and chroma in the given ranges."""
    while True:
        hue, c = rng.uniform(0, 2 * np.pi), rng.uniform(*chroma)
        lab = np.array([rng.uniform(*light), c * np.cos(hue), c * np.sin(hue)])
        if _showable(lab):
            return lab


def colour_at(rng: np.random.Generator, base: Floats, span: tuple[float, float], *, away: Floats, gap: float) -> Floats:
    """Return a showable colour at a Lab distance within `span` from `base` and at least `gap` from the background `away`."""
    low, high = span
    for _ in range(400):
        step = rng.normal(size=3) * [0.6, 1.0, 1.0]
        lab = base + step / np.linalg.norm(step) * rng.uniform(low, high)
        if _showable(lab):
            shown = rgb_to_lab(np.rint(lab_to_rgb(lab)))
            if low <= float(difference(shown, base)) <= high and float(difference(lab, away)) >= gap:
                return shown
    return base + np.array([low if base[0] < 50 else -low, 0.0, 0.0])


def framed(image: Pixels, box: PixelBox, margin: int = 3, width: int = 2) -> Pixels:
    """Return a copy of the image with a red rectangle around the box."""
    height, wide = image.shape[:2]
    x0, y0 = max(0, box[0] - margin - width), max(0, box[1] - margin - width)
    x1, y1 = min(wide, box[2] + margin + width), min(height, box[3] + margin + width)
    out = image.copy()
    out[y0 : y0 + width, x0:x1] = RED
    out[y1 - width : y1, x0:x1] = RED
    out[y0:y1, x0 : x0 + width] = RED
    out[y0:y1, x1 - width : x1] = RED
    return out


def png(image: Pixels) -> bytes:
    """Return the image as PNG bytes, without any metadata."""
    sink = io.BytesIO()
    Image.fromarray(image).save(sink, "PNG", compress_level=3)
    return sink.getvalue()
