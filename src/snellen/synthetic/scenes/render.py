"""From a scene to pixels, and to the box of everybody and everything in it; drawn after drawings.toml and backdrops.toml."""

from __future__ import annotations

import io
import re
from random import Random
from typing import Any, NamedTuple

import msgspec
from PIL import Image, ImageColor

from snellen.core.types import Struct
from snellen.synthetic.chance import generator
from snellen.synthetic.colours import RGB, darker, lighter, mix
from snellen.synthetic.drawings import read_drawings, read_table
from snellen.synthetic.scenes.canvas import HIGH, WIDE, Canvas, CanvasBox, Pen
from snellen.synthetic.scenes.catalog import CHILDREN, COLOURS, LONG_HAIRED, PLACES, WORLD
from snellen.synthetic.scenes.model import Person, Scene, Thing

SIZE = (WIDE, HIGH)
_TABLE, _BACKDROPS = read_table("scenes/drawings.toml"), read_table("scenes/backdrops.toml")
DRAWINGS = {**read_drawings("scenes/drawings.toml"), **read_drawings("scenes/backdrops.toml")}
_NARROW = frozenset({"bottle", "glass", "candle"})
_SIZES = {"small": 0.58, "large": 1.02, None: 0.94}
_COLUMN_X = {"left": 56.0, "centre": 160.0, "right": 264.0}
_FLOOR, _TOP_FLOOR = 226.0, 86.0
_COUNTER, _COUNTER_EDGE = 178.0, 164.0
_WATERLINE = {"lake": 160.0, "beach": 148.0}
_DULL: RGB = (96, 108, 126)
_WORD = re.compile(r"(#?\w+)(?:([+-])([\d.]+))?")


class _Drawing(NamedTuple):
    """A finished picture with the boxes of its people and things, in the order of `Scene.items`, in pixels."""

    image: Image.Image
    boxes: tuple[CanvasBox, ...]


