"""Drawings as text, one shape a line, in TOML files beside the code that draws them.

    poly wood 0 0 10 0 5 8             the form, its colour, its numbers
    flat box glass x-4 0 x+.5wide 9    without an outline; a number may be a sum of the drawing's names
    3x box wood 10k 0 10k+5 9          three times, with k = 0, 1, 2

Further lines are steps; they share the names, and what they draw has names of its own:

    x = (k + uniform(0, 1)) / 9        a name for a number or a colour, by an expression (expressions.py)
    draw tower                         another drawing
    draw tree times 11 - 2 * near      another one, repeated, with k = 0, 1, ...
    draw arch if near == 1 else lintel

A term of a sum is `2`, `x`, `.5wide`, `1/3wide` or `.5k*wide`. Terms are added from left to right, so a drawing has the same last digit
everywhere. The pen that draws them defines the forms and colours.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from snellen.synthetic.expressions import Formula, Functions, formula

_LINE = re.compile(r"(?:(\d+)x )?(flat )?(\S+) (\S+) ?(.*)")
_LET = re.compile(r"(\w+) = (.+)")
_USE = re.compile(r"draw (\S+)(?: (times|if) (.+?)(?: else (\S+))?)?")
_TERM = re.compile(r"([+-]?)([\d.]+)?(?:/(\d+))?([a-z_*]+)")


class _Scope(NamedTuple):
    names: Mapping[str, float]


class Shape(NamedTuple):
    """A line of a drawing, which may be drawn several times."""

    form: str
    colour: str
    sums: tuple[Formula | float, ...]
    flat: bool = False
    times: int = 1

    def numbers(self, names: Mapping[str, float]) -> Iterator[list[float]]:
        """Yield the shape's numbers for the values of the names, once for each repetition."""
        for k in range(self.times):
            scope = _Scope(names if self.times == 1 else {**names, "k": k})
            yield [one if isinstance(one, float) else float(one(scope)) for one in self.sums]


class _Let(NamedTuple):
    """A step that gives a name to a value."""

    name: str
    value: Formula


class _Use(NamedTuple):
    """A step that draws another drawing: once, `times` often, or `if` a condition holds, with `otherwise` as the alternative."""

    drawing: str
    verb: str
    value: Formula
    otherwise: str


@cache
def read_table(file: str) -> dict[str, Any]:
    """Read a data file beside this module, once."""
    return tomllib.loads((Path(__file__).parent / file).read_text(encoding="utf-8"))


Drawings = Mapping[str, tuple[Shape | _Let | _Use, ...]]


def read_drawings(file: str, functions: Functions | None = None) -> Drawings:
    """Read the drawings of a file. Its steps may call the functions, whose first argument is the painter's host."""
    texts = read_table(file)["drawings"]
    return {name: tuple(_line(line, functions or {}) for line in text.splitlines()) for name, text in texts.items()}


class Painter:
    """A painter that draws with a pen.

    `names` are the numbers and colours for drawings, `host` is the first argument of their functions.
    """

    def __init__(self, drawings: Drawings, pen: Any, names: dict[str, Any], host: Any = None) -> None:
        self._drawings, self.pen, self.names, self.host = drawings, pen, names, host

    def draw(self, name: str) -> None:
        """Draw the lines of a drawing one after the other."""
        for line in self._drawings[name]:
            if isinstance(line, _Let):
                self.names[line.name] = line.value(self)
            elif isinstance(line, _Use):
                self._use(line)
            else:
                self.shape(line)

    def shape(self, line: Shape) -> None:
        """Draw a shape: its form is a method of the pen, called with the colour and the numbers."""
        for numbers in line.numbers(self.names):
            getattr(self.pen, line.form)(self.fill(line.colour), *numbers)

    def fill(self, text: str) -> Any:
        """Return a colour by its text in a line."""
        return self.names[text]

    def within(self, pen: Any, **names: Any) -> Self:
        """Return a painter of the same drawings, with additional names."""
        return type(self)(self._drawings, pen, {**self.names, **names}, self.host)

    def _use(self, line: _Use) -> None:
        value = line.value(self)
        if line.verb == "times":
            for k in range(value):
                self.within(self.pen, k=k).draw(line.drawing)
        elif drawing := line.drawing if value else line.otherwise:
            self.within(self.pen).draw(drawing)


def _line(line: str, functions: Functions) -> Shape | _Let | _Use:
    if named := _LET.fullmatch(line):
        return _Let(named[1], formula(named[2], functions))
    if used := _USE.fullmatch(line):
        drawing, verb, value, otherwise = used.groups(default="")
        return _Use(drawing, verb, formula(value or "True", functions), otherwise)
    return _shape(line)


def _shape(line: str) -> Shape:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(f"not a line of a drawing: {line}")
    times, flat, form, colour, numbers = match.groups()
    return Shape(form, colour, tuple(map(_sum, numbers.split())), flat is not None, int(times or 1))


def _sum(text: str) -> Formula | float:
    """Read a sum; without names, return a number."""
    return formula(_TERM.sub(_term, text), {}) if re.search("[a-z]", text) else float(text)


def _term(term: re.Match[str]) -> str:
    """Write a term as an expression.

    >>> _TERM.sub(_term, "x-1/3k*wide+2")
    'x-k*wide*1/3+2'
    """
    sign, factor, divisor, names = term.groups(default="")
    return f"{sign}{names}{factor and '*' + factor}{divisor and '/' + divisor}"
