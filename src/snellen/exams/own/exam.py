"""Questions and pictures of one's own: multiple choice, several labels, numbers and short answers from a table or a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import DataTemplates, DataTraits, Maker, Probes, RowFormat, SampleOptions, TextGuess, later
from snellen.core.options import IMAGES
from snellen.core.types import Sample
from snellen.data.tables import Row
from snellen.exams.own import find
from snellen.exams.own.check import check
from snellen.exams.own.columns import columns_of
from snellen.exams.own.data import OwnData
from snellen.exams.own.names import KINDS, LETTERS
from snellen.exams.own.prompts import PROMPTS, probes, truths
from snellen.exams.own.protocols import PROTOCOLS
from snellen.exams.own.rows import Wrong, asked, kind_of, sample, truth_of
from snellen.exams.own.survey import survey
from snellen.stats.text_floor import Choices, choices


def _choices(sample: Sample) -> Choices:
    options = tuple(sample.facts["options"])
    return Choices(sample.facts["question"], options, options.index(sample.truth) if sample.truth in options else None)


def _reordered(sample: Sample, draw: Random) -> Sample | None:
    """Return the sample in another order than the given one; the truth is the option's text, so it moves along."""
    given = sample.facts.get("options", [])
    if len(given) < 2:
        return None
    moved = list(given)
    while moved == list(given):
        draw.shuffle(moved)
    return msgspec.structs.replace(sample, facts={**sample.facts, "options": moved})


def _guess(_exam: Exam, prompt: str, known: Sequence[Sample], asked: Sequence[Sample]) -> Sequence[str] | None:
    """Compare the options as texts where all questions are choices; else an answer is learnt in the common way."""
    if any(s.tags["task"] != "choice" for s in (*known, *asked)):
        return None
    places = choices([_choices(s) for s in known], [_choices(s) for s in asked])
    return [LETTERS[i] for i in places]


def _sample_from_row(row: Mapping[str, Any]) -> Sample:
    """Read a row of `snellen mark`: question, options and answer as in a table; it needs no picture."""
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


class Own(Exam):
    """The exam object that the entry point names."""

    name = "own"
    title = "Own questions: a table or a folder of pictures, without code"
    tasks = KINDS
    prompts = PROMPTS
    protocols = PROTOCOLS
    max_tokens = 256
    options = (IMAGES,)
    extras = (
        Maker(later("snellen.exams.own.template:make")),
        DataTemplates(
            {"choice": later("snellen.exams.own.template:choice"), "text": later("snellen.exams.own.template:text")},
        ),
        DataTraits(last_resort=True),
        Probes(probes, truths),
        SampleOptions(_reordered, each_differs=True),
        TextGuess(_guess),
        RowFormat(_sample_from_row),
    )

    open = staticmethod(OwnData)
    check = staticmethod(check)
    recognises = staticmethod(find.recognises)


EXAM = Own()
