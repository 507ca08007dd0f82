"""Rendering of a scene to pixels, with the box of every person and thing, from drawings.toml and backdrops.toml."""

from __future__ import annotations

import io
import re
from random import Random
from typing import Any, NamedTuple

from PIL import Image, ImageColor

from snellen.synthetic.chance import generator
from snellen.synthetic.colours import RGB, darker, lighter, mix
from snellen.synthetic.drawings import Painter, Shape, read_drawings, read_table
from snellen.synthetic.expressions import Functions
from snellen.synthetic.scenes.canvas import HIGH, WIDE, Canvas, CanvasBox, Pen
from snellen.synthetic.scenes.catalog import CHILDREN, COLOURS, LONG_HAIRED, WORLD
from snellen.synthetic.scenes.model import Person, Scene, Thing

SIZE = (WIDE, HIGH)
_TABLE, _BACKDROPS = read_table("scenes/drawings.toml"), read_table("scenes/backdrops.toml")
_CHANCE: Functions = {
    "uniform": Random.uniform,
    "choice": lambda rng, *colours: rng.choice(colours),
    "int": lambda _rng, v: int(v),
}
DRAWINGS = {
    name: lines
    for file in ("scenes/drawings.toml", "scenes/backdrops.toml")
    for name, lines in read_drawings(file, _CHANCE).items()
}
_NARROW = frozenset({"bottle", "glass", "candle"})
_SIZES = {"small": 0.58, "large": 1.02, None: 0.94}
_COLUMN_X = {"left": 56.0, "centre": 160.0, "right": 264.0}
_FLOOR, _TOP_FLOOR = 226.0, 86.0
_COUNTER, _COUNTER_EDGE = 178.0, 164.0
_WATERLINE = {"lake": 160.0, "beach": 148.0}
_DULL: RGB = (96, 108, 126)
_JOINTS = tuple(f"{joint}{axis}" for joint in ("elbow", "hand", "knee", "foot") for axis in "xy")
_WORD = re.compile(r"(#?\w+)(?:([+-])([\d.]+))?")


class _Drawing(NamedTuple):
    """A finished picture with the boxes of its people and things, in the order of `Scene.items`, in pixels."""

    image: Image.Image
    boxes: tuple[CanvasBox, ...]


