"""A user's own questions as a data set: rows are read again for each pass, pictures only for the questions that are asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from snellen.core.dataset import Dataset, Problem
from snellen.core.errors import SnellenError
from snellen.core.options import COLUMNS, IMAGES, Selection
from snellen.core.selection import choose
from snellen.core.types import Picture, Sample
from snellen.data.files import PictureFolders, digest_of
from snellen.data.folder import named
from snellen.data.synthetic_marker import HEAD, first_label, picture_label
from snellen.data.tables import Table, TableRow
from snellen.exams.own import find
from snellen.exams.own.columns import ColumnMap, TableColumns, columns_of
from snellen.exams.own.names import KINDS
from snellen.exams.own.pictures import of_cell, place_of, read, size_of
from snellen.exams.own.rows import LONGEST_ID, BadCell, asked, images_of, kind_of, sample, text_of, truth_of, wrongs
from snellen.exams.own.survey import Survey, survey

AT_A_TIME = 64


class QuestionTable:
    """The data in a path: its columns, how its answers are written, and its rows one by one."""

    def __init__(self, where: Path, images: str = "", columns: ColumnMap = MappingProxyType({})) -> None:
        self.where, self.source = where, find.source(where)
        self.base = Path.cwd() / find.base_of(self.source)
        self._folders = PictureFolders(self.base, images)
        self.template = find.template_of(self.source)
        try:
            beside = find.columns_beside(self.source)
            if any(role.startswith("answer") for role in columns):  # one name for the answer is enough
                beside = {role: names for role, names in beside.items() if not role.startswith("answer")}
            self.columns = self._columns({**beside, **columns})
            self.binary = self.columns.images[0] in self.source.binary
            self.survey: Survey = survey(self.source.rows(), self.columns, self.binary)
        except SnellenError as error:
            raise SnellenError(f"{self.source.name}: {error}") from None

    def _columns(self, given: ColumnMap) -> TableColumns:
        found = columns_of(self.source.columns, given)
        like = [
            name for name in found.images if (name in self.source.binary) == (found.images[0] in self.source.binary)
        ]
        if found.either:
            return found._replace(images=tuple(like))
        if len(like) < len(found.images):
            raise SnellenError(
                f"of the columns {found.image} some hold pictures and others their names: name those of one kind"
            )
        return found

    def items(self) -> Iterator[tuple[TableRow, Sample | Problem]]:
        """Yield every row in order, with its light sample or its first problem."""
        seen: set[str] = set()
        for row in self.source.rows():
            try:
                found = self._sample(row)
                if found.id in seen:
                    raise BadCell(self.columns.plain.get("id", "id"), f"the id {found.id[:60]!r} is there twice")
            except BadCell as error:
                yield row, self.problem(row, str(error), error.column)
            else:
                seen.add(found.id)
                yield row, found

    def problem(self, row: TableRow, what: str, column: str = "") -> Problem:
        """Return a problem of a row, with its place."""
        return Problem(self._place(row) + (f", column '{column}'" if column else ""), what)

    def _place(self, row: TableRow) -> str:
        return f"{self.source.name} {row.place}" if isinstance(self.source, Table) else row.place

    def _sample(self, row: TableRow) -> Sample:
        if row.wrong:
            raise BadCell("", row.wrong)
        cells, columns = row.cells, self.columns
        found = asked(cells, columns, self.binary)
        name = text_of(cells.get(columns.plain["id"])) if "id" in columns.plain else str(row.number + 1)
        if not name or len(name) > LONGEST_ID:
            raise BadCell(columns.plain.get("id", "id"), "the id is empty" if not name else "the id is too long")
        kind = kind_of(found, self.survey.several)
        truth = truth_of(found, kind, self.survey.style or "text", columns.answer)
        names = dict.fromkeys(self.split_column, "split")
        names |= {n: f"{n}_column" if n in ("split", "task") else n for n in self.survey.tags}  # these two are ours
        tags = {name: text for n, name in names.items() if (text := text_of(cells.get(n)))}
        return sample(found, name, kind, truth, tags, self.template)

    @property
    def split_column(self) -> tuple[str, ...]:
        """The column `split`, if there is one."""
        return (self.columns.plain["split"],) if "split" in self.columns.plain else ()

    # ------------------------------------------------------------ pictures

    def files(self, light: Sample) -> list[tuple[Path, int]]:
        """Return the picture files of a sample with their sizes; raise BadCell if one is missing."""
        return [self._file(shown) for shown in self._shown(light)]

    def _file(self, shown: str) -> tuple[Path, int]:
        path = place_of(shown, self._folders, self.base, self.columns.image)
        return path, size_of(path, shown, self.columns.image)

    def wrongs(self, row: TableRow) -> Iterator[Problem]:
        """Yield all problems with the cells of a row and the pictures that it names."""
        found = wrongs(row.cells, self.columns, self.binary)
        if not self.binary and all(error.column != self.columns.image for error in found):
            for shown in images_of(row.cells, self.columns):
                try:
                    self._file(shown)
                except BadCell as error:
                    found.append(error)
        yield from (self.problem(row, str(error), error.column) for error in found)

    def _shown(self, light: Sample) -> list[str]:
        found = light.facts.get("image", [])
        return [found] if isinstance(found, str) else list(found)

    def loaded(self, some: Iterator[tuple[TableRow, Sample]]) -> Iterator[Sample | Problem]:
        """Yield samples with pictures, a few at a time."""
        while batch := list(islice(some, AT_A_TIME)):
            numbers = [row.number for row, _ in batch]
            cells = [dict(self.source.cells(name, numbers)) for name in self.columns.images] if self.binary else []
            for row, light in batch:
                try:
                    shown = self._pictures(row, light, cells)
                except BadCell as error:
                    yield self.problem(row, str(error), error.column)
                    continue
                yield msgspec.structs.replace(light, pictures=shown)

    def _pictures(self, row: TableRow, light: Sample, cells: list[dict[int, Any]]) -> tuple[Picture, ...]:
        column = self.columns.image
        if self.binary:
            filled = [found for column in cells if (found := of_cell(column.get(row.number), self._place(row)))]
            if not filled:
                raise BadCell(column, "no picture: the cell holds no bytes")
            return filled[0] if self.columns.either else tuple(picture for some in filled for picture in some)
        return tuple(
            read(place_of(shown, self._folders, self.base, column), shown, column) for shown in self._shown(light)
        )


class OwnData(Dataset):
    """The selected rows."""

    def __init__(self, where: Path, options: Selection) -> None:
        self.source, self.options = str(where), options
        self._questions = QuestionTable(where, options.own.get(IMAGES.name, ""), options.own.get(COLUMNS.name, {}))
        self._tasks = named("task", options.tasks, KINDS, "own")
        known = hashlib.sha256()
        files: dict[Path, int] = {}
        parts: dict[tuple[str, str], list[str]] = {}
        splits: dict[str, None] = {}
        problems: list[Problem] = []
        for row, light in self._questions.items():
            if isinstance(light, Problem):
                problems.append(light)
                continue
            try:
                files.update(self._questions.files(light))
            except BadCell as error:
                problems.append(self._questions.problem(row, str(error), error.column))
                continue
            known.update(msgspec.json.encode([light.id, light.tags, light.truth, light.facts], order="sorted"))
            splits[light.tags.get("split", "")] = None
            if self._wanted(light):
                parts.setdefault((light.tags.get("split", ""), light.tags["task"]), []).append(light.id)
        if problems:
            more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
            raise SnellenError(f"{problems[0]}{more}; 'snellen data check {where}' lists all")
        named("split", options.splits, sorted(splits), "own")
        if not parts:
            raise SnellenError(f"{where}: no questions" + (" for this selection" if splits else " in it"))
        self._chosen = frozenset().union(*(self._some(ids) for ids in parts.values()))
        self._label(files)
        if self._questions.binary:
            files |= {path: path.stat().st_size for path in self._questions.source.files}
        self.fingerprint = hashlib.sha256(f"{known.hexdigest()}{digest_of(files.items())}".encode()).hexdigest()

    def _wanted(self, light: Sample) -> bool:
        splits, tasks = [s.lower() for s in self.options.splits], self._tasks
        return (not splits or light.tags.get("split", "").lower() in splits) and (
            not tasks or light.tags["task"] in tasks
        )

    def _some(self, ids: list[str]) -> frozenset[str]:
        """Return a seeded draw of one part; each id counts as a whole."""
        found = choose([f"/{name}" for name in ids], self.options.limit, self.options.seed)
        return frozenset(ids) if found is None else frozenset(name[1:] for name in found)

    def _label(self, files: dict[Path, int]) -> None:
        """Record whether any picture says that it is synthetic; for pictures in a table, the first one."""
        if self._questions.binary:
            cell = next((c for _i, c in self._questions.source.cells(self._questions.columns.images[0], [0])), None)
            self.origin = next((found for p in of_cell(cell, "") if (found := picture_label(p.data[:HEAD]))), {})
        else:
            self.origin = first_label(files)
        self.synthetic = bool(self.origin)

    def __len__(self) -> int:
        return len(self._chosen)

    def _selected(self) -> Iterator[tuple[TableRow, Sample]]:
        for row, light in self._questions.items():
            if isinstance(light, Sample) and light.id in self._chosen:
                yield row, light

    def light(self) -> Iterator[Sample]:
        return (light for _row, light in self._selected())

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        some = ((row, light) for row, light in self._selected() if wanted(light.id))
        for found in self._questions.loaded(some):
            if isinstance(found, Problem):
                raise SnellenError(str(found))
            yield found
