"""The common form of all grounding formats: screens with targets, boxes in pixels of the screenshot, each checked.

A format maps its own fields to these two types. It yields a place in words and a function that makes one screen with one target.
`GroundingFormat.read` puts the targets of a screen together, and a failure becomes a Problem at its place. Each format declares how its
boxes are written; nothing is guessed from the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.types import Struct
from snellen.data.files import PictureFolders, check_inside, read_picture
from snellen.data.parquet import ParquetFile
from snellen.exams.grounding.geometry import UNIT, Box, Pixels

BoxFormat = Literal["xyxy-pixels", "xywh-pixels", "xyxy-shares", "xywh-shares"]
BOX_FORMATS: tuple[BoxFormat, ...] = get_args(BoxFormat)
_OVERHANG = 2.0  # pixels by which a real annotation may reach over the edge; it is cut there
ALL = "all"
EMBEDDED = "imageData"
_SNAP = 1e-6
_ORIENTATION = 0x0112  # of EXIF
_NOT_JSON = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

SMALL_BELOW, LARGE_ABOVE = 32, 100
SIZE_BASIS = "square root of width x height, in pixels of the screenshot"
AREA_SMALL_BELOW, AREA_MEDIUM_BELOW = 0.001, 0.01

Row = TypeVar("Row")


class AmbiguousBox(SnellenError):
    """Numbers that could mean two things. Most rows of such a file lack the same information, so reading stops there."""


class Target(Struct, frozen=True):
    """One thing to find. All `boxes` are right answers, the first is the intended one; a target without boxes is absent.

    `where` is the record's name in messages. `area_fraction` is the first box's share of the screen where the file has it. `shared`
    means that the instruction names only its kind: all targets of one screen with this instruction are one. `more` holds fields that only
    some formats have.
    """

    id: str
    instruction: str
    where: str
    boxes: tuple[Box, ...] = ()
    polygons: tuple[tuple[float, ...], ...] = ()
    element_type: str = "unknown"
    text: str | None = None
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    area_fraction: float | None = None
    shared: bool = False
    more: dict[str, Any] = msgspec.field(default_factory=dict)


class EmbeddedPicture(NamedTuple):
    """A picture inside a Parquet file, with the column in lower case; or inside a JSON file, where the column is EMBEDDED."""

    column: str
    row: int


class Screen(NamedTuple):
    """One screenshot with all its targets; `image` is its name for messages, `path` the file (or the file that holds it, with a cell)."""

    id: str
    split: str
    image: str
    path: Path
    width: int
    height: int
    targets: tuple[Target, ...] = ()
    cell: EmbeddedPicture | None = None

    @property
    def space(self) -> Pixels:
        """The space of its pixels."""
        return Pixels(self.width, self.height)

    def read(self) -> bytes:
        """Return the picture's bytes; raise OSError where its file cannot be read."""
        if self.cell is None:
            return read_picture(self.path)
        if self.cell.column == EMBEDDED:
            return embedded(self.path)
        file, (column, row) = ParquetFile(self.path, self.path.name), self.cell
        name = next(name for name in file.columns if name.lower() == column)
        found = next(file.cells(name, [row]), None)
        return found if isinstance(found, bytes) else b""

    def asking(
        self,
        place: str,
        *,
        boxes: Iterable[Any] = (),
        box_format: str = "xywh-pixels",
        polygons: Sequence[Any] = (),
        **target: Any,
    ) -> Screen:
        """Return the screen with one target: its boxes as a record has them, or the rectangles around its polygons."""
        right = [true_box(box, box_format, self.space) for box in boxes]
        right = right or [_polygon_bounds(polygon, self.space) for polygon in polygons]
        outlines = tuple(tuple(map(float, polygon)) for polygon in polygons)
        one = Target(where=place, boxes=tuple(dict.fromkeys(right)), polygons=outlines, **target)
        return self._replace(targets=(one,))


Entry = tuple[str, Callable[[], Screen]] | Problem
"""A place in words, and a function that makes the screen with the one target at that place."""


