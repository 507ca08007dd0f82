"""Questions and pictures of one's own: multiple choice, several labels, numbers and short answers from a table or a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from snellen.choice.guess import guessed_letters
from snellen.choice.order import reordered
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.options import OF_DATA
from snellen.core.types import Sample
from snellen.data.tables import Row
from snellen.exams.own import find
from snellen.exams.own.check import check
from snellen.exams.own.columns import columns_of
from snellen.exams.own.data import OwnData
from snellen.exams.own.names import KINDS
from snellen.exams.own.prompts import PROMPTS, probes, truths
from snellen.exams.own.protocols import PROTOCOLS
from snellen.exams.own.rows import Wrong, asked, kind_of, sample, truth_of
from snellen.exams.own.survey import survey


class Own(Exam):
    """The exam object that the entry point names."""

    name = "own"
    title = "Own questions: a table or a folder of pictures, without code"
    tasks = KINDS
    prompts = PROMPTS
    protocols = PROTOCOLS
    maker = "snellen.exams.own.template:make"
    max_tokens = 256
    own_options = True
    options = OF_DATA
    last_resort = True
    templates: Mapping[str, str] = {
        "choice": "snellen.exams.own.template:choice",
        "text": "snellen.exams.own.template:text",
    }

    open = staticmethod(OwnData)
    check = staticmethod(check)
    probes = staticmethod(probes)
    truths = staticmethod(truths)
    recognises = staticmethod(find.recognises)

    def reordered(self, sample: Sample, draw: Random) -> Sample | None:
        return reordered(sample, draw)

    def guess_from_text(self, prompt: str, known: Sequence[Sample], asked: Sequence[Sample]) -> Sequence[str] | None:
        """Where all questions are choices, their options are texts to be compared; else an answer is learnt in the common way."""
        every_choice = all(s.tags["task"] == "choice" for s in (*known, *asked))
        return guessed_letters(known, asked) if every_choice else None

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        """A row of `snellen mark`: question, options and answer as in a table; it needs no picture."""
        cells = {k: v for k, v in row.items() if k not in ("response", "error")} | {"image": "-"}
        cells.setdefault("question", "-")
        columns = columns_of(list(cells))
        one = survey([Row(0, "it", cells)], columns)
        try:
            found = asked(cells, columns)
            kind = kind_of(found, one.several)
            if kind in ("choice", "labels") and one.unclear:
                raise SnellenError(one.unclear)
            truth = truth_of(found, kind, one.style or "text", columns.answer)
        except Wrong as error:
            raise SnellenError(f"field '{error.column}': {error}") from None
        return sample(found._replace(images=()), str(row["id"]), kind, truth, {})


EXAM = Own()
