"""Data sets of rows with images: each part is parquet shards, or a folder of image files, read in a fixed order.

Texts are read first and alone; images are read a few at a time, only for the rows that are asked about.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.dataset import Dataset, Problem
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.pixels import decode_problem
from snellen.core.selection import choose
from snellen.core.types import Picture, Sample
from snellen.data.files import read_picture
from snellen.data.folder import unusable
from snellen.data.parquet import ParquetFile
from snellen.data.synthetic_marker import HEAD, MARK, Label, first_label, label_from, picture_label


class RowSource(NamedTuple):
    """A parquet shard, or a folder of image files (then `files` lists them). `label` is its name in messages."""

    label: str
    path: Path
    files: tuple[Path, ...] = ()


class Rows:
    """The texts of one source by column, and its images a few at a time. The first column names the rows."""

    def __init__(self, source: RowSource, columns: Sequence[str], extra: Sequence[str] = ()) -> None:
        """Read a source. `columns` are texts that a parquet file must have in addition to `image`, `extra` those that it may have."""
        self.source = source
        self.origin: Label = {}
        self.synthetic = False
        self.expected: int | None = None
        """The number of rows in the part of the set that this is from, if the set records it."""
        self._parquet: ParquetFile | None = None
        if source.files:
            self.origin = first_label(source.files)
            self.synthetic = bool(self.origin)
            self.texts = {columns[0]: [p.relative_to(source.path).as_posix() for p in source.files]}
        else:
            self._parquet = file = ParquetFile(source.path, source.label)
            missing = [c for c in ("image", *columns) if c not in file.columns]
            if missing:
                what = f"column{'s' * (len(missing) > 1)} {', '.join(missing)}"
                raise SnellenError(f"{source.label}: {what} missing; it has {', '.join(file.columns)}")
            self._note(file.notes.get(MARK.encode()))
            present = [*columns, *(c for c in extra if c in file.columns)]
            self.texts = dict(zip(present, file.texts(present), strict=True))
        self.names = self.texts[columns[0]]

    def _note(self, note: bytes | None) -> None:
        self.synthetic = note is not None
        self.origin = label_from(note)
        if self.origin:
            count = json.loads(note or b"").get("count")
            self.expected = count if isinstance(count, int) else None

    def first_label(self) -> Label:
        """Return the label of the first image, for parquet files that were rewritten and have lost their note."""
        try:
            cell = None if self._parquet is None else self._parquet.first("image")
        except SnellenError:  # the reader of the image reports the error
            return {}
        return next((label for p in _pictures(cell, "") if (label := picture_label(p.data[:HEAD]))), {})

    def where(self, i: int) -> str:
        """Return the name of a row in messages."""
        return f"{self.source.label}/{self.names[i]}" if self.source.files else f"{self.source.label} row {i}"

    def size(self) -> int:
        """Return the bytes on disk, for the fingerprint."""
        return sum(p.stat().st_size for p in (self.source.files or (self.source.path,)))

    def pictures(self, rows: Sequence[int]) -> Iterator[tuple[int, tuple[Picture, ...]]]:
        """Yield the images of some rows, in order."""
        if self._parquet is None:
            yield from ((i, _pictures(self._file(i), self.where(i))) for i in rows)
            return
        for i, cell in zip(rows, self._parquet.cells("image", rows), strict=True):
            yield i, _pictures(cell, self.where(i))

    def _file(self, i: int) -> bytes:
        try:
            return read_picture(self.source.files[i])
        except OSError as error:
            raise SnellenError(f"{self.where(i)} cannot be read ({error.strerror})") from None


def _pictures(cell: Any, name: str) -> tuple[Picture, ...]:
    """Return the images in a cell: a struct with bytes, bare bytes, or a list of them."""
    if isinstance(cell, list):
        return tuple(picture for item in cell for picture in _pictures(item, name))
    data = cell.get("bytes") if isinstance(cell, dict) else cell
    return (Picture(data=data if isinstance(data, bytes) else b"", name=name),)


def lacking(part: str, sources: Sequence[Rows]) -> Problem | None:
    """Return a problem if a part of a synthetic set has fewer rows than it should: some of its files are missing."""
    wanted = {rows.expected for rows in sources}
    found, expected = sum(len(rows.names) for rows in sources), wanted.pop() if len(wanted) == 1 else None
    if expected is None or found == expected:
        return None
    return Problem(
        part, f"{found} of {expected} rows: files of the set are missing; 'snellen data make' makes it again"
    )


class ParquetLayout(NamedTuple):
    """The layout of an exam's rows on disk: the sources of a part, their columns, and the problems of rows, by their number."""

    exam: str
    columns: tuple[str, ...]
    sources: Callable[[Path, str], list[RowSource]]
    problems: Callable[[str, Rows], Iterator[tuple[int, str]]]
    extra: tuple[str, ...] = ()

    def open(self, source: RowSource) -> Rows:
        """Return the rows of a source; raise SnellenError if it cannot be read or lacks a column."""
        return Rows(source, self.columns, self.extra)

    def check(self, where: Path, part: str) -> Iterator[Problem]:
        """Yield every problem of a part: sources that cannot be read, bad rows, repeats, images that do not decode."""
        seen: Counter[str] = Counter()
        opened: list[Rows] = []
        for source in self.sources(where, part):
            try:
                rows = self.open(source)
            except SnellenError as error:
                yield Problem(source.label, str(error).removeprefix(f"{source.label}: "))
                continue
            opened.append(rows)
            yield from (Problem(rows.where(i), what) for i, what in self.problems(part, rows))
            for i, name in enumerate(rows.names):
                seen[name] += 1
                if name and seen[name] > 1:
                    yield Problem(rows.where(i), f"{self.columns[0]} {name!r} repeats", fatal=False)
            for i, pictures in rows.pictures(range(len(rows.names))):
                broken = (decode_problem(picture.data) for picture in pictures)
                yield from (Problem(rows.where(i), problem) for problem in broken if problem)
        if (half := lacking(part, opened)) is not None:
            yield half

    def recognised(self, where: Path, parts: Iterable[str]) -> list[str]:
        """Return the parts that a folder has; none if it holds several sets."""
        try:
            return [part for part in parts if self.sources(where, part)]
        except SnellenError:
            return []


