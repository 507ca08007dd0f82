"""How things of the house and of the upper part of a scene are drawn, to the same measures as those of the open air."""

from __future__ import annotations

from snellen.synthetic.scenes.canvas import Pen, star
from snellen.synthetic.scenes.palette import COLOURS, RGB, darker, lighter
from snellen.synthetic.scenes.things_outdoors import DARK, GLASS, METAL, WOOD

LIGHT: RGB = (255, 240, 130)
JUICE: RGB = (250, 150, 40)
SKY_IN_WINDOW: dict[str, RGB] = {"sunny": (140, 204, 248), "cloudy": (206, 214, 222), "rainy": (112, 124, 140)}


def chair(pen: Pen, fill: RGB) -> None:
    """A chair seen from the side; whoever sits on it looks to the right."""
    pen.limb(fill, 7, (-22, 4), (-22, 86))
    pen.limb(fill, 7, (24, 4), (24, 38))
    pen.box(fill, -26, 36, 30, 46, round_=3)
    pen.box(fill, -27, 60, -17, 88, round_=4)


def table(pen: Pen, fill: RGB) -> None:
    """A table with two legs in view."""
    for x in (-40, 40):
        pen.box(darker(fill, 0.12), x - 5, 0, x + 5, 50)
    pen.box(fill, -54, 46, 54, 58, round_=3)


def lamp(pen: Pen, fill: RGB, state: str = "on") -> None:
    """A standard lamp; on, it shines."""
    if state == "on":
        pen.poly((255, 246, 176), (-24, 82), (24, 82), (50, 10), (-50, 10), rim=False)
    pen.box(METAL, -3, 4, 3, 86)
    pen.oval(METAL, 0, 4, 20, 5)
    if state == "on":
        pen.oval(LIGHT, 0, 82, 12, 10, rim=False)
    pen.poly(fill if state == "on" else darker(fill, 0.12), (-28, 82), (-17, 118), (17, 118), (28, 82))


def television(pen: Pen, state: str = "on") -> None:
    """A screen on two feet: a bright landscape, or black."""
    for x in (-24, 24):
        pen.line(DARK, 5, (x * 0.7, 14), (x, 2))
    pen.box(DARK, -52, 12, 52, 78, round_=5)
    if state == "on":
        pen.box((110, 200, 250), -46, 18, 46, 72, rim=False)
        pen.poly((80, 190, 90), (-46, 18), (-46, 34), (-10, 48), (20, 30), (46, 42), (46, 18), rim=False)
        pen.oval((255, 220, 60), 26, 58, 8, rim=False)
    else:
        pen.box((24, 24, 30), -46, 18, 46, 72, rim=False)
        pen.line((70, 70, 80), 3, (-36, 44), (-20, 64))


def door(pen: Pen, fill: RGB, state: str = "closed") -> None:
    """A door in its frame; open, it shows a dark corridor."""
    pen.box((246, 240, 228), -32, 0, 32, 128)
    if state == "open":
        pen.box((40, 36, 44), -26, 0, 26, 122, rim=False)
        pen.poly(fill, (-26, 0), (-26, 122), (-52, 112), (-52, -9))
        pen.oval((240, 200, 60), -46, 52, 3, rim=False)
    else:
        pen.box(fill, -26, 0, 26, 122)
        for low in (14, 70):
            pen.box(darker(fill, 0.16), -16, low, 16, low + 40, rim=False)
        pen.oval((240, 200, 60), 19, 60, 3.6, rim=False)


def plant(pen: Pen) -> None:
    """Leaves in a clay pot."""
    green: RGB = (40, 148, 76)
    for x, y in ((-34, 66), (34, 66), (-20, 86), (20, 86), (0, 94)):
        pen.poly(green, (0, 30), (x - 8, y - 14), (x, y), (x + 8, y - 14))
    pen.poly((200, 108, 66), (-24, 36), (-17, 0), (17, 0), (24, 36))


def glass(pen: Pen, state: str = "full") -> None:
    """A tumbler, full of orange juice or empty."""
    pen.poly((214, 232, 242), (-25, 74), (-19, 0), (19, 0), (25, 74))
    if state == "full":
        pen.poly(JUICE, (-23.4, 62), (-17.6, 4), (17.6, 4), (23.4, 62), rim=False)
    else:
        pen.line((255, 255, 255), 4, (-14, 62), (-10, 14))


