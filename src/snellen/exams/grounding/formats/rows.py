"""Own screenshots as rows: a picture, an instruction and a box, in JSONL, a JSON list, CSV or Parquet.

`box_cells` says how a box may be written. Files like ScreenSpot's (`img_filename`, `data_type`) and ScreenSpot-Pro's (`ui_type`,
`img_size`) are known by their columns and have the boxes of their originals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.data.files import PictureFolders
from snellen.data.sheets import SheetRow, columns, rows, sheets
from snellen.exams.grounding.formats.base import (
    EmbeddedPicture,
    GroundingFormat,
    Screen,
    Target,
    file_size,
    find_image,
    together,
    upright_size,
)
from snellen.exams.grounding.formats.box_cells import (
    SCALES,
    AmbiguousBox,
    BoxColumns,
    BoxConvention,
    box_columns,
    boxes_in,
    way_from,
)

IMAGES = ("image", "image_path", "img", "img_filename", "file_name", "filename", "screenshot")
INSTRUCTIONS = ("instruction", "prompt", "query", "question", "task")
TYPES, KINDS = ("element_type", "type"), ("kind", "data_type", "ui_type")
DETAILS = ("platform", "application", "difficulty", "theme", "phrasing")
SIZES = (("image_width", "image_height"), ("img_width", "img_height"))
FOLDERS = ("", "images", "screenshots")
USED = (
    *IMAGES,
    *INSTRUCTIONS,
    *TYPES,
    *KINDS,
    *DETAILS,
    *SCALES,
    "id",
    "annotator",
    "time",
    "split",
    "text",
    "absent",
    "box_format",
    "img_size",
)
ALL = "all"
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0")


class SheetColumns(NamedTuple):
    """What the columns of a file are."""

    image: str
    instruction: str
    box: BoxColumns
    way: BoxConvention | None
    """What the format of the file says of its boxes, where it is like a published one."""


def sheet_of(present: list[str]) -> SheetColumns | None:
    """Which columns are what; None where they are not those of screenshots with boxes."""
    image = next((name for name in IMAGES if name in present), None)
    instruction = next((name for name in INSTRUCTIONS if name in present), None)
    boxes = box_columns(present)
    if image is None or instruction is None or not boxes:
        return None
    way = None
    if "img_filename" in present and "box_format" not in present:
        pro = {"ui_type", "img_size"} <= set(present)
        way = BoxConvention("xyxy") if pro else BoxConvention("xywh") if "data_type" in present else None
    return SheetColumns(image, instruction, boxes[0], way)


def find(where: Path) -> list[Path]:
    """The files with such columns."""
    return [path for path in sheets(where) if sheet_of(columns(path)) is not None]


def read(where: PictureFolders, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every screenshot with its rows' targets; the split is the column of that name."""
    if len(files) > 1:
        names = ", ".join(path.name for path in files)
        raise SnellenError(
            f"{where.home} holds several files with boxes ({names}): name one of them instead of the folder"
        )
    return together(_read(where, files[0]))


def _read(where: PictureFolders, path: Path) -> Iterator[Screen | Problem]:
    label = where.label(path)
    present = columns(path)
    sheet = sheet_of(present)
    if sheet is None:
        raise SnellenError(f"{label}: no columns of an image, an instruction and a box")
    boxes = box_columns(present)
    if len(boxes) > 1:
        yield Problem(label, f"boxes in {' and in '.join(one.shown for one in boxes)}: keep one of them")
        return
    used = {*USED, *sheet.box.names, *(name for pair in SIZES for name in pair)}
    spare = [name for name in present if name not in used]
    if spare:
        yield Problem(label, f"columns that nothing is done with: {one_line(', '.join(spare), 120)}", fatal=False)
    sizes: dict[Path, tuple[int, int]] = {}
    unclear: list[Problem] = []
    for row in rows(path, label):
        if isinstance(row, Problem):
            yield row
            continue
        try:
            yield _screen(row, sheet, where, path, sizes)
        except AmbiguousBox as error:
            unclear.append(Problem(row.where, str(error)))
        except SnellenError as error:
            yield Problem(row.where, str(error))
    for one in unclear[:1]:
        yield one._replace(what=one.what + (f" (also in {len(unclear) - 1} more rows)" if len(unclear) > 1 else ""))


