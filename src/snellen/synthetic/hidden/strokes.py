"""A pen that collects filled outlines on a field of 100 by 100 (y down), so that they can be turned and scaled."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class OutlinePen:
    """Outlines in the order of drawing; one without `ink` cuts a hole."""

    def __init__(self) -> None:
        self.pieces: list[tuple[Floats, bool]] = []

    def poly(self, ink: bool, *xy: float) -> None:
        """Draw a polygon through x0, y0, x1, y1, ..."""
        self.pieces.append((_points(xy), ink))

    def blob(self, ink: bool, *xy: float) -> None:
        """Draw a smooth closed outline through the points."""
        p = _points(xy)
        a, b, c, d = np.roll(p, 1, 0), p, np.roll(p, -1, 0), np.roll(p, -2, 0)
        parts = [
            0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
            for t in np.linspace(0, 1, 8, endpoint=False)
        ]
        self.pieces.append((np.stack(parts, axis=1).reshape(-1, 2), ink))

    def oval(self, ink: bool, x: float, y: float, rx: float, ry: float, turn: float = 0.0) -> None:
        """Draw an ellipse, turned clockwise by degrees."""
        t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        points = np.stack([rx * np.cos(t), ry * np.sin(t)], axis=1) @ np.array([[c, s], [-s, c]])
        self.pieces.append((points + np.array([x, y]), ink))

    def box(self, ink: bool, x0: float, y0: float, x1: float, y1: float) -> None:
        """Draw an upright rectangle."""
        self.poly(ink, x0, y0, x1, y0, x1, y1, x0, y1)

    def line(self, ink: bool, width: float, *xy: float) -> None:
        """Draw a thick line with round joints and ends."""
        p = _points(xy)
        for (x0, y0), (x1, y1) in pairwise(p):
            along = np.array([x1 - x0, y1 - y0])
            length = float(np.hypot(*along))
            if length > 0:
                nx, ny = -along[1] / length * width / 2, along[0] / length * width / 2
                self.poly(ink, x0 + nx, y0 + ny, x1 + nx, y1 + ny, x1 - nx, y1 - ny, x0 - nx, y0 - ny)
        for x, y in p:
            self.oval(ink, float(x), float(y), width / 2, width / 2)

    def arc(self, ink: bool, width: float, x: float, y: float, rx: float, ry: float, start: float, stop: float) -> None:
        """Draw a thick part of an ellipse from one angle to another (degrees, clockwise from the right)."""
        t = np.radians(np.linspace(start, stop, max(6, int(abs(stop - start) / 12))))
        self.line(ink, width, *np.stack([x + rx * np.cos(t), y + ry * np.sin(t)], axis=1).ravel())

    def ring(self, ink: bool, x: float, y: float, rx: float, ry: float, width: float) -> None:
        """Draw an ellipse's line of the given width; what is inside stays."""
        self.arc(ink, width, x, y, rx, ry, 0, 360)


def _points(xy: Sequence[float]) -> Floats:
    return np.array(xy, dtype=np.float64).reshape(-1, 2)