def cup(pen: Pen, fill: RGB) -> None:
    """A mug that one cannot look into."""
    pen.ring(darker(fill, 0.34), 30, 32, 17, 8.5)
    pen.ring(fill, 30, 32, 16, 5.5)
    pen.box(fill, -30, 0, 30, 62, round_=7)
    pen.box(lighter(fill, 0.3), -30, 55, 30, 62, round_=3, rim=False)


def bottle(pen: Pen, fill: RGB) -> None:
    """A bottle with a label."""
    pen.poly(fill, (-19, 0), (-19, 50), (-8, 68), (-8, 92), (8, 92), (8, 68), (19, 50), (19, 0))
    pen.box((248, 244, 232), -19, 16, 19, 40)
    pen.box(DARK, -9, 88, 9, 98, round_=2)


def apple(pen: Pen, fill: RGB) -> None:
    """An apple with a leaf."""
    pen.oval(fill, -11, 30, 24, 29)
    pen.oval(fill, 11, 30, 24, 29)
    pen.oval(fill, 0, 29, 30, 26, rim=False)
    pen.line(WOOD, 5, (0, 52), (5, 68))
    pen.poly((60, 160, 70), (5, 60), (18, 72), (30, 68), (18, 58))
    pen.oval(lighter(fill, 0.5), -16, 40, 6, 8, rim=False)


def candle(pen: Pen, fill: RGB, state: str = "lit") -> None:
    """A thick candle with or without its flame."""
    pen.box(fill, -17, 0, 17, 58, round_=3)
    pen.oval(lighter(fill, 0.35), 0, 58, 17, 4, rim=False)
    pen.line(DARK, 3, (0, 58), (0, 68))
    if state == "lit":
        pen.poly((255, 150, 30), (0, 106), (13, 80), (9, 68), (0, 64), (-9, 68), (-13, 80), rim=False)
        pen.poly((255, 232, 90), (0, 92), (7, 78), (5, 70), (0, 67), (-5, 70), (-7, 78), rim=False)


def book(pen: Pen, fill: RGB, state: str = "open") -> None:
    """Open, its pages are seen; closed, only the cover."""
    if state == "open":
        pen.poly(fill, (-52, 2), (-48, 44), (0, 34), (48, 44), (52, 2), (0, -4))
        pen.poly((252, 250, 244), (-46, 8), (-43, 46), (0, 38), (0, 1))
        pen.poly((252, 250, 244), (46, 8), (43, 46), (0, 38), (0, 1))
        for y in (14, 22, 30):
            pen.line((150, 150, 158), 2, (-38, y + 4), (-8, y - 1))
            pen.line((150, 150, 158), 2, (38, y + 4), (8, y - 1))
    else:
        pen.box(fill, -27, 0, 27, 70, round_=3)
        pen.box(darker(fill, 0.3), -27, 0, -19, 70, rim=False)
        pen.box((250, 246, 230), -10, 42, 18, 56, rim=False)


def laptop(pen: Pen, state: str = "open") -> None:
    """Open, the screen stands and shines; closed, it is a flat slab."""
    if state == "open":
        pen.box(DARK, -42, 8, 42, 66, round_=4)
        pen.box((120, 196, 250), -36, 14, 36, 60, rim=False)
        pen.poly((92, 96, 106), (-54, 0), (-44, 12), (44, 12), (54, 0))
    else:
        pen.box((92, 96, 106), -54, 0, 54, 20, round_=5)
        pen.line((150, 154, 164), 3, (-50, 9), (50, 9))


def suitcase(pen: Pen, fill: RGB, state: str = "closed") -> None:
    """Closed it stands on its wheels; open it lies with its lid up and clothes inside."""
    if state == "closed":
        pen.line(DARK, 4.5, (-13, 66), (-13, 80), (13, 80), (13, 66))
        pen.box(fill, -34, 6, 34, 68, round_=7)
        for x in (-15, 15):
            pen.box(darker(fill, 0.28), x - 3, 6, x + 3, 68, rim=False)
        for x in (-24, 24):
            pen.oval(DARK, x, 4, 4.5, rim=False)
    else:
        pen.box(darker(fill, 0.2), -46, 28, 46, 78, round_=6)
        pen.box(lighter(fill, 0.55), -39, 30, 39, 71, round_=4, rim=False)
        for x, colour in ((-24, (250, 250, 250)), (0, (246, 170, 60)), (24, (90, 160, 220))):
            pen.oval(colour, x, 26, 14, 11)
        pen.box(fill, -48, 0, 48, 26, round_=5)


