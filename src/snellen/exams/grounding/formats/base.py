"""What every grounding format is turned into: screens with targets, boxes in pixels of the screenshot, each checked.

A reader yields a Screen for every screenshot and a Problem for every record that cannot be used. Each format declares how its
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

Convention = Literal["xywh", "xyxy"]
OVERHANG = 2.0  # pixels by which a real annotation may reach over the edge; it is cut there
_SNAP = 1e-6
EMBEDDED = "imageData"
_HEADER = 1 << 18
_ORIENTATION = 0x0112  # of EXIF

SMALL_BELOW, LARGE_ABOVE = 32, 100
SIZE_BASIS = "square root of width x height, in pixels of the screenshot"
AREA_SMALL_BELOW, AREA_MEDIUM_BELOW = 0.001, 0.01

Row = TypeVar("Row")


class Target(Struct, frozen=True):
    """One thing to find. Several `boxes` are all right answers, the first is the one that was meant; none: it is absent.

    `where` is how messages name the record; `area_fraction` is the first box's share of the screen where the file says it;
    `more` holds what only some formats have.
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
    targets: tuple[Target, ...]
    cell: EmbeddedPicture | None = None

    def read(self) -> bytes:
        """The picture's bytes; OSError where its file cannot be read."""
        if self.cell is None:
            return read_picture(self.path)
        if self.cell.column == EMBEDDED:
            return embedded(self.path)
        file, (column, row) = ParquetFile(self.path, self.path.name), self.cell
        name = next(name for name in file.columns if name.lower() == column)
        found = next(file.cells(name, [row]), None)
        return found if isinstance(found, bytes) else b""


class _Embedding(msgspec.Struct, frozen=True, rename="camel"):
    image_data: bytes | None = None


def embedded(path: Path) -> bytes:
    """Return the picture that a LabelMe file holds, empty where it holds none."""
    try:
        return msgspec.json.decode(read_picture(path), type=_Embedding).image_data or b""
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise SnellenError(f"{EMBEDDED} is not a picture in base64") from None


class RecordPlace(NamedTuple):
    """Where a record stands: the data set's folder, the file, and the record's number in it."""

    where: PictureFolders
    file: Path
    number: int

    def __str__(self) -> str:
        return f"{self.where.label(self.file)} record {self.number}"


class GroundingFormat(NamedTuple):
    """A data format: how it is recognised, how its boxes are written (None: each file says it), how it is read."""

    name: str
    title: str
    convention: Convention | None
    unit: Literal["fractions", "pixels"] | None
    find: Callable[[Path], list[Path]]
    read: Callable[[PictureFolders, list[Path]], Iterator[Screen | Problem]]
    expected: str


# ---------------------------------------------------------------- size classes


def size_class(box: Box) -> str:
    """small, medium or large by the documented pixel limits, on the stated basis.

    >>> size_class(Box(0, 0, 31, 31, Pixels(100, 100))), size_class(Box(0, 0, 200, 50, Pixels(300, 300)))
    ('small', 'medium')
    """
    side = math.sqrt(box.area)
    return "small" if side < SMALL_BELOW else "medium" if side <= LARGE_ABOVE else "large"


def area_class(fraction: float) -> str:
    """openadapt-grounding's rule: the box as a share of the screenshot's area, limits 0.001 and 0.01, limits go up."""
    return "small" if fraction < AREA_SMALL_BELOW else "medium" if fraction < AREA_MEDIUM_BELOW else "large"


# ---------------------------------------------------------------- reading records


