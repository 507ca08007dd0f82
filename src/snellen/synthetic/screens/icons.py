"""Icons by name: all that the original generator names, and those that window frames, tool bars and side bars need.

Each is drawn so that its name follows from its look; two names never share a drawing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from snellen.synthetic.screens.canvas import Edges, Ink, ink_edges
from snellen.synthetic.screens.icons_things import THINGS
from snellen.synthetic.screens.pen import IconPen

Drawing = Callable[[IconPen], None]


class Icon(NamedTuple):
    """An icon at a size: its ink and where the visible part lies in it."""

    ink: Ink
    edges: Edges


@lru_cache(maxsize=2048)
def icon(name: str, size: int) -> Icon:
    """An icon in a square of `size` pixels."""
    pen = IconPen(size)
    DRAWINGS[name](pen)
    ink = pen.ink()
    return Icon(ink, ink_edges(ink))


# ---------------------------------------------------------------- the original generator's twenty


def _settings(p: IconPen) -> None:
    for tooth in range(8):
        a = math.radians(tooth * 45)
        c, s = math.cos(a), math.sin(a)
        p.line((12 + 6 * c, 12 + 6 * s), (12 + 9.2 * c, 12 + 9.2 * s), width=3.6)
    p.disc(12, 12, 7.4)
    p.disc(12, 12, 3.4, erase=True)


def _search(p: IconPen) -> None:
    p.ring(10.5, 10.5, 6.2)
    p.line((15.2, 15.2), (20.5, 20.5), width=2.6)


def _home(p: IconPen) -> None:
    p.line((2.5, 12), (12, 3.5), (21.5, 12))
    p.line((5.5, 10.5), (5.5, 20.5), (18.5, 20.5), (18.5, 10.5))
    p.block(10, 14, 14, 21)


def _menu(p: IconPen) -> None:
    for y in (6, 12, 18):
        p.line((3.5, y), (20.5, y))


def _close(p: IconPen) -> None:
    p.line((5.5, 5.5), (18.5, 18.5))
    p.line((18.5, 5.5), (5.5, 18.5))


def _add(p: IconPen) -> None:
    p.line((12, 4), (12, 20), width=2.4)
    p.line((4, 12), (20, 12), width=2.4)


def _remove(p: IconPen) -> None:
    p.ring(12, 12, 9)
    p.line((7.5, 12), (16.5, 12), width=2.4)


def _share(p: IconPen) -> None:
    p.line((17.5, 5.5), (6.5, 12), (17.5, 18.5))
    for x, y in ((17.5, 5.5), (6.5, 12), (17.5, 18.5)):
        p.disc(x, y, 3.2)


def _download(p: IconPen) -> None:
    p.line((12, 3.5), (12, 15))
    p.arrow((12, 15.5), 90, 6)
    p.line((3.5, 16.5), (3.5, 20.5), (20.5, 20.5), (20.5, 16.5))


def _upload(p: IconPen) -> None:
    p.line((12, 15.5), (12, 4))
    p.arrow((12, 3.5), -90, 6)
    p.line((3.5, 16.5), (3.5, 20.5), (20.5, 20.5), (20.5, 16.5))


def _refresh(p: IconPen) -> None:
    p.arc(12, 12, 8, -20, 150)
    p.arc(12, 12, 8, 160, 330)
    p.fill((20.5, 3.5), (20.5, 10.5), (13.8, 9.2))
    p.fill((3.5, 20.5), (3.5, 13.5), (10.2, 14.8))


def _star_spots(outer: float, inner: float) -> list[tuple[float, float]]:
    out = []
    for i in range(10):
        r = outer if i % 2 == 0 else inner
        a = math.radians(-90 + 36 * i)
        out.append((12 + r * math.cos(a), 12.6 + r * math.sin(a)))
    return out


def _star(p: IconPen) -> None:
    p.fill(*_star_spots(10.4, 4.4))


def _heart(p: IconPen) -> None:
    p.disc(7.6, 8.6, 4.9)
    p.disc(16.4, 8.6, 4.9)
    p.fill((3.3, 11.2), (20.7, 11.2), (12, 20.8))
    p.fill((7.6, 5), (16.4, 5), (16.4, 12), (7.6, 12))
    p.fill((10.5, 3), (13.5, 3), (12, 6.4), erase=True)


def _bookmark(p: IconPen) -> None:
    p.fill((6, 3), (18, 3), (18, 21.5), (12, 16.5), (6, 21.5))


def _edit(p: IconPen) -> None:
    p.fill((3.5, 20.5), (4.8, 15.2), (8.8, 19.2))
    p.fill((5.8, 14.2), (15, 5), (19, 9), (9.8, 18.2))
    p.fill((16.2, 3.8), (17.6, 2.6), (21.4, 6.4), (20.2, 7.8))


def _delete(p: IconPen) -> None:
    p.line((4, 6.5), (20, 6.5))
    p.line((9, 6), (9.6, 3.4), (14.4, 3.4), (15, 6))
    p.line((6, 7), (7, 20.8), (17, 20.8), (18, 7))
    p.line((10.2, 10.5), (10.4, 17.2), width=1.6)
    p.line((13.8, 10.5), (13.6, 17.2), width=1.6)


def _copy(p: IconPen) -> None:
    p.box(8.5, 8.5, 20, 20.5)
    p.line((5, 15.5), (4, 15.5), (4, 4), (15.5, 4), (15.5, 5))


def _paste(p: IconPen) -> None:
    p.box(4.5, 4.5, 19.5, 21)
    p.block(8, 2, 16, 7)
    for y in (11, 14.3, 17.6):
        p.line((8, y), (16, y), width=1.5)


def _undo(p: IconPen) -> None:
    p.curve([(4.5, 9.5), (12, 7.5), (20, 10), (19.5, 18.5)], width=2.2)
    p.line((9.8, 4), (4.2, 9.6), (9.8, 14.6), width=2.2)


def _redo(p: IconPen) -> None:
    p.curve([(19.5, 9.5), (12, 7.5), (4, 10), (4.5, 18.5)], width=2.2)
    p.line((14.2, 4), (19.8, 9.6), (14.2, 14.6), width=2.2)


# ---------------------------------------------------------------- windows and navigation


def _back(p: IconPen) -> None:
    p.line((20, 12), (4.5, 12))
    p.line((11, 5), (4, 12), (11, 19))


def _forward(p: IconPen) -> None:
    p.line((4, 12), (19.5, 12))
    p.line((13, 5), (20, 12), (13, 19))


def _up(p: IconPen) -> None:
    p.line((12, 20), (12, 4.5))
    p.line((5, 11), (12, 4), (19, 11))


def _chevron_down(p: IconPen) -> None:
    p.line((5.5, 9), (12, 15.5), (18.5, 9), width=2.4)


def _chevron_right(p: IconPen) -> None:
    p.line((9, 5.5), (15.5, 12), (9, 18.5), width=2.4)


def _chevron_left(p: IconPen) -> None:
    p.line((15, 5.5), (8.5, 12), (15, 18.5), width=2.4)


def _check(p: IconPen) -> None:
    p.line((4.5, 12.5), (9.8, 18), (19.8, 6.5), width=3)


def _minimize(p: IconPen) -> None:
    p.line((5, 18), (19, 18))


def _maximize(p: IconPen) -> None:
    p.box(5, 5, 19, 19, round_=0.5)


def _more(p: IconPen) -> None:
    for x in (5, 12, 19):
        p.disc(x, 12, 2.1)


def _grid(p: IconPen) -> None:
    for x in (3.5, 13.5):
        for y in (3.5, 13.5):
            p.block(x, y, x + 7, y + 7)


def _list(p: IconPen) -> None:
    for y in (6, 12, 18):
        p.disc(4.5, y, 1.6)
        p.line((9, y), (20.5, y))


def _filter(p: IconPen) -> None:
    p.fill((3, 4), (21, 4), (14, 12.5), (14, 20.5), (10, 18), (10, 12.5))


DRAWINGS: dict[str, Drawing] = {
    "settings": _settings,
    "search": _search,
    "home": _home,
    "menu": _menu,
    "close": _close,
    "add": _add,
    "remove": _remove,
    "share": _share,
    "download": _download,
    "upload": _upload,
    "refresh": _refresh,
    "star": _star,
    "heart": _heart,
    "bookmark": _bookmark,
    "edit": _edit,
    "delete": _delete,
    "copy": _copy,
    "paste": _paste,
    "undo": _undo,
    "redo": _redo,
    "back": _back,
    "forward": _forward,
    "up": _up,
    "chevron down": _chevron_down,
    "chevron right": _chevron_right,
    "chevron left": _chevron_left,
    "check": _check,
    "minimize": _minimize,
    "maximize": _maximize,
    "more": _more,
    "grid": _grid,
    "list": _list,
    "filter": _filter,
}
DRAWINGS |= THINGS
