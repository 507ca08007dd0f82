"""Grounding data: one Sample for each target of each screenshot, whatever format the folder has.

A data set is a folder, or one file with its pictures beside it. The split is the usual division of the set:

- openadapt-grounding's format: the difficulty (or the name) of the set
- ScreenSpot: the platform
- ScreenSpot-Pro: the application group
- OSWorld-G: the wording
- own rows: the column `split`
"""

from __future__ import annotations

import copy
import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from snellen.core.dataset import Dataset, Problem
from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.options import BOX_FORMAT, IMAGES, Selection
from snellen.core.selection import choose
from snellen.core.text import one_line
from snellen.core.types import Picture, Sample
from snellen.data.files import PictureFolders, digest_of
from snellen.data.folder import check_folder, named, unusable
from snellen.data.sheets import columns
from snellen.data.synthetic_marker import folder_label, picture_label
from snellen.data.tables import tables_in
from snellen.exams.grounding.formats import own, published, rows
from snellen.exams.grounding.formats.annotations import FORMAT as ANNOTATIONS
from snellen.exams.grounding.formats.annotations import origin
from snellen.exams.grounding.formats.base import EMBEDDED, GroundingFormat, Screen, Target, area_class, size_class

PUBLISHED = (ANNOTATIONS, *published.FORMATS)
OWN = (rows.FORMAT, own.COCO, own.LABELME)
"""Formats that are known by their content. They are tried where a folder has none of the published files."""
TASK = "ground"
TAGS = ("type", "platform", "application", "difficulty", "theme", "kind", "size", "area")


def recognise(where: Path) -> tuple[GroundingFormat, list[Path]]:
    """Return the format of a folder, or of one file, and the files that hold its records."""
    if not where.is_file():
        check_folder(where, "grounding")
    found = _found_in(where)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f.title for f, _ in found)
        raise SnellenError(
            f"{where} holds several data sets ({names}): put each into a folder of its own, or name a file"
        )
    below = sorted(p.name for p in where.iterdir() if p.is_dir() and _found_in(p)) if where.is_dir() else []
    if below:
        raise SnellenError(f"{where} holds no data set itself, but its folder {below[0]!r} does: name that with --data")
    has = "".join(
        f"; {p.name} has the columns {one_line(', '.join(c), 80)}" for p in tables_in(where)[:1] if (c := columns(p))
    )
    expected = "; ".join(f.expected for f in (*PUBLISHED, *OWN))
    raise SnellenError(
        f"{where}: no grounding data{has}; expected one of: {expected}. 'snellen data init grounding' writes one"
    )


def _found_in(where: Path) -> list[tuple[GroundingFormat, list[Path]]]:
    """Return every format of a folder, or of a file, with its files. Formats known by content count only where no other is there."""
    folder = root_of(where)
    known = [(f, [p for p in f.find(folder) if where in (p, folder)]) for f in PUBLISHED]
    return [one for one in known if one[1]] or [(f, files) for f in OWN if (files := f.find(where))]


def recognised(where: Path) -> str | None:
    """Return a short description of a folder or file that holds grounding data."""
    return " and ".join(f"screenshots with boxes ({kind.title})" for kind, _files in _found_in(where)) or None


def root_of(where: Path) -> Path:
    """Return the folder in which pictures are looked for."""
    return where.parent if where.is_file() else where


def sample_id(screen: Screen, target: Target) -> str:
    """Return the name of a sample."""
    return f"{screen.id}/{target.id}"


class GroundingData(Dataset):
    """Selected targets. Targets of one screen stay together, so that a method can parse a screenshot once for all of them."""

    def __init__(self, where: Path, options: Selection) -> None:
        self.source, self.options = str(where), options
        self.format, files = recognise(where)
        named("task", options.tasks, (TASK,), "grounding")
        root = root_of(where)
        folders = PictureFolders(root, options.own.get(IMAGES.name, ""))
        found = list(self.format.read(folders, files, options.own.get(BOX_FORMAT.name, "")))
        screens = [one for one in found if not isinstance(one, Problem)]
        problems = [*(one for one in found if isinstance(one, Problem) and one.fatal), *repeated_ids(screens)]
        if problems:
            raise unusable(problems, "grounding", where)
        if not any(screen.targets for screen in screens):
            raise SnellenError(f"{where}: {self.format.title} without a single target")
        said = [picture_label(screen.read()) for screen in screens if screen.cell and screen.cell.column == EMBEDDED]
        named_so = False
        if self.format is ANNOTATIONS:
            said, named_so = origin(files[0], folders)
        marked, self.origin = folder_label(said, (screen.path for screen in screens))
        self.synthetic = marked or named_so
        self.fingerprint = _fingerprint(self.format, files, screens)
        self._screens = _chosen(screens, options)

    def __len__(self) -> int:
        return sum(len(screen.targets) for screen in self._screens)

    def first(self, count: int) -> GroundingData:
        """Return the data of the first `count` screenshots, as openadapt-grounding limits a run."""
        other = copy.copy(self)
        other._screens = self._screens[:count]
        other.fingerprint = digest({"data": self.fingerprint, "first_screens": count})
        return other

    def light(self) -> Iterator[Sample]:
        for screen in self._screens:
            yield from (as_sample(screen, target, self.format.name) for target in screen.targets)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        for screen in self._screens:
            targets = [t for t in screen.targets if wanted(sample_id(screen, t))]
            pictures = (_picture(screen),) if targets else ()
            yield from (as_sample(screen, target, self.format.name, pictures) for target in targets)


