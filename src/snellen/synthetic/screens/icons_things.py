"""More icons: things and media. See icons.py, whose table they join."""

from __future__ import annotations

import math
from collections.abc import Callable

from snellen.synthetic.screens.pen import IconPen


def _mail(p: IconPen) -> None:
    p.box(3.5, 5.5, 20.5, 18.5)
    p.line((4, 7), (12, 13.5), (20, 7))


def _user(p: IconPen) -> None:
    p.disc(12, 7.6, 4.4)
    p.disc(12, 21.5, 8)
    p.block(2, 21.2, 22, 24, round_=0, erase=True)


def _bell(p: IconPen) -> None:
    p.disc(12, 9.5, 5.8)
    p.fill((6.2, 9), (17.8, 9), (18.8, 16), (20.6, 18), (3.4, 18), (5.2, 16))
    p.disc(12, 20, 2)
    p.disc(12, 3.6, 1.5)


def _lock(p: IconPen) -> None:
    p.block(5, 10.5, 19, 21, round_=1.6)
    p.arc(12, 9, 4.4, 180, 360)
    p.line((7.6, 9), (7.6, 12))
    p.line((16.4, 9), (16.4, 12))
    p.disc(12, 15.6, 1.7, erase=True)


def _calendar(p: IconPen) -> None:
    p.box(4, 5.5, 20, 20.5)
    p.block(4, 5.5, 20, 10)
    p.line((8, 3), (8, 6))
    p.line((16, 3), (16, 6))
    for x in (8, 12, 16):
        for y in (13, 17):
            p.block(x - 1, y - 1, x + 1, y + 1, round_=0.2)


def _camera(p: IconPen) -> None:
    p.block(2.5, 7, 21.5, 20, round_=2)
    p.block(8, 4, 16, 9, round_=1.4)
    p.disc(12, 13.4, 4.8, erase=True)
    p.disc(12, 13.4, 2.9)


def _folder(p: IconPen) -> None:
    p.fill((2.5, 5), (9.5, 5), (11.5, 7.5), (21.5, 7.5), (21.5, 19.5), (2.5, 19.5))


def _file(p: IconPen) -> None:
    p.loop((5.5, 3), (14, 3), (18.5, 7.5), (18.5, 21), (5.5, 21))
    p.line((13.5, 3.5), (13.5, 8), (18, 8), width=1.6)


def _print(p: IconPen) -> None:
    p.line((7, 8), (7, 3.5), (17, 3.5), (17, 8))
    p.block(3, 8, 21, 17.5, round_=1.4)
    p.block(7, 13, 17, 21.5, round_=0.4, erase=True)
    p.box(8, 14, 16, 20.5, round_=0.4, width=1.8)


def _cut(p: IconPen) -> None:
    p.ring(6, 17.5, 2.8)
    p.ring(18, 17.5, 2.8)
    p.line((7.6, 15.2), (15.5, 3))
    p.line((16.4, 15.2), (8.5, 3))


def _zoom(p: IconPen) -> None:
    p.ring(10.5, 10.5, 6.6)
    p.line((15.4, 15.4), (20.5, 20.5), width=2.6)
    p.line((7.4, 10.5), (13.6, 10.5), width=1.8)


def _zoom_in(p: IconPen) -> None:
    _zoom(p)
    p.line((10.5, 7.4), (10.5, 13.6), width=1.8)


def _info(p: IconPen) -> None:
    p.ring(12, 12, 9)
    p.disc(12, 7.8, 1.4)
    p.line((12, 11.5), (12, 16.8), width=2.4)


def _warning(p: IconPen) -> None:
    p.fill((12, 2.5), (22.5, 21), (1.5, 21))
    p.line((12, 9), (12, 14.5), width=2.2, erase=True)
    p.disc(12, 18, 1.3, erase=True)


def _help(p: IconPen) -> None:
    p.ring(12, 12, 9)
    p.curve([(9, 9.6), (9, 5.4), (15.4, 6), (15, 9.8), (14.8, 11.8), (12, 11.8), (12, 14.2)])
    p.disc(12, 17.4, 1.3)


def _chat(p: IconPen) -> None:
    p.block(2.5, 4, 21.5, 16.5, round_=3)
    p.fill((6, 15), (12, 16), (6, 21.5))
    for x in (8, 12, 16):
        p.disc(x, 10.2, 1.3, erase=True)


