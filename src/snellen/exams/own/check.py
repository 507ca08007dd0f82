"""The check of a user's own questions: every problem by row and column, and how the file was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.pixels import decode_problem
from snellen.core.types import Sample
from snellen.data.tables import TableRow
from snellen.exams.own.columns import ColumnMap
from snellen.exams.own.data import QuestionTable
from snellen.exams.own.names import ABOUT, KINDS, STYLE_WORDS
from snellen.exams.own.rows import BadCell


def check(where: Path, images: str = "", columns: ColumnMap = MappingProxyType({})) -> Iterator[Problem]:
    """Yield the problems, including pictures that do not decode; then notes on how the file was read."""
    try:
        found = QuestionTable(where, images, columns)
    except SnellenError as error:
        yield Problem(str(where), str(error).removeprefix(f"{where}: "))
        return
    kinds: Counter[str] = Counter()
    good: list[tuple[TableRow, Sample]] = []
    wrong = False
    for row, light in found.items():
        if isinstance(light, Problem):
            wrong = True
            every = [] if row.wrong else list(found.wrongs(row))
            yield from every
            if light not in every:
                yield light
            continue
        kinds[light.tags["task"]] += 1
        try:
            found.files(light)
        except BadCell as error:
            yield found.problem(row, str(error), error.column)
            continue
        good.append((row, light))
    if not kinds and not wrong:
        yield Problem(str(where), "no questions in it")
    yield from _undecoded(found, good)
    yield from (Problem(found.source.name, said, fatal=False) for said in _understood(found, kinds))


def _undecoded(found: QuestionTable, good: list[tuple[TableRow, Sample]]) -> Iterator[Problem]:
    """Yield pictures that do not decode, without repeats."""
    seen: set[str] = set()
    for (row, _light), loaded in zip(good, found.loaded(iter(good)), strict=True):
        if isinstance(loaded, Problem):
            yield loaded
            continue
        for picture in loaded.pictures:
            broken = None if picture.name in seen else decode_problem(picture.data)
            seen.add(picture.name)
            if broken:
                yield found.problem(row, f"{picture.name}: {broken}", found.columns.image)


def _understood(found: QuestionTable, kinds: Counter[str]) -> Iterator[str]:
    """Yield how the file was read, in words."""
    columns, several = found.columns, kinds["labels"] > 0
    for kind in KINDS:
        if kinds[kind]:
            yield f"{kinds[kind]} of the kind '{kind}': {ABOUT[kind]}"
    names = [columns.image, columns.question, *(columns.letters or filter(None, (columns.options,))), columns.answer]
    yield f"read from the columns {', '.join(names)}"
    if (kinds["choice"] or several) and found.survey.style:
        yield f"answers name an option by {STYLE_WORDS[found.survey.style]}"
    if several:
        yield "as one question has several right options, all with options are asked for all that are right"
    if found.survey.tags:
        yield f"results are broken down by {', '.join(found.survey.tags)}"
    if found.template:
        yield "asked in the words of prompt.txt"