def draw(scene: Scene, size: tuple[int, int] = SIZE) -> _Drawing:
    """Draw a scene. Any size will do; an aspect ratio other than 4 to 3 stretches it as a model's preprocessing would."""
    fine = max(1, min(4, -(-3 * max(size[0] * HIGH, size[1] * WIDE) // (WIDE * HIGH))))
    canvas = Canvas(fine)
    dull = 0.22 if scene.outdoors and scene.weather == "rainy" else 0.0
    _draw_backdrop(canvas, scene, dull)
    covered: dict[Person | Thing, CanvasBox] = {}
    if scene.place == "kitchen":
        covered |= {person: _draw_person(canvas, scene, person) for person in scene.people}
        _paint(canvas, "counter", generator("counter", scene.decor))  # under the things
        for person in scene.people:
            if person.action == "cooking":
                pen = _pen_of(canvas, person, _COLUMN_X[person.column], _COUNTER + 12, 1.0)
                _draw_pose(pen, person, "cooking-front")
                covered[person] = _around(covered[person], pen.covered)
    for item in sorted((item for item in scene.items() if item not in covered), key=_nearness):
        if isinstance(item, Person):
            covered[item] = _draw_person(canvas, scene, item)
        else:
            covered[item] = _draw_things(canvas, scene, item)
    if dull:
        _paint(canvas, "rain", generator("rain", scene.decor))
    across, down = size[0] / WIDE, size[1] / HIGH
    boxes = (covered[item] for item in scene.items())
    placed = tuple(CanvasBox(b.left * across, b.top * down, b.right * across, b.bottom * down) for b in boxes)
    return _Drawing(canvas.finished(size), placed)


def jpeg(image: Image.Image, quality: int = 90) -> bytes:
    """Return the picture as a JPEG file with full colour resolution."""
    sink = io.BytesIO()
    image.save(sink, "JPEG", quality=quality, subsampling=0)
    return sink.getvalue()


def _nearness(item: Person | Thing) -> int:
    """Return 0 on the water and 1 on the shore, which is in front of it."""
    afloat = item.act.afloat if isinstance(item, Person) else item.sort.level == "water"
    return 0 if afloat else 1


def _around(*boxes: CanvasBox) -> CanvasBox:
    """Return the box around all of them."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return CanvasBox(min(left), min(top), max(right), max(bottom))


def _pen_of(canvas: Canvas, item: Person | Thing, x: float, y: float, scale: float) -> Pen:
    return canvas.pen(x, y, scale, mirrored=item.facing == "left")


# ---------------------------------------------------------------- people and things


def _draw_person(canvas: Canvas, scene: Scene, person: Person) -> CanvasBox:
    """Draw a person in place; return the box that it covers."""
    high, floor = (1.0 if person.who in CHILDREN else 1.3), _FLOOR
    if scene.place == "kitchen":
        high, floor = high * 1.42, HIGH + (0.0 if person.who in CHILDREN else 16.0)
    elif person.act.afloat:
        floor = _WATERLINE[scene.place]
    high *= person.act.high
    reach = person.act.reach * high
    x = min(max(_COLUMN_X[person.column], reach), WIDE - reach)
    pen = _pen_of(canvas, person, x, floor, high)
    action = person.action.replace(" ", "-")
    for_child = f"{action}-child"
    _draw_pose(pen, person, for_child if person.who in CHILDREN and for_child in DRAWINGS else action)
    seen = pen.covered
    return seen._replace(bottom=_COUNTER_EDGE) if scene.place == "kitchen" else seen


def _draw_pose(pen: Pen, person: Person, drawing: str) -> None:
    """Draw a drawing in the colours and the pose of a person."""
    hair = WORLD.hair[person.hair]
    names = {
        "skin": WORLD.skin[person.skin],
        "hair": hair,
        "long": hair if person.who in LONG_HAIRED else None,
        "short": hair if person.who not in LONG_HAIRED and not person.hat else None,
        "fringe": hair if person.hair_seen else None,
        "shirt": COLOURS[person.shirt],
        "trousers": COLOURS[person.trousers or person.shirt],
        "hat": person.hat,
        "fill": person.prop or "dark",
    }
    _ScenePainter(DRAWINGS, pen, names | _places(person)).draw(drawing)


def _places(person: Person) -> dict[str, float]:
    """Return the coordinates of a body by their names in drawings."""
    poses: dict[str, dict[str, Any]] = _TABLE["poses"]
    pose = {**poses.get(poses[person.action].get("like", ""), {}), **poses[person.action]}
    (x, y), (neck_x, neck_y), (hip_x, hip_y) = pose["head"], pose["neck"], pose["hip"]
    places = {"x": x, "y": y, "neckx": neck_x, "necky": neck_y, "hipx": hip_x, "hipy": hip_y}
    places |= {"r": 14.5 if person.who in CHILDREN else 13.0, "look": 4.0 if person.act.turned else 0.0}
    apart = pose["near_leg"][2] < 0 < pose["far_leg"][2]
    for side, step in (("near", -5), ("far", 5)):
        found = dict(zip(_JOINTS, (*pose[f"{side}_arm"], *pose[f"{side}_leg"]), strict=True))
        found["shoulder"] = neck_x + (9 if found["elbowx"] > neck_x else -9)
        for axis in "xy":
            elbow = found[f"elbow{axis}"]
            found[f"wrist{axis}"] = elbow + (found[f"hand{axis}"] - elbow) * 0.72
        found["hip"] = hip_x + (step if apart else 0)
        found["toe"] = found["footx"] + (step if apart else 5)
        places |= {f"{side}_{name}": value for name, value in found.items()}
    return places


def _draw_things(canvas: Canvas, scene: Scene, thing: Thing) -> CanvasBox:
    """Draw a thing, `count` times; what is visible through an open window depends on the weather."""
    level, kitchen = thing.sort.level, scene.place == "kitchen"
    floor = _COUNTER if kitchen else _FLOOR
    floor = {"water": _WATERLINE.get(scene.place, 0.0), "top": _TOP_FLOOR}.get(level, floor)
    groups = _TABLE["groups"]["top" if level == "top" else "narrow" if thing.kind in _NARROW else "ground"]
    room = thing.room or thing.count
    spots = [(0.0, 0.0, _SIZES[thing.size])] if room == 1 else groups[room - 2][-thing.count :]  # those in front
    if kitchen and level == "ground" and room == 1:
        spots = [(0.0, -14.0, spots[0][2])]
    elif kitchen and level == "ground":
        spots = [(x, 0.72 * y - 18, 0.92 * scale) for x, y, scale in spots]
    name = "-".join(filter(None, (thing.kind, thing.state))).replace(" ", "-")
    by_weather = f"{name}-{scene.weather}"
    boxes = []
    for x, y, scale in spots:
        shrunk = 0.84 * scale if level == "top" and room == 1 else scale
        pen = _pen_of(canvas, thing, _COLUMN_X[thing.column] + x, floor - y, shrunk)
        names = {"fill": thing.colour, "inside": thing.inside}
        _ScenePainter(DRAWINGS, pen, names).draw(by_weather if by_weather in DRAWINGS else name)
        boxes.append(pen.covered)
    return _around(*boxes)


# ---------------------------------------------------------------- backdrops


def _draw_backdrop(canvas: Canvas, scene: Scene, dull: float) -> None:
    rng = generator("backdrop", scene.decor)
    if scene.outdoors:
        sky, x = _BACKDROPS["sky"][scene.weather], _COLUMN_X[scene.sun]
        high = round((HIGH - _BACKDROPS["horizon"][scene.place]) * canvas.fine) + 1
        strip = Image.new("RGB", (1, 8))
        strip.putdata([mix(sky["top"], sky["low"], k / 7) for k in range(8)])
        canvas.image.paste(strip.resize((WIDE * canvas.fine, high), Image.Resampling.BILINEAR), (0, 0))
        _paint(canvas, "sun" if scene.weather == "sunny" else "clouds", rng, x=x, cloud=sky.get("cloud"))
    _paint(canvas, scene.place.replace(" ", "-"), rng, dull=dull)


def _paint(canvas: Canvas, name: str, rng: Random, **names: Any) -> None:
    """Draw a part of a backdrop."""
    _ScenePainter(DRAWINGS, canvas.pen(0, HIGH), names, rng).draw(name)


# ---------------------------------------------------------------- shapes and colours


class _ScenePainter(Painter):
    """A painter for which a shape's form is a method of the pen or another drawing; then numbers say where that begins."""

    def shape(self, line: Shape) -> None:
        colour = self.fill(line.colour)
        how = {"rim": False} if line.flat else {}
        for numbers in line.numbers(self.names):
            if line.form in DRAWINGS:
                word = line.colour
                self.within(self.pen.moved(*numbers), fill=self.names.get(word, word)).draw(line.form)
            elif colour is not None:
                getattr(self.pen, line.form)(colour, *numbers, **how)

    def fill(self, text: str) -> RGB | None:
        """Return a colour for a word like `wood`, `#fafafa` or `fill-.3`; None where the drawing does not have that colour."""
        match = _WORD.fullmatch(text)
        if match is None:
            raise ValueError(f"{text} does not name a colour")
        name, way, part = match.groups()
        colour = self.names.get(name, name)
        if isinstance(colour, str):
            colour = self._named(colour)
        if colour is None or way is None:
            return colour
        return (darker if way == "-" else lighter)(colour, float(part))

    def _named(self, name: str) -> RGB | None:
        """Return a colour of the world, or the drawing's colour of that name; duller in the rain."""
        colours: dict[str, dict[str, str]] = _TABLE["colours"]
        meant = colours.get(str(self.names.get("fill")), {}).get(name, colours["any"].get(name))
        if meant is not None:
            return self.fill(meant)
        colour = ImageColor.getrgb(name)[:3] if name.startswith("#") else COLOURS[name]
        return mix(colour, _DULL, self.names.get("dull", 0.0))
