"""From a scene to pixels, and to the box of everybody and everything in it."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, NamedTuple

from PIL import Image

from snellen.synthetic.chance import generator
from snellen.synthetic.scenes import things_indoors as inside
from snellen.synthetic.scenes import things_outdoors as outside
from snellen.synthetic.scenes.actions import AFLOAT
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
from snellen.synthetic.scenes.doing import cooking_front, draw_person
from snellen.synthetic.scenes.model import Person, Scene, Thing
from snellen.synthetic.scenes.palette import COLOURS

SIZE = (WIDE, HIGH)
_GROUPS: dict[int, tuple[tuple[float, float, float], ...]] = {
    2: ((-26, 0, 0.56), (26, 0, 0.56)),
    3: ((0, 30, 0.5), (-27, 0, 0.5), (27, 0, 0.5)),
    4: ((-26, 39, 0.5), (26, 39, 0.5), (-26, 0, 0.5), (26, 0, 0.5)),
}
_ROWS: dict[int, tuple[tuple[float, float, float], ...]] = {
    2: ((-24, 0, 0.72), (24, 0, 0.72)),
    3: ((-34, 0, 0.68), (0, 0, 0.68), (34, 0, 0.68)),
    4: ((-39, 0, 0.58), (-13, 0, 0.58), (13, 0, 0.58), (39, 0, 0.58)),
}
_NARROW = frozenset({"bottle", "glass", "candle"})
_TOP_GROUPS: dict[int, tuple[tuple[float, float, float], ...]] = {
    2: ((-25, 8, 0.56), (25, 22, 0.56)),
    3: ((-28, 34, 0.47), (28, 34, 0.47), (0, -6, 0.47)),
    4: ((-25, 40, 0.44), (25, 40, 0.44), (-25, -4, 0.44), (25, -4, 0.44)),
}
_SIZES = {"small": 0.58, "large": 1.02, None: 0.94}
_TOP_FLOOR = 86.0
_REACH = {
    "walking a dog": 58.0,
    "riding a horse": 60.0,
    "kicking a ball": 57.0,
    "playing tennis": 57.0,
    "painting": 55.0,
    "holding an umbrella": 60.0,
    "fishing": 52.0,
    "reading a book": 49.0,
    "watering flowers": 56.0,
    "rowing a boat": 59.0,
    "riding a bicycle": 54.0,
    "skiing": 52.0,
    "swimming": 54.0,
}
"""How far an action goes to the side, in units of the body, where that is more than usual."""
_HIGH = {
    "riding a horse": 0.84,
    "holding an umbrella": 0.88,
    "lifting weights": 0.92,
    "jumping": 0.92,
    "walking a dog": 0.9,
    "swimming": 0.98,
    "rowing a boat": 0.88,
    "riding a bicycle": 0.92,
    "kicking a ball": 0.95,
    "painting": 0.95,
}
"""How much smaller or larger than usual somebody is drawn who does this, so that it fits its column."""


class Drawing(NamedTuple):
    """A finished picture with the boxes of its people and things, in the order of `Scene.items`, in pixels."""

    image: Image.Image
    boxes: tuple[CanvasBox, ...]


def draw(scene: Scene, size: tuple[int, int] = SIZE) -> Drawing:
    """Draws a scene. Any size will do; another shape than 4 to 3 stretches it as a model's preprocessing would."""
    fine = max(1, min(4, -(-3 * max(size[0] * HIGH, size[1] * WIDE) // (WIDE * HIGH))))
    canvas = Canvas(fine)
    draw_backdrop(canvas, scene.place, scene.weather, scene.sun, generator("backdrop", scene.decor))
    covered: dict[Person | Thing, CanvasBox] = {}
    later: list[Person | Thing] = []
    for item in scene.items():
        if scene.place == "kitchen" and isinstance(item, Person):
            covered[item] = _person(canvas, scene, item)
        else:
            later.append(item)
    if scene.place == "kitchen":
        draw_counter(canvas, generator("counter", scene.decor))
        for person in scene.people:
            if person.action == "cooking":
                pen = _pen_of(canvas, person, COLUMN_X[person.column], floor_of("kitchen") + 12, 1.0)
                cooking_front(pen, COLOURS[person.prop or "black"])
                covered[person] = _joined(covered[person], pen.covered)
    for item in sorted(later, key=_nearness):
        covered[item] = _person(canvas, scene, item) if isinstance(item, Person) else _thing(canvas, scene, item)
    if scene.outdoors and scene.weather == "rainy":
        draw_rain(canvas, generator("rain", scene.decor))
    across, down = size[0] / WIDE, size[1] / HIGH
    boxes = (covered[item] for item in scene.items())
    placed = tuple(CanvasBox(b.left * across, b.top * down, b.right * across, b.bottom * down) for b in boxes)
    return Drawing(canvas.finished(size), placed)


def _nearness(item: Person | Thing) -> int:
    """What is on the water is behind what is on the shore."""
    afloat = item.action in AFLOAT if isinstance(item, Person) else item.sort.level == "water"
    return 0 if afloat else 1


def jpeg(image: Image.Image, quality: int = 90) -> bytes:
    """The picture as a JPEG file without loss of colour resolution."""
    sink = io.BytesIO()
    image.save(sink, "JPEG", quality=quality, subsampling=0)
    return sink.getvalue()


def _joined(a: CanvasBox, b: CanvasBox) -> CanvasBox:
    return CanvasBox(min(a.left, b.left), min(a.top, b.top), max(a.right, b.right), max(a.bottom, b.bottom))


def _pen_of(canvas: Canvas, item: Person | Thing, x: float, y: float, scale: float) -> Pen:
    return canvas.pen(x, y, scale, mirrored=item.facing == "left")


def _person(canvas: Canvas, scene: Scene, person: Person) -> CanvasBox:
    high = 1.0 if person.who in CHILDREN else 1.3
    floor = floor_of(scene.place)
    if scene.place == "kitchen":
        high, floor = high * 1.42, HIGH + (0.0 if person.who in CHILDREN else 16.0)
    elif person.action in AFLOAT:
        floor = WATERLINE[scene.place]
    high *= _HIGH.get(person.action, 1.0)
    reach = _REACH.get(person.action, 40.0) * high
    x = min(max(COLUMN_X[person.column], reach), WIDE - reach)
    pen = _pen_of(canvas, person, x, floor, high)
    draw_person(pen, person)
    seen = pen.covered
    return seen._replace(bottom=COUNTER_EDGE) if scene.place == "kitchen" else seen


def _thing(canvas: Canvas, scene: Scene, thing: Thing) -> CanvasBox:
    floors = {"ground": floor_of(scene.place), "water": WATERLINE.get(scene.place, 0.0), "top": _TOP_FLOOR}
    level = thing.sort.level
    groups = _TOP_GROUPS if level == "top" else _ROWS if thing.kind in _NARROW else _GROUPS
    room = thing.room or thing.count
    spots = groups.get(room, ((0.0, 0.0, _SIZES[thing.size]),))[-thing.count :]  # those in front
    if scene.place == "kitchen" and level == "ground" and room == 1:
        spots = ((0.0, -14.0, spots[0][2]),)
    elif scene.place == "kitchen" and level == "ground":
        spots = tuple((x, 0.72 * y - 18, 0.92 * scale) for x, y, scale in spots)
    whole: CanvasBox | None = None
    for x, y, scale in spots:
        shrunk = 0.84 * scale if level == "top" and room == 1 else scale
        pen = _pen_of(canvas, thing, COLUMN_X[thing.column] + x, floors[level] - y, shrunk)
        _draw_one(pen, thing, scene.weather)
        whole = pen.covered if whole is None else _joined(whole, pen.covered)
    if whole is None:
        raise ValueError("a thing is drawn at least once")
    return whole


def _draw_one(pen: Pen, thing: Thing, weather: str) -> None:
    given: dict[str, Any] = {}
    if thing.colour is not None:
        given["fill"] = COLOURS[thing.colour]
    if thing.state is not None:
        given["state"] = thing.state
    if thing.inside is not None:
        given["inside"] = COLOURS[thing.inside]
    if thing.kind == "window":
        given["weather"] = weather
    _DRAWN[thing.kind](pen, **given)


_DRAWN: dict[str, Callable[..., None]] = {
    "car": outside.car,
    "bus": outside.bus,
    "bicycle": outside.bicycle,
    "dog": outside.dog,
    "cat": outside.cat,
    "horse": outside.horse,
    "tree": outside.tree,
    "flower": outside.flower,
    "ball": outside.ball,
    "box": outside.box,
    "umbrella": outside.umbrella,
    "bench": outside.bench,
    "boat": outside.boat,
    "duck": outside.duck,
    "flag": outside.flag,
    "traffic light": outside.traffic_light,
    "house": outside.house,
    "snowman": outside.snowman,
    "bucket": outside.bucket,
    "suitcase": inside.suitcase,
    "chair": inside.chair,
    "table": inside.table,
    "lamp": inside.lamp,
    "television": inside.television,
    "door": inside.door,
    "plant": inside.plant,
    "glass": inside.glass,
    "cup": inside.cup,
    "bottle": inside.bottle,
    "apple": inside.apple,
    "candle": inside.candle,
    "book": inside.book,
    "laptop": inside.laptop,
    "kite": inside.kite,
    "balloon": inside.balloon,
    "bird": inside.bird,
    "plane": inside.plane,
    "clock": inside.clock,
    "window": inside.window,
}
