"""Boxes as people write them into a cell, and the declaration of their numbers. Nothing is guessed from the numbers.

One of these states the meaning of four numbers:

- the name of the column: `box_xywh`, or x1, y1, x2 and y2 in columns of their own
- a column `box_format`
- the keys of an object
- the user

Without a unit they are pixels of the picture. Boxes that could only be
shares are refused then. An object with x, y, width and height, as browsers give it, counts CSS pixels: the row says how many pixels of
the picture one of them is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.core.types import Struct
from snellen.data.declared import declared
from snellen.exams.grounding.formats.base import BOX_FORMATS, AmbiguousBox, true_box
from snellen.exams.grounding.geometry import Box, Pixels

Four = tuple[str, str, str, str]
CHOICES = f"choose from {', '.join(BOX_FORMATS)}"
_FORMAT = re.compile(
    r"(?:b?box(?:es)?_)?(?P<order>xyxy|xywh)(?:[-_ ](?:pixels?|px|(?P<shares>shares?|fractions|normali[sz]ed|relative)))?",
    re.IGNORECASE,
)
_MOST_SCALE = 16
_MOST_BOXES = 1000
_SHOWN = 60


class _ColumnNames(Struct, frozen=True, forbid_unknown_fields=True):
    """The names that columns may have, as columns.toml lists them."""

    image: tuple[str, ...]
    instruction: tuple[str, ...]
    type: tuple[str, ...]
    kind: tuple[str, ...]
    tags: tuple[str, ...]
    others: tuple[str, ...]
    image_sizes: tuple[tuple[str, str], ...]
    box: tuple[str, ...]
    corners: tuple[Four, ...]
    sized: tuple[Four, ...]
    scale: tuple[str, ...]
    viewport: tuple[str, ...]


NAMES = declared("snellen.exams.grounding.formats", "columns.toml", _ColumnNames)


class BoxColumns(NamedTuple):
    """The box columns of a file, one or four, and the format in their names, else an empty text."""

    names: tuple[str, ...]
    box_format: str = ""

    @property
    def shown(self) -> str:
        """The name of the columns in messages."""
        return f"column{'s' * (len(self.names) > 1)} {', '.join(self.names)}"


def box_columns(present: Sequence[str]) -> list[BoxColumns]:
    """Return the columns of a file that may be boxes. More than one of these is more than one truth."""
    found = [BoxColumns((name,)) for name in NAMES.box if name in present]
    found += [BoxColumns((name,), box_format(name)) for name in present if "box" in name and _FORMAT.fullmatch(name)]
    for order, groups in (("xyxy", NAMES.corners), ("xywh", NAMES.sized)):
        found += [BoxColumns(names, f"{order}-pixels") for names in groups if set(names) <= set(present)]
    return found


def box_format(text: Any, where: str = "column box_format") -> str:
    """Return the format that a text names.

    >>> box_format("xywh-shares"), box_format("XYXY_px"), box_format("box_xyxy")
    ('xywh-shares', 'xyxy-pixels', 'xyxy-pixels')
    """
    known = _FORMAT.fullmatch(str(text).strip())
    if known is None:
        raise SnellenError(f"{where}: unknown format {one_line(str(text), _SHOWN)!r}; {CHOICES}")
    return f"{known['order'].lower()}-{'shares' if known['shares'] else 'pixels'}"


def boxes_in(cells: Mapping[str, Any], columns: BoxColumns, stated: str, space: Pixels) -> tuple[Box, ...]:
    """Return the boxes of a row. `stated` is the format from its `box_format`, the kind of file, or the user."""
    if stated and columns.box_format and stated[:4] != columns.box_format[:4]:
        raise SnellenError(f"{columns.shown}: the name says {columns.box_format[:4]}, and box_format says {stated}")
    if len(columns.names) > 1:
        given: list[Any] = [[_number(cells.get(name), name) for name in columns.names]]
    else:
        given = list(_listed(cells.get(columns.names[0]), columns.shown))
    way, scale = stated or columns.box_format, _scale(cells, space)
    return tuple(dict.fromkeys(_box(one, way, scale, columns.shown, space) for one in given))


def _box(given: Any, way: str, scale: float | None, column: str, space: Pixels) -> Box:
    if isinstance(given, dict):
        values, way = _from_object(given, way, scale, column)
    elif not way:
        raise AmbiguousBox(
            f"{column}: {given} may be x1, y1, x2, y2 or x, y, width, height: add a column box_format ({CHOICES}), or say it "
            "with --box-format"
        )
    else:
        values = given
    shares = way.endswith("shares")
    if scale is not None and shares:
        raise SnellenError(f"{column}: shares of the picture and a device scale factor: leave one of them out")
    if not shares and any(values) and max(map(abs, values)) <= 1:
        raise SnellenError(
            f"{column}: {values} would be less than a pixel; where these are shares of the picture, say so in a column "
            f"box_format: {way[:4]}-shares"
        )
    try:
        return true_box([value * (scale or 1) for value in values], way, space)
    except SnellenError as error:
        raise SnellenError(f"{column}: {error}") from None


def _from_object(given: Mapping[str, Any], stated: str, scale: float | None, column: str) -> tuple[list[float], str]:
    """Return the numbers of an object in the order that its keys state. A browser's rectangle has both kinds of keys."""
    low = {str(key).lower(): value for key, value in given.items()}
    names = next((n for n in (*NAMES.sized, *NAMES.corners) if set(n) <= low.keys()), None)
    if names is None:
        keys = one_line(", ".join(low), _SHOWN)
        raise SnellenError(
            f"{column}: a box is an object with x, y, width and height, or x1, y1, x2 and y2; this has {keys}"
        )
    order = "xywh" if names in NAMES.sized else "xyxy"
    if stated and stated[:4] != order:
        raise SnellenError(f"{column}: the keys {', '.join(names)} are {order}, and box_format says {stated}")
    if not stated and order == "xywh" and scale is None:
        raise AmbiguousBox(
            f"{column}: x, y, width and height, as a browser gives them, count CSS pixels: add a column device_scale_factor "
            "(1 where the picture is as wide as the window), or viewport_width, or box_format"
        )
    return [_number(low[name], f"{column}, {name}") for name in names], stated or f"{order}-pixels"