class GroundingFormat(NamedTuple):
    """A data format: how its files are found and read. `box_format` is the user's statement on boxes whose file states no format."""

    name: str
    title: str
    find: Callable[[Path], list[Path]]
    entries: Callable[[PictureFolders, list[Path], str], Iterator[Entry]]
    expected: str

    def read(self, where: PictureFolders, files: list[Path], box_format: str = "") -> Iterator[Screen | Problem]:
        """Yield problems as they come, then every screenshot once with its targets in order of first appearance."""
        screens: dict[tuple[str, str, Path], list[Screen]] = {}
        for entry in self.entries(where, files, box_format):
            if isinstance(entry, Problem):
                yield entry
                continue
            try:
                one = entry[1]()
            except SnellenError as error:
                yield Problem(entry[0], str(error))
                if isinstance(error, AmbiguousBox):
                    break
                continue
            screens.setdefault((one.split, one.id, one.path), []).append(one)
        for parts in screens.values():
            targets = [target for part in parts for target in part.targets]
            yield parts[0]._replace(targets=(*(t for t in targets if not t.shared), *_merged(targets)))


def _merged(targets: Iterable[Target]) -> tuple[Target, ...]:
    found: dict[str, Target] = {}
    for one in (target for target in targets if target.shared):
        first = found.setdefault(one.instruction, one)
        if first is not one:
            boxes = tuple(dict.fromkeys((*first.boxes, *one.boxes)))
            polygons = (*_outlines(first), *_outlines(one)) if first.polygons or one.polygons else ()
            found[one.instruction] = msgspec.structs.replace(first, boxes=boxes, polygons=polygons)
    return tuple(found.values())


def _outlines(target: Target) -> tuple[tuple[float, ...], ...]:
    """Return all right places as polygons: where there is one polygon, marking looks at polygons only."""
    return target.polygons or tuple((b.x1, b.y1, b.x2, b.y1, b.x2, b.y2, b.x1, b.y2) for b in target.boxes)


# ---------------------------------------------------------------- size classes


def size_class(box: Box) -> str:
    """Return small, medium or large by the documented pixel limits, on the stated basis.

    >>> size_class(Box(0, 0, 31, 31, Pixels(100, 100))), size_class(Box(0, 0, 200, 50, Pixels(300, 300)))
    ('small', 'medium')
    """
    side = math.sqrt(box.area)
    return "small" if side < SMALL_BELOW else "medium" if side <= LARGE_ABOVE else "large"


def area_class(fraction: float) -> str:
    """Return the class by openadapt-grounding's rule: the box as a share of the screenshot's area, limits 0.001 and 0.01, limits go up."""
    return "small" if fraction < AREA_SMALL_BELOW else "medium" if fraction < AREA_MEDIUM_BELOW else "large"


# ---------------------------------------------------------------- records


def read_json(path: Path, where: PictureFolders) -> Any:
    """Return the content of a JSON file; raise SnellenError with the file's name where it is not valid JSON."""
    label = where.label(path)
    try:
        return msgspec.json.decode(check_inside(path, where.home).read_bytes())
    except _NOT_JSON as error:
        raise SnellenError(f"{label}: not JSON ({error})") from None
    except OSError as error:
        raise SnellenError(f"{label}: cannot be read ({error.strerror})") from None


def keys_of(path: Path) -> dict[str, msgspec.Raw]:
    """Return the top-level values of a JSON file, by their keys; nothing where it is not an object."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])
    except (*_NOT_JSON, OSError):
        return {}


def typed(value: Any, kind: type[Row], *, strict: bool = True) -> Row:
    """Return a record as a type; SnellenError names the invalid field and its allowed values."""
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        hint = get_type_hints(kind).get(str(error).rpartition("`$.")[2].rstrip("`"))
        choices = get_args(hint) if get_origin(hint) is Literal else ()
        known = f" (choose from {', '.join(map(str, choices))})" if choices else ""
        raise SnellenError(f"{error}{known}") from None


# ---------------------------------------------------------------- pictures


def find_image(where: PictureFolders, name: str, folders: Sequence[str] = ("",)) -> Path:
    """Return the file of an image that a record names. Some folders are searched, but never outside the data set's folder."""
    if not name or "\\" in name or ".." in PurePosixPath(name).parts:
        raise SnellenError(f"image name {name!r} must be a path inside the data set's folder")
    path = where.find(name, folders)
    if path is not None and path.is_file():
        return path
    places = ", ".join(f"{f}/" if f else "the folder itself" for f in folders)
    raise SnellenError(f"image {name!r} not found (looked in {places})")