def _cart(p: IconPen) -> None:
    p.line((2.5, 4), (5.5, 4), (8, 15.5), (18.5, 15.5), (21, 7.5), (6.5, 7.5))
    p.disc(9.2, 19.6, 1.9)
    p.disc(17, 19.6, 1.9)


def _clock(p: IconPen) -> None:
    p.ring(12, 12, 9)
    p.line((12, 6.5), (12, 12), (16, 14.5))


def _eye(p: IconPen) -> None:
    p.curve([(2.5, 12), (7, 4.5), (17, 4.5), (21.5, 12), (17, 19.5), (7, 19.5), (2.5, 12)])
    p.disc(12, 12, 3.2)


def _link(p: IconPen) -> None:
    p.arc(7.6, 16.4, 4.2, 60, 330)
    p.arc(16.4, 7.6, 4.2, 240, 510)
    p.line((9, 15), (15, 9))


def _image(p: IconPen) -> None:
    p.box(3.5, 4.5, 20.5, 19.5)
    p.disc(8.4, 9.2, 1.9)
    p.fill((4.5, 19), (10.5, 12.5), (14, 16), (16.5, 13.5), (20, 17.5), (20, 19))


def _microphone(p: IconPen) -> None:
    p.block(8.8, 2.5, 15.2, 14, round_=3.2)
    p.arc(12, 11.5, 6.4, 0, 180)
    p.line((12, 18), (12, 21.2))
    p.line((8, 21.2), (16, 21.2))


def _volume(p: IconPen) -> None:
    p.fill((3, 9), (7, 9), (12.5, 4), (12.5, 20), (7, 15), (3, 15))
    p.arc(12.5, 12, 4, -50, 50)
    p.arc(12.5, 12, 8, -50, 50)


def _wifi(p: IconPen) -> None:
    for r in (5.4, 9.6, 13.8):
        p.arc(12, 19, r, 225, 315)
    p.disc(12, 18.4, 1.9)


def _battery(p: IconPen) -> None:
    p.box(2.5, 7.5, 19, 16.5)
    p.block(5, 10, 14, 14, round_=0.4)
    p.block(20.4, 10, 22.4, 14, round_=0.4)


def _power(p: IconPen) -> None:
    p.arc(12, 13, 8, -60, 240)
    p.line((12, 3), (12, 12))


def _flag(p: IconPen) -> None:
    p.line((5, 3), (5, 21.5))
    p.fill((5, 3.5), (19.5, 3.5), (16, 8.5), (19.5, 13.5), (5, 13.5))


def _tag(p: IconPen) -> None:
    p.fill((3, 3), (12, 3), (21.5, 12.5), (12.5, 21.5), (3, 12))
    p.disc(7.4, 7.4, 1.8, erase=True)


def _location(p: IconPen) -> None:
    p.disc(12, 9, 6.4)
    p.fill((6, 11), (18, 11), (12, 22))
    p.disc(12, 9, 2.5, erase=True)


def _cloud(p: IconPen) -> None:
    p.disc(7, 14, 4.6)
    p.disc(12.5, 10.6, 5.8)
    p.disc(17.6, 14.4, 4.2)
    p.block(6, 13, 18.5, 18.6, round_=1)


def _play(p: IconPen) -> None:
    p.fill((6, 3.5), (20.5, 12), (6, 20.5))


def _pause(p: IconPen) -> None:
    p.block(5.5, 4, 10, 20)
    p.block(14, 4, 18.5, 20)


def _stop(p: IconPen) -> None:
    p.block(5, 5, 19, 19, round_=1)


def _next(p: IconPen) -> None:
    p.fill((5, 4.5), (16, 12), (5, 19.5))
    p.block(16.4, 4.5, 19.2, 19.5)


def _previous(p: IconPen) -> None:
    p.fill((19, 4.5), (8, 12), (19, 19.5))
    p.block(4.8, 4.5, 7.6, 19.5)


def _shuffle(p: IconPen) -> None:
    p.curve([(3, 17.5), (11, 17.5), (12, 6.5), (19, 6.5)])
    p.curve([(3, 6.5), (11, 6.5), (12, 17.5), (19, 17.5)])
    p.arrow((20.8, 6.5), 0, 4.5)
    p.arrow((20.8, 17.5), 0, 4.5)


def _bold(p: IconPen) -> None:
    p.line((7, 4.5), (7, 19.5), width=2.8)
    p.curve([(7, 4.5), (17.5, 3.5), (17.5, 12), (7, 11.6)], width=2.8)
    p.curve([(7, 11.6), (19.5, 11), (19.5, 20.5), (7, 19.5)], width=2.8)


