"""A user's own questions and pictures: multiple choice, several labels, numbers and short answers from a table or a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snellen.choice.guess import guessed_letters
from snellen.choice.order import reordered
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import DataTemplates, DataTraits, Maker, Probes, RowFormat, SampleOptions, TextGuess, later
from snellen.core.options import COLUMNS, IMAGES
from snellen.core.types import Sample
from snellen.data.tables import TableRow
from snellen.exams.own import find
from snellen.exams.own.check import check
from snellen.exams.own.columns import columns_of
from snellen.exams.own.data import OwnData
from snellen.exams.own.names import KINDS
from snellen.exams.own.prompts import PROMPTS, probes, truths
from snellen.exams.own.protocols import PROTOCOLS
from snellen.exams.own.rows import BadCell, asked, kind_of, sample, truth_of
from snellen.exams.own.survey import survey


def _guess(_exam: Exam, prompt: str, known: Sequence[Sample], asked: Sequence[Sample]) -> Sequence[str] | None:
    """Compare the options as texts if all questions are choices; otherwise learn an answer in the common way."""
    every_choice = all(s.tags["task"] == "choice" for s in (*known, *asked))
    return guessed_letters(known, asked) if every_choice else None


def _sample_from_row(row: Mapping[str, Any]) -> Sample:
    """Read a row of `snellen mark`: question, options and answer as in a table; a picture is not needed."""
    cells = {k: v for k, v in row.items() if k not in ("response", "error")} | {"image": "-"}
    cells.setdefault("question", "-")
    columns = columns_of(list(cells))
    one = survey([TableRow(0, "it", cells)], columns)
    try:
        found = asked(cells, columns)
        kind = kind_of(found, one.several)
        truth = truth_of(found, kind, one.style or "text", columns.answer)
    except BadCell as error:
        raise SnellenError(f"field '{error.column}': {error}") from None
    return sample(found._replace(images=()), str(row["id"]), kind, truth, {})


class Own(Exam):
    """The exam object; an entry point names it."""

    name = "own"
    title = "Own questions: a table or a folder of pictures, without code"
    tasks = KINDS
    prompts = PROMPTS
    protocols = PROTOCOLS
    max_tokens = 256
    options = (IMAGES, COLUMNS)
    extras = (
        Maker(later("snellen.exams.own.template:make")),
        DataTemplates(
            {"choice": later("snellen.exams.own.template:choice"), "text": later("snellen.exams.own.template:text")},
        ),
        DataTraits(last_resort=True),
        Probes(probes, truths),
        SampleOptions(reordered, each_differs=True),
        TextGuess(_guess),
        RowFormat(_sample_from_row),
    )

    open = staticmethod(OwnData)
    check = staticmethod(check)
    recognises = staticmethod(find.recognises)


EXAM = Own()