def screen_of(where: PictureFolders, path: Path, size: tuple[int, int], **more: Any) -> Screen:
    """Return the screen of a picture's file without targets."""
    label = where.label(path)
    return Screen(label, ALL, label, path, *size)._replace(**more)


def embedded(path: Path) -> bytes:
    """Return the picture that a LabelMe file holds, empty where it holds none."""

    class Embedding(msgspec.Struct, rename="camel"):
        image_data: bytes | None = None

    try:
        return msgspec.json.decode(read_picture(path), type=Embedding).image_data or b""
    except _NOT_JSON:
        raise SnellenError(f"{EMBEDDED} is not a picture in base64") from None


def file_size(path: Path, *, upright: bool = True) -> tuple[int, int]:
    """Return width and height of a picture's file, by the rules of `picture_size`."""
    try:
        return picture_size(read_picture(path), path.name, upright=upright)
    except OSError as error:
        raise SnellenError(f"image {path.name!r} cannot be read ({error.strerror})") from None


def picture_size(data: bytes, name: str, *, upright: bool = True) -> tuple[int, int]:
    """Return width and height of a picture.

    A picture that its EXIF data turns is refused where it has to be `upright`: boxes were drawn on it as it is shown, turned, and it
    depends on the endpoint whether a model sees it so.
    """
    head = sniff(data)
    if head.width == 0 or head.height == 0:
        raise SnellenError(f"image {name!r}: no known image format, or its size is not in its header")
    if upright and any(mark in data for mark in (b"Exif", b"eXIf", b"EXIF")) and (turned := _orientation(data)) != 1:
        raise SnellenError(
            f"image {name!r} is turned by its EXIF data (orientation {turned}), and boxes may mean it turned or not: save it upright"
        )
    return head.width, head.height


def _orientation(data: bytes) -> int:
    """Return the EXIF orientation, 1 where it has none or cannot be opened (decoding it later reports the error)."""
    from snellen.core.pixels import BadPicture, open_picture

    try:
        with open_picture(data) as picture:
            return int(picture.getexif().get(_ORIENTATION, 1))
    except (BadPicture, TypeError, ValueError, OSError, SyntaxError):
        return 1


# ---------------------------------------------------------------- boxes


def true_box(values: Any, box_format: str, space: Pixels) -> Box:
    """Return a box in pixels of the screenshot, by the declared format; raise SnellenError where it does not lie in the image."""
    convention, _, unit = box_format.partition("-")
    make = Box.from_xywh if convention == "xywh" else Box.from_xyxy
    box = make(values, UNIT if unit == "shares" else space).to(space)
    return _inside(
        box, f"box {values} is not inside the image, {space.width}x{space.height} ({box_format} is declared)"
    )


def _polygon_bounds(flat: Any, space: Pixels) -> Box:
    """Return the rectangle around a polygon [x, y, x, y, ...] in pixels; raise SnellenError where it is invalid or not in the image."""
    numbers = isinstance(flat, list | tuple) and all(isinstance(v, int | float) and math.isfinite(v) for v in flat)
    if not numbers or len(flat) < 6 or len(flat) % 2:
        given = f"{len(flat)} numbers" if isinstance(flat, list | tuple) else repr(flat)
        raise SnellenError(f"polygon with {given}: expected an even number of finite numbers, at least 6")
    box = Box(min(flat[::2]), min(flat[1::2]), max(flat[::2]), max(flat[1::2]), space)
    return _inside(box, f"polygon is not inside the image, {space.width}x{space.height}")


def _inside(box: Box, problem: str) -> Box:
    """Return a box that lies in the image. Edges become whole pixels where only a division by the image's size made them fractions."""
    width, height = box.space.width, box.space.height
    if not Box(-_OVERHANG, -_OVERHANG, width + _OVERHANG, height + _OVERHANG, box.space).covers(box):
        raise SnellenError(problem)
    corners = [round(v) if abs(v - round(v)) < _SNAP else v for v in box.corners]
    cut = Box.from_xyxy(corners, box.space).clamped()
    if cut.x1 == cut.x2 or cut.y1 == cut.y2:
        raise SnellenError(f"box {list(box.corners)} has no area")
    return cut
