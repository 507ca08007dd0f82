"""COCO's detection format: one JSON file with `images`, `annotations` and `categories`, boxes [x, y, width, height] in pixels.

The instruction is the annotation's `instruction` or `caption`. Without one it is made of the category's name, and all boxes of that
category in a picture are right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.exams.grounding.formats.annotations import instruction_of
from snellen.exams.grounding.formats.base import (
    GroundingFormat,
    Screen,
    Target,
    find_image,
    merged,
    own_size,
    read_json,
    true_box,
    typed,
)
from snellen.exams.grounding.geometry import Pixels

ALL = "all"
Name = int | str


class _Image(msgspec.Struct, frozen=True):
    id: Name
    file_name: str
    width: int
    height: int


class _Annotation(msgspec.Struct, frozen=True):
    id: Name
    image_id: Name
    bbox: list[float]
    category_id: Name | None = None
    instruction: str = ""
    caption: str = ""
    iscrowd: int = 0


class _Category(msgspec.Struct, frozen=True):
    id: Name
    name: str


class _CocoFile(msgspec.Struct, frozen=True):
    images: list[Any]
    annotations: list[Any]
    categories: list[Any] = []


def find(where: Path) -> list[Path]:
    """The JSON files, also in a folder `annotations`, that have images and annotations."""
    if where.is_file():
        places = [where] if where.suffix.lower() == ".json" else []
    else:
        places = sorted([*where.glob("*.json"), *where.glob("annotations/*.json")])
    return [path for path in places if path.is_file() and _is_coco(path)]


def _is_coco(path: Path) -> bool:
    try:
        root = msgspec.json.decode(path.read_bytes(), type=_CocoFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OSError):
        return False
    # other sets of COCO's family (captions, questions) have no boxes
    return any(isinstance(one, dict) and "bbox" in one for one in root.annotations)


def read(where: PictureFolders, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every picture that has annotations. Of several files each is a split."""
    for path in files:
        label = where.label(path)
        root = typed(read_json(path, where), _CocoFile)
        yield from _CocoReader(where, label, path.stem if len(files) > 1 else ALL).read(root)


class _CocoReader:
    def __init__(self, where: PictureFolders, label: str, split: str) -> None:
        self.where, self.label, self.split = where, label, split

    def read(self, root: _CocoFile) -> Iterator[Screen | Problem]:
        """Screens of the file, and what is wrong in it."""
        names: dict[Name, str] = {}
        for i, given in enumerate(root.categories):
            try:
                one = typed(given, _Category)
                names[one.id] = one.name
            except SnellenError as error:
                yield Problem(f"{self.label} categories[{i}]", str(error))
        of_image: dict[Name, list[tuple[str, _Annotation]]] = defaultdict(list)
        for i, given in enumerate(root.annotations):
            place = f"{self.label} annotations[{i}]"
            try:
                annotation = typed(given, _Annotation)
                of_image[annotation.image_id].append((place, annotation))
            except SnellenError as error:
                yield Problem(place, str(error))
        for i, given in enumerate(root.images):
            place = f"{self.label} images[{i}]"
            try:
                image = typed(given, _Image)
                yield from self._screen(image, of_image.pop(image.id, []), names)
            except SnellenError as error:
                yield Problem(place, str(error))
        for left in of_image.values():
            for place, one_left in left:
                yield Problem(place, f"image_id {one_left.image_id!r} is not in images")

    def _screen(
        self, image: _Image, given: list[tuple[str, _Annotation]], names: dict[Name, str]
    ) -> Iterator[Screen | Problem]:
        if not given:
            return
        path = find_image(self.where, image.file_name, ("", "images"))
        space = Pixels(*own_size(path, image.width, image.height))
        told: list[Target] = []
        named: list[Target] = []
        for place, one in given:
            try:
                (told if one.instruction or one.caption else named).append(_target(one, place, names, space))
            except SnellenError as error:
                yield Problem(place, str(error))
        label = self.where.label(path)
        yield Screen(label, self.split, label, path, space.width, space.height, (*told, *merged(named)))


def _target(one: _Annotation, place: str, names: dict[Name, str], space: Pixels) -> Target:
    name = names.get(one.category_id, "") if one.category_id is not None else ""
    if not (one.instruction or one.caption or name):
        known = ", ".join(map(str, names)) or "none"
        raise SnellenError(
            f"no instruction, no caption, and category_id {one.category_id!r} is not in categories ({known})"
        )
    if one.iscrowd:
        raise SnellenError("iscrowd: a box around several things is no target; leave it out")
    return Target(
        id=str(one.id),
        instruction=one.instruction or one.caption or instruction_of(None, name, "unknown"),
        where=place,
        boxes=(true_box(one.bbox, "xywh", space),),
        tags={"type": name or "unknown"},
    )


FORMAT = GroundingFormat(
    "coco", "COCO's images, annotations and categories", "xywh", "pixels", find, read, "a COCO .json file"
)
