"""Own screenshots as rows: a picture, an instruction and a box, in JSONL, a JSON list, CSV or Parquet.

`columns.toml` lists the names of columns, `boxes` the ways to write a box. Files like ScreenSpot's (`img_filename`, `data_type`)
and ScreenSpot-Pro's (`ui_type`, `img_size`) are recognised by their columns and have the boxes of their originals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.data.files import PictureFolders
from snellen.data.sheets import columns, rows
from snellen.data.tables import TableRow, tables_in
from snellen.exams.grounding.formats.base import (
    ALL,
    EmbeddedPicture,
    Entry,
    GroundingFormat,
    Screen,
    Target,
    file_size,
    find_image,
    picture_size,
    screen_of,
)
from snellen.exams.grounding.formats.boxes import NAMES, BoxColumns, box_columns, box_format, boxes_in

FOLDERS = ("", "images", "screenshots")
_SINGLE = (*NAMES.image, *NAMES.instruction, *NAMES.type, *NAMES.kind, *NAMES.tags, *NAMES.others)
USED = {*_SINGLE, *NAMES.scale, *NAMES.viewport, *(name for pair in NAMES.image_sizes for name in pair)}
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class _RowColumns(NamedTuple):
    """The roles of a file's columns. `box_format` applies to all its boxes: from its columns, or else from the user."""

    image: str
    instruction: str
    boxes: list[BoxColumns]
    box_format: str


def _columns_of(present: list[str], box_format: str = "") -> _RowColumns | None:
    """Return the roles of the columns; None where they are not those of screenshots with boxes."""
    image, instruction, boxes = _first(NAMES.image, present), _first(NAMES.instruction, present), box_columns(present)
    if not image or not instruction or not boxes:
        return None
    if "img_filename" in present and "box_format" not in present:
        pro = {"ui_type", "img_size"} <= set(present)
        box_format = "xyxy-pixels" if pro else "xywh-pixels" if "data_type" in present else box_format
    return _RowColumns(image, instruction, boxes, box_format)


def _first(names: tuple[str, ...], present: Iterable[str]) -> str:
    return next((name for name in names if name in present), "")


def _find(where: Path) -> list[Path]:
    return [path for path in tables_in(where) if _columns_of(columns(path)) is not None]


def _entries(where: PictureFolders, files: list[Path], stated: str) -> Iterator[Entry]:
    """Yield every row; the split is the column of that name."""
    path, *others = files
    if others:
        names = ", ".join(file.name for file in files)
        raise SnellenError(
            f"{where.home} holds several files with boxes ({names}): name one of them instead of the folder"
        )
    label, present = where.label(path), columns(path)
    sheet = _columns_of(present, stated and box_format(stated, "--box-format"))
    if sheet is None:
        raise SnellenError(f"{label}: no columns of an image, an instruction and a box")
    if len(sheet.boxes) > 1:
        yield Problem(label, f"boxes in {' and in '.join(one.shown for one in sheet.boxes)}: keep one of them")
        return
    spare = [name for name in present if name not in {*USED, *sheet.boxes[0].names}]
    if spare:
        yield Problem(label, f"columns that have no effect: {one_line(', '.join(spare), 120)}", fatal=False)
    size_of = cache(file_size)
    for row in rows(path, label):
        yield row if isinstance(row, Problem) else (row.place, partial(_screen, row, sheet, where, path, size_of))


def _screen(
    row: TableRow, sheet: _RowColumns, where: PictureFolders, path: Path, size_of: Callable[[Path], tuple[int, int]]
) -> Screen:
    cells, [box] = row.cells, sheet.boxes
    screen = _picture(row, sheet.image, where, path, size_of)
    _check_size(cells, screen)
    absent = _FLAGS.get(str(cells.get("absent", "false")).strip().lower())
    if absent is None:
        raise SnellenError(f"column absent: expected true or false, not {one_line(str(cells['absent']).lower(), 60)!r}")
    stated = box_format(cells["box_format"]) if "box_format" in cells else sheet.box_format
    given = not absent and any(cells.get(name, []) != [] for name in box.names)
    boxes = boxes_in(cells, box, stated, screen.space) if given else ()
    if not boxes and not absent:
        raise SnellenError(f"{box.shown}: no box; where the target is not there, say so in a column absent: true")
    instruction = _text(cells, (sheet.instruction,))
    if not instruction.strip():
        raise SnellenError(f"column {sheet.instruction}: no instruction")
    element_type = _text(cells, NAMES.type, "unknown")
    kind = _text(cells, NAMES.kind, "icon" if element_type == "icon" else "")
    target = Target(
        id=_text(cells, ("id",), row.place.rpartition(" ")[2]),
        instruction=instruction,
        where=row.place,
        boxes=boxes,
        element_type=element_type,
        text=_text(cells, ("text",)) or None,
        tags={key: _text(cells, (key,)) for key in NAMES.tags} | {"type": element_type, "kind": kind},
    )
    return screen._replace(split=_text(cells, ("split",), ALL), targets=(target,))


def _picture(
    row: TableRow, column: str, where: PictureFolders, path: Path, size_of: Callable[[Path], tuple[int, int]]
) -> Screen:
    """Return a row's screen. A picture inside the file itself is named by its content."""
    given = row.cells.get(column)
    if isinstance(given, bytes):
        name, size = hashlib.sha256(given).hexdigest()[:12], picture_size(given, row.place)
        return screen_of(where, path, size, id=name, image=name, cell=EmbeddedPicture(column, row.number))
    if not isinstance(given, str):
        raise SnellenError(f"column {column}: expected the path of a picture beside this file")
    if "://" in given or given.startswith("data:"):
        raise SnellenError(f"column {column}: {one_line(given, 60)!r} is an address; save the picture beside this file")
    try:
        file = find_image(where, given.removeprefix("./"), FOLDERS)
        return screen_of(where, file, size_of(file))
    except SnellenError as error:
        raise SnellenError(f"column {column}: {error}") from None


def _check_size(cells: Mapping[str, Any], screen: Screen) -> None:
    """Refuse a row that states another size than its picture has: its box was measured on another picture."""
    stated = [[cells[w], cells[h]] for w, h in NAMES.image_sizes if w in cells and h in cells]
    stated += [cells["img_size"]] if "img_size" in cells else []
    for size in stated:
        if not isinstance(size, list):
            raise SnellenError(f"column img_size: expected a list of width and height, not {one_line(repr(size), 60)}")
        if [str(value) for value in size] != [str(screen.width), str(screen.height)]:
            other = one_line("x".join(map(str, size)), 40)
            raise SnellenError(f"the row says {other}, and the image is {screen.width}x{screen.height}")


def _text(cells: Mapping[str, Any], names: tuple[str, ...], default: str = "") -> str:
    name = _first(names, cells)
    value = cells[name] if name else default
    if not isinstance(value, str | int | float):
        raise SnellenError(f"column {name}: expected a text, not {one_line(repr(value), 60)}")
    return str(value)


FORMAT = GroundingFormat(
    "rows",
    "rows of image, instruction and box",
    _find,
    _entries,
    "a .jsonl, .csv or .parquet file with the columns image, instruction and box",
)