def kite(pen: Pen, fill: RGB) -> None:
    """A diamond with a tail, hanging from its own middle."""
    tail = [(0.0, 12.0), (8.0, 2.0), (-6.0, -8.0), (6.0, -18.0)]
    pen.line(DARK, 2.6, *tail)
    for x, y in tail[1:]:
        pen.oval(fill, x, y, 5)
    pen.poly(fill, (0, 88), (34, 54), (0, 10), (-34, 54))
    pen.poly(lighter(fill, 0.5), (0, 88), (34, 54), (0, 54), rim=False)
    pen.poly(lighter(fill, 0.5), (0, 10), (-34, 54), (0, 54), rim=False)


def balloon(pen: Pen, fill: RGB) -> None:
    """A balloon on a string."""
    pen.line((120, 120, 128), 2.4, (0, 14), (4, 0), (-4, -12))
    pen.poly(fill, (-6, 10), (0, 18), (6, 10))
    pen.oval(fill, 0, 50, 29, 35)
    pen.oval(lighter(fill, 0.6), -11, 62, 6, 9, rim=False)


def bird(pen: Pen, fill: RGB) -> None:
    """A flying bird, its wings up."""
    pen.poly(fill, (-28, 34), (-52, 46), (-48, 26))
    pen.oval(fill, -2, 36, 30, 15)
    pen.oval(fill, 28, 46, 14)
    pen.poly((248, 176, 40), (39, 50), (56, 44), (39, 40))
    pen.poly(darker(fill, 0.2) if sum(fill) > 200 else (84, 84, 92), (14, 40), (-10, 82), (-34, 78), (-14, 38))
    pen.oval(DARK if sum(fill) > 200 else (250, 250, 250), 31, 49, 2.8, rim=False)


def plane(pen: Pen, fill: RGB) -> None:
    """An aeroplane from the side."""
    pen.poly(fill, (-50, 46), (-58, 74), (-44, 74), (-30, 46))
    pen.poly(fill, (-46, 28), (-52, 44), (30, 48), (50, 42), (58, 34), (48, 26))
    pen.poly(lighter(fill, 0.35), (8, 34), (-28, 8), (-14, 8), (26, 34))
    for x in (-24, -8, 8, 24):
        pen.oval(GLASS, x, 41, 3.4, rim=False)


def clock(pen: Pen, fill: RGB) -> None:
    """A round clock with a coloured rim."""
    pen.oval(fill, 0, 46, 38)
    pen.oval((252, 250, 244), 0, 46, 27)
    for x, y in ((0, 22), (22, 0), (0, -22), (-22, 0)):
        pen.oval(DARK, x, 46 + y, 2, rim=False)
    pen.line(DARK, 4, (0, 46), (0, 64))
    pen.line(DARK, 4, (0, 46), (12, 40))


def window(pen: Pen, fill: RGB, state: str, weather: str) -> None:
    """A window with curtains; open, the weather is seen through it."""
    pen.box((250, 250, 248), -48, 8, 48, 90)
    if state == "open":
        pen.box(SKY_IN_WINDOW[weather], -43, 13, 43, 85, rim=False)
        if weather == "sunny":
            pen.poly((255, 206, 40), *star(0, 50, 26, 15, 8), rim=False)
        elif weather == "cloudy":
            for x, y, r in ((-12, 46, 12), (4, 52, 15), (17, 46, 10)):
                pen.oval((252, 252, 254), x, y, r, rim=False)
        else:
            for x in (-18, 0, 18):
                for y in (24, 46, 68):
                    pen.line((236, 244, 252), 3, (x + 2, y + 8), (x - 3, y - 6))
        for side in (-1, 1):
            pen.poly(fill, (side * 52, 94), (side * 26, 94), (side * 30, 50), (side * 36, 6), (side * 52, 6))
    else:
        for side in (-1, 1):
            pen.box(fill, min(0, side * 52), 4, max(0, side * 52), 94)
            for x in (13, 26, 39):
                pen.line(darker(fill, 0.2), 2.2, (side * x, 10), (side * x, 88))
    pen.line(COLOURS["brown"], 4.5, (-56, 95), (56, 95))
