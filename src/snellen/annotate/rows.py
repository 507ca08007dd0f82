"""The records of annotators: a line for each box, a line for each answer, with annotator and time. Pure: text in, rows out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import count
from typing import Any, Literal, TypeVar

import msgspec

from snellen.core.errors import SnellenError
from snellen.exams.grounding.formats.annotations import ElementType

BoxFormat = Literal["xyxy-pixels"]
LONGEST = 4000
"""The most characters of an instruction or an answer."""
MOST_BOXES = 1000
Row = TypeVar("Row", bound=msgspec.Struct)


class BoxRow(msgspec.Struct, frozen=True):
    """One box: corners in pixels of the image as it is stored. Empty if the requested thing is not in the image."""

    id: str
    image: str
    instruction: str
    box: list[int | float]
    box_format: BoxFormat = "xyxy-pixels"
    element_type: ElementType = "unknown"
    absent: bool = False
    annotator: str = ""
    time: str = ""


class AnswerRow(msgspec.Struct, frozen=True):
    """One answer of a person, in the form that `human/FILE` and `replay/FILE` read."""

    id: str
    text: str
    annotator: str = ""
    time: str = ""


class DrawnBox(msgspec.Struct, frozen=True):
    """A box as the page sends it. A new one has no id yet."""

    id: str = ""
    instruction: str = ""
    box: list[int | float] = []
    element_type: ElementType = "unknown"
    absent: bool = False


def checked_name(name: str) -> str:
    """Return an annotator's name if it can be part of a file's name."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", name):
        raise SnellenError("--as NAME: up to 40 letters, digits, '-' and '_' (it becomes part of a file's name)")
    return name


def lines(rows: Iterable[Any]) -> bytes:
    """Return rows as JSON lines."""
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def read_lines(raw: bytes, kind: type[Row], name: str) -> list[Row]:
    """Return the rows of a file of ours. SnellenError names the line that is not a row."""
    found: list[Row] = []
    for number, line in enumerate(raw.splitlines(), 1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line, type=kind))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise SnellenError(f"{name} line {number}: {error}; mend the line or move the file away") from None
    return found


def checked_box(box: list[int | float], width: int, height: int) -> list[int | float]:
    """Return a box that lies in its image and has an area, to hundredths of a pixel.

    >>> checked_box([10, 5, 2.001, 50], 40, 30)
    [2, 5, 10, 30]
    """
    if len(box) != 4 or not all(math.isfinite(value) for value in box):
        raise SnellenError("a box has four numbers: x1, y1, x2, y2")
    x1, x2 = sorted(min(max(value, 0.0), float(width)) for value in box[::2])
    y1, y2 = sorted(min(max(value, 0.0), float(height)) for value in box[1::2])
    found = [round(value, 2) for value in (x1, y1, x2, y2)]
    if found[0] >= found[2] or found[1] >= found[3]:
        raise SnellenError("a box needs a width and a height inside the picture")
    return [int(value) if value == int(value) else value for value in found]


def box_rows(
    drawn: list[DrawnBox], known: list[BoxRow], title: str, image: str, size: tuple[int, int], annotator: str, time: str
) -> list[BoxRow]:
    """Return the rows of an image to save. A box that did not change keeps its time. A new one gets the next free id."""
    if len(drawn) > MOST_BOXES:
        raise SnellenError(f"more than {MOST_BOXES} boxes on one picture")
    before = {row.id: row for row in known}
    ids = [one.id for one in drawn if one.id]
    if len(set(ids)) != len(ids) or not set(ids) <= set(before):
        raise SnellenError("the page speaks of boxes that are not there: load it again")
    free = (name for number in count() if (name := f"{title}_{number}") not in before)
    rows: list[BoxRow] = []
    for one in drawn:
        if len(one.instruction) > LONGEST:
            raise SnellenError(f"an instruction has at most {LONGEST} characters")
        new = BoxRow(
            id=one.id or next(free),
            image=image,
            instruction=one.instruction.strip(),
            box=[] if one.absent else checked_box(one.box, *size),
            element_type=one.element_type,
            absent=one.absent,
            annotator=annotator,
            time=time,
        )
        old = before.get(new.id, new)
        rows.append(old if msgspec.structs.replace(old, time=time) == new else new)
    return rows
