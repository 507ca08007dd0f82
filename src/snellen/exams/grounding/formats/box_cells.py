"""Boxes as people write them into a cell, and how a file says what their numbers mean. Nothing is guessed from the numbers.

What four numbers mean is told by the name of the column (`box_xywh`, or x1, y1, x2 and y2 in columns of their own), by a column
`box_format`, or by the keys of an object. Without a word on the unit they are pixels of the picture; boxes that could only be
shares are refused then. An object with x, y, width and height, as browsers give it, counts CSS pixels: the row says how many
pixels of the picture one of them is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.exams.grounding.formats.base import Convention, true_box
from snellen.exams.grounding.geometry import Box, Pixels

Unit = Literal["pixels", "shares"]
FORMATS = ("xyxy-pixels", "xywh-pixels", "xyxy-shares", "xywh-shares")
CHOICES = f"choose from {', '.join(FORMATS)}"
_UNITS: dict[str, Unit] = {
    **dict.fromkeys(("pixels", "pixel", "px"), "pixels"),
    **dict.fromkeys(("shares", "share", "fractions", "normalized", "normalised", "relative"), "shares"),
}
_NAMED = re.compile(rf"(?:b?box|b?boxes)_(xyxy|xywh)(?:_({'|'.join(_UNITS)}))?")
PLAIN = ("box", "boxes", "bbox", "bboxes", "boundingbox", "bounding_box", "rect")
CORNERS = (("x1", "y1", "x2", "y2"), ("xmin", "ymin", "xmax", "ymax"), ("left", "top", "right", "bottom"))
SIZED = (("x", "y", "width", "height"), ("x", "y", "w", "h"))
_SCALES = ("device_scale_factor", "devicescalefactor", "device_pixel_ratio", "devicepixelratio", "dpr")
_VIEWPORTS = ("viewport", "viewport_width", "viewportwidth")
SCALES = (*_SCALES, *_VIEWPORTS)
_MOST_SCALE = 16
_MOST_BOXES = 1000
_SHOWN = 60


class AmbiguousBox(SnellenError):
    """Numbers that could mean two things. What is missing is missing in most rows of a file, so it is told once."""


class BoxConvention(NamedTuple):
    """What four numbers mean."""

    convention: Convention
    unit: Unit = "pixels"

    def __str__(self) -> str:
        return f"{self.convention}-{self.unit}"


class BoxColumns(NamedTuple):
    """Where a file has its boxes: in one column, or in four; and what its columns' names say of them."""

    names: tuple[str, ...]
    way: BoxConvention | None

    @property
    def shown(self) -> str:
        return f"column{'s' * (len(self.names) > 1)} {', '.join(self.names)}"


def box_columns(present: Sequence[str]) -> list[BoxColumns]:
    """The columns of a file that may be boxes. More than one of these is more than one truth."""
    found = [BoxColumns((name,), None) for name in PLAIN if name in present]
    found += [
        BoxColumns((name,), BoxConvention(_convention(known[1]), _UNITS[known[2] or "pixels"]))
        for name in present
        if (known := _NAMED.fullmatch(name))
    ]
    found += [BoxColumns(names, BoxConvention("xyxy")) for names in CORNERS if set(names) <= set(present)]
    found += [BoxColumns(names, BoxConvention("xywh")) for names in SIZED if set(names) <= set(present)]
    return found


def way_from(text: Any) -> BoxConvention:
    """What `box_format` says.

    >>> str(way_from("xywh-shares")), str(way_from("XYXY_px")), str(way_from("xyxy"))
    ('xywh-shares', 'xyxy-pixels', 'xyxy-pixels')
    """
    convention, _, unit = str(text).strip().lower().replace("_", "-").replace(" ", "-").partition("-")
    if convention not in ("xyxy", "xywh") or (unit and unit not in _UNITS):
        raise SnellenError(f"column box_format: unknown format {one_line(str(text), _SHOWN)!r}; {CHOICES}")
    return BoxConvention(_convention(convention), _UNITS[unit or "pixels"])


def _convention(text: str) -> Convention:
    return "xywh" if text == "xywh" else "xyxy"


def boxes_in(
    cells: Mapping[str, Any], columns: BoxColumns, told: BoxConvention | None, size: tuple[int, int]
) -> tuple[Box, ...]:
    """The boxes of a row in pixels of its picture. `told` is what its `box_format`, or the format of the file, says."""
    if told and columns.way and told.convention != columns.way.convention:
        raise SnellenError(f"{columns.shown}: the name says {columns.way.convention}, and box_format says {told}")
    way, scale = told or columns.way, _scale(cells, size)
    if len(columns.names) > 1:
        given: list[Any] = [[_number(cells.get(name), name) for name in columns.names]]
    else:
        given = list(_listed(cells.get(columns.names[0]), columns.shown))
    return tuple(dict.fromkeys(_box(one, way, scale, columns.shown, size) for one in given))


