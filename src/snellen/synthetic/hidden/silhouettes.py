"""Silhouettes of all classes: things and icons after silhouettes.toml, written names in place of logos."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from snellen.synthetic.drawings import Painter, read_drawings, read_table

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.float32]
SIZE = 384
IN, LOGO, ICON = "Illusion_IN", "Illusion_LOGO", "Illusion_ICON"
VARIANTS = {IN: 1, LOGO: 1, ICON: 3}
_FILE = "hidden/silhouettes.toml"
_TABLE = read_table(_FILE)
_DRAWINGS = read_drawings(_FILE)
_CLASSES = {IN: "things", LOGO: "names", ICON: "icons"}


class OutlinePen:
    """Collects filled outlines on a field of 100 by 100 (y down), in the order of drawing; one without `ink` cuts a hole."""

    def __init__(self) -> None:
        self.pieces: list[tuple[Floats, bool]] = []

    def poly(self, ink: bool, *xy: float) -> None:
        """Draw a polygon through x0, y0, x1, y1, ..."""
        self.pieces.append((_points(xy), ink))

    def blob(self, ink: bool, *xy: float) -> None:
        """Draw a smooth closed outline through the points."""
        p = _points(xy)
        a, b, c, d = np.roll(p, 1, 0), p, np.roll(p, -1, 0), np.roll(p, -2, 0)
        parts = [
            0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
            for t in np.linspace(0, 1, 8, endpoint=False)
        ]
        self.pieces.append((np.stack(parts, axis=1).reshape(-1, 2), ink))

    def oval(self, ink: bool, x: float, y: float, rx: float, ry: float, turn: float = 0.0) -> None:
        """Draw an ellipse, turned clockwise by degrees."""
        t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        points = np.stack([rx * np.cos(t), ry * np.sin(t)], axis=1) @ np.array([[c, s], [-s, c]])
        self.pieces.append((points + np.array([x, y]), ink))

    def box(self, ink: bool, x0: float, y0: float, x1: float, y1: float) -> None:
        """Draw an upright rectangle."""
        self.poly(ink, x0, y0, x1, y0, x1, y1, x0, y1)

    def line(self, ink: bool, width: float, *xy: float) -> None:
        """Draw a thick line with round joints and ends."""
        p = _points(xy)
        for (x0, y0), (x1, y1) in pairwise(p):
            along = np.array([x1 - x0, y1 - y0])
            length = float(np.hypot(*along))
            if length > 0:
                nx, ny = -along[1] / length * width / 2, along[0] / length * width / 2
                self.poly(ink, x0 + nx, y0 + ny, x1 + nx, y1 + ny, x1 - nx, y1 - ny, x0 - nx, y0 - ny)
        for x, y in p:
            self.oval(ink, float(x), float(y), width / 2, width / 2)

    def arc(self, ink: bool, width: float, x: float, y: float, rx: float, ry: float, start: float, stop: float) -> None:
        """Draw a thick part of an ellipse from one angle to another (degrees, clockwise from the right)."""
        t = np.radians(np.linspace(start, stop, max(6, int(abs(stop - start) / 12))))
        self.line(ink, width, *np.stack([x + rx * np.cos(t), y + ry * np.sin(t)], axis=1).ravel())


def _points(xy: Sequence[float]) -> Floats:
    return np.array(xy, dtype=np.float64).reshape(-1, 2)


def _written(lines: Sequence[str]) -> OutlinePen:
    """Write a name in bold letters, in lines that fill the field."""
    pen = OutlinePen()
    high = min(100 / len(lines), 150 / max(map(len, lines)))
    for row, line in enumerate(lines):
        wide = min(104 / len(line), high)
        bold = min(0.2 * high, 0.27 * wide)
        across, up = (wide - 1.75 * bold) / 3, (high - 1.6 * bold) / 6
        for place, letter in enumerate(line):
            left = 50 + wide * (place - len(line) / 2) + 0.875 * bold
            top = 50 + high * (row - len(lines) / 2) + 0.8 * bold
            for stroke in _TABLE["letters"][letter]:
                pen.line(True, bold, *(left + across * v if i % 2 == 0 else top + up * v for i, v in enumerate(stroke)))
    return pen


@cache
def _pen(split: str, shape: str, variant: int) -> OutlinePen:
    if split == LOGO:
        return _written(_TABLE["names"][shape])
    pen = OutlinePen()
    name = shape if split == IN else _TABLE["icons"][shape][variant % 3]
    Painter(_DRAWINGS, pen, {"ink": True, "hole": False}).draw(name)
    return pen


def shapes(split: str) -> tuple[str, ...]:
    """Return the classes of a split in the spelling of the data."""
    return tuple(_TABLE[_CLASSES[split]])


def render(
    split: str,
    shape: str,
    variant: int = 0,
    *,
    size: int = SIZE,
    scale: float = 0.8,
    turn: float = 0.0,
    mirror: bool = False,
    shift: tuple[float, float] = (0.0, 0.0),
    stretch: float = 1.0,
    bend: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
) -> Mask:
    """Return the silhouette as a mask in 0..1. `scale` and `shift` are fractions of the image side, `turn` is in degrees.

    `stretch` is width to height; `bend` is how far (in hundredths) and where in its course a slow wave moves x and y.
    """
    fine = 2 * size
    image = Image.new("L", (fine, fine))
    draw = ImageDraw.Draw(image)
    angle = np.radians(turn)
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.array([[c, s], [-s, c]]) * (scale * fine / 100.0)
    matrix = np.diag([np.sqrt(stretch), 1 / np.sqrt(stretch)]) @ matrix
    if mirror:
        matrix = np.array([[-1.0, 0.0], [0.0, 1.0]]) @ matrix
    centre: Floats = fine * (np.array([0.5, 0.5]) + np.array(shift))
    for points, ink in _pen(split, shape, variant).pieces:
        wave = np.sin(points[:, ::-1] * (2 * np.pi / 110.0) + [bend[2], bend[3]])
        moved = (points + wave * [bend[0], bend[1]] - 50.0) @ matrix + centre
        draw.polygon([(float(x), float(y)) for x, y in moved], fill=255 if ink else 0)
    return np.asarray(image.reduce(2), dtype=np.float32) / np.float32(255)


def silhouette(split: str, shape: str, variant: int, rng: np.random.Generator) -> Mask:
    """Return a silhouette slightly moved, scaled, turned and perhaps mirrored (except letters)."""
    scale, turn = float(rng.uniform(0.7, 0.86)), float(rng.uniform(-9, 9))
    shift = (float(rng.uniform(-0.05, 0.05)), float(rng.uniform(-0.05, 0.05)))
    mirror = bool(rng.random() < 0.5) and split != LOGO
    stretch = float(np.exp(rng.uniform(-0.1, 0.1)))
    bend = (*(float(v) for v in rng.uniform(-3.0, 3.0, 2)), *(float(v) for v in rng.uniform(0, 2 * np.pi, 2)))
    return render(split, shape, variant, scale=scale, turn=turn, mirror=mirror, shift=shift, stretch=stretch, bend=bend)


def templates(split: str, size: int, scales: tuple[float, ...], turns: tuple[float, ...]) -> tuple[list[str], Mask]:
    """Return all classes of a split at the given scales and turns (and mirrored, except letters): names and masks."""
    forms = (False,) if split == LOGO else (False, True)
    names: list[str] = []
    masks: list[Mask] = []
    for shape in shapes(split):
        for variant in range(VARIANTS[split]):
            for mirror in forms:
                for scale, turn in product(scales, turns):
                    names.append(shape)
                    masks.append(render(split, shape, variant, size=size, scale=scale, turn=turn, mirror=mirror))
    return names, np.stack(masks)