def read_json(path: Path, where: PictureFolders) -> Any:
    """The content of a JSON file; SnellenError with its name where it is none."""
    label = where.label(path)
    try:
        return msgspec.json.decode(check_inside(path, where.home).read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SnellenError(f"{label}: not JSON ({error})") from None
    except OSError as error:
        raise SnellenError(f"{label}: cannot be read ({error.strerror})") from None


def read_rows(path: Path, where: PictureFolders) -> list[Any]:
    """The records of a JSON file that is one list."""
    rows = read_json(path, where)
    if not isinstance(rows, list):
        raise SnellenError(f"{where.label(path)}: expected a list of records")
    return rows


def typed(value: Any, kind: type[Row]) -> Row:
    """A record as a type; SnellenError names the field that is wrong, and what it may be."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        hints = get_type_hints(kind)
        field = str(error).rpartition("`$.")[2].rstrip("`")
        choices = get_args(hints[field]) if get_origin(hints.get(field)) is Literal else ()
        said = f" (choose from {', '.join(map(str, choices))})" if choices else ""
        raise SnellenError(f"{error}{said}") from None


def find_image(where: PictureFolders, name: str, folders: Sequence[str]) -> Path:
    """The file of an image that a record names, looked for in some folders; never outside the data set's folder."""
    pure = PurePosixPath(name)
    if not name or pure.is_absolute() or ".." in pure.parts or "\\" in name or ":" in name.partition("/")[0]:
        raise SnellenError(f"image name {name!r} must be a path inside the data set's folder")
    path = where.find(name, folders)
    if path is not None and path.is_file():
        return path
    places = ", ".join(f"{f}/" if f else "the folder itself" for f in folders)
    raise SnellenError(f"image {name!r} not found (looked in {places})")


def image_size(path: Path) -> tuple[int, int]:
    """Width and height from the file's header."""
    with path.open("rb") as file:
        data = file.read(_HEADER)
        head = sniff(data)
        if head.width == 0:
            head = sniff(data + file.read())
    if head.width == 0 or head.height == 0:
        raise SnellenError(f"image {path.name!r}: no known image format, or its size is not in its header")
    return head.width, head.height


def true_box(values: Any, convention: Convention, space: Pixels, *, fractions: bool = False) -> Box:
    """A box as the format declares it, as pixels of the screenshot; SnellenError where it does not lie in the image."""
    make = Box.from_xywh if convention == "xywh" else Box.from_xyxy
    box = make(values, UNIT if fractions else space).to(space)
    if not _near(box, space):
        raise SnellenError(
            f"box {values} is not inside the image, {space.width}x{space.height} ({convention} is what this format declares)"
        )
    return _snapped(box.clamped()).require_true()


def polygon_bounds(flat: Any, space: Pixels) -> Box:
    """The rectangle around a polygon [x, y, x, y, ...] in pixels; SnellenError where it is none or not in the image."""
    numbers = isinstance(flat, list | tuple) and all(isinstance(v, int | float) and math.isfinite(v) for v in flat)
    if not numbers:
        raise SnellenError(f"a polygon is a list of numbers [x, y, x, y, ...], not {flat!r}")
    if len(flat) < 6 or len(flat) % 2:
        raise SnellenError(f"polygon with {len(flat)} numbers; it takes pairs, at least three")
    box = Box(min(flat[::2]), min(flat[1::2]), max(flat[::2]), max(flat[1::2]), space)
    if not _near(box, space):
        raise SnellenError(f"polygon {flat} is not inside the image, {space.width}x{space.height}")
    return box.clamped().require_true()


def _near(box: Box, space: Pixels) -> bool:
    return Box(-OVERHANG, -OVERHANG, space.width + OVERHANG, space.height + OVERHANG, space).covers(box)


def _snapped(box: Box) -> Box:
    """Whole pixels where a box was written with them and only the division by the image size left a trace."""
    return Box.from_xyxy([round(v) if abs(v - round(v)) < _SNAP else v for v in box.as_xyxy()], box.space)


def read_records(
    where: PictureFolders, files: list[Path], read: Callable[[Any, RecordPlace], Screen]
) -> Iterator[Screen | Problem]:
    """Screens of files whose records name their image one by one: targets of one screen together, in order of first appearance."""

    def each() -> Iterator[Screen | Problem]:
        for path in files:
            for i, given in enumerate(read_rows(path, where)):
                place = RecordPlace(where, path, i)
                try:
                    yield read(given, place)
                except SnellenError as error:
                    yield Problem(str(place), str(error))

    return together(each())


def together(found: Iterable[Screen | Problem]) -> Iterator[Screen | Problem]:
    """Problems as they come, then the screens, each once with the targets of all its records."""
    screens: dict[tuple[str, str], list[Screen]] = {}
    for one in found:
        if isinstance(one, Problem):
            yield one
        else:
            screens.setdefault((one.split, one.id), []).append(one)
    for parts in screens.values():
        yield parts[0]._replace(targets=tuple(target for part in parts for target in part.targets))


def upright_size(data: bytes, name: str) -> tuple[int, int]:
    """Width and height of a picture that lies as its pixels do. One that its EXIF data turns is refused: whoever drew boxes on it
    saw it turned, and whether a model does depends on the endpoint.
    """
    head = sniff(data)
    if head.width == 0 or head.height == 0:
        raise SnellenError(f"image {name!r}: no known image format, or its size is not in its header")
    if (b"Exif" in data[:_HEADER] or b"eXIf" in data or b"EXIF" in data) and (turned := _orientation(data)) != 1:
        raise SnellenError(
            f"image {name!r} is turned by its EXIF data (orientation {turned}), and boxes may mean it turned or not: save it upright"
        )
    return head.width, head.height


def file_size(path: Path) -> tuple[int, int]:
    """`upright_size` of a file."""
    try:
        return upright_size(read_picture(path), path.name)
    except OSError as error:
        raise SnellenError(f"image {path.name!r} cannot be read ({error.strerror})") from None


def own_size(path: Path, width: Any, height: Any) -> tuple[int, int]:
    """The size of a picture whose record says what size it has; SnellenError where these differ: boxes were measured on something else."""
    return same_size(file_size(path), path.name, width, height)


def same_size(size: tuple[int, int], name: str, width: Any, height: Any) -> tuple[int, int]:
    """Return the size of a picture; SnellenError where the record says another."""
    if (width, height) != size:
        raise SnellenError(f"image {name!r} is {size[0]}x{size[1]}, and the file says {width}x{height}")
    return size


def merged(targets: Iterable[Target]) -> tuple[Target, ...]:
    """Targets that are asked for by a name only: those of one name are one, and each of their boxes is right."""
    found: dict[str, Target] = {}
    for one in targets:
        first = found.get(one.instruction)
        if first is None:
            found[one.instruction] = one
        else:
            boxes = tuple(dict.fromkeys((*first.boxes, *one.boxes)))
            polygons = (*_outlines(first), *_outlines(one)) if first.polygons or one.polygons else ()
            found[one.instruction] = msgspec.structs.replace(first, boxes=boxes, polygons=polygons)
    return tuple(found.values())


def _outlines(target: Target) -> tuple[tuple[float, ...], ...]:
    """All right places as polygons: where there is one polygon, marking looks at polygons only."""
    return target.polygons or tuple((b.x1, b.y1, b.x2, b.y1, b.x2, b.y2, b.x1, b.y2) for b in target.boxes)


def _orientation(data: bytes) -> int:
    """The EXIF orientation, 1 where it has none or cannot be opened (whoever decodes it says so)."""
    from snellen.core.pixels import BadPicture, open_picture

    try:
        with open_picture(data) as picture:
            return int(picture.getexif().get(_ORIENTATION, 1))
    except (BadPicture, TypeError, ValueError, OSError, SyntaxError):
        return 1
