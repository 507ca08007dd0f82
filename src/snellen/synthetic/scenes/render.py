"""From a scene to pixels, and to the box of everybody and everything in it."""

from __future__ import annotations

import io
from typing import NamedTuple

from PIL import Image

from snellen.synthetic.chance import generator
from snellen.synthetic.drawings import read_table
from snellen.synthetic.scenes.backdrops import (
    COLUMN_X,
    COUNTER_EDGE,
    WATERLINE,
    draw_backdrop,
    draw_counter,
    draw_rain,
    floor_of,
)
from snellen.synthetic.scenes.canvas import HIGH, WIDE, Canvas, CanvasBox, Pen
from snellen.synthetic.scenes.catalog import CHILDREN
from snellen.synthetic.scenes.figures import draw_person, draw_thing
from snellen.synthetic.scenes.model import Person, Scene, Thing

SIZE = (WIDE, HIGH)
Spot = tuple[float, float, float]
_GROUPS: dict[str, list[list[Spot]]] = read_table("scenes/drawings.toml")["groups"]
_NARROW = frozenset({"bottle", "glass", "candle"})
_SIZES = {"small": 0.58, "large": 1.02, None: 0.94}
_TOP_FLOOR = 86.0


class Drawing(NamedTuple):
    """A finished picture with the boxes of its people and things, in the order of `Scene.items`, in pixels."""

    image: Image.Image
    boxes: tuple[CanvasBox, ...]


def draw(scene: Scene, size: tuple[int, int] = SIZE) -> Drawing:
    """Draw a scene. Any size will do; another shape than 4 to 3 stretches it as a model's preprocessing would."""
    fine = max(1, min(4, -(-3 * max(size[0] * HIGH, size[1] * WIDE) // (WIDE * HIGH))))
    canvas = Canvas(fine)
    draw_backdrop(canvas, scene.place, scene.weather, scene.sun, generator("backdrop", scene.decor))
    covered: dict[Person | Thing, CanvasBox] = {}
    if scene.place == "kitchen":
        covered |= {person: _person(canvas, scene, person) for person in scene.people}
        draw_counter(canvas, generator("counter", scene.decor))
        for person in scene.people:
            if person.action == "cooking":
                pen = _pen_of(canvas, person, COLUMN_X[person.column], floor_of("kitchen") + 12, 1.0)
                draw_person(pen, person, "cooking-front")
                covered[person] = _around(covered[person], pen.covered)
    for item in sorted((item for item in scene.items() if item not in covered), key=_nearness):
        covered[item] = _person(canvas, scene, item) if isinstance(item, Person) else _thing(canvas, scene, item)
    if scene.outdoors and scene.weather == "rainy":
        draw_rain(canvas, generator("rain", scene.decor))
    across, down = size[0] / WIDE, size[1] / HIGH
    boxes = (covered[item] for item in scene.items())
    placed = tuple(CanvasBox(b.left * across, b.top * down, b.right * across, b.bottom * down) for b in boxes)
    return Drawing(canvas.finished(size), placed)


def _nearness(item: Person | Thing) -> int:
    """Return 0 on the water and 1 on the shore, which is in front of it."""
    afloat = item.act.afloat if isinstance(item, Person) else item.sort.level == "water"
    return 0 if afloat else 1


def jpeg(image: Image.Image, quality: int = 90) -> bytes:
    """Return the picture as a JPEG file without loss of colour resolution."""
    sink = io.BytesIO()
    image.save(sink, "JPEG", quality=quality, subsampling=0)
    return sink.getvalue()


def _around(*boxes: CanvasBox) -> CanvasBox:
    """Return the box around all of them."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return CanvasBox(min(left), min(top), max(right), max(bottom))


def _pen_of(canvas: Canvas, item: Person | Thing, x: float, y: float, scale: float) -> Pen:
    return canvas.pen(x, y, scale, mirrored=item.facing == "left")


def _person(canvas: Canvas, scene: Scene, person: Person) -> CanvasBox:
    high = 1.0 if person.who in CHILDREN else 1.3
    floor = floor_of(scene.place)
    if scene.place == "kitchen":
        high, floor = high * 1.42, HIGH + (0.0 if person.who in CHILDREN else 16.0)
    elif person.act.afloat:
        floor = WATERLINE[scene.place]
    high *= person.act.high
    reach = person.act.reach * high
    x = min(max(COLUMN_X[person.column], reach), WIDE - reach)
    pen = _pen_of(canvas, person, x, floor, high)
    draw_person(pen, person)
    seen = pen.covered
    return seen._replace(bottom=COUNTER_EDGE) if scene.place == "kitchen" else seen


def _thing(canvas: Canvas, scene: Scene, thing: Thing) -> CanvasBox:
    floors = {"ground": floor_of(scene.place), "water": WATERLINE.get(scene.place, 0.0), "top": _TOP_FLOOR}
    level = thing.sort.level
    groups = _GROUPS["top" if level == "top" else "narrow" if thing.kind in _NARROW else "ground"]
    room = thing.room or thing.count
    spots = [(0.0, 0.0, _SIZES[thing.size])] if room == 1 else groups[room - 2][-thing.count :]  # those in front
    if scene.place == "kitchen" and level == "ground" and room == 1:
        spots = [(0.0, -14.0, spots[0][2])]
    elif scene.place == "kitchen" and level == "ground":
        spots = [(x, 0.72 * y - 18, 0.92 * scale) for x, y, scale in spots]
    boxes = []
    for x, y, scale in spots:
        shrunk = 0.84 * scale if level == "top" and room == 1 else scale
        pen = _pen_of(canvas, thing, COLUMN_X[thing.column] + x, floors[level] - y, shrunk)
        draw_thing(pen, thing, scene.weather)
        boxes.append(pen.covered)
    return _around(*boxes)
