"""The format of the original generator, exactly: `annotations.json` with boxes as fractions [x, y, width, height], images beside it.

Six keys of an element are ours and optional: `acceptable_bboxes` (all right answers), `absent` (the screenshot does not have
it; the box is four zeros), `kind` (text or icon), `phrasing` (plain or natural, how it is asked for), `family` (which half of
the natural sayings) and `role` (what it is called in words, such as "menu"; nobody reads it back).
Sets of this format are written in synthetic/screens.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.data.synthetic_marker import MARK
from snellen.exams.grounding.formats.base import GroundingFormat, Screen, Target, find_image, read_json, true_box, typed
from snellen.exams.grounding.geometry import Pixels

FILE = "annotations.json"
ElementType = Literal["button", "icon", "text", "text_field", "checkbox", "dropdown", "link", "unknown"]
DETAILS = ("platform", "application", "difficulty", "theme")


class Element(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element as the file has it."""

    id: str
    bbox: list[float]
    text: str | None = None
    element_type: ElementType = "unknown"
    instruction: str | None = None
    acceptable_bboxes: list[list[float]] = []
    absent: bool = False
    kind: str | None = None
    phrasing: str = ""
    family: str = ""


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
    """What a subject is asked: the file's own words, else the original's sentence made from text and type.

    >>> instruction_of(None, "Email", "text_field")
    "Click on the 'Email' text_field"
    """
    if instruction:
        return instruction
    if text:
        return f"Click on '{text}'" if element_type == "unknown" else f"Click on the '{text}' {element_type}"
    return f"Click on the {element_type}"


class _Keys(msgspec.Struct, frozen=True):
    """Top-level keys: of this format, of COCO, of LabelMe."""

    samples: msgspec.Raw = msgspec.Raw()
    images: msgspec.Raw = msgspec.Raw()
    annotations: msgspec.Raw = msgspec.Raw()
    shapes: msgspec.Raw = msgspec.Raw()


def find(where: Path) -> list[Path]:
    """Return the file, where this is such a folder. COCO and LabelMe files may have this name, too: they are known by content."""
    path = where / FILE
    return [path] if path.is_file() and not _is_foreign(path) else []


def _is_foreign(path: Path) -> bool:
    try:
        keys = msgspec.json.decode(path.read_bytes(), type=_Keys)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OSError):
        return False
    return bytes(keys.samples) in (b"", b"[]") and bool(keys.shapes or (keys.images and keys.annotations))


def labels(path: Path, where: PictureFolders) -> Iterator[Any]:
    """What the file and its samples say of where they come from, where Snellen made them."""
    root = read_json(path, where)
    for one in (root, *root.get("samples", ())) if isinstance(root, dict) else ():
        if isinstance(one, dict) and isinstance(one.get("metadata"), dict):
            yield one["metadata"].get(MARK)


def calls_itself_synthetic(path: Path, where: PictureFolders) -> bool:
    """Whether the file has the name that the original's generator gives to its sets. Others may use it, too: it says nothing of us."""
    root = read_json(path, where)
    return isinstance(root, dict) and root.get("name") == "synthetic"


def read(where: PictureFolders, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every screenshot of the file. Its split is its difficulty, else the name of the set."""
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
            path = find_image(where, sample.image_path, ("",))
            space = Pixels(sample.width, sample.height)
        except SnellenError as error:
            yield Problem(place, str(error))
            continue
        details = {key: str(sample.metadata.get(key) or "") for key in DETAILS}
        targets: list[Target] = []
        for j, one in enumerate(sample.elements):
            try:
                targets.append(_target(typed(one, Element), space, details, place))
            except SnellenError as error:
                name = one.get("id", j) if isinstance(one, dict) else j
                yield Problem(f"{place} element {name}", str(error))
        split = details["difficulty"] or root.name
        yield Screen(sample.id, split, sample.image_path, path, sample.width, sample.height, tuple(targets))


def _target(element: Element, space: Pixels, details: dict[str, str], place: str) -> Target:
    given = [] if element.absent else [element.bbox, *element.acceptable_bboxes]
    kind = element.kind or ("icon" if element.element_type == "icon" else "text")
    said = {name: value for name in ("phrasing", "family") if (value := getattr(element, name))}
    return Target(
        id=element.id,
        instruction=instruction_of(element.instruction, element.text, element.element_type),
        where=f"{place} element {element.id}",
        boxes=tuple(dict.fromkeys(true_box(box, "xywh", space, fractions=True) for box in given)),
        element_type=element.element_type,
        text=element.text,
        tags=details | {"type": element.element_type, "kind": kind} | said,
        area_fraction=None if element.absent else element.bbox[2] * element.bbox[3],
    )


FORMAT = GroundingFormat(
    "annotations", "annotations.json as openadapt-grounding writes it", "xywh", "fractions", find, read, FILE
)