def _scale(cells: Mapping[str, Any], space: Pixels) -> float | None:
    """Return how many pixels of the picture a CSS pixel is, where the row has it."""
    stated = [name for name in (*NAMES.scale, *NAMES.viewport) if name in cells]
    if not stated:
        return None
    if len(stated) > 1:
        raise SnellenError(f"columns {', '.join(stated)}: give one of them")
    name, value = stated[0], cells[stated[0]]
    number = _number(value.get("width") if isinstance(value, dict) else value, name)
    scale = number if name in NAMES.scale else space.width / number if number > 0 else math.nan
    if not 0 < scale <= _MOST_SCALE:
        raise SnellenError(f"column {name}: {one_line(str(value), _SHOWN)} gives a scale that no screen has")
    return scale


def _number(value: Any, name: str) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise SnellenError(f"column {name}: expected a number, not {one_line(repr(value), _SHOWN)}")
    return number


def _listed(cell: Any, column: str) -> Iterator[Any]:
    """Yield the boxes of a cell, each a list of four numbers or an object. The cell holds one, a list of them, or either as text."""
    given = _from_text(cell, column) if isinstance(cell, str) else [cell] if isinstance(cell, dict) else cell
    if not isinstance(given, list) or len(given) > _MOST_BOXES:
        raise SnellenError(f"{column}: expected four numbers, not {one_line(repr(cell), _SHOWN)}")
    several = any(isinstance(value, list | dict) for value in given)
    for one in given if several else [given] if given else []:
        if isinstance(one, list) and len(one) == 4:
            yield [_number(value, column.removeprefix("column ")) for value in one]
        elif isinstance(one, dict):
            yield one
        else:
            raise SnellenError(f"{column}: expected four numbers, not {one_line(repr(one), _SHOWN)}")


def _from_text(text: str, column: str) -> Any:
    """Return the content of a cell's text: JSON, or numbers with commas or blanks between them and `;` between boxes."""
    if text.lstrip().startswith(("[", "{")):
        try:
            found = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            raise SnellenError(f"{column}: not JSON: {one_line(text, _SHOWN)}") from None
        return [found] if isinstance(found, dict) else found
    return [re.split(r"[,\s]+", one.strip()) for one in text.split(";") if one.strip()]
