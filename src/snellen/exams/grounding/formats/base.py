"""What every grounding format is turned into: screens with targets, boxes in pixels of the screenshot, each checked.

A format is a map of its own fields to these two types. It yields a place in words and a function that makes one screen with one
target; `_gathered` puts the targets of a screen together, and what fails becomes a Problem at its place. Each format declares how its
boxes are written; nothing is guessed from the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
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
OVERHANG = 2.0  # pixels by which a real annotation may reach over the edge; it is cut there
ALL = "all"
EMBEDDED = "imageData"
_SNAP = 1e-6
_HEADER = 1 << 18
_ORIENTATION = 0x0112  # of EXIF

SMALL_BELOW, LARGE_ABOVE = 32, 100
SIZE_BASIS = "square root of width x height, in pixels of the screenshot"
AREA_SMALL_BELOW, AREA_MEDIUM_BELOW = 0.001, 0.01

Row = TypeVar("Row")


class AmbiguousBox(SnellenError):
    """Numbers that could mean two things. What is missing is missing in most rows of a file, so it is said once."""


class Target(Struct, frozen=True):
    """One thing to find. All `boxes` are right answers, the first is the one that was meant; without any it is absent.

    `where` is how messages name the record. `area_fraction` is the first box's share of the screen where the file says it. `shared`
    means that it is asked for by its kind alone: of one screen, all targets with its instruction are one. `more` holds what only some
    formats have.
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
    """A picture that stands in a Parquet file, the column in lower case; or in a JSON file, the column being EMBEDDED."""

    column: str
    row: int


class Screen(NamedTuple):
    """One screenshot with all its targets; `image` is its name for messages, `path` the file (that holds it, where it has a cell)."""

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
        """Return the space of its pixels."""
        return Pixels(self.width, self.height)

    def read(self) -> bytes:
        """Return the picture's bytes; OSError where its file cannot be read."""
        if self.cell is None:
            return read_picture(self.path)
        if self.cell.column == EMBEDDED:
            return embedded(self.path)
        file, (column, row) = ParquetFile(self.path, self.path.name), self.cell
        name = next(name for name in file.columns if name.lower() == column)
        found = next(file.cells(name, [row]), None)
        return found if isinstance(found, bytes) else b""


Entry = tuple[str, Callable[[], Screen]] | Problem
"""A place in words, and what makes the screen with the one target that stands there."""


class GroundingFormat(NamedTuple):
    """A data format: how its files are found and read. `box_format` is what the user says of boxes whose file does not say it."""

    name: str
    title: str
    find: Callable[[Path], list[Path]]
    entries: Callable[[PictureFolders, list[Path], str], Iterator[Entry]]
    expected: str

    def read(self, where: PictureFolders, files: list[Path], box_format: str = "") -> Iterator[Screen | Problem]:
        """Yield every screenshot of some files."""
        return _gathered(self.entries(where, files, box_format))


def _gathered(entries: Iterable[Entry]) -> Iterator[Screen | Problem]:
    """Yield problems as they come, then the screens, each once with its targets in order of first appearance."""
    screens: dict[tuple[str, str, Path], list[Screen]] = {}
    unclear: list[Problem] = []
    for entry in entries:
        if isinstance(entry, Problem):
            yield entry
            continue
        try:
            one = entry[1]()
        except AmbiguousBox as error:
            unclear.append(Problem(entry[0], str(error)))
            continue
        except SnellenError as error:
            yield Problem(entry[0], str(error))
            continue
        screens.setdefault((one.split, one.id, one.path), []).append(one)
    for problem in unclear[:1]:
        more = f" (also in {len(unclear) - 1} more rows)" if len(unclear) > 1 else ""
        yield problem._replace(what=problem.what + more)
    for parts in screens.values():
        targets = [target for part in parts for target in part.targets]
        yield parts[0]._replace(targets=(*(t for t in targets if not t.shared), *_merged(targets)))