def _screen(
    row: SheetRow, sheet: SheetColumns, where: PictureFolders, path: Path, sizes: dict[Path, tuple[int, int]]
) -> Screen:
    cells = row.cells
    name, file, cell, size = _image(row, sheet.image, where, path, sizes)
    _check_size(cells, size)
    absent = _flag(cells, "absent")
    told = way_from(cells["box_format"]) if "box_format" in cells else sheet.way
    given = any(column in cells and cells[column] != [] for column in sheet.box.names)
    boxes = boxes_in(cells, sheet.box, told, size) if given and not absent else ()
    if not boxes and not absent:
        raise SnellenError(f"{sheet.box.shown}: no box; where the target is not there, say so in a column absent: true")
    element_type = _text(cells, TYPES, "unknown")
    kind = _text(cells, KINDS, "icon" if element_type == "icon" else "")
    target = Target(
        id=_text(cells, ("id",), row.shown),
        instruction=_text(cells, (sheet.instruction,), ""),
        where=row.where,
        boxes=boxes,
        element_type=element_type,
        text=_text(cells, ("text",), "") or None,
        tags={key: _text(cells, (key,), "") for key in DETAILS} | {"type": element_type, "kind": kind},
    )
    if not target.instruction.strip():
        raise SnellenError(f"column {sheet.instruction}: no instruction")
    return Screen(name, _text(cells, ("split",), ALL), name, file, *size, (target,), cell)


def _image(
    row: SheetRow, column: str, where: PictureFolders, path: Path, sizes: dict[Path, tuple[int, int]]
) -> tuple[str, Path, EmbeddedPicture | None, tuple[int, int]]:
    """The picture's name, file, cell and size. One that stands in the file itself is named by its content."""
    given = row.cells.get(column)
    if isinstance(given, bytes):
        name = hashlib.sha256(given).hexdigest()[:12]
        return name, path, EmbeddedPicture(column, row.number), _named(column, upright_size, given, row.where)
    if not isinstance(given, str):
        raise SnellenError(f"column {column}: expected the path of a picture beside this file")
    if "://" in given or given.startswith("data:"):
        raise SnellenError(f"column {column}: {one_line(given, 60)!r} is an address; save the picture beside this file")
    file: Path = _named(column, find_image, where, given.removeprefix("./"), FOLDERS)
    if file not in sizes:
        sizes[file] = _named(column, file_size, file)
    return where.label(file), file, None, sizes[file]


def _named(column: str, function: Any, *values: Any) -> Any:
    """What a function gives; its error names the column."""
    try:
        return function(*values)
    except SnellenError as error:
        raise SnellenError(f"column {column}: {error}") from None


def _check_size(cells: Mapping[str, Any], size: tuple[int, int]) -> None:
    """Refuse a row that says another size than its picture has: its box was measured on something else."""
    said = [(f"columns {w}, {h}", [cells[w], cells[h]]) for w, h in SIZES if w in cells and h in cells]
    if "img_size" in cells:
        if not isinstance(cells["img_size"], list):
            raise SnellenError(
                f"column img_size: expected a list of width and height, not {one_line(repr(cells['img_size']), 60)}"
            )
        said.append(("column img_size", cells["img_size"]))
    for names, given in said:
        if [str(value) for value in given] != [str(value) for value in size]:
            told = one_line("x".join(map(str, given)), 40)
            raise SnellenError(f"{names}: the row says {told}, and the image is {size[0]}x{size[1]}")


def _text(cells: Mapping[str, Any], names: tuple[str, ...], default: str) -> str:
    for name in names:
        if name in cells:
            if not isinstance(cells[name], str | int | float):
                raise SnellenError(f"column {name}: expected a text, not {one_line(repr(cells[name]), 60)}")
            return str(cells[name])
    return default


def _flag(cells: Mapping[str, Any], name: str) -> bool:
    said = str(cells.get(name, "false")).strip().lower()
    if said not in (*_YES, *_NO):
        raise SnellenError(f"column {name}: expected true or false, not {one_line(said, 60)!r}")
    return said in _YES


FORMAT = GroundingFormat(
    "rows",
    "rows of image, instruction and box",
    None,
    None,
    find,
    read,
    "a .jsonl, .csv or .parquet file with the columns image, instruction and box",
)
