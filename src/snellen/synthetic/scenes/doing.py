"""What people do, drawn: each action puts the body into a pose and adds what it is done with."""

from __future__ import annotations

from collections.abc import Callable

from snellen.synthetic.scenes import things_indoors, things_outdoors
from snellen.synthetic.scenes.canvas import Pen
from snellen.synthetic.scenes.figures import JUMPING, RUNNING, SEATED, STANDING, WALKING, Body, Limb, Pose, reaching
from snellen.synthetic.scenes.model import Person
from snellen.synthetic.scenes.palette import COLOURS, RGB, darker, edge, lighter
from snellen.synthetic.scenes.things_outdoors import DARK, METAL, WOOD

WATER: RGB = (128, 190, 220)
FOAM: RGB = (226, 240, 247)


def draw_person(pen: Pen, person: Person) -> None:
    """Draws somebody with all that belongs to the action."""
    prop = COLOURS[person.prop] if person.prop else DARK
    _DRAWN[person.action](Body(pen, person), pen, prop)


def _standing(body: Body, _pen: Pen, _prop: RGB) -> None:
    body.draw(STANDING)


def _waving(body: Body, _pen: Pen, _prop: RGB) -> None:
    body.draw(reaching(STANDING, far=Limb((24, 68), (31, 92))))


def _walking(body: Body, _pen: Pen, _prop: RGB) -> None:
    body.draw(WALKING)


def _running(body: Body, _pen: Pen, _prop: RGB) -> None:
    body.draw(RUNNING)


def _jumping(body: Body, pen: Pen, _prop: RGB) -> None:
    pen.oval((120, 124, 120), 0, 1, 24, 3.5, rim=False)
    body.draw(JUMPING)


def _sitting(body: Body, pen: Pen, prop: RGB) -> None:
    things_indoors.chair(pen.moved(-4, 0), prop)
    body.draw(SEATED)


def _reading(body: Body, pen: Pen, prop: RGB) -> None:
    things_indoors.chair(pen.moved(-4, 0), COLOURS["brown"])

    def held() -> None:
        pen.poly((252, 250, 244), (17, 78), (31, 82), (33, 58), (20, 53))
        pen.poly(prop, (31, 82), (47, 76), (46, 51), (33, 58))
        pen.poly(prop, (31, 82), (34, 83), (36, 58), (33, 57))

    body.draw(reaching(SEATED, Limb((8, 52), (25, 57)), Limb((10, 54), (28, 58)))._replace(head=(-3, 86)), held)


def _cycling(body: Body, pen: Pen, prop: RGB) -> None:
    things_outdoors.bicycle(pen.moved(0, 0, 1.08), prop)
    body.draw(
        Pose(
            (5, 102), (2, 87), (-14, 60),
            Limb((10, 68), (25, 65)), Limb((12, 70), (27, 66)), Limb((12, 46), (2, 22)), Limb((4, 48), (-4, 30)),
        )
    )  # fmt: skip


def _horseback(body: Body, pen: Pen, prop: RGB) -> None:
    things_outdoors.horse(pen, prop)
    rider = Body(pen.moved(-4, 24, 0.85), body.person)
    rider.draw(
        Pose(
            (3, 96), (1, 81), (-2, 52),
            Limb((12, 62), (27, 58)), Limb((14, 64), (29, 60)), Limb((13, 40), (9, 16)), Limb((13, 40), (9, 16)),
        )
    )  # fmt: skip
    pen.line(DARK, 2, (20, 72), (50, 78))


def _umbrella(body: Body, pen: Pen, prop: RGB) -> None:
    body.draw(reaching(STANDING, far=Limb((21, 56), (21, 68))))
    pen.line(DARK, 3.6, (21, 58), (21, 112))
    pen.dome(prop, 14, 104, 46, 32)
    pen.poly(lighter(prop, 0.45), (-2, 104), (6, 128), (14, 136), (22, 128), (30, 104), rim=False)
    pen.line(DARK, 3.6, (14, 135), (14, 141))
    body.pen.oval(body.skin, 21, 68, 5.6)


def _guitar(body: Body, pen: Pen, prop: RGB) -> None:
    def held() -> None:
        pen.line(edge(WOOD), 8, (6, 52), (45, 74))
        pen.line((196, 150, 96), 5, (6, 52), (45, 74))
        pen.box(DARK, 41, 70, 51, 80, round_=2)
        pen.oval(prop, -12, 44, 19, 17)
        pen.oval(prop, 5, 52, 13, 12)
        pen.oval(prop, -9, 45, 16, 14, rim=False)
        pen.oval(DARK, -3, 48, 5.5, rim=False)

    body.draw(reaching(STANDING, Limb((-22, 54), (-7, 46)), Limb((22, 58), (34, 69))), held)
    body.pen.oval(body.skin, 33, 68, 5.6)


