"""A method of a plugin: a function that gets a picture and an instruction, and returns where to click.

It is called with the bytes of a PNG or JPEG (the screenshot, or a crop of it) and the instruction, in a thread. It returns (x, y) or
(x1, y1, x2, y2) in pixels of that picture, or None where the target is not there. Like every method it sees no truth.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError, said_by
from snellen.core.text import one_line
from snellen.exams.grounding.geometry import Box, Crop, Point
from snellen.methods.base import Locator, Look, MethodView, Tools
from snellen.methods.pictures import cut


class OwnLocator(Locator):
    """Looks with a plugin's function. An exception in it is an error of the sample, with its message."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name, self._function = name, function
        self.identity = {"code": _digest(function)}

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        image = await tools.compute(cut, view.image, crop)
        try:
            said = await tools.compute(self._function, image, instruction)
        except Exception as error:
            return Look("error", reason=f"method {self._name}: {said_by(error)}")
        if said is None:
            return Look("refused", reason=f"{self._name} says that it is not there")
        try:
            numbers = [float(n) for n in said]
            if len(numbers) == 2:
                return Look("found", point=Point(numbers[0], numbers[1], crop.inner))
            box = Box.from_xyxy(numbers, crop.inner)
        except (TypeError, ValueError, SnellenError):
            what = f"{one_line(repr(said), 80)}, not (x, y), (x1, y1, x2, y2) or None"
            return Look("error", reason=f"method {self._name} gave {what}")
        return Look("found", point=box.centre, box=box)


def about(function: Callable[..., Any]) -> str:
    """Return the first line of a function's docstring."""
    first = next(iter((inspect.getdoc(function) or "").splitlines()), "")
    return f"a plugin's: {one_line(first, 120)}" if first else "a plugin's"


def _digest(function: Callable[..., Any]) -> str:
    """Digest the file that holds a function, so that an edited method is another subject; its name where there is no file."""
    try:
        code = Path(inspect.getfile(function)).read_bytes()
    except (OSError, TypeError):
        code = repr(getattr(function, "__qualname__", type(function))).encode()
    return hashlib.sha256(code).hexdigest()
