"""How things of the open air are drawn. Each drawing is about 100 units wide and high, stands on y = 0 and looks to the right."""

from __future__ import annotations

from snellen.synthetic.scenes.canvas import Pen
from snellen.synthetic.scenes.palette import COLOURS, RGB, darker, edge, lighter

GLASS: RGB = (206, 230, 242)
DARK: RGB = (46, 46, 54)
WOOD: RGB = (138, 92, 54)
METAL: RGB = (150, 156, 166)


def _wheel(pen: Pen, x: float, y: float, radius: float) -> None:
    pen.oval(DARK, x, y, radius)
    pen.oval((206, 210, 216), x, y, radius * 0.45, rim=False)


def car(pen: Pen, fill: RGB) -> None:
    """A saloon with a long bonnet."""
    pen.poly(fill, (-32, 28), (-24, 50), (12, 50), (26, 28))
    pen.poly(GLASS, (-26, 30), (-20, 45), (-6, 45), (-6, 30), rim=False)
    pen.poly(GLASS, (-2, 30), (-2, 45), (10, 45), (20, 30), rim=False)
    pen.box(fill, -50, 9, 52, 31, round_=8)
    pen.oval((255, 244, 170), 48, 23, 3.6, rim=False)
    pen.box((200, 40, 40), -50, 20, -46, 26, rim=False)
    for x in (-28, 28):
        _wheel(pen, x, 10, 11)


def bus(pen: Pen, fill: RGB) -> None:
    """A long bus, door and lamp at the front."""
    pen.box(fill, -54, 9, 54, 74, round_=8)
    for x in (-46, -24, -2):
        pen.box(GLASS, x, 40, x + 18, 62, round_=2, rim=False)
    pen.box(GLASS, 26, 14, 36, 62, round_=2, rim=False)
    pen.box(GLASS, 42, 38, 54, 64, round_=2, rim=False)
    pen.oval((255, 244, 170), 50, 22, 4, rim=False)
    pen.box(lighter(fill, 0.5), -54, 28, 22, 33, rim=False)
    for x in (-32, 30):
        _wheel(pen, x, 11, 11)


def bicycle(pen: Pen, fill: RGB) -> None:
    """A bicycle with thick tubes."""
    for x in (-29, 29):
        pen.ring(DARK, x, 21, 21, 4)
        pen.oval(METAL, x, 21, 3, rim=False)
    rear, front, pedal, seat, head = (-29.0, 21.0), (29.0, 21.0), (-2.0, 20.0), (-12.0, 48.0), (20.0, 50.0)
    for start, stop in ((rear, pedal), (rear, seat), (seat, pedal), (seat, head), (pedal, head), (head, front)):
        pen.line(edge(fill), 6.6, start, stop)
    for start, stop in ((rear, pedal), (rear, seat), (seat, pedal), (seat, head), (pedal, head), (head, front)):
        pen.line(fill, 4.6, start, stop)
    pen.line(DARK, 5, (-19, 52), (-6, 52))
    pen.line(DARK, 4.2, head, (17, 62), (27, 64))
    pen.poly((214, 170, 110), (24, 60), (46, 60), (43, 44), (27, 44))
    pen.oval(METAL, *pedal, 5, rim=False)


def dog(pen: Pen, fill: RGB, state: str = "standing") -> None:
    """A dog with a long snout, hanging ears and a raised tail."""
    ear = darker(fill, 0.45) if fill != COLOURS["black"] else (84, 84, 92)
    if state == "sitting":
        pen.limb(fill, 7, (-26, 8), (-40, 12), (-44, 24))
        pen.oval(fill, -14, 17, 19, 17)
        pen.poly(fill, (-24, 26), (4, 62), (20, 48), (12, 4), (-8, 4))
        pen.limb(fill, 9, (8, 34), (10, 4))
        pen.limb(fill, 9, (-8, 5), (2, 4))
        head = pen.moved(13, 66)
    else:
        pen.limb(fill, 6.5, (-34, 42), (-46, 54), (-46, 64))
        for x in (-30, -19, 14, 25):
            pen.limb(fill, 8.5, (x, 30), (x, 4))
        pen.oval(fill, -3, 36, 37, 15)
        pen.poly(fill, (14, 34), (20, 60), (38, 56), (32, 30), rim=False)
        head = pen.moved(32, 62)
    head.oval(fill, 0, 0, 15, 13.5)
    head.oval(fill, 15, -5, 12, 7.5)
    head.oval(DARK, 25, -3, 4, 3.6, rim=False)
    head.oval(DARK if sum(fill) > 200 else (250, 250, 250), 5, 3, 2.4, rim=False)
    head.oval(ear, -9, -3, 6.5, 13)