class RowData(Dataset, ABC):
    """Selected rows of some parts, as samples."""

    layout: ParquetLayout
    endings: tuple[str, ...] = ("",)
    """A row is asked about once for each ending; its samples' ids end in them."""

    def __init__(self, where: Path, options: Selection, parts: Sequence[str]) -> None:
        self.source, self.options, self._where = str(where), options, where
        self._opened: dict[str, list[tuple[Rows, list[str]]]] = {}
        self._chosen: dict[str, frozenset[str]] = {}
        """The ids that were selected, by part."""
        self._odd: set[str] = set()
        fingerprint = hashlib.sha256()
        problems: list[Problem] = []
        for part in parts:
            opened = self._walk(part)
            for rows, ids in opened:
                for i, what in self.layout.problems(part, rows):
                    problems.append(Problem(rows.where(i), what))
                    self._odd.add(ids[i])
                self.synthetic = self.synthetic or rows.synthetic
                self.origin = self.origin or rows.origin
                fingerprint.update(f"{rows.source.label}\x1e{rows.size()}\x1e".encode())
                for column in self.layout.columns:
                    for i, text in enumerate(rows.texts[column]):
                        fingerprint.update(f"\x1f{text}".encode() if i else text.encode())
            if (half := lacking(part, [rows for rows, _ids in opened])) is not None:
                raise unusable([half], self.layout.exam, where)
            if opened and not self.synthetic:  # one file stands for its part: a page of images is read for it
                self.origin = opened[0][0].first_label()
            self.synthetic = self.synthetic or bool(self.origin)
            usable = [name for _rows, ids in opened for name in ids if name not in self._odd]
            chosen = choose(usable, options.limit, options.seed)
            self._chosen[part] = frozenset(usable) if chosen is None else chosen
        self._allow(problems)
        self.fingerprint = fingerprint.hexdigest()

    def _allow(self, problems: list[Problem]) -> None:
        """Stop if rows have problems; an exam may allow some of them to be left out."""
        if problems:
            raise unusable(problems, self.layout.exam, self._where)

    def _row_name(self, name: str) -> str:
        """Return the part of a row's name that goes into its id."""
        return name

    @abstractmethod
    def _sample(self, part: str, rows: Rows, i: int, name: str, pictures: tuple[Picture, ...] = ()) -> Sample:
        """Return the sample of a row; `name` is its id."""

    def __len__(self) -> int:
        return len(self.endings) * sum(map(len, self._chosen.values()))

    def _walk(self, part: str) -> list[tuple[Rows, list[str]]]:
        """Return the sources of a part with the ids of their rows: `PART/name`, and `#2` if a name repeats."""
        if part not in self._opened:
            times: Counter[str] = Counter()
            used: set[str] = set()
            opened = [self.layout.open(source) for source in self.layout.sources(self._where, part)]
            self._opened[part] = [
                (rows, [self._new_id(part, self._row_name(name), times, used) for name in rows.names])
                for rows in opened
            ]
        return self._opened[part]

    def _new_id(self, part: str, name: str, times: Counter[str], used: set[str]) -> str:
        times[name] += 1
        while (found := f"{part}/{name}#{times[name]}" if times[name] > 1 else f"{part}/{name}") in used:
            times[name] += 1  # a row's own name may be 'a#2'
        used.add(found)
        return found

    def light(self) -> Iterator[Sample]:
        for part, chosen in self._chosen.items():
            for rows, ids in self._walk(part):
                for i, name in enumerate(ids):
                    if name in chosen:
                        yield from (self._sample(part, rows, i, name + ending) for ending in self.endings)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        for part, chosen in self._chosen.items():

            def asked(name: str, chosen: frozenset[str] = chosen) -> list[str]:
                return [name + e for e in self.endings if wanted(name + e)] if name in chosen else []

            yield from self._loaded(part, asked)

    def _loaded(self, part: str, asked: Callable[[str], list[str]]) -> Iterator[Sample]:
        """Yield samples with images; `asked` gives the wanted ids of a row, by its own id."""
        for rows, ids in self._walk(part):
            wanted = [i for i, name in enumerate(ids) if asked(name)]
            for i, pictures in rows.pictures(wanted):
                yield from (self._sample(part, rows, i, name, pictures) for name in asked(ids[i]))