def _box(given: Any, way: BoxConvention | None, scale: float | None, column: str, size: tuple[int, int]) -> Box:
    if isinstance(given, dict):
        values, meant = _from_object(given, way, scale, column)
    elif way is None:
        raise AmbiguousBox(
            f"{column}: {given} may be x1, y1, x2, y2 or x, y, width, height: add a column box_format ({CHOICES}), or call "
            "the column box_xyxy or box_xywh"
        )
    else:
        values, meant = list(given), way
    shares = meant.unit == "shares"
    if scale is not None and shares:
        raise SnellenError(f"{column}: shares of the picture and a device scale factor: leave one of them out")
    if not shares and values and max(map(abs, values)) <= 1 and any(values):
        raise SnellenError(
            f"{column}: {values} would be less than a pixel; where these are shares of the picture, say so in a column "
            f"box_format: {meant.convention}-shares"
        )
    try:
        scaled = [value * (scale or 1) for value in values]
        return true_box(scaled, meant.convention, Pixels(*size), fractions=shares)
    except SnellenError as error:
        raise SnellenError(f"{column}: {error}") from None


def _from_object(
    given: Mapping[str, Any], way: BoxConvention | None, scale: float | None, column: str
) -> tuple[list[float], BoxConvention]:
    """The numbers of an object, whose keys say which is which. A browser's rectangle has both kinds of keys."""
    low = {str(key).lower(): value for key, value in given.items()}
    names = next((n for n in (*SIZED, *CORNERS) if set(n) <= low.keys()), None)
    if names is None:
        keys = one_line(", ".join(low), _SHOWN)
        raise SnellenError(
            f"{column}: a box is an object with x, y, width and height, or x1, y1, x2 and y2; this has {keys}"
        )
    convention = "xywh" if names in SIZED else "xyxy"
    if way is not None and way.convention != convention:
        raise SnellenError(f"{column}: the keys {', '.join(names)} are {convention}, and box_format says {way}")
    if way is None and convention == "xywh" and scale is None:
        raise AmbiguousBox(
            f"{column}: x, y, width and height, as a browser gives them, count CSS pixels: add a column device_scale_factor "
            "(1 where the picture is as wide as the window), or viewport_width, or box_format"
        )
    return [_number(low[name], f"{column}, {name}") for name in names], way or BoxConvention(_convention(convention))


def _scale(cells: Mapping[str, Any], size: tuple[int, int]) -> float | None:
    """How many pixels of the picture a CSS pixel is, where the row says so."""
    told = [name for name in SCALES if name in cells]
    if not told:
        return None
    if len(told) > 1:
        raise SnellenError(f"columns {', '.join(told)}: give one of them")
    value, name = cells[told[0]], told[0]
    if name in _VIEWPORTS:
        wide = _number(value.get("width") if isinstance(value, dict) else value, name)
        scale = size[0] / wide if wide > 0 else math.nan
    else:
        scale = _number(value, name)
    if not 0 < scale <= _MOST_SCALE:
        raise SnellenError(f"column {name}: {one_line(str(value), _SHOWN)} gives a scale that no screen has")
    return scale


def _number(value: Any, name: str) -> float:
    try:
        number = float(value) if not isinstance(value, bool) and isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise SnellenError(f"column {name}: expected a number, not {one_line(repr(value), _SHOWN)}")
    return number


def _listed(cell: Any, column: str) -> Iterator[Any]:
    """The boxes of a cell, each a list of four numbers or an object: one, a list of them, or either as text."""
    if isinstance(cell, str):
        cell = _from_text(cell, column)
    if isinstance(cell, dict):
        cell = [cell]
    if not isinstance(cell, list | tuple):
        raise SnellenError(f"{column}: expected four numbers, not {one_line(repr(cell), _SHOWN)}")
    if len(cell) > _MOST_BOXES:
        raise SnellenError(f"{column}: {len(cell)} values in one cell")
    for one in cell if any(isinstance(value, list | tuple | dict) for value in cell) else [cell] if cell else []:
        if isinstance(one, dict):
            yield one
        elif isinstance(one, list | tuple) and len(one) == 4:
            yield [_number(value, column.removeprefix("column ")) for value in one]
        else:
            raise SnellenError(f"{column}: expected four numbers, not {one_line(repr(one), _SHOWN)}")


def _from_text(text: str, column: str) -> Any:
    """Text of a cell: JSON, or numbers with commas or blanks between them and `;` between boxes."""
    if text.lstrip().startswith(("[", "{")):
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            raise SnellenError(f"{column}: not JSON: {one_line(text, _SHOWN)}") from None
    return [re.split(r"[,\s]+", one.strip()) for one in text.split(";") if one.strip()]
