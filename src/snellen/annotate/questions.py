"""Questions for a person: those of a file (image, question, options, answer), or those of an exam as a model gets them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from snellen.annotate.pictures import shot
from snellen.annotate.rows import AnswerRow
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.data.files import read_picture
from snellen.data.tables import Table, TableRow
from snellen.exams.own.columns import TableColumns, columns_of
from snellen.exams.own.names import SEPARATOR
from snellen.exams.own.rows import BadCell, images_of, listed, options_of, question_of, text_of


class _AnnotationItem(NamedTuple):
    """A question for a person. `many` means that several options may be right. `clicked` means that the answer is a place."""

    id: str
    text: str
    options: tuple[str, ...] = ()
    many: bool = False
    clicked: bool = False
    answer: str = ""
    pictures: tuple[bytes, ...] = ()


class QuestionRow(NamedTuple):
    """A checked row of a file of questions: the question without its images, their names, and all its cells."""

    item: _AnnotationItem
    images: tuple[str, ...]
    cells: Mapping[str, Any]


class Questions(NamedTuple):
    """Questions in a fixed order. `item` makes one on demand. `corrected` are the rows of a file whose answers are shown."""

    source: str
    ids: tuple[str, ...]
    item: Callable[[int], _AnnotationItem]
    corrected: Sequence[QuestionRow] = ()


def file_questions(folder: Path, path: Path, with_answers: bool = False) -> Questions:
    """Return the questions of a table in the folder, with their answers if they are to be corrected."""
    rows = read_questions(path)
    for row in rows:
        for name in row.images:
            try:
                shot(folder, name)
            except (SnellenError, OSError) as error:
                raise SnellenError(f"{path.name}, question {row.item.id}: {error}") from None

    def item(number: int) -> _AnnotationItem:
        row = rows[number]
        pictures = tuple(read_picture(shot(folder, name).path) for name in row.images)
        return row.item._replace(pictures=pictures, answer=row.item.answer if with_answers else "")

    return Questions(path.name, tuple(row.item.id for row in rows), item, rows if with_answers else ())


def exam_questions(exam: str, data: Path, selection: Selection) -> Questions:
    """Return the questions of an exam, exactly as a model is asked them, without any truth."""
    from snellen.engine.ask.questions import questions
    from snellen.engine.plan.plan import applies, make_plan
    from snellen.engine.plan.request import RunRequest

    never_asked = "baseline/constant:nothing"  # a plan needs a subject
    plan = make_plan(RunRequest(exam, model=never_asked, data=data, selection=selection), offline=True)
    arm = plan.firsts[0]
    ids = tuple(sample.id for sample in plan.data.light() if applies(plan.exam, arm, sample))

    @lru_cache(1)
    def item(number: int) -> _AnnotationItem:
        wanted = ids[number]
        (found,) = questions(
            plan.exam, plan.data, [arm], lambda one: one[0] == wanted, lambda _a, _s: True, plan.selection.seed
        )
        return _AnnotationItem(
            id=found.id,
            text=found.text,
            options=found.options,
            many=found.answer_kind == "any-of",
            clicked=found.exam == "grounding",
            pictures=tuple(picture.data for picture in found.pictures),
        )

    return Questions(exam, ids, item)


# ---------------------------------------------------------------- files of questions


def read_questions(path: Path) -> list[QuestionRow]:
    """Read the rows of a table of questions. SnellenError names the row and the column that is wrong."""
    table = Table(path)
    columns = columns_of(tuple(dict.fromkeys((*table.columns, "answer"))), {"answer": "answer"})  # it may not exist yet
    found: dict[str, QuestionRow] = {}
    for row in table.rows():
        where = f"{path.name} {row.place}"
        if row.wrong:
            raise SnellenError(f"{where}: {row.wrong}")
        try:
            one = _asked(row, columns)
        except BadCell as error:
            raise SnellenError(f"{where}, column {error.column}: {error}") from None
        if one.item.id in found:
            raise SnellenError(f"{where}: the id '{one.item.id}' repeats")
        found[one.item.id] = one
    if not found:
        raise SnellenError(f"{path.name}: no questions")
    return list(found.values())


def corrected(asked: Iterable[QuestionRow], answers: Mapping[str, AnswerRow]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of questions, with a person's answers in place of its own, the annotator and the time."""
    for one in asked:
        row, said = dict(one.cells), answers.get(one.item.id)
        if said is not None:
            row |= {"id": said.id, "answer": said.text, "corrected_by": said.annotator, "corrected_at": said.time}
        yield row


def _asked(row: TableRow, columns: TableColumns) -> QuestionRow:
    cells = row.cells
    name = text_of(cells.get("id")) or str(row.number + 1)
    answer = SEPARATOR.join(text_of(one) for one in listed(cells.get(columns.answer)))
    item = _AnnotationItem(name, question_of(cells, columns), options_of(cells, columns), answer=answer)
    return QuestionRow(item, images_of(cells, columns), cells)
