"""Drawings as text, one shape a line, in TOML files beside the code that draws them.

    poly wood 0 0 10 0 5 8             the shape, its colour, its numbers
    flat box glass x-4 0 x+.5wide 9    without an outline; a number may be a sum of names that the drawing is given

A term of a sum is `2`, `x`, `.5wide` or `1/3wide`. Terms are added from left to right, so a drawing has the same last digit everywhere.
Which shapes and colours there are is up to the pen that draws them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

_TERM = re.compile(r"([+-]?)([\d.]+)?(?:/(\d+))?([a-z_]*)")


class Term(NamedTuple):
    """A part of a sum: a factor, what it is divided by, and the name of a number (empty for 1)."""

    factor: float
    divisor: float
    name: str


class Shape(NamedTuple):
    """A line of a drawing."""

    form: str
    colour: str
    sums: tuple[tuple[Term, ...], ...]
    flat: bool

    def numbers(self, names: Mapping[str, float]) -> list[float]:
        """Return the shape's numbers for the values of the names."""
        known = {"": 1.0, **names}
        out = []
        for terms in self.sums:
            total = 0.0  # not sum(): it adds floats in another way from Python 3.12 on
            for factor, divisor, name in terms:
                total += known[name] * factor / divisor
            out.append(total)
        return out


def read_table(path: Path) -> dict[str, Any]:
    """Read a data file of the package."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def read_drawings(path: Path) -> dict[str, tuple[Shape, ...]]:
    """Read the drawings of a file."""
    return {name: tuple(map(_shape, text.splitlines())) for name, text in read_table(path)["drawings"].items()}


def _shape(line: str) -> Shape:
    words = line.split()
    flat = words[0] == "flat"
    form, colour, *numbers = words[flat:]
    return Shape(form, colour, tuple(map(_sum, numbers)), flat)


def _sum(text: str) -> tuple[Term, ...]:
    """Read a sum.

    >>> _sum("x-1/3wide")
    (Term(factor=1.0, divisor=1.0, name='x'), Term(factor=-1.0, divisor=3.0, name='wide'))
    """
    found = [match.groups() for match in _TERM.finditer(text) if match[0]]
    return tuple(
        Term(float(f"{sign}{factor or 1}"), float(divisor or 1), name) for sign, factor, divisor, name in found
    )