def _dog_walk(body: Body, pen: Pen, prop: RGB) -> None:
    there = pen.moved(-27, 0)
    Body(there, body.person).draw(reaching(WALKING, far=Limb((14, 55), (24, 50))))
    pen.line((200, 40, 40), 2.6, (-3, 50), (14, 46), (34, 36))
    things_outdoors.dog(pen.moved(26, 0, 0.58), prop)


def _kite_flying(body: Body, pen: Pen, prop: RGB) -> None:
    top = 140.0 if not body.child else 186.0
    pen.line((90, 90, 98), 1.8, (20, 94), (6, top))
    things_indoors.kite(pen.moved(6, top - 20, 0.56 if not body.child else 0.72), prop)
    body.draw(reaching(STANDING._replace(head=(-2, 85)), far=Limb((20, 72), (20, 92))))


def _kicking(body: Body, pen: Pen, prop: RGB) -> None:
    pose = Pose(
        (-8, 85), (-6, 70), (-2, 43),
        Limb((-20, 60), (-29, 52)), Limb((12, 62), (22, 70)), Limb((14, 34), (30, 16)), Limb((-6, 24), (-10, 3)),
    )  # fmt: skip
    Body(pen.moved(-10, 0), body.person).draw(pose)
    things_outdoors.ball(pen.moved(39, 3, 0.48), prop)


def _skating(body: Body, pen: Pen, prop: RGB) -> None:
    for x in (-20, 20):
        pen.oval(DARK, x, 4, 4.5, rim=False)
    pen.limb(prop, 5.5, (-37, 14), (-28, 10), (28, 10), (37, 14))
    body.draw(
        Pose(
            (4, 88), (2, 73), (-3, 47),
            Limb((-16, 66), (-33, 66)), Limb((19, 66), (36, 70)), Limb((-14, 34), (-17, 15)), Limb((13, 36), (15, 15)),
        )
    )  # fmt: skip


def _skiing(body: Body, pen: Pen, prop: RGB) -> None:
    pen.limb(prop, 4.5, (-44, 3), (40, 3), (50, 10))
    pen.line(METAL, 3, (22, 55), (36, 2))
    body.draw(
        Pose(
            (14, 82), (9, 67), (-6, 42),
            Limb((10, 54), (20, 52)), Limb((18, 56), (26, 54)), Limb((14, 30), (2, 7)), Limb((18, 30), (8, 7)),
        )
    )  # fmt: skip
    pen.line(DARK, 3, (20, 56), (-22, 10))


def _swimming(body: Body, pen: Pen, _prop: RGB) -> None:
    pen.limb(body.shirt, 17, (-30, 2), (2, 9))
    pen.limb(body.skin, 8.5, (-4, 10), (20, 43), (42, 24))
    body.head((6, 18))
    pen.poly(FOAM, (-50, 4), (-36, 8), (-20, 3), (-2, 7), (16, 3), (34, 7), (48, 3), (54, -6), (-54, -6), rim=False)
    pen.line(WATER, 6, (-46, -6), (46, -6))
    pen.line(FOAM, 3, (-34, -13), (30, -13))


def _rowing(body: Body, pen: Pen, prop: RGB) -> None:
    pose = Pose(
        (-10, 74), (-12, 59), (-14, 30),
        Limb((0, 44), (12, 38)), Limb((2, 46), (14, 40)), Limb((6, 26), (12, 14)), Limb((6, 26), (12, 14)),
    )  # fmt: skip
    body.draw(pose)
    pen.poly(prop, (-56, 26), (-44, 22), (44, 22), (58, 28), (42, -3), (-42, -3))
    pen.line(lighter(prop, 0.5), 3, (-48, 16), (50, 16))
    pen.line(edge(WOOD), 5.5, (6, 44), (36, -8))
    pen.line((206, 160, 104), 3.6, (6, 44), (36, -8))
    pen.oval((206, 160, 104), 37, -8, 5, 8)
    pen.line(FOAM, 3, (-50, -7), (26, -7))


def _fishing(body: Body, pen: Pen, _prop: RGB) -> None:
    there = pen.moved(-18, 0)
    Body(there, body.person).draw(reaching(STANDING, Limb((-4, 54), (12, 52)), Limb((14, 56), (20, 55))))
    pen.line(edge(WOOD), 4.6, (-12, 50), (40, 98))
    pen.line((206, 150, 90), 2.8, (-12, 50), (40, 98))
    pen.line((250, 250, 250), 1.8, (40, 98), (43, 40))
    pen.oval((216, 40, 44), 43, 38, 5)
    body.pen.oval(body.skin, -5, 54, 5.4)


def _cooking(body: Body, pen: Pen, _prop: RGB) -> None:
    there = Body(pen.moved(-12, 0), body.person)
    there.draw(reaching(STANDING, Limb((-2, 52), (18, 56)), Limb((18, 55), (28, 58))))


