"""People: a body of a few thick limbs, put into poses. Units: the body is 100 high, stands on y = 0, looks to the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from snellen.synthetic.scenes.canvas import Pen, Point
from snellen.synthetic.scenes.catalog import CHILDREN
from snellen.synthetic.scenes.model import Person
from snellen.synthetic.scenes.palette import COLOURS, HAIR, SKIN, darker

EYE = (40, 36, 40)


class Limb(NamedTuple):
    """The joint in the middle and the end of an arm or a leg."""

    middle: Point
    end: Point


class Pose(NamedTuple):
    """Where the parts of a body are. `near` limbs are drawn over the trunk, `far` limbs under it."""

    head: Point
    neck: Point
    hip: Point
    near_arm: Limb
    far_arm: Limb
    near_leg: Limb
    far_leg: Limb


STANDING = Pose(
    (0, 85), (0, 70), (0, 42),
    Limb((-16, 57), (-19, 42)), Limb((16, 57), (19, 42)), Limb((-7, 24), (-8, 3)), Limb((7, 24), (8, 3)),
)  # fmt: skip
WALKING = Pose(
    (2, 85), (1, 70), (0, 42),
    Limb((-9, 55), (-17, 44)), Limb((13, 56), (19, 46)), Limb((10, 24), (17, 3)), Limb((-5, 24), (-19, 6)),
)  # fmt: skip
RUNNING = Pose(
    (15, 84), (10, 69), (0, 43),
    Limb((-6, 58), (-15, 46)), Limb((24, 57), (34, 66)), Limb((21, 38), (18, 16)), Limb((-10, 26), (-34, 22)),
)  # fmt: skip
JUMPING = Pose(
    (0, 103), (0, 88), (0, 60),
    Limb((-20, 94), (-28, 112)), Limb((20, 94), (28, 112)), Limb((-17, 46), (-26, 26)), Limb((17, 46), (26, 26)),
)  # fmt: skip
SEATED = Pose(
    (-5, 88), (-7, 72), (-9, 46),
    Limb((2, 54), (17, 51)), Limb((5, 55), (19, 53)), Limb((19, 45), (21, 4)), Limb((15, 45), (15, 4)),
)  # fmt: skip


def reaching(pose: Pose, near: Limb | None = None, far: Limb | None = None) -> Pose:
    """The pose with other arms."""
    return pose._replace(near_arm=near or pose.near_arm, far_arm=far or pose.far_arm)


class Body:
    """Somebody's body, ready to be drawn in any pose."""

    def __init__(self, pen: Pen, person: Person) -> None:
        self.pen, self.person = pen, person
        self.skin = SKIN[person.skin]
        self.shirt = COLOURS[person.shirt]
        self.trousers = COLOURS[person.trousers] if person.trousers else self.shirt
        self.child = person.who in CHILDREN

    def draw(self, pose: Pose, between: Callable[[], None] | None = None) -> None:
        """Draws the body; `between` draws what is held, over the trunk and under the near arm."""
        self._arm(pose, pose.far_arm)
        self._leg(pose, pose.far_leg, darker(self.trousers, 0.16), 5)
        self._leg(pose, pose.near_leg, self.trousers, -5)
        self._trunk(pose)
        self.head(pose.head)
        if between is not None:
            between()
        self._arm(pose, pose.near_arm)

    def _arm(self, pose: Pose, limb: Limb) -> None:
        side = 9.0 if limb.middle[0] > pose.neck[0] else -9.0
        shoulder = (pose.neck[0] + side, pose.neck[1] - 4)
        self.pen.oval(self.skin, *limb.end, 5.6)
        part = 0.72
        wrist = tuple(m + (e - m) * part for m, e in zip(limb.middle, limb.end, strict=True))
        self.pen.limb(self.shirt, 8.5, shoulder, limb.middle, (wrist[0], wrist[1]))

    def _leg(self, pose: Pose, limb: Limb, colour: tuple[int, int, int], side: float) -> None:
        sideways = pose.near_leg.end[0] * pose.far_leg.end[0] < 0 and pose.near_leg.end[0] < 0
        start = (pose.hip[0] + (side if sideways else 0), pose.hip[1])
        toe = -1 if sideways and side < 0 else 1
        self.pen.limb((52, 48, 54), 6, limb.end, (limb.end[0] + 5 * toe, limb.end[1]))
        self.pen.limb(colour, 10.5, start, limb.middle, limb.end)

    def _trunk(self, pose: Pose) -> None:
        (nx, ny), (hx, hy) = pose.neck, pose.hip
        self.pen.limb(self.skin, 7, (nx, ny), pose.head)
        self.pen.limb(self.trousers, 15, (hx - 3, hy), (hx + 3, hy))
        self.pen.poly(
            self.shirt,
            (nx - 9, ny),
            (nx + 9, ny),
            (nx + 13, ny - 5),
            (hx + 10.5, hy),
            (hx - 10.5, hy),
            (nx - 13, ny - 5),
        )

    def head(self, at: Point) -> None:
        """Hair, face and hat."""
        pen, (x, y), hair = self.pen, at, HAIR[self.person.hair]
        radius = 14.5 if self.child else 13.0
        long = self.person.who in ("woman", "girl")
        look = 4.0 if self.person.act.turned else 0.0
        if long:
            pen.oval(hair, x - look * 0.8, y + 2, radius + 4.5, radius + 3)
            pen.poly(
                hair,
                (x - radius - 4 - look, y + 4),
                (x + radius + 4 - 2 * look, y + 4),
                (x + radius + 6 - 2.6 * look, y - 23),
                (x + 6 - look, y - 20),
                (x - 6 - look, y - 20),
                (x - radius - 6 - look, y - 23),
            )
            pen.oval(hair, x - look * 0.8, y + 2, radius + 3, radius + 1.6, rim=False)
        elif self.person.hat is None:
            pen.oval(hair, x - look * 0.5, y + 3, radius + 1.6, radius + 0.6)
        pen.oval(self.skin, x + look * 0.5, y - 2, radius - 1, radius - 1.5)
        for dx in (-4.5, 4.5):
            pen.oval(EYE, x + dx + look, y, 1.8, 2.2, rim=False)
        pen.arc((150, 60, 60), 1.8, x + look, y - 5, 4.5, 3.4, 200, 340)
        if long or self.person.hat is None:
            pen.poly(
                hair,
                (x - radius + 1 - look * 0.3, y + 3),
                (x - radius * 0.7, y + 10.5),
                (x, y + 13.5),
                (x + radius * 0.75, y + 9.5),
                (x + radius - 1, y + 4.5),
                (x + 2, y + 6.5),
                rim=False,
            )
        if self.person.hat is not None:
            hat = COLOURS[self.person.hat]
            pen.dome(hat, x, y + 6, radius + 1.5, radius + 4)
            pen.box(hat, x - radius - 8, y + 4, x + radius + 8, y + 9.5, round_=2.5)
            pen.box(darker(hat, 0.25), x - radius - 1, y + 9, x + radius + 1, y + 11.5, rim=False)
