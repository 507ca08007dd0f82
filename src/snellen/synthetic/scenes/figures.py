"""Draws things and people after the lines of drawings.toml."""

from __future__ import annotations

from typing import Any

import msgspec

from snellen.core.types import Struct
from snellen.synthetic.colours import RGB, darker
from snellen.synthetic.drawings import read_table
from snellen.synthetic.scenes.canvas import Pen, Point
from snellen.synthetic.scenes.catalog import CHILDREN, COLOURS, LONG_HAIRED, WORLD
from snellen.synthetic.scenes.model import Person, Thing
from snellen.synthetic.scenes.shapes import DRAWINGS, Shades, draw_shapes

Limb = tuple[float, float, float, float]


class _Pose(Struct, frozen=True):
    """Where the parts of a body are: points, and of each limb the joint in its middle and its end."""

    head: Point
    neck: Point
    hip: Point
    near_arm: Limb
    far_arm: Limb
    near_leg: Limb
    far_leg: Limb


_POSES: dict[str, dict[str, Any]] = read_table("scenes/drawings.toml")["poses"]
POSES = {name: msgspec.convert({**_POSES.get(row.get("like", ""), {}), **row}, _Pose) for name, row in _POSES.items()}


def draw_thing(pen: Pen, thing: Thing, weather: str) -> None:
    """Draw one thing of a kind in its state; what is seen through an open window depends on the weather."""
    name = "-".join(filter(None, (thing.kind, thing.state))).replace(" ", "-")
    by_weather = f"{name}-{weather}"
    draw_shapes(pen, by_weather if by_weather in DRAWINGS else name, Shades(fill=thing.colour, inside=thing.inside))


def draw_person(pen: Pen, person: Person) -> None:
    """Draw somebody with all that belongs to the action."""
    name = person.action.replace(" ", "-")
    for_child = f"{name}-child"
    Figure(person).draw(pen, for_child if person.who in CHILDREN and for_child in DRAWINGS else name)


class Figure:
    """Somebody, ready to be drawn in the pose of what they do."""

    def __init__(self, person: Person) -> None:
        self.person, self.pose = person, POSES[person.action]
        self.skin, self.shirt = WORLD.skin[person.skin], COLOURS[person.shirt]
        self.trousers = COLOURS[person.trousers or person.shirt]
        self.shades = Shades(
            skin=self.skin,
            hair=WORLD.hair[person.hair],
            shirt=self.shirt,
            trousers=self.trousers,
            hat=person.hat,
            fill=person.prop or "dark",
        )

    def draw(self, pen: Pen, name: str) -> None:
        """Draw an action; `trunk` is the body without the near arm, which is drawn over what is held."""
        parts = {"body": self._body, "trunk": self._trunk, "arm": self._near_arm, "head": self._head}
        draw_shapes(pen, name, self.shades, parts)

    def _body(self, pen: Pen) -> None:
        self._trunk(pen)
        self._near_arm(pen)

    def _trunk(self, pen: Pen) -> None:
        pose = self.pose
        self._arm(pen, pose.far_arm)
        self._leg(pen, pose.far_leg, darker(self.trousers, 0.16), 5)
        self._leg(pen, pose.near_leg, self.trousers, -5)
        names = {"neckx": pose.neck[0], "necky": pose.neck[1], "hipx": pose.hip[0], "hipy": pose.hip[1]}
        draw_shapes(pen, "torso", self.shades, headx=pose.head[0], heady=pose.head[1], **names)
        self._head(pen)

    def _near_arm(self, pen: Pen) -> None:
        self._arm(pen, self.pose.near_arm)

    def _arm(self, pen: Pen, limb: Limb) -> None:
        (x, y), (middle_x, middle_y, end_x, end_y) = self.pose.neck, limb
        wrist = (middle_x + (end_x - middle_x) * 0.72, middle_y + (end_y - middle_y) * 0.72)
        shoulder = (x + (9.0 if middle_x > x else -9.0), y - 4)
        pen.oval(self.skin, end_x, end_y, 5.6)
        pen.limb(self.shirt, 8.5, *shoulder, middle_x, middle_y, *wrist)

    def _leg(self, pen: Pen, limb: Limb, colour: RGB, side: float) -> None:
        (x, y), (_, _, end_x, end_y) = self.pose.hip, limb
        near, far = self.pose.near_leg[2], self.pose.far_leg[2]
        sideways = near * far < 0 and near < 0
        toe = -1 if sideways and side < 0 else 1
        pen.limb((52, 48, 54), 6, end_x, end_y, end_x + 5 * toe, end_y)
        pen.limb(colour, 10.5, x + (side if sideways else 0), y, *limb)

    def _head(self, pen: Pen) -> None:
        person, (x, y) = self.person, self.pose.head
        style = "long" if person.who in LONG_HAIRED else "covered" if person.hat else "short"
        radius, look = 14.5 if person.who in CHILDREN else 13.0, 4.0 if person.act.turned else 0.0
        draw_shapes(pen, f"head-{style}", self.shades, x=x, y=y, r=radius, look=look)