def cooking_front(pen: Pen, prop: RGB) -> None:
    """The pan and its steam: they stand on the counter, in front of the cook."""
    pen.box((70, 72, 80), -10, 0, 48, 6)
    pen.limb(DARK, 5, (-8, 18), (-24, 22))
    pen.poly(prop, (-8, 24), (-2, 6), (42, 6), (48, 24))
    pen.line((206, 160, 104), 4, (16, 50), (20, 22))
    for x in (26, 36, 46):
        pen.line((250, 252, 253), 3.4, (x, 30), (x + 4, 38), (x, 46), (x + 4, 54))


def _drinking(body: Body, pen: Pen, prop: RGB) -> None:
    def held() -> None:
        things_indoors.cup(pen.moved(20, 70, 0.36, mirrored=False), prop)

    body.draw(reaching(STANDING, Limb((-20, 56), (-16, 44)), Limb((26, 58), (31, 76))), held)
    body.pen.oval(body.skin, 31, 79, 5.4)


def _phoning(body: Body, pen: Pen, _prop: RGB) -> None:
    body.draw(reaching(STANDING, far=Limb((27, 62), (18, 80))))
    pen.poly(DARK, (13, 76), (19, 76), (19, 96), (13, 96))
    body.pen.oval(body.skin, 18, 82, 5.4)


def _painting(body: Body, pen: Pen, _prop: RGB) -> None:
    for x in (16, 50):
        pen.line(WOOD, 4, (33, 98), (x, 0))
    pen.box((252, 252, 250), 14, 36, 54, 88)
    pen.poly((90, 180, 100), (17, 39), (51, 39), (51, 50), (38, 58), (17, 48), rim=False)
    pen.oval((250, 190, 50), 42, 74, 6.5, rim=False)
    there = pen.moved(-20, 0)
    Body(there, body.person).draw(reaching(STANDING, near=Limb((-12, 54), (-8, 42)), far=Limb((18, 60), (28, 68))))
    pen.line(WOOD, 3, (6, 66), (20, 74))


def _sweeping(body: Body, pen: Pen, prop: RGB) -> None:
    there = pen.moved(-14, 0)
    Body(there, body.person).draw(reaching(STANDING, Limb((-2, 52), (14, 56)), Limb((14, 56), (24, 44))))
    pen.line(edge(WOOD), 5.4, (-4, 70), (34, 14))
    pen.line((206, 160, 104), 3.4, (-4, 70), (34, 14))
    pen.poly(prop, (28, 20), (38, 24), (52, 0), (22, 0))
    body.pen.oval(body.skin, 2, 58, 5.4)


def _lifting(body: Body, pen: Pen, _prop: RGB) -> None:
    pen.line(METAL, 4.5, (-40, 108), (40, 108))
    for x in (-40, 40):
        pen.box(DARK, x - 5, 90, x + 5, 126, round_=3)
    body.draw(reaching(STANDING, Limb((-23, 84), (-20, 106)), Limb((23, 84), (20, 106))))


def _tennis(body: Body, pen: Pen, prop: RGB) -> None:
    body.draw(reaching(WALKING, far=Limb((20, 66), (28, 82))))
    pen.line(DARK, 4.5, (28, 82), (33, 96))
    pen.oval((250, 250, 244), 38, 110, 12, 15)
    pen.ring(prop, 38, 110, 14.5, 4)
    pen.oval((214, 232, 60), 44, 74, 5)


def _watering(body: Body, pen: Pen, prop: RGB) -> None:
    there = pen.moved(-22, 0)
    Body(there, body.person).draw(reaching(STANDING, near=Limb((-12, 54), (-12, 42)), far=Limb((18, 56), (30, 54))))
    pen.line(darker(prop, 0.3), 4, (26, 50), (40, 54))
    pen.poly(prop, (4, 58), (24, 58), (27, 38), (7, 34))
    pen.poly(prop, (36, 50), (44, 58), (46, 50))
    for x in (42, 48):
        pen.line((60, 130, 230), 2.6, (x, 48), (x + 3, 38))
    things_outdoors.flower(pen.moved(45, 0, 0.46), COLOURS["red"])


_DRAWN: dict[str, Callable[[Body, Pen, RGB], None]] = {
    "standing": _standing,
    "waving": _waving,
    "walking": _walking,
    "running": _running,
    "jumping": _jumping,
    "sitting on a chair": _sitting,
    "reading a book": _reading,
    "riding a bicycle": _cycling,
    "riding a horse": _horseback,
    "holding an umbrella": _umbrella,
    "playing the guitar": _guitar,
    "walking a dog": _dog_walk,
    "flying a kite": _kite_flying,
    "kicking a ball": _kicking,
    "skateboarding": _skating,
    "skiing": _skiing,
    "swimming": _swimming,
    "rowing a boat": _rowing,
    "fishing": _fishing,
    "cooking": _cooking,
    "drinking": _drinking,
    "talking on the phone": _phoning,
    "painting": _painting,
    "sweeping": _sweeping,
    "lifting weights": _lifting,
    "playing tennis": _tennis,
    "watering flowers": _watering,
}
