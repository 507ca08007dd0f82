"""The outlines of the things (IN) and of the three drawings of each icon class (ICON)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from snellen.synthetic.hidden.strokes import OutlinePen

Drawing = Callable[[OutlinePen], None]


def _airplane(p: OutlinePen) -> None:
    p.blob(50, 0, 56, 12, 57, 50, 54, 86, 50, 97, 46, 86, 43, 50, 44, 12)
    p.poly(50, 28, 100, 58, 100, 69, 50, 55, 0, 69, 0, 58)
    p.poly(50, 76, 72, 91, 72, 98, 50, 92, 28, 98, 28, 91)


def _bicycle(p: OutlinePen) -> None:
    for x in (21, 79):
        p.ring(x, 66, 21, 21, 6)
    p.line(5.5, 21, 66, 36, 36, 70, 34, 47, 66, 21, 66)
    p.line(5.5, 47, 66, 33, 26)
    p.line(5.5, 79, 66, 67, 20, 78, 16)
    p.line(7, 26, 25, 42, 25)
    p.oval(47, 66, 6, 6)


def _bird(p: OutlinePen) -> None:
    p.blob(24, 30, 34, 22, 45, 28, 52, 40, 68, 50, 80, 62, 68, 70, 48, 74, 32, 66, 25, 50)
    p.poly(27, 26, 27, 38, 6, 36)
    p.poly(70, 52, 100, 66, 98, 78, 66, 70)
    p.blob(40, 44, 58, 22, 86, 4, 84, 26, 74, 46, 60, 56)
    p.line(4, 44, 70, 42, 94, 34, 94)
    p.line(4, 54, 70, 53, 94, 45, 94)
    p.oval(33, 31, 3, 3, ink=False)


def _bottle(p: OutlinePen) -> None:
    p.box(42, 0, 58, 12)
    p.blob(44, 8, 56, 8, 57, 30, 68, 44, 70, 60, 70, 92, 66, 99, 34, 99, 30, 92, 30, 60, 32, 44, 43, 30)
    p.box(30, 60, 70, 64, ink=False)
    p.box(30, 80, 70, 84, ink=False)


def _car(p: OutlinePen) -> None:
    p.blob(1, 62, 3, 50, 22, 46, 34, 28, 50, 25, 66, 28, 80, 46, 97, 51, 99, 64, 96, 70, 50, 71, 4, 70)
    for x in (24, 76):
        p.oval(x, 70, 14, 14, ink=False)
        p.oval(x, 70, 10.5, 10.5)
    p.poly(32, 45, 39, 33, 49, 31, 49, 45, ink=False)
    p.poly(54, 31, 63, 33, 71, 45, 54, 45, ink=False)


def _cat(p: OutlinePen) -> None:
    p.oval(44, 27, 19, 17)
    p.poly(26, 26, 25, 0, 43, 13)
    p.poly(62, 26, 63, 0, 45, 13)
    p.blob(36, 38, 52, 38, 62, 56, 70, 78, 68, 98, 28, 98, 24, 92, 32, 70)
    p.line(7, 66, 94, 84, 92, 92, 78, 88, 62, 94, 52)
    p.oval(37, 26, 3.4, 4, ink=False)
    p.oval(51, 26, 3.4, 4, ink=False)
    p.line(2.5, 43, 70, 43, 96, ink=False)


def _dog(p: OutlinePen) -> None:
    p.blob(22, 40, 46, 44, 76, 42, 86, 50, 86, 64, 70, 66, 44, 68, 26, 66, 20, 54)
    for x, foot in ((22, 20), (35, 34), (70, 70), (80, 82)):
        p.line(9, x + 3, 58, foot + 3, 94)
    p.line(17, 30, 52, 25, 34)
    p.blob(8, 22, 22, 8, 36, 12, 40, 26, 34, 40, 20, 42, 2, 42, -2, 33)
    p.blob(28, 6, 44, 12, 50, 36, 43, 46, 33, 36, 29, 20, ink=False)
    p.blob(31, 8, 42, 14, 47, 36, 42, 42, 36, 34, 32, 20)
    p.line(7, 84, 48, 95, 36, 99, 22)
    p.oval(20, 24, 3, 3, ink=False)


def _dolphin(p: OutlinePen) -> None:
    p.blob(2, 54, 14, 46, 20, 34, 40, 20, 62, 22, 80, 38, 88, 62, 84, 70, 72, 52, 54, 44, 38, 46, 22, 54, 12, 57)
    p.poly(44, 24, 60, 2, 66, 28)
    p.poly(36, 42, 48, 44, 44, 66, 34, 66)
    p.poly(80, 60, 92, 58, 100, 84, 86, 76, 66, 90, 70, 74)
    p.oval(22, 42, 2.5, 2.5, ink=False)


def _fork(p: OutlinePen) -> None:
    for x in (32, 44, 56, 68):
        p.line(6.5, x, 3, x, 34)
    p.blob(29, 30, 71, 30, 71, 42, 58, 54, 50, 56, 42, 54, 29, 42)
    p.poly(45, 50, 55, 50, 57, 97, 43, 97)
    p.oval(50, 95, 7.5, 6)


def _guitar(p: OutlinePen) -> None:
    p.oval(50, 79, 25, 21)
    p.oval(50, 53, 18, 15)
    p.box(36, 55, 64, 72)
    p.box(46, 10, 54, 50)
    p.poly(43, 0, 57, 0, 56, 14, 44, 14)
    for y in (3, 9):
        p.line(3, 38, y, 62, y)
    p.oval(50, 59, 7.5, 7.5, ink=False)
    p.line(4, 39, 82, 61, 82, ink=False)


def _mug(p: OutlinePen) -> None:
    p.poly(14, 18, 68, 18, 66, 90, 62, 95, 20, 95, 16, 90)
    p.arc(10, 68, 52, 22, 22, -95, 95)
    p.oval(41, 20, 22, 4.5, ink=False)


def _panda(p: OutlinePen) -> None:
    p.oval(26, 10, 12, 12)
    p.oval(74, 10, 12, 12)
    p.ring(50, 30, 33, 27, 4)
    p.oval(37, 30, 8, 10.5, turn=25)
    p.oval(63, 30, 8, 10.5, turn=-25)
    p.oval(50, 43, 5.5, 4)
    p.ring(50, 76, 29, 24, 4)
    p.blob(24, 54, 36, 60, 38, 78, 28, 84, 18, 74)
    p.blob(76, 54, 64, 60, 62, 78, 72, 84, 82, 74)
    p.oval(30, 94, 15, 9)
    p.oval(70, 94, 15, 9)


def _paper_clip(p: OutlinePen) -> None:
    p.line(7, 67, 34, 67, 78)
    p.arc(7, 50, 78, 17, 17, 0, 180)
    p.line(7, 33, 78, 33, 20)
    p.arc(7, 46, 20, 13, 13, 180, 360)
    p.line(7, 59, 20, 59, 68)
    p.arc(7, 51.5, 68, 7.5, 7.5, 0, 180)
    p.line(7, 44, 68, 44, 36)


def _sailboat(p: OutlinePen) -> None:
    p.poly(4, 76, 96, 76, 82, 97, 20, 97)
    p.line(4, 48, 2, 48, 78)
    p.blob(52, 4, 66, 22, 78, 44, 86, 69, 68, 70, 52, 69)
    p.blob(43, 16, 43, 69, 28, 70, 12, 69, 24, 50, 36, 30)


def _scooter(p: OutlinePen) -> None:
    for x in (20, 80):
        p.oval(x, 82, 15, 15)
        p.oval(x, 82, 6, 6, ink=False)
    p.line(7, 20, 80, 27, 50, 31, 14, 22, 10)
    p.blob(27, 34, 36, 34, 38, 62, 42, 72, 56, 70, 58, 54, 70, 46, 88, 50, 97, 66, 94, 76, 70, 84, 36, 83, 26, 70)
    p.blob(52, 42, 58, 36, 80, 36, 90, 42, 80, 49, 58, 50)
    p.oval(27, 22, 7, 6)


def _teapot(p: OutlinePen) -> None:
    p.blob(28, 40, 50, 32, 70, 40, 78, 60, 70, 84, 50, 89, 30, 84, 22, 60)
    p.poly(72, 54, 84, 48, 90, 30, 99, 28, 97, 48, 88, 66, 74, 74)
    p.arc(8, 22, 58, 17, 18, 70, 290)
    p.arc(6, 50, 37, 20, 12, 180, 360)
    p.oval(50, 30, 18, 9)
    p.oval(50, 18, 6, 6)
    p.box(32, 87, 68, 93)
    p.arc(3, 50, 50, 24, 8, 200, 340, ink=False)


def _rabbit(p: OutlinePen) -> None:
    p.oval(36, 22, 7, 24, turn=-12)
    p.oval(58, 22, 7, 24, turn=10)
    p.oval(47, 52, 23, 20)
    p.oval(48, 82, 27, 20)
    p.oval(76, 88, 9, 9)
    p.oval(38, 50, 4, 5, ink=False)
    p.oval(56, 50, 4, 5, ink=False)
    p.poly(43, 59, 51, 59, 47, 64, ink=False)


def _fish(p: OutlinePen) -> None:
    p.blob(2, 52, 14, 38, 36, 27, 56, 32, 74, 50, 56, 70, 36, 76, 14, 66)
    p.poly(66, 52, 98, 24, 91, 52, 98, 80)
    p.poly(30, 32, 46, 10, 60, 36)
    p.poly(36, 72, 48, 88, 54, 68)
    p.oval(18, 47, 4.5, 4.5, ink=False)
    p.arc(3.5, 22, 52, 12, 18, -60, 60, ink=False)


def _elephant(p: OutlinePen) -> None:
    p.blob(34, 30, 58, 20, 84, 26, 94, 46, 92, 66, 60, 70, 38, 64)
    for x in (42, 56, 76, 88):
        p.line(12, x, 60, x, 88)
    p.oval(27, 36, 18, 18)
    p.line(10, 14, 42, 10, 62, 8, 82, 15, 88)
    p.oval(40, 38, 12, 17, ink=False)
    p.oval(40, 38, 9.5, 14.5)
    p.line(4, 94, 44, 99, 66)
    p.oval(20, 32, 2.6, 2.6, ink=False)


def _smile(p: OutlinePen) -> None:
    p.oval(50, 50, 47, 47)
    p.oval(34, 36, 6.5, 9.5, ink=False)
    p.oval(66, 36, 6.5, 9.5, ink=False)
    p.blob(22, 56, 50, 64, 78, 56, 68, 76, 50, 83, 32, 76, ink=False)


def _surprise(p: OutlinePen) -> None:
    p.oval(50, 50, 47, 47)
    p.oval(33, 38, 8, 8, ink=False)
    p.oval(67, 38, 8, 8, ink=False)
    p.arc(4.5, 33, 26, 11, 8, 200, 330, ink=False)
    p.arc(4.5, 67, 26, 11, 8, 210, 340, ink=False)
    p.oval(50, 71, 11, 14, ink=False)


def _wink(p: OutlinePen) -> None:
    p.oval(50, 50, 47, 47)
    p.oval(34, 37, 7, 9, ink=False)
    p.arc(6, 66, 41, 11, 8, 190, 350, ink=False)
    p.arc(7, 50, 52, 27, 24, 15, 165, ink=False)


def _two_notes(p: OutlinePen) -> None:
    p.oval(24, 83, 16, 12, turn=-20)
    p.oval(76, 75, 16, 12, turn=-20)
    p.box(33, 16, 40, 82)
    p.box(85, 8, 92, 74)
    p.poly(33, 12, 92, 2, 92, 22, 33, 32)


def _one_note(p: OutlinePen) -> None:
    p.oval(36, 80, 21, 16, turn=-20)
    p.box(48, 3, 57, 78)
    p.blob(52, 2, 62, 20, 80, 32, 84, 50, 76, 66, 76, 48, 64, 36, 54, 32)


def _drum(p: OutlinePen) -> None:
    p.box(12, 46, 88, 86)
    p.oval(50, 86, 38, 11)
    p.oval(50, 46, 38, 12)
    p.oval(50, 45, 33, 8, ink=False)
    for x in (14, 38, 62):
        p.line(4, x, 62, x + 12, 90, x + 24, 62, ink=False)
    p.line(6, 8, 6, 46, 40)
    p.line(6, 92, 6, 54, 40)
    p.oval(8, 6, 6, 6)
    p.oval(92, 6, 6, 6)


def _dumbbell(p: OutlinePen) -> None:
    p.box(20, 44, 80, 56)
    for x in (6, 76):
        p.box(x, 18, x + 18, 82)
    for x in (0, 92):
        p.box(x, 32, x + 8, 68)


def _basketball(p: OutlinePen) -> None:
    p.oval(50, 50, 48, 48)
    p.line(5, 50, 0, 50, 100, ink=False)
    p.line(5, 0, 50, 100, 50, ink=False)
    p.arc(5, -2, 50, 30, 44, -80, 80, ink=False)
    p.arc(5, 102, 50, 30, 44, 100, 260, ink=False)


def _racket(p: OutlinePen) -> None:
    p.ring(40, 35, 29, 34, 8)
    for x in (28, 40, 52):
        p.line(3, x, 6, x, 64)
    for y in (22, 35, 48):
        p.line(3, 13, y, 67, y)
    p.line(9, 44, 67, 62, 97)
    p.oval(84, 76, 11, 11)


def _pencil(p: OutlinePen) -> None:
    p.poly(70, 6, 94, 30, 36, 88, 12, 64)
    p.poly(10, 67, 33, 90, 2, 98)
    p.line(3.5, 58, 16, 86, 44, ink=False)
    p.line(3.5, 12, 64, 36, 88, ink=False)
    p.line(2.5, 24, 76, 78, 22, ink=False)


def _scissors(p: OutlinePen) -> None:
    p.poly(20, 2, 30, 2, 66, 66, 56, 70, 46, 62)
    p.poly(80, 2, 70, 2, 34, 66, 44, 70, 54, 62)
    p.ring(27, 80, 16, 14, 8)
    p.ring(73, 80, 16, 14, 8)


def _set_square(p: OutlinePen) -> None:
    p.poly(6, 4, 96, 94, 6, 94)
    p.poly(22, 44, 56, 78, 22, 78, ink=False)
    for v in (22, 36, 50, 64, 78):
        p.line(2.5, v, 94, v, 87, ink=False)


def _truck(p: OutlinePen) -> None:
    p.box(0, 20, 62, 72)
    p.poly(65, 34, 84, 34, 98, 54, 98, 74, 65, 74)
    p.box(0, 68, 98, 76)
    p.poly(71, 40, 82, 40, 90, 53, 71, 53, ink=False)
    for x in (18, 48, 82):
        p.oval(x, 78, 13, 13, ink=False)
        p.oval(x, 78, 10, 10)


def _helicopter(p: OutlinePen) -> None:
    p.blob(10, 58, 18, 42, 38, 34, 58, 38, 66, 52, 60, 68, 38, 76, 18, 72)
    p.poly(56, 42, 92, 44, 92, 52, 58, 62)
    p.poly(88, 30, 97, 24, 97, 60, 90, 56)
    p.box(38, 22, 44, 38)
    p.box(0, 17, 84, 24)
    p.line(5, 12, 89, 66, 89)
    p.line(4, 26, 72, 24, 88)
    p.line(4, 52, 72, 54, 88)
    p.blob(16, 56, 22, 46, 34, 42, 34, 56, ink=False)


def _ship(p: OutlinePen) -> None:
    p.poly(0, 62, 100, 62, 84, 92, 16, 92)
    p.box(18, 44, 80, 64)
    p.box(30, 30, 70, 46)
    for x in (34, 50):
        p.poly(x, 6, x + 11, 6, x + 12, 32, x + 1, 32)
    for x in (28, 42, 56, 70):
        p.oval(x, 54, 3.2, 3.2, ink=False)
    p.line(3, 76, 16, 76, 46)


THINGS: Mapping[str, Drawing] = {
    "airplane": _airplane,
    "bicycle": _bicycle,
    "bird": _bird,
    "bottle": _bottle,
    "car": _car,
    "cat": _cat,
    "dog": _dog,
    "dolphin": _dolphin,
    "fork": _fork,
    "guitar": _guitar,
    "mug": _mug,
    "panda": _panda,
    "paper_clip": _paper_clip,
    "sailboat": _sailboat,
    "scooter": _scooter,
    "teapot": _teapot,
}
ICONS: Mapping[str, tuple[Drawing, Drawing, Drawing]] = {
    "animal": (_rabbit, _fish, _elephant),
    "face_emoji": (_smile, _surprise, _wink),
    "music": (_two_notes, _one_note, _drum),
    "sport": (_dumbbell, _basketball, _racket),
    "stationary": (_pencil, _scissors, _set_square),
    "vehicle": (_truck, _helicopter, _ship),
}