def cat(pen: Pen, fill: RGB, state: str = "sitting") -> None:
    """A cat with pointed ears and a long tail."""
    if state == "sitting":
        pen.limb(fill, 7, (-14, 8), (-34, 10), (-40, 30), (-32, 42))
        pen.oval(fill, -2, 22, 20, 23)
        pen.limb(fill, 8, (9, 30), (11, 4))
        pen.limb(fill, 8, (-2, 5), (4, 4))
        head = pen.moved(7, 56)
    else:
        pen.limb(fill, 7, (-34, 10), (-48, 14), (-46, 30))
        pen.oval(fill, -6, 16, 34, 16)
        pen.limb(fill, 8, (14, 5), (34, 4))
        head = pen.moved(28, 28)
    head.poly(fill, (-15, 4), (-13, 25), (-1, 13))
    head.poly(fill, (15, 4), (13, 25), (1, 13))
    head.oval(fill, 0, 0, 17, 14.5)
    mark = DARK if sum(fill) > 200 else (240, 226, 90)
    head.oval(mark, -5, 2, 2.6, 3.2, rim=False)
    head.oval(mark, 8, 2, 2.6, 3.2, rim=False)
    head.oval((240, 140, 150), 2, -5, 2.6, 2, rim=False)


def horse(pen: Pen, fill: RGB) -> None:
    """A horse with mane and tail."""
    mane = darker(fill, 0.5) if fill != COLOURS["black"] else (96, 96, 104)
    pen.limb(mane, 7, (-38, 56), (-50, 44), (-48, 22))
    for x in (-30, -20, 18, 28):
        pen.limb(fill, 8.5, (x, 42), (x, 5))
        pen.line(DARK, 8.5, (x, 4), (x, 3))
    pen.oval(fill, -3, 50, 38, 18)
    pen.poly(fill, (16, 46), (30, 88), (44, 84), (35, 44))
    pen.poly(fill, (28, 80), (32, 96), (44, 94), (60, 74), (54, 66), (38, 76))
    pen.poly(mane, (14, 60), (24, 92), (34, 98), (33, 84), (22, 56), rim=False)
    pen.poly(fill, (34, 93), (36, 104), (41, 94))
    pen.oval(DARK if sum(fill) > 200 else (250, 250, 250), 42, 86, 2.4, rim=False)


def tree(pen: Pen, fill: RGB) -> None:
    """A round tree."""
    pen.box(WOOD, -8, 0, 8, 50)
    for x, y, r in ((-24, 62, 25), (24, 62, 25), (0, 84, 30)):
        pen.oval(fill, x, y, r)
    for x, y, r in ((-22, 63, 22), (22, 63, 22), (0, 74, 26)):
        pen.oval(fill, x, y, r, rim=False)
    pen.oval(lighter(fill, 0.18), -8, 88, 11, 9, rim=False)


def flower(pen: Pen, fill: RGB) -> None:
    """One large blossom on a stalk."""
    green = COLOURS["green"]
    pen.line(green, 6, (0, 0), (0, 44))
    pen.poly(green, (0, 8), (-22, 26), (-6, 28), rim=False)
    pen.poly(green, (0, 14), (22, 32), (6, 34), rim=False)
    for x, y in ((0, 20), (19, 6), (12, -16), (-12, -16), (-19, 6)):
        pen.oval(fill, x, 60 + y, 14)
    pen.oval((250, 196, 40) if fill != COLOURS["yellow"] else (150, 90, 30), 0, 60, 12)


def ball(pen: Pen, fill: RGB) -> None:
    """A ball with a highlight."""
    pen.oval(fill, 0, 35, 35)
    pen.arc(lighter(fill, 0.55) if fill != COLOURS["white"] else (200, 204, 210), 4.5, 0, 35, 24, 24, 105, 165)


def box(pen: Pen, fill: RGB, state: str = "closed", inside: RGB | None = None) -> None:
    """A box; open it shows a dark inside and perhaps a ball."""
    if state == "open":
        pen.poly(lighter(fill, 0.25), (-38, 52), (-58, 72), (-46, 76), (-26, 62))
        pen.poly(lighter(fill, 0.25), (38, 52), (58, 72), (46, 76), (26, 62))
        pen.poly(darker(fill, 0.72), (-38, 50), (-26, 64), (26, 64), (38, 50))
        if inside is not None:
            pen.oval(inside, 0, 60, 23)
        pen.box(fill, -38, 0, 38, 52)
    else:
        pen.poly(lighter(fill, 0.3), (-38, 52), (-26, 66), (26, 66), (38, 52))
        pen.box(fill, -38, 0, 38, 52)
        tape: RGB = (228, 206, 160) if fill != COLOURS["yellow"] else (170, 120, 70)
        pen.box(tape, -6, 28, 6, 52, rim=False)
        pen.poly(tape, (-6, 52), (-4, 66), (4, 66), (6, 52), rim=False)


def umbrella(pen: Pen, fill: RGB, state: str = "open") -> None:
    """Open like a parasol on its stick, or folded with the point up."""
    if state == "open":
        pen.line(DARK, 4.5, (0, 0), (0, 84))
        pen.dome(fill, 0, 52, 50, 40)
        pen.poly(lighter(fill, 0.45), (-17, 52), (-9, 80), (0, 92), (9, 80), (17, 52), rim=False)
        for x in (-34, 0, 34):
            pen.dome(darker(fill, 0.3), x, 52, 16, 6)
        pen.line(DARK, 4.5, (0, 92), (0, 98))
    else:
        pen.arc(DARK, 4.5, 6, 8, 6, 7, 180, 360)
        pen.line(DARK, 4.5, (0, 8), (0, 90))
        pen.poly(fill, (-12, 24), (-3, 82), (3, 82), (12, 24))
        pen.line(edge(fill), 2, (-4, 26), (0, 76))