def as_sample(screen: Screen, target: Target, format_name: str, pictures: tuple[Picture, ...] = ()) -> Sample:
    """Return a target as a Sample: boxes in pixels of the screenshot are the truth, and the instruction may be shown."""
    truth: dict[str, object] = {"boxes": [list(box.corners) for box in target.boxes], "absent": not target.boxes}
    truth |= {"polygons": [list(p) for p in target.polygons]} if target.polygons else {}
    facts: dict[str, object] = {
        "instruction": target.instruction,
        "image": screen.image,
        "screen": screen.id,
        "width": screen.width,
        "height": screen.height,
        "element_type": target.element_type,
        "text": target.text,
        "format": format_name,
    }
    tags = {"split": screen.split, "task": TASK} | dict.fromkeys(TAGS, "") | target.tags
    for box in target.boxes[:1]:
        share = target.area_fraction
        share = box.area / (screen.width * screen.height) if share is None else share
        tags |= {"size": size_class(box), "area": area_class(share)}
        facts["sides"] = {  # values under other size rules
            "shorter": min(box.width, box.height),
            "longer": max(box.width, box.height),
            "root_area": math.sqrt(box.area),
            "area_fraction": share,
        }
    return Sample(id=sample_id(screen, target), tags=tags, truth=truth, facts=facts | target.more, pictures=pictures)


def repeated_ids(screens: list[Screen]) -> Iterator[Problem]:
    """Yield names that would merge two samples into one: each once, at its last place."""
    seen = Counter(sample_id(s, t) for s in screens for t in s.targets)
    places = {sample_id(s, t): t.where for s in screens for t in s.targets}
    for name, times in seen.items():
        if times > 1:
            yield Problem(places[name], f"id '{name}' is given {times} times")


def size_problem(screen: Screen, data: bytes) -> str | None:
    """Return why an image cannot belong to its record, so that the truth would lie elsewhere."""
    head = sniff(data)
    if head.width and (head.width, head.height) != (screen.width, screen.height):
        return f"the image is {head.width}x{head.height}, and the annotations say {screen.width}x{screen.height}"
    return None


def _picture(screen: Screen) -> Picture:
    try:
        data = screen.read()
    except OSError as error:
        raise SnellenError(f"{screen.image} cannot be read ({error.strerror})") from None
    problem = size_problem(screen, data)
    if problem:
        raise SnellenError(f"{screen.image}: {problem}")
    return Picture(data=data, name=screen.image)


def _fingerprint(kind: GroundingFormat, files: list[Path], screens: list[Screen]) -> str:
    """Return a digest of the annotations' content and of the images' names, sizes and content on disk."""
    found = hashlib.sha256(kind.name.encode())
    for path in files:
        found.update(f"\x1e{path.name}\x1f".encode() + hashlib.sha256(path.read_bytes()).digest())
    pictures = {path: path.stat().st_size for path in {screen.path for screen in screens}}
    for image, path in sorted({screen.image: screen.path for screen in screens}.items()):
        found.update(f"\x1e{image}\x1f{pictures[path]}".encode())
    found.update(digest_of(pictures.items()).encode())
    return found.hexdigest()


def _chosen(screens: list[Screen], options: Selection) -> tuple[Screen, ...]:
    present = list(dict.fromkeys(screen.split for screen in screens))
    keep: set[str] = set()
    for split in named("split", options.splits, present, "this data") or present:
        ids = [_ranked(screen, target) for screen in screens if screen.split == split for target in screen.targets]
        chosen = choose(ids, options.limit, options.seed)
        keep |= set(ids if chosen is None else chosen)
    cut = (
        screen._replace(targets=tuple(t for t in screen.targets if _ranked(screen, t) in keep)) for screen in screens
    )
    return tuple(screen for screen in cut if screen.targets)


def _ranked(screen: Screen, target: Target) -> str:
    """Return the id that is ranked: it has the whole sample name behind the first slash, since `choose` looks only there."""
    return f"{screen.split}/{sample_id(screen, target)}"