def draw(scene: Scene, size: tuple[int, int] = SIZE) -> _Drawing:
    """Draw a scene. Any size will do; another shape than 4 to 3 stretches it as a model's preprocessing would."""
    fine = max(1, min(4, -(-3 * max(size[0] * HIGH, size[1] * WIDE) // (WIDE * HIGH))))
    canvas = Canvas(fine)
    dull = 0.22 if scene.outdoors and scene.weather == "rainy" else 0.0
    _draw_backdrop(canvas, scene, dull)
    covered: dict[Person | Thing, CanvasBox] = {}
    if scene.place == "kitchen":
        covered |= {person: _draw_person(canvas, scene, person) for person in scene.people}
        _draw_parts(canvas.pen(0, HIGH), "counter", 0.0, generator("counter", scene.decor))  # under the things
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
        _draw_rain(canvas, generator("rain", scene.decor))
    across, down = size[0] / WIDE, size[1] / HIGH
    boxes = (covered[item] for item in scene.items())
    placed = tuple(CanvasBox(b.left * across, b.top * down, b.right * across, b.bottom * down) for b in boxes)
    return _Drawing(canvas.finished(size), placed)


def jpeg(image: Image.Image, quality: int = 90) -> bytes:
    """Return the picture as a JPEG file without loss of colour resolution."""
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
    """Draw somebody where they are; return what that covers."""
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
    """Draw a drawing in the colours and the pose of somebody."""
    hair = WORLD.hair[person.hair]
    shades = _Shades(
        skin=WORLD.skin[person.skin],
        hair=hair,
        long=hair if person.who in LONG_HAIRED else None,
        short=hair if person.who not in LONG_HAIRED and not person.hat else None,
        fringe=hair if person.hair_seen else None,
        shirt=COLOURS[person.shirt],
        trousers=COLOURS[person.trousers or person.shirt],
        hat=person.hat,
        fill=person.prop or "dark",
    )
    _draw_shapes(pen, drawing, shades, **_places(person))


def _places(person: Person) -> dict[str, float]:
    """Return the places of a body by the names that drawings have for them."""
    poses: dict[str, dict[str, Any]] = _TABLE["poses"]
    pose = {**poses.get(poses[person.action].get("like", ""), {}), **poses[person.action]}
    (x, y), (neck_x, neck_y), (hip_x, hip_y) = pose["head"], pose["neck"], pose["hip"]
    places = {"x": x, "y": y, "neckx": neck_x, "necky": neck_y, "hipx": hip_x, "hipy": hip_y}
    places |= {"r": 14.5 if person.who in CHILDREN else 13.0, "look": 4.0 if person.act.turned else 0.0}
    apart = pose["near_leg"][2] < 0 < pose["far_leg"][2]
    for side, step in (("near", -5), ("far", 5)):
        elbow_x, elbow_y, hand_x, hand_y = pose[f"{side}_arm"]
        knee_x, knee_y, foot_x, foot_y = pose[f"{side}_leg"]
        found = {
            "shoulder": neck_x + (9 if elbow_x > neck_x else -9),
            "elbowx": elbow_x,
            "elbowy": elbow_y,
            "wristx": elbow_x + (hand_x - elbow_x) * 0.72,
            "wristy": elbow_y + (hand_y - elbow_y) * 0.72,
            "handx": hand_x,
            "handy": hand_y,
            "hip": hip_x + (step if apart else 0),
            "kneex": knee_x,
            "kneey": knee_y,
            "footx": foot_x,
            "footy": foot_y,
            "toe": foot_x + (step if apart else 5),
        }
        places |= {f"{side}_{name}": value for name, value in found.items()}
    return places


def _draw_things(canvas: Canvas, scene: Scene, thing: Thing) -> CanvasBox:
    """Draw a thing as often as it is there; what is seen through an open window depends on the weather."""
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
        shades = _Shades(fill=thing.colour, inside=thing.inside)
        _draw_shapes(pen, by_weather if by_weather in DRAWINGS else name, shades)
        boxes.append(pen.covered)
    return _around(*boxes)


# ---------------------------------------------------------------- backdrops


class _BackdropPart(Struct, frozen=True):
    """A part of a backdrop: a drawing, how often it is drawn, and what chance decides: numbers each time, colours once."""

    drawing: str
    count: int = 1
    chance: dict[str, tuple[float, float]] = msgspec.field(default_factory=dict)
    shades: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)


_PARTS = msgspec.convert(_BACKDROPS["parts"], dict[str, tuple[_BackdropPart, ...]])


def _draw_backdrop(canvas: Canvas, scene: Scene, dull: float) -> None:
    pen, rng = canvas.pen(0, HIGH), generator("backdrop", scene.decor)
    if PLACES[scene.place].outdoors:
        _draw_sky(canvas, pen, scene, rng)
    if scene.place == "street":
        _draw_houses(pen, dull, rng)
    _draw_parts(pen, scene.place, dull, rng)


def _draw_parts(pen: Pen, name: str, dull: float, rng: Random) -> None:
    for part in _PARTS[name]:
        shades = _Shades(dull, **{shade: rng.choice(options) for shade, options in part.shades.items()})
        for k in range(part.count):
            numbers = {number: rng.uniform(low, high) for number, (low, high) in part.chance.items()}
            _draw_shapes(pen, part.drawing, shades, k=k, **numbers)


def _draw_sky(canvas: Canvas, pen: Pen, scene: Scene, rng: Random) -> None:
    sky = _BACKDROPS["sky"][scene.weather]
    high = round((HIGH - _BACKDROPS["horizon"][scene.place]) * canvas.fine) + 1
    strip = Image.new("RGB", (1, 8))
    strip.putdata([mix(sky["top"], sky["low"], k / 7) for k in range(8)])
    canvas.image.paste(strip.resize((WIDE * canvas.fine, high), Image.Resampling.BILINEAR), (0, 0))
    x = _COLUMN_X[scene.sun]
    if scene.weather == "sunny":
        _draw_shapes(pen, "sun", _Shades(), x=x)
        return
    for aside in (-6, 118, -128):
        cloud_x = x + aside + rng.uniform(-6, 6)
        cloud_y = 204 + rng.uniform(-6, 8) - 14
        _draw_shapes(pen, "cloud", _Shades(cloud=sky["cloud"]), x=cloud_x, y=cloud_y)


def _draw_houses(pen: Pen, dull: float, rng: Random) -> None:
    x = -10.0
    while x < WIDE:
        wide, high = rng.uniform(48, 74), rng.uniform(30, 64)
        shades = _Shades(wall=mix(rng.choice(_BACKDROPS["houses"]), _DULL, dull))
        _draw_shapes(pen, "house-front", shades, x=x, wide=wide, high=high)
        for row in range(int(high // 20) + 1):
            for column in range(3):
                _draw_shapes(pen, "house-window", shades, x=x + wide * (0.2 + 0.28 * column), row=row)
        x += wide + 2


def _draw_rain(canvas: Canvas, rng: Random) -> None:
    """Draw slanted drops over everything."""
    pen = canvas.pen(0, HIGH)
    for row in range(5):
        for column in range(9):
            x = column * 38 + rng.uniform(-10, 10) + (row % 2) * 18
            y = row * 50 + rng.uniform(0, 20)
            _draw_shapes(pen, "drop", _Shades(), x=x, y=y)


# ---------------------------------------------------------------- shapes and colours


class _Shades:
    """The colours of a drawing: those that it is given, by name, and those that it names itself, duller in the rain."""

    def __init__(self, dull: float = 0.0, **given: str | RGB | None) -> None:
        self.dull, self.given = dull, given

    def filled(self, word: str) -> _Shades:
        """Return the shades of a drawing within this one, which has that colour."""
        return _Shades(self.dull, **{**self.given, "fill": self.given.get(word, word)})

    def of(self, word: str) -> RGB | None:
        """Return a colour by a word as `wood`, `#fafafa` or `fill-.3`; None where the drawing is not given that colour."""
        match = _WORD.fullmatch(word)
        if match is None:
            raise ValueError(f"{word} does not name a colour")
        name, way, part = match.groups()
        colour = self.given.get(name, name)
        if isinstance(colour, str):
            colour = self._named(colour)
        if colour is None or way is None:
            return colour
        return (darker if way == "-" else lighter)(colour, float(part))

    def _named(self, name: str) -> RGB | None:
        colours: dict[str, dict[str, str]] = _TABLE["colours"]
        meant = colours.get(str(self.given.get("fill")), {}).get(name, colours["any"].get(name))
        if meant is not None:
            return self.of(meant)
        colour = ImageColor.getrgb(name)[:3] if name.startswith("#") else COLOURS[name]
        return mix(colour, _DULL, self.dull)


def _draw_shapes(pen: Pen, name: str, shades: _Shades, /, **names: float) -> None:
    """Draw a drawing. The form of a shape is a method of the pen or another drawing; then numbers say where that begins."""
    for shape in DRAWINGS[name]:
        colour = shades.of(shape.colour)
        how: dict[str, Any] = {"rim": False} if shape.flat else {}
        for numbers in shape.numbers(names):
            if shape.form in DRAWINGS:
                _draw_shapes(pen.moved(*numbers), shape.form, shades.filled(shape.colour), **names)
            elif colour is not None:
                getattr(pen, shape.form)(colour, *numbers, **how)
