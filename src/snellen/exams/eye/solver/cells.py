"""The odd one of nine, found by measuring each. A difference counts from a stated size on; below it the solver sees none.

colour        2 by CIEDE2000
orientation   the ends of a bar move by a pixel: for bars of 102 pixels (a picture of 512) that is 1.1 degrees
size          a pixel in diameter: for discs of 67 pixels that is 1.5%
difference    the same between two pictures, where a thing's side is the root of its area: 2 to 3%
"""

from __future__ import annotations

import numpy as np

from snellen.exams.eye.solver.base import Pixels, ground
from snellen.synthetic.patterns.colour import rgb_to_lab
from snellen.synthetic.sheets.ciede import ciede2000
from snellen.synthetic.sheets.odd import A_ROW, CELLS

COLOUR, PIXEL = 2.0, 1.0
_SEEN = 20.0  # minimum difference of an object from the background, in levels


def _cells(picture: Pixels) -> list[Pixels]:
    high, wide = (side // A_ROW for side in picture.shape[:2])
    return [picture[y * high : (y + 1) * high, x * wide : (x + 1) * wide] for y in range(A_ROW) for x in range(A_ROW)]


def _inks(picture: Pixels) -> list[Pixels]:
    """Return the fraction of each pixel of each cell that the object covers; the fullest pixel counts as fully covered."""
    apart = np.sqrt(((picture - ground(picture)) ** 2).sum(axis=2))
    return [cell / max(float(cell.max()), _SEEN) for cell in _cells(apart)]


def _odd(by: Pixels, least: float) -> str:
    """Return the place that differs most, if the difference reaches `least`."""
    which = int(by.argmax())
    return CELLS[which] if by[which] >= least else ""


def odd_colour(picture: Pixels) -> str:
    """Return the disc whose mean colour is farthest from the usual one."""
    pairs = zip(_cells(picture), _inks(picture), strict=True)
    labs = [rgb_to_lab(cell[ink > 0.9]).mean(axis=0) for cell, ink in pairs if (ink > 0.9).any()]
    if len(labs) < len(CELLS):
        return ""
    return _odd(ciede2000(np.stack(labs), np.median(np.stack(labs), axis=0)), COLOUR)


def odd_angle(picture: Pixels) -> str:
    """Return the bar whose ends are farthest from where the usual direction would put them."""
    turns, halves = [], []
    for ink in _inks(picture):
        mass = float(ink.sum())
        if mass == 0:
            return ""
        y, x = np.arange(ink.shape[0])[:, None], np.arange(ink.shape[1])[None, :]
        dx, dy = x - float((ink * x).sum()) / mass, y - float((ink * y).sum()) / mass
        xx, yy, xy = (float((ink * part).sum()) / mass for part in (dx * dx, dy * dy, dx * dy))
        turns.append(complex(xx - yy, 2 * xy))
        halves.append(np.sqrt(3 * (xx + yy + abs(turns[-1])) / 2))
    turn = np.array(turns)
    usual = complex(np.median(turn.real), np.median(turn.imag))
    away = np.abs(np.angle(turn * np.conj(usual))) / 2
    return _odd(np.sin(away) * np.array(halves), PIXEL)


def odd_size(picture: Pixels) -> str:
    """Return the disc whose diameter, from its area, is farthest from the usual one."""
    wide = np.array([2 * np.sqrt(ink.sum() / np.pi) for ink in _inks(picture)])
    return _odd(np.abs(wide - np.median(wide)), PIXEL)


def changed(first: Pixels, second: Pixels) -> str:
    """Return the object whose side changes most between the pictures."""
    if first.shape != second.shape:
        return ""
    before, after = (np.array([np.sqrt(ink.sum()) for ink in _inks(picture)]) for picture in (first, second))
    return _odd(np.abs(after - before), PIXEL)
