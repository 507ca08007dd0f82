"""An exam of multiple-choice questions from tables: a subclass names its columns and makes a sample of a row; the rest is here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from snellen.choice.guess import guessed_letters
from snellen.choice.letters import LETTERS, letter_place
from snellen.choice.order import reordered
from snellen.choice.prompts import PROMPTS
from snellen.choice.protocols import PROTOCOLS
from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import Probes, RowFormat, SampleOptions, TextGuess
from snellen.core.pixels import decode_problem
from snellen.core.prompt import Prompt
from snellen.core.protocol import Protocol
from snellen.core.types import Picture, Sample
from snellen.data.tables import Table, tables_below

OPTIONS = ("a cup", "a plate", "a book", "a lamp")


def choice_sample(
    name: str,
    question: str,
    options: Iterable[str],
    answer: str | int | None,
    pictures: Iterable[bytes | None] = (),
    tags: Mapping[str, str] | None = None,
) -> Sample:
    """Make a sample of one question; `answer` is the right option's text or its number from 0, or None where it is not known.

    Pictures that are None are left out.
    """
    offered = [str(option) for option in options]
    if not 2 <= len(offered) <= len(LETTERS):
        raise SnellenError(f"{len(offered)} option{'s' * (len(offered) != 1)}; a question has 2 to {len(LETTERS)}")
    if len(set(offered)) < len(offered):
        raise SnellenError(f"two options are the same: {', '.join(offered)}")
    if any(letter_place(option, len(offered)) not in (None, i) for i, option in enumerate(offered)):
        raise SnellenError(f"an option is another option's letter: {', '.join(offered)}")
    if isinstance(answer, int) and not 0 <= answer < len(offered):
        raise SnellenError(f"the answer is option {answer} from 0, and there are {len(offered)}")
    right = offered[answer] if isinstance(answer, int) else answer
    if right is not None and right not in offered:
        raise SnellenError(f"the answer {right[:60]!r} is none of the options ({', '.join(offered)})")
    shown = tuple(Picture(data=data, name=f"{name} image {i}") for i, data in enumerate(pictures, 1) if data)
    facts = {"question": question, "options": offered}
    return Sample(id=name, tags=dict(tags or {}), truth=right, facts=facts, pictures=shown)


class ChoiceExam(Exam):
    """An exam whose subclass has a name, its `columns` and `sample`. `--controls options`, chance and the text-only floor then work."""

    columns: tuple[str, ...] = ()
    """The columns that its tables have; they identify a folder."""
    prompts: Mapping[str, Prompt] = PROMPTS
    protocols: Mapping[str, Protocol] = PROTOCOLS

    def __init__(self) -> None:
        """Add the extras that a subclass does not bring itself."""
        tags = {"task": self.tasks[0]} if self.tasks else {}
        probes = [choice_sample(f"probe-{i}", "What is on the table?", OPTIONS, i, tags=tags) for i in range(4)]
        common = (
            Probes(lambda: probes[:1], lambda: probes),
            SampleOptions(reordered, each_differs=True),
            TextGuess(lambda _exam, _prompt, known, asked: guessed_letters(known, asked)),
            RowFormat(_sample_from_row),
        )
        self.extras = (*self.extras, *(one for one in common if self.extra(type(one)) is None))

    def sample(self, row: Mapping[str, Any]) -> Sample:
        """Make a sample of a row (see `choice_sample`). Pictures in Parquet are bytes, or None where there is none."""
        raise SnellenError(f"the exam {self.name} has no sample()")

    # ------------------------------------------------------------ data

    def recognises(self, where: Path) -> str | None:
        try:
            return f"a table of {self.name}" if self.columns and self._tables(where) else None
        except SnellenError:
            return None

    def samples(self, where: Path) -> Iterator[Sample]:
        for found in self._rows(where):
            if isinstance(found, Problem):
                raise SnellenError(str(found))
            yield found

    def check(self, where: Path) -> Iterator[Problem]:
        try:
            for found in self._rows(where):
                if isinstance(found, Problem):
                    yield found
                    continue
                broken = ((p.name, decode_problem(p.data)) for p in found.pictures)
                yield from (Problem(name, problem) for name, problem in broken if problem)
        except SnellenError as error:
            yield Problem(str(where), str(error))

    def _rows(self, where: Path) -> Iterator[Sample | Problem]:
        tables = self._tables(where)
        if not tables:
            raise SnellenError(f"{where}: no table with the columns {', '.join(self.columns)}")
        for table in tables:
            for row in table.whole_rows():
                try:
                    if row.wrong:
                        raise SnellenError(row.wrong)
                    yield self.sample(row.cells)
                except SnellenError as error:
                    yield Problem(f"{table.name} {row.place}", str(error))
                except (KeyError, TypeError, ValueError, AttributeError) as error:
                    yield Problem(f"{table.name} {row.place}", f"{type(error).__name__}: {error}")

    def _tables(self, where: Path) -> list[Table]:
        """Open the tables of a folder that have the columns."""
        return [table for path in tables_below(where) if set(self.columns) <= set((table := Table(path)).columns)]


def _sample_from_row(row: Mapping[str, Any]) -> Sample:
    """Make a sample of a row of `snellen mark`: question, options, and the answer as a text or a letter."""
    missing = [name for name in ("options", "answer") if name not in row]
    if missing:
        raise SnellenError(f'field "{missing[0]}" is missing')
    options, answer = row["options"], row["answer"]
    right = answer if answer in options else letter_place(str(answer), len(options))
    return choice_sample(str(row["id"]), str(row.get("question", "")), options, right)
