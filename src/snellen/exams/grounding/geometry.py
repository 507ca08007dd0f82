"""Points and boxes that know their coordinate space, and crops that map back exactly.

A number alone does not say whether it counts screen pixels, thousandths or pixels of a resized copy, and most grounding bugs
are that confusion. Here two values in different spaces cannot be combined. Change the space with `to`; cross a crop with `into` and
`back`. Anything else raises SnellenError. Coordinates are continuous: pixel column 0 reaches from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from snellen.core.errors import SnellenError

# ---------------------------------------------------------------- spaces


class _Sized(msgspec.Struct, frozen=True, gc=False):
    width: float
    height: float

    @property
    def size(self) -> tuple[float, float]:
        return self.width, self.height


class Resized(_Sized, frozen=True):
    """A copy of an image at another size, as models see it. Fractions and thousandths are such copies, too."""

    def __str__(self) -> str:
        return f"resized to {self.width:g}x{self.height:g}"


class Pixels(_Sized, frozen=True):
    """Pixels of an image. `corner` is where the image's top left lies in the screenshot that it was cut from.

    So two crops of the same size are different spaces; a screenshot itself has the corner (0, 0).
    """

    width: int
    height: int
    corner: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        if not (isinstance(self.width, int) and isinstance(self.height, int) and self.width > 0 and self.height > 0):
            raise SnellenError(f"an image has a positive whole width and height, not {self.width!r} x {self.height!r}")

    def __str__(self) -> str:
        at = f" at {self.corner[0]},{self.corner[1]}" if self.corner != (0, 0) else ""
        return f"pixels of {self.width}x{self.height}{at}"


Space = Pixels | Resized
UNIT = Resized(1, 1)
THOUSAND = Resized(1000, 1000)


def _check_scales(old: Space, new: Space) -> None:
    """Refuse to scale pixels of one image to pixels of another."""
    if isinstance(old, Pixels) and isinstance(new, Pixels) and old != new:
        raise SnellenError(f"{old} cannot become {new} by scaling: a crop maps with into() and back()")


# ---------------------------------------------------------------- points and boxes


class Point(msgspec.Struct, frozen=True, gc=False):
    """A place in a stated space. May lie outside the image (models answer so)."""

    x: float
    y: float
    space: Space

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y)):
            raise SnellenError(f"a point needs finite numbers, not ({self.x}, {self.y})")

    def to(self, space: Space) -> Point:
        """Return the same place in another space of the same image."""
        if space == self.space:
            return self
        _check_scales(self.space, space)
        return Point(self.x * space.width / self.space.width, self.y * space.height / self.space.height, space)

    @property
    def inside(self) -> bool:
        """True if it lies on the image, edges included."""
        return 0 <= self.x <= self.space.width and 0 <= self.y <= self.space.height

    def shifted(self, dx: float, dy: float, space: Space) -> Point:
        """Return the place in a space that begins elsewhere."""
        return Point(self.x + dx, self.y + dy, space)


class Box(msgspec.Struct, frozen=True, gc=False):
    """A rectangle in a stated space: x1 <= x2 and y1 <= y2. A box without area is allowed (a point answer as a box)."""

    x1: float
    y1: float
    x2: float
    y2: float
    space: Space

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, self.corners)):
            raise SnellenError(f"a box needs finite numbers, not {list(self.corners)}")
        if self.x1 > self.x2 or self.y1 > self.y2:
            raise SnellenError(f"box {list(self.corners)} has its corners in the wrong order (x1 <= x2 and y1 <= y2)")

    @staticmethod
    def from_xyxy(values: Sequence[float], space: Space) -> Box:
        """Return a box from [x1, y1, x2, y2]."""
        return Box(*_four(values), space)

    @staticmethod
    def from_xywh(values: Sequence[float], space: Space) -> Box:
        """Return a box from [x, y, width, height]."""
        x, y, width, height = _four(values)
        if width < 0 or height < 0:
            raise SnellenError(f"box {list(values)} has a negative width or height")
        return Box(x, y, x + width, y + height, space)

    def to(self, space: Space) -> Box:
        """Return the same rectangle in another space of the same image."""
        if space == self.space:
            return self
        _check_scales(self.space, space)
        x1, x2 = (x * space.width / self.space.width for x in (self.x1, self.x2))
        y1, y2 = (y * space.height / self.space.height for y in (self.y1, self.y2))
        return Box(x1, y1, x2, y2, space)

    @property
    def corners(self) -> tuple[float, float, float, float]:
        """The corners (x1, y1, x2, y2), for records whose space is stated elsewhere."""
        return self.x1, self.y1, self.x2, self.y2

    @property
    def width(self) -> float:
        return self.x2 - self.x1

    @property
    def height(self) -> float:
        return self.y2 - self.y1

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def centre(self) -> Point:
        return Point((self.x1 + self.x2) / 2, (self.y1 + self.y2) / 2, self.space)

    def contains(self, point: Point) -> bool:
        """Tell whether a point lies in the box; the edges belong to it."""
        return self.distance(point) == 0

    def covers(self, other: Box) -> bool:
        """Tell whether another box lies wholly in this one."""
        _same(self.space, other.space)
        return self.x1 <= other.x1 and other.x2 <= self.x2 and self.y1 <= other.y1 and other.y2 <= self.y2

    def overlap(self, other: Box) -> Box | None:
        """Return the common part; None where there is no common area."""
        _same(self.space, other.space)
        x1, y1 = max(self.x1, other.x1), max(self.y1, other.y1)
        x2, y2 = min(self.x2, other.x2), min(self.y2, other.y2)
        return Box(x1, y1, x2, y2, self.space) if x1 < x2 and y1 < y2 else None

    def distance(self, point: Point) -> float:
        """Return the distance of a point from the box, 0 inside."""
        _same(self.space, point.space)
        dx = max(self.x1 - point.x, 0.0, point.x - self.x2)
        dy = max(self.y1 - point.y, 0.0, point.y - self.y2)
        return math.hypot(dx, dy)

    def clamped(self) -> Box:
        """Return the box cut to the image; a box outside becomes a line or a point on the edge."""
        x1, x2 = (min(max(v, 0.0), self.space.width) for v in (self.x1, self.x2))
        y1, y2 = (min(max(v, 0.0), self.space.height) for v in (self.y1, self.y2))
        return Box(x1, y1, x2, y2, self.space)

    def shifted(self, dx: float, dy: float, space: Space) -> Box:
        """Return the rectangle in a space that begins elsewhere."""
        return Box(self.x1 + dx, self.y1 + dy, self.x2 + dx, self.y2 + dy, space)


Shape = TypeVar("Shape", Point, Box)


def _four(values: Sequence[float]) -> tuple[float, float, float, float]:
    numbers = isinstance(values, list | tuple) and len(values) == 4
    if not numbers or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        raise SnellenError(f"a box is a list of four numbers, not {values!r}")
    a, b, c, d = (float(v) for v in values)
    return a, b, c, d


def _same(one: Space, other: Space) -> None:
    if one != other:
        raise SnellenError(f"coordinates of different spaces ({one}; {other}): convert one of them with to()")


def distance(a: Point, b: Point) -> float:
    """Return the distance between two points of one space."""
    _same(a.space, b.space)
    return math.hypot(a.x - b.x, a.y - b.y)


def iou(a: Box, b: Box) -> float:
    """Return common area over joint area; 0 where neither has an area.

    >>> iou(Box(0, 0, 0.5, 0.5, UNIT), Box(0.25, 0.25, 0.75, 0.75, UNIT))
    0.14285714285714285
    """
    common = a.overlap(b)
    if common is None:
        return 0.0
    joint = a.area + b.area - common.area
    return min(1.0, common.area / joint) if joint > 0 else 0.0  # the area of a tiny box may be too small for a float


# ---------------------------------------------------------------- crops


class Crop(msgspec.Struct, frozen=True, gc=False):
    """Whole pixels cut out of a parent image. Build one with `of`, `around` or `whole`: they clip to the parent."""

    parent: Pixels
    left: int
    top: int
    right: int
    bottom: int

    def __post_init__(self) -> None:
        fits = 0 <= self.left < self.right <= self.parent.width and 0 <= self.top < self.bottom <= self.parent.height
        if not fits:
            raise SnellenError(f"crop {list(self.edges)} is empty or not inside {self.parent}")

    @staticmethod
    def whole(parent: Pixels) -> Crop:
        """Return the parent itself."""
        return Crop(parent, 0, 0, parent.width, parent.height)

    @staticmethod
    def of(box: Box) -> Crop:
        """Return the whole pixels that a box in a parent's pixels touches, clipped to the parent."""
        parent = _pixels(box.space)
        left, top = math.floor(box.x1), math.floor(box.y1)
        right, bottom = max(math.ceil(box.x2), left + 1), max(math.ceil(box.y2), top + 1)
        left, right = (min(max(v, 0), parent.width) for v in (left, right))
        top, bottom = (min(max(v, 0), parent.height) for v in (top, bottom))
        return Crop(parent, left, top, right, bottom)

    @staticmethod
    def around(point: Point, width: int, height: int) -> Crop:
        """Return a window with the point in its middle, moved inside the parent; smaller only where the parent is."""
        parent = _pixels(point.space)
        x, y = min(max(point.x, 0.0), parent.width), min(max(point.y, 0.0), parent.height)
        left = max(0, min(math.floor(x - width / 2 + 0.5), parent.width - width))
        top = max(0, min(math.floor(y - height / 2 + 0.5), parent.height - height))
        return Crop.of(Box(left, top, left + width, top + height, parent))

    @property
    def edges(self) -> tuple[int, int, int, int]:
        """The edges (left, top, right, bottom), as imaging libraries expect them."""
        return self.left, self.top, self.right, self.bottom

    @property
    def box(self) -> Box:
        """The cut-out as a box in the parent's pixels."""
        return Box(self.left, self.top, self.right, self.bottom, self.parent)

    @property
    def inner(self) -> Pixels:
        """The space of the crop's own pixels."""
        x, y = self.parent.corner
        return Pixels(self.right - self.left, self.bottom - self.top, (x + self.left, y + self.top))

    def into(self, shape: Shape) -> Shape:
        """Map from the parent's pixels to the crop's; places outside stay outside (nothing is clipped)."""
        _same(self.parent, shape.space)
        return shape.shifted(-self.left, -self.top, self.inner)

    def back(self, shape: Shape) -> Shape:
        """Map from the crop to the parent's pixels. Fractions and resized pixels of the crop are taken too."""
        return shape.to(self.inner).shifted(self.left, self.top, self.parent)


def _pixels(space: Space) -> Pixels:
    if not isinstance(space, Pixels):
        raise SnellenError(f"a crop is cut from an image's pixels, and this is {space}: convert it with to()")
    return space
