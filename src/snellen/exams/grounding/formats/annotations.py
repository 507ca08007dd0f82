"""The format of the original generator, exactly: `annotations.json` with boxes as fractions [x, y, width, height], images beside it.

Five keys of an element are ours and optional: `acceptable_bboxes` (all right answers), `absent` (the target is not on the screenshot;
the box is four zeros), `kind` (text or icon), `phrasing` (plain or natural, the style of the instruction) and `role` (its name in
words, such as "menu"; it is not read back).
Sets of this format are written in synthetic/screens.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.data.synthetic_marker import MARK
from snellen.exams.grounding.formats.base import (
    Entry,
    GroundingFormat,
    Screen,
    find_image,
    keys_of,
    read_json,
    screen_of,
    typed,
)
from snellen.exams.grounding.geometry import Pixels

FILE = "annotations.json"
ElementType = Literal["button", "icon", "text", "text_field", "checkbox", "dropdown", "link", "unknown"]
DETAILS = ("platform", "application", "difficulty", "theme")


class Element(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element as it stands in the file."""

    id: str
    bbox: list[float]
    text: str | None = None
    element_type: ElementType = "unknown"
    instruction: str | None = None
    acceptable_bboxes: list[list[float]] = []
    absent: bool = False
    kind: str | None = None
    phrasing: str = ""


class _Sample(msgspec.Struct, frozen=True):
    id: str
    image_path: str
    width: int
    height: int
    elements: list[Any] = []
    metadata: dict[str, Any] = {}


class _AnnotationsFile(msgspec.Struct, frozen=True):
    name: str
    version: str
    samples: list[Any] = []
    metadata: dict[str, Any] = {}


def instruction_of(instruction: str | None, text: str | None, element_type: str) -> str:
    """Return the instruction for the model: the file's own words, else the original's sentence made from text and type.

    >>> instruction_of(None, "Email", "text_field")
    "Click on the 'Email' text_field"
    """
    if instruction:
        return instruction
    if text:
        return f"Click on '{text}'" if element_type == "unknown" else f"Click on the '{text}' {element_type}"
    return f"Click on the {element_type}"


def _find(where: Path) -> list[Path]:
    """Return the file of such a folder. COCO and LabelMe files may have this name, too: they are known by their keys."""
    path = where / FILE
    keys = keys_of(path)
    foreign = "shapes" in keys or {"images", "annotations"} <= keys.keys()
    return [path] if path.is_file() and not (foreign and bytes(keys.get("samples", b"[]")) == b"[]") else []


def origin(path: Path, where: PictureFolders) -> tuple[list[Any], bool]:
    """Return the origin that the file and its samples state, and whether the file has the name of the original's generated sets."""
    root = read_json(path, where)
    if not isinstance(root, dict):
        return [], False
    details = [one.get("metadata") for one in (root, *root.get("samples", ())) if isinstance(one, dict)]
    return [one.get(MARK) for one in details if isinstance(one, dict)], root.get("name") == "synthetic"


def _entries(where: PictureFolders, files: list[Path], _box_format: str) -> Iterator[Entry]:
    """Yield every element. A screenshot's split is its difficulty, else the name of the set."""
    try:
        root = typed(read_json(files[0], where), _AnnotationsFile)
    except SnellenError as error:
        yield Problem(FILE, str(error).removeprefix(f"{FILE}: "))
        return
    for i, given in enumerate(root.samples):
        place = f"{FILE} sample {i}"
        try:
            sample = typed(given, _Sample)
            place = f"{FILE} sample {sample.id}"
            path, space = find_image(where, sample.image_path), Pixels(sample.width, sample.height)
        except SnellenError as error:
            yield Problem(place, str(error))
            continue
        details = {key: str(sample.metadata.get(key) or "") for key in DETAILS}
        about = {"id": sample.id, "split": details["difficulty"] or root.name, "image": sample.image_path}
        screen = screen_of(where, path, (space.width, space.height), **about)
        for j, one in enumerate(sample.elements):
            at = f"{place} element {one.get('id', j) if isinstance(one, dict) else j}"
            yield at, partial(_screen, one, screen, details, at)


def _screen(given: Any, screen: Screen, details: dict[str, str], place: str) -> Screen:
    element = typed(given, Element)
    kind = element.kind or ("icon" if element.element_type == "icon" else "text")
    phrasing = {"phrasing": element.phrasing} if element.phrasing else {}
    return screen.asking(
        place,
        id=element.id,
        instruction=instruction_of(element.instruction, element.text, element.element_type),
        boxes=[] if element.absent else [element.bbox, *element.acceptable_bboxes],
        box_format="xywh-shares",
        element_type=element.element_type,
        text=element.text,
        tags=details | {"type": element.element_type, "kind": kind} | phrasing,
        area_fraction=None if element.absent or len(element.bbox) < 4 else element.bbox[2] * element.bbox[3],
    )


FORMAT = GroundingFormat("annotations", "annotations.json as openadapt-grounding writes it", _find, _entries, FILE)
read = FORMAT.read
