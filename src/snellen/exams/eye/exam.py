"""The eye exam: for each faculty the threshold at which sight fails, in about 40 drawn sheets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from snellen.core.cells import json_bytes
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import (
    DataTraits,
    ExamRequest,
    Exports,
    OptionMeaning,
    Probes,
    Remarks,
    RowFormat,
    RunFacts,
    Solvers,
    Thresholds,
)
from snellen.core.options import Option
from snellen.core.prescription import Threshold
from snellen.core.seals import check_seal
from snellen.core.types import Sample
from snellen.exams.eye import trial_plans
from snellen.exams.eye.close import close_up
from snellen.exams.eye.comparing import compared
from snellen.exams.eye.data import EyeData
from snellen.exams.eye.faculties import FACULTIES
from snellen.exams.eye.prescription import by_course
from snellen.exams.eye.prompts import PROMPTS, probes
from snellen.exams.eye.protocols import PROTOCOLS
from snellen.exams.eye.trial_plans import planned
from snellen.exams.eye.wording import findings

SIZES = Option(
    "sizes",
    "Repeat faculties with sheets of these sides, in pixels: does more resolution help?",
    kind="words",
    metavar="PX,...",
)
CODECS = Option("codecs", "Send sheets in these codecs: png, or jpeg with its quality.", kind="words", metavar="C,...")
CONSTANT = Option(
    "constant", "Constant stimuli: levels spread over the whole ladder, whatever is answered.", kind="flag"
)
AHEAD = Option(
    "ahead",
    "Questions of one faculty that may be under way at once. It decides which levels are asked, so another number is another exam.",
    kind="int",
    default=trial_plans.AHEAD,
    metavar="N",
    least=1,
    most=64,
)
SEALED = Option(
    "sealed",
    "The seal of the seed, published before the exam; a seed that does not fit is refused.",
    flags=("--seed-commit",),
    metavar="HASH",
)


OPTIONS = (SIZES, CODECS, CONSTANT, AHEAD, SEALED)


def _as_selection(wanted: ExamRequest) -> ExamRequest:
    """Add the options that affect the questions to the selection."""
    mine = {o.name for o in OPTIONS}
    own = {
        k: list(v) if isinstance(v, tuple) else v
        for k, v in wanted.options.items()
        if k in mine and v not in (None, False, ())
    }
    rest = {k: v for k, v in wanted.options.items() if k not in mine}
    selection = msgspec.structs.replace(wanted.selection, own=own)
    check_seal(selection.seed, str(own.get("sealed", "")))
    planned(selection)  # reports an invalid selection first
    return wanted._replace(selection=selection, options=rest)


def _sample_from_row(row: Mapping[str, Any]) -> Sample:
    """Read a row of `snellen mark`, which names its faculty."""
    if row.get("faculty") not in FACULTIES:
        raise SnellenError(f'field "faculty" must be one of {", ".join(FACULTIES)}')
    return RowFormat().sample(row)


def _truths() -> Sequence[Sample]:
    """Return every option of every faculty with a list of options, once."""
    return [
        Sample(
            id=f"{name}/{option}",
            tags={"faculty": name, "sheet": "trial"},
            truth=option,
            facts={"number": i, "level": faculty.levels[-1]},
        )
        for name, faculty in FACULTIES.items()
        for i, option in enumerate(faculty.options)
    ]


def _faculties() -> Sequence[Mapping[str, Any]]:
    return [
        {
            "name": f.name,
            "about": f.about,
            "dial": f.dial,
            "ladder": f"{f.levels[0]:g} to {f.levels[-1]:g} {f.unit}, {len(f.levels)} levels",
            "guess": f"{100 * f.guess:.1f} %",
            "question": f.question,
        }
        for f in FACULTIES.values()
    ]


def _notes(run: RunFacts) -> Iterator[str]:
    """Yield the faculties that could not be measured, and why."""
    for found in _thresholds(run):
        if found.why_not:
            yield f"{found.name}: not measurable: {found.reason}"


def _exports(run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """Yield the prescription, with its curves."""
    if run.records is not None:
        yield "prescription.json", json_bytes(_thresholds(run), indent=1)


def _thresholds(run: RunFacts) -> list[Threshold]:
    return [] if run.records is None else by_course((sample, mark) for sample, _answer, mark in run.records())


class Eye(Exam):
    """The exam object; an entry point names it."""

    name = "eye"
    title = "The eye exam: how fine does a model see"
    splits = tuple(FACULTIES)
    prompts = PROMPTS
    protocols = PROTOCOLS
    options = OPTIONS
    max_tokens = 256
    reply_tokens = 3
    extras = (
        DataTraits(drawn=True),
        OptionMeaning(_as_selection),
        Probes(probes, _truths),
        Solvers({"pixels": "snellen.exams.eye.solver.pixels:solve"}),
        RowFormat(_sample_from_row),
        Thresholds(by_course, compared, _faculties, close_up),
        Remarks(_notes, findings),
        Exports(_exports),
    )

    open = staticmethod(EyeData)


EXAM = Eye()