def bench(pen: Pen, fill: RGB) -> None:
    """A seat of slats with a back."""
    for x in (-38, 38):
        pen.line(DARK, 5, (x, 0), (x, 46))
    for y in (44, 33, 20):
        pen.box(fill, -50, y - 4.5, 50, y + 4.5, round_=2)


def flag(pen: Pen, fill: RGB, state: str = "up") -> None:
    """A pole; the flag is at its top, or lowered to its foot."""
    pen.box((196, 200, 206), -34, 0, -28, 118)
    pen.oval((240, 200, 60), -31, 120, 5)
    low = 78.0 if state == "up" else 12.0
    pen.poly(
        fill,
        (-28, low + 36),
        (0, low + 30),
        (18, low + 36),
        (38, low + 32),
        (38, low - 2),
        (18, low + 2),
        (0, low - 4),
        (-28, low + 2),
    )


def traffic_light(pen: Pen, state: str = "red") -> None:
    """Three lamps on a post, one of them bright."""
    pen.box(METAL, -4, 0, 4, 44)
    pen.box(DARK, -20, 40, 20, 122, round_=8)
    for y, lit, name in ((106, (255, 52, 48), "red"), (81, (90, 84, 40), ""), (56, (40, 224, 96), "green")):
        pen.oval(lit if state == name or not name else (86, 86, 92), 0, y, 14 if name == state else 9, rim=False)


def house(pen: Pen, fill: RGB, state: str = "closed") -> None:
    """A small house whose door is a dark hole when it is open."""
    pen.box(fill, -40, 0, 40, 52)
    pen.poly((150, 74, 62), (-50, 50), (0, 92), (50, 50))
    pen.box(GLASS, 12, 22, 32, 40)
    if state == "open":
        pen.box((34, 30, 34), -24, 0, 0, 36)
        pen.poly((216, 176, 128), (-24, 0), (-24, 36), (-40, 40), (-40, -6))
    else:
        pen.box((216, 176, 128), -24, 0, 0, 36)
        pen.oval(DARK, -5, 17, 2.2, rim=False)


def snowman(pen: Pen) -> None:
    """Three balls of snow, a carrot and a hat."""
    snow: RGB = (252, 253, 255)
    for x, y in ((-46, 64), (46, 64)):
        pen.line(WOOD, 4, (x * 0.4, 46), (x, y))
    pen.oval(snow, 0, 22, 27, 24)
    pen.oval(snow, 0, 54, 20, 18)
    pen.oval(snow, 0, 80, 15, 14)
    pen.box(DARK, -17, 90, 17, 94)
    pen.box(DARK, -10, 93, 10, 108)
    pen.poly((246, 138, 30), (0, 81), (17, 77), (0, 76), rim=False)
    for x, y in ((-5, 85), (5, 85), (0, 58), (0, 48)):
        pen.oval(DARK, x, y, 2.2, rim=False)


def bucket(pen: Pen, fill: RGB, state: str = "empty") -> None:
    """A bucket; full it has a heap of sand above its rim."""
    pen.arc(METAL, 3.4, 0, 56, 34, 30, 0, 180)
    if state == "full":
        pen.dome((222, 184, 104), 0, 56, 32, 22)
    pen.poly(fill, (-36, 56), (-24, 0), (24, 0), (36, 56))
    if state == "empty":
        pen.oval(darker(fill, 0.7), 0, 56, 36, 7)
    else:
        pen.box(lighter(fill, 0.25), -37, 52, 37, 58, rim=False)


def boat(pen: Pen, fill: RGB, state: str = "up") -> None:
    """A sailing boat, the bow to the right; its sail is up or a bundle on the boom."""
    pen.line(WOOD, 4.5, (-4, 20), (-4, 96))
    if state == "up":
        pen.poly((250, 248, 240), (0, 28), (0, 94), (50, 34))
        pen.poly((250, 248, 240), (-8, 28), (-8, 74), (-30, 28))
    else:
        pen.limb((250, 248, 240), 8, (-34, 30), (-8, 31))
    pen.poly(fill, (-46, 20), (38, 20), (58, 31), (40, -3), (-38, -3))
    pen.line(lighter(fill, 0.5), 3, (-42, 14), (46, 14))


def duck(pen: Pen, fill: RGB) -> None:
    """A swimming duck."""
    pen.oval(fill, -6, 18, 36, 19)
    pen.poly(fill, (-34, 22), (-50, 40), (-22, 32))
    pen.oval(fill, 24, 46, 17)
    pen.poly((246, 138, 30), (37, 50), (58, 44), (37, 39))
    pen.oval(DARK, 28, 51, 3, rim=False)
    pen.poly(darker(fill, 0.18), (-22, 26), (12, 26), (0, 10), (-16, 12), rim=False)
    pen.line((220, 236, 244), 3, (-44, 0), (36, 0))