def _italic(p: IconPen) -> None:
    p.line((10, 4.5), (18, 4.5))
    p.line((6, 19.5), (14, 19.5))
    p.line((14.2, 4.5), (9.8, 19.5))


def _underline(p: IconPen) -> None:
    p.curve([(6.5, 3.5), (6.5, 8), (5, 16.5), (12, 16.5), (19, 16.5), (17.5, 8), (17.5, 3.5)])
    p.line((5, 20.8), (19, 20.8))


def _align_left(p: IconPen) -> None:
    for y, end in ((5, 20.5), (9.7, 14), (14.4, 20.5), (19, 12)):
        p.line((3.5, y), (end, y))


def _align_center(p: IconPen) -> None:
    for y, half in ((5, 8.5), (9.7, 5), (14.4, 8.5), (19, 4)):
        p.line((12 - half, y), (12 + half, y))


def _brush(p: IconPen) -> None:
    p.line((20.5, 3.5), (11, 13), width=3)
    p.disc(8, 16.2, 3.6)
    p.fill((3, 21), (5, 15), (9.5, 19.5))


def _crop(p: IconPen) -> None:
    p.line((7, 2.5), (7, 17), (21.5, 17))
    p.line((2.5, 7), (17, 7), (17, 21.5))


def _text(p: IconPen) -> None:
    p.line((4.5, 5), (19.5, 5), width=2.6)
    p.line((12, 5), (12, 20), width=2.6)


def _save(p: IconPen) -> None:
    p.fill((3.5, 3.5), (17, 3.5), (20.5, 7), (20.5, 20.5), (3.5, 20.5))
    p.block(7.5, 3.5, 15.5, 8.5, round_=0.2, erase=True)
    p.block(7, 12.5, 17, 20.5, round_=0.2, erase=True)
    p.line((9, 15), (15, 15), width=1.4)
    p.line((9, 18), (15, 18), width=1.4)


def _chart(p: IconPen) -> None:
    p.line((3.5, 3.5), (3.5, 20.5), (20.5, 20.5))
    for x, top in ((7, 13), (11.5, 7), (16, 10)):
        p.block(x, top, x + 3, 19.4, round_=0.3)


def _phone(p: IconPen) -> None:
    p.box(7, 3, 17, 21, round_=2)
    p.line((11, 18.4), (13, 18.4), width=1.6)


def _globe(p: IconPen) -> None:
    p.ring(12, 12, 9, 1.8)
    p.line((3, 12), (21, 12), width=1.6)
    for bend in (-5.6, 5.6):
        p.curve([(12, 3), (12 + bend, 7), (12 + bend, 17), (12, 21)], width=1.6)


def _sun(p: IconPen) -> None:
    p.disc(12, 12, 4.6)
    for i in range(8):
        a = math.radians(45 * i)
        p.line((12 + 7.6 * math.cos(a), 12 + 7.6 * math.sin(a)), (12 + 10 * math.cos(a), 12 + 10 * math.sin(a)))


THINGS: dict[str, Callable[[IconPen], None]] = {
    "mail": _mail,
    "user": _user,
    "bell": _bell,
    "lock": _lock,
    "calendar": _calendar,
    "camera": _camera,
    "folder": _folder,
    "file": _file,
    "print": _print,
    "cut": _cut,
    "zoom out": _zoom,
    "zoom in": _zoom_in,
    "info": _info,
    "warning": _warning,
    "help": _help,
    "chat": _chat,
    "cart": _cart,
    "clock": _clock,
    "eye": _eye,
    "link": _link,
    "image": _image,
    "microphone": _microphone,
    "volume": _volume,
    "wifi": _wifi,
    "battery": _battery,
    "power": _power,
    "flag": _flag,
    "tag": _tag,
    "location": _location,
    "cloud": _cloud,
    "play": _play,
    "pause": _pause,
    "stop": _stop,
    "next": _next,
    "previous": _previous,
    "shuffle": _shuffle,
    "bold": _bold,
    "italic": _italic,
    "underline": _underline,
    "align left": _align_left,
    "align center": _align_center,
    "brush": _brush,
    "crop": _crop,
    "text": _text,
    "save": _save,
    "chart": _chart,
    "phone": _phone,
    "globe": _globe,
    "brightness": _sun,
}
