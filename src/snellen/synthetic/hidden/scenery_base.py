"""Noise, gradients and an antialiased canvas for composing the scenes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageColor, ImageDraw

from snellen.synthetic.drawings import Painter, Shape, read_drawings, read_table
from snellen.synthetic.expressions import Functions

_FILE = "hidden/scenery.toml"
PALETTES: dict[str, list[Any]] = read_table(_FILE)["palettes"]
RAMPS: dict[str, list[Any]] = read_table(_FILE)["ramps"]
SIZE = 384
Field = npt.NDArray[np.float32]
Rng = np.random.Generator
Colour = tuple[float, ...]

_GRID = (np.arange(SIZE, dtype=np.float32) + np.float32(0.5)) / np.float32(SIZE)
XX: Field = np.broadcast_to(_GRID[None, :], (SIZE, SIZE))
YY: Field = np.broadcast_to(_GRID[:, None], (SIZE, SIZE))


def _resized(field: Field, width: int, height: int, how: Image.Resampling = Image.Resampling.BICUBIC) -> Field:
    """Return the field at another size."""
    image = Image.fromarray(np.ascontiguousarray(field, dtype=np.float32))
    return np.asarray(image.resize((width, height), how), dtype=np.float32)


def smooth(field: Field, step: int) -> Field:
    """Return the field's structure coarser than about `step` pixels."""
    height, width = field.shape
    small = _resized(field, max(2, width // step), max(2, height // step), Image.Resampling.BOX)
    return _resized(small, width, height)


def noise(rng: Rng, wide: int, high: int, octaves: int = 1, fall: float = 0.5) -> Field:
    """Return smooth noise around 0 with about `wide` by `high` bumps, and finer ones on top."""
    total = np.zeros((SIZE, SIZE), dtype=np.float32)
    weight = 1.0
    for _ in range(octaves):
        cells = rng.uniform(-1, 1, (min(high, SIZE) + 2, min(wide, SIZE) + 2)).astype(np.float32)
        total += np.float32(weight) * _resized(cells, SIZE, SIZE)
        wide, high, weight = 2 * wide, 2 * high, weight * fall
    return total


def colour(*values: float) -> Field:
    """Return a colour given in 0..255 as a vector of 0..1."""
    return np.array(values, dtype=np.float32) / np.float32(255)


def ramp(field: Field, stops: Sequence[tuple[float, Colour]]) -> Field:
    """Return colours by value: linear between the stops (colours in 0..255)."""
    at = np.array([s[0] for s in stops], dtype=np.float32)
    index = np.clip((field - at[0]) * (255 / (at[-1] - at[0])), 0, 255).astype(np.uint8)
    line = np.linspace(at[0], at[-1], 256)
    table = np.stack([np.interp(line, at, [s[1][k] for s in stops]) for k in range(3)], axis=1)
    return (table / 255).astype(np.float32)[index]


def steady(function: Callable[[Any], Any], field: Any) -> Field:
    """Apply a function to each point, computed in double precision: in single precision its last digit is the processor's own."""
    return function(np.asarray(field, dtype=np.float64)).astype(np.float32)


def step(field: Field, low: float, high: float) -> Field:
    """Return 0 below `low`, 1 above `high`, and smooth values between."""
    t = np.clip((field - np.float32(low)) * np.float32(1 / (high - low)), 0, 1)
    return t * t * (3 - 2 * t)


def mixed(a: Field, b: Field, part: Field) -> Field:
    """Return a where part is 0 and b where it is 1."""
    return a + (b - a) * part[..., None]


def one_of(rng: Rng, palette: str) -> Any:
    """Return one of the colours, or sets of colours, of a palette."""
    return PALETTES[palette][int(rng.integers(len(PALETTES[palette])))]


def grained(image: Field, rng: Rng, amount: float, fine: int = 130) -> Field:
    """Return the picture with a fine grain."""
    return image + amount * noise(rng, fine, fine)[..., None]


def tone(rng: Rng, base: Colour, spread: float = 12.0) -> Colour:
    """Return a colour near another (0..255), lighter or darker as a whole and a little off in hue."""
    shift = rng.normal(0, spread) + rng.normal(0, spread / 3, 3)
    return tuple(float(np.clip(v + s, 0, 255)) for v, s in zip(base, shift, strict=True))


def scaled(base: Colour, factor: float) -> Colour:
    """Return the colour made darker or lighter."""
    return tuple(min(255.0, v * factor) for v in base)


def toward(a: Colour, b: Colour, part: float) -> Colour:
    """Return a colour between two."""
    return tuple(x + (y - x) * part for x, y in zip(a, b, strict=True))


def _rgb(fill: Colour) -> tuple[int, ...]:
    return tuple(int(min(255, max(0, v))) for v in fill)


class Painting:
    """A drawing surface of 1 by 1 with antialiasing; it begins with a picture."""

    fine = 2

    def __init__(self, start: Field) -> None:
        whole = Image.fromarray((np.clip(start, 0, 1) * 255).astype(np.uint8))
        self.side = SIZE * self.fine
        self._image = whole.resize((self.side, self.side), Image.Resampling.NEAREST)
        self._draw = ImageDraw.Draw(self._image)

    def _points(self, xy: Sequence[float]) -> list[float]:
        return [v * self.side for v in xy]

    def poly(self, fill: Colour, *xy: float) -> None:
        """Draw a polygon through x0, y0, x1, y1, ..."""
        self._draw.polygon(self._points(xy), fill=_rgb(fill))

    def box(self, fill: Colour, x0: float, y0: float, x1: float, y1: float) -> None:
        """Draw an upright rectangle, unless it has no size."""
        a, b, c, d = self._points((x0, y0, x1, y1))
        if c >= a and d >= b:
            self._draw.rectangle((a, b, c, d), fill=_rgb(fill))

    def oval(self, fill: Colour, x: float, y: float, rx: float, ry: float) -> None:
        """Draw an ellipse around x, y."""
        self._draw.ellipse(self._points((x - rx, y - ry, x + rx, y + ry)), fill=_rgb(fill))

    def line(self, fill: Colour, width: float, *xy: float) -> None:
        """Draw a line of the given width."""
        self._draw.line(self._points(xy), fill=_rgb(fill), width=max(1, round(width * self.side)), joint="curve")

    def arch(self, fill: Colour, width: float, x: float, y: float, rx: float, ry: float) -> None:
        """Draw the upper half of an ellipse as a line."""
        turn = np.linspace(np.pi, 2 * np.pi, 15)
        self.line(fill, width, *np.stack([x + rx * np.cos(turn), y + ry * np.sin(turn)], axis=1).ravel())

    def weed(self, fill: Colour, x: float, foot: float, high: float, sway: float) -> None:
        """Draw a wavy line upwards."""
        ys = np.linspace(0, high, 8)
        self.line(fill, 0.009, *np.stack([x + 0.014 * np.sin(ys * 50 + sway), foot - ys], axis=1).ravel())

    def front(self, fill: Colour, side: float, far: float, near: float, high: float, low: float) -> None:
        """Draw a part of the left (-1) or right (1) house front of a street: near is depth 1, the vanishing point is far away."""
        corners = ((far, high), (near, high), (near, low), (far, low))
        points = (v for depth, height in corners for v in (0.5 + side * 0.56 / depth, 0.7 - height / depth))
        _Panel(self, *points).box(fill, 0, 0, 1, 1)

    def pixels(self) -> Field:
        """Return the current picture."""
        return np.asarray(self._image.reduce(self.fine), dtype=np.float32) / np.float32(255)


class _Panel:
    """A flat surface in a painting, seen at an angle; on it u goes from left to right, v from top to bottom, both from 0 to 1."""

    def __init__(self, canvas: Painting, *corners: float) -> None:
        self._canvas, self._corners = canvas, corners  # x and y of top left, top right, bottom right, bottom left

    def _at(self, u: float, v: float) -> tuple[float, float]:
        """Return a point of the surface."""
        ax, ay, bx, by, cx, cy, dx, dy = self._corners
        top, low = (ax + (bx - ax) * u, ay + (by - ay) * u), (dx + (cx - dx) * u, dy + (cy - dy) * u)
        return top[0] + (low[0] - top[0]) * v, top[1] + (low[1] - top[1]) * v

    def box(self, fill: Colour, u0: float, v0: float, u1: float, v1: float) -> None:
        """Draw a rectangle that lies on the surface."""
        self._canvas.poly(fill, *self._at(u0, v0), *self._at(u1, v0), *self._at(u1, v1), *self._at(u0, v1))

    def disc(self, fill: Colour, u: float, v: float, radius: float) -> None:
        """Draw a round disc around a point; its radius is a part of the surface's shorter side."""
        ax, ay, bx, _, _, _, _, dy = self._corners
        r = radius * min(abs(bx - ax), abs(dy - ay))
        self._canvas.oval(fill, *self._at(u, v), r, r)

    def face(self, fill: Colour) -> None:
        """Draw the face of a portrait."""
        ax, ay, bx, by, _, cy, _, dy = self._corners
        middle = (ay + dy + (by - ay + cy - dy) / 2) / 2
        wide, high = abs(bx - ax), dy - ay
        self._canvas.oval(fill, (ax + bx) / 2, middle - 0.06 * high, 0.14 * wide, 0.15 * high)


_FUNCTIONS: Functions = {
    "uniform": Rng.uniform,
    "normal": Rng.normal,
    "random": Rng.random,
    "choice": lambda rng, *values: rng.choice(values),
    "pick": lambda rng, values: values[int(rng.integers(len(values)))],
    "integers": Rng.integers,
    "shuffled": lambda rng, values: [values[i] for i in rng.permutation(len(values))],
    "tone": tone,
    "toward": lambda _rng, a, b, part: toward(a, b, part),
    "scaled": lambda _rng, base, factor: scaled(base, factor),
    "entry": lambda _rng, values, at: values[at],
    "max": lambda _rng, *values: max(values),
    "min": lambda _rng, *values: min(values),
    "abs": lambda _rng, value: abs(value),
    "int": lambda _rng, value: int(value),
    "sin": lambda _rng, angle: float(np.sin(angle)),
    "cos": lambda _rng, angle: float(np.cos(angle)),
}
PAINTINGS = read_drawings(_FILE, _FUNCTIONS)


class _SceneryPainter(Painter):
    def shape(self, line: Shape) -> None:
        """Draw a shape: its form is a method of the pen, or another drawing on a surface with these corners."""
        if line.form in vars(type(self.pen)):
            super().shape(line)
            return
        for corners in line.numbers(self.names):
            self.within(_Panel(self.pen, *corners)).draw(line.form)

    def fill(self, text: str) -> Any:
        """Return a colour by its name or `#...`, maybe darker or lighter: `stone*.8`."""
        word, _, factor = text.partition("*")
        found = ImageColor.getrgb(word) if word.startswith("#") else self.names[word]
        return scaled(found, float(factor)) if factor else found


def paint(pen: object, rng: Rng, name: str, **names: Any) -> None:
    """Paint a drawing of scenery.toml with the numbers and colours in `names`; the palettes are always available."""
    _SceneryPainter(PAINTINGS, pen, {**PALETTES, **names}, rng).draw(name)