def _merged(targets: Iterable[Target]) -> tuple[Target, ...]:
    found: dict[str, Target] = {}
    for one in targets:
        first = found.get(one.instruction)
        if one.shared and first is not None:
            boxes = tuple(dict.fromkeys((*first.boxes, *one.boxes)))
            polygons = (*_outlines(first), *_outlines(one)) if first.polygons or one.polygons else ()
            one = msgspec.structs.replace(first, boxes=boxes, polygons=polygons)  # noqa: PLW2901
        if one.shared:
            found[one.instruction] = one
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
    """Return the content of a JSON file; SnellenError with its name where it is not one."""
    label = where.label(path)
    try:
        return msgspec.json.decode(check_inside(path, where.home).read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SnellenError(f"{label}: not JSON ({error})") from None
    except OSError as error:
        raise SnellenError(f"{label}: cannot be read ({error.strerror})") from None


def fits(path: Path, kind: type[Row]) -> Row | None:
    """Return the content of a JSON file as a type; None where it has another form."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OSError):
        return None


def typed(value: Any, kind: type[Row], *, strict: bool = True) -> Row:
    """Return a record as a type; SnellenError names the field that is wrong, and what it may be."""
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        hints = get_type_hints(kind)
        hint = hints.get(str(error).rpartition("`$.")[2].rstrip("`"))
        choices = get_args(hint) if get_origin(hint) is Literal else ()
        known = f" (choose from {', '.join(map(str, choices))})" if choices else ""
        raise SnellenError(f"{error}{known}") from None


def records(
    where: PictureFolders, files: Iterable[Path], kind: type[Row], make: Callable[[Row, str, Path], Screen]
) -> Iterator[Entry]:
    """Yield an entry for each record of JSON files that are lists; `make` gets the record, its place and its file."""

    def made(given: Any, place: str, path: Path) -> Screen:
        return make(typed(given, kind), place, path)

    for path in files:
        label, found = where.label(path), read_json(path, where)
        if not isinstance(found, list):
            raise SnellenError(f"{label}: expected a list of records")
        for number, given in enumerate(found):
            place = f"{label} record {number}"
            yield place, partial(made, given, place, path)


# ---------------------------------------------------------------- pictures


def find_image(where: PictureFolders, name: str, folders: Sequence[str]) -> Path:
    """Return the file of an image that a record names, looked for in some folders; never outside the data set's folder."""
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
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise SnellenError(f"{EMBEDDED} is not a picture in base64") from None


def file_size(path: Path, *, upright: bool = True) -> tuple[int, int]:
    """Return width and height of a picture's file, as `picture_size`."""
    try:
        return picture_size(read_picture(path), path.name, upright=upright)
    except OSError as error:
        raise SnellenError(f"image {path.name!r} cannot be read ({error.strerror})") from None


def picture_size(data: bytes, name: str, *, upright: bool = True) -> tuple[int, int]:
    """Return width and height of a picture.

    One that its EXIF data turns is refused where it has to be `upright`: whoever drew boxes on it saw it turned, and whether a model
    does depends on the endpoint.
    """
    head = sniff(data)
    if head.width == 0 or head.height == 0:
        raise SnellenError(f"image {name!r}: no known image format, or its size is not in its header")
    if (
        upright
        and (b"Exif" in data[:_HEADER] or b"eXIf" in data or b"EXIF" in data)
        and (turned := _orientation(data)) != 1
    ):
        raise SnellenError(
            f"image {name!r} is turned by its EXIF data (orientation {turned}), and boxes may mean it turned or not: save it upright"
        )
    return head.width, head.height


def same_size(size: tuple[int, int], name: str, *stated: Any) -> tuple[int, int]:
    """Return the size of a picture; SnellenError where the record states another: its boxes were measured on something else."""
    if stated != size:
        raise SnellenError(
            f"image {name!r} is {size[0]}x{size[1]}, and the file says {'x'.join(map(str, stated))[:40]}"
        )
    return size


def _orientation(data: bytes) -> int:
    """Return the EXIF orientation, 1 where it has none or cannot be opened (whoever decodes it says so)."""
    from snellen.core.pixels import BadPicture, open_picture

    try:
        with open_picture(data) as picture:
            return int(picture.getexif().get(_ORIENTATION, 1))
    except (BadPicture, TypeError, ValueError, OSError, SyntaxError):
        return 1


# ---------------------------------------------------------------- boxes


def true_box(values: Any, box_format: str, space: Pixels) -> Box:
    """Return a box as the format declares it in pixels of the screenshot; SnellenError where it does not lie in the image."""
    convention, _, unit = box_format.partition("-")
    make = Box.from_xywh if convention == "xywh" else Box.from_xyxy
    box = make(values, UNIT if unit == "shares" else space).to(space)
    return _inside(
        box, space, f"box {values} is not inside the image, {space.width}x{space.height} ({box_format} is declared)"
    )


def polygon_bounds(flat: Any, space: Pixels) -> Box:
    """Return the rectangle around a polygon [x, y, x, y, ...] in pixels; SnellenError where it is not one or not in the image."""
    numbers = isinstance(flat, list | tuple) and all(isinstance(v, int | float) and math.isfinite(v) for v in flat)
    if not numbers or len(flat) < 6 or len(flat) % 2:
        given = f"{len(flat)} numbers" if isinstance(flat, list | tuple) else repr(flat)
        raise SnellenError(f"polygon with {given}: expected an even number of finite numbers, at least 6")
    box = Box(min(flat[::2]), min(flat[1::2]), max(flat[::2]), max(flat[1::2]), space)
    return _inside(box, space, f"polygon is not inside the image, {space.width}x{space.height}")


def _inside(box: Box, space: Pixels, problem: str) -> Box:
    """Return a box that lies in the image, on whole pixels where only a division by the image's size left a trace of others."""
    if not Box(-OVERHANG, -OVERHANG, space.width + OVERHANG, space.height + OVERHANG, space).covers(box):
        raise SnellenError(problem)
    corners = [round(v) if abs(v - round(v)) < _SNAP else v for v in box.corners]
    cut = Box.from_xyxy(corners, space).clamped()
    if cut.x1 == cut.x2 or cut.y1 == cut.y2:
        raise SnellenError(f"box {list(box.corners)} has no area")
    return cut
