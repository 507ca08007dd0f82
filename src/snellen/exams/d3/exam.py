"""D3: describe two images so that they can be told apart (Gaur, Singh S, Tapaswi, 2024)."""

from __future__ import annotations

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import (
    CaptionScoring,
    DataTemplates,
    Demo,
    ExamRequest,
    Exports,
    HubData,
    HubSet,
    Maker,
    OptionMeaning,
    PageGallery,
    PaperTables,
    Probes,
    ReplayFormat,
    RowFormat,
    SwappedPictures,
    later,
)
from snellen.core.options import IMAGES, MAX_MISSING, Option
from snellen.core.scorer import SCORER_MODE, SCORERS
from snellen.core.types import Sample
from snellen.exams.d3 import rows
from snellen.exams.d3.check import check
from snellen.exams.d3.data import SPLITS, TASKS, D3Data
from snellen.exams.d3.exports import exports
from snellen.exams.d3.folder import recognised
from snellen.exams.d3.gallery import D3Gallery
from snellen.exams.d3.layout import tables
from snellen.exams.d3.names import MOST, names_of
from snellen.exams.d3.position import position_bias
from snellen.exams.d3.prompts import PROMPTS, probes
from snellen.exams.d3.protocols import PROTOCOLS
from snellen.exams.d3.reading import read
from snellen.exams.d3.recorded import recorded


def _not_on_the_hub(_name: str | None) -> HubSet:
    raise SnellenError(
        "D3 is not on the hub: its dataset.zip is linked from github.com/manugaurdl/detect-describe-discriminate; unzip it so that "
        "DIR/dataset.json and DIR/images are there. 'snellen data make d3 --out DIR' makes a synthetic set"
    )


def _sets_as_task(wanted: ExamRequest) -> ExamRequest:
    """Treat the option `sets` as a task."""
    if "sets" not in wanted.options:
        return wanted
    options = {name: value for name, value in wanted.options.items() if name != "sets"}
    tasks = dict.fromkeys((*wanted.selection.tasks, *(("set",) if wanted.options["sets"] else ())))
    return wanted._replace(options=options, selection=msgspec.structs.replace(wanted.selection, tasks=tuple(tasks)))


def _captions(reply: str, sample: Sample) -> tuple[str, ...] | None:
    return read(reply, names_of(sample))


class D3(Exam):
    """The exam object; an entry point names it."""

    name = "d3"
    title = "D3: describe two images so that they can be told apart"
    paper = (
        "Detect, Describe, Discriminate: Moving Beyond VQA for MLLM Evaluation (Gaur et al., 2024, arXiv 2409.15125)"
    )
    splits = SPLITS
    tasks = TASKS
    prompts = PROMPTS
    protocols = PROTOCOLS
    options = (
        SCORERS,
        SCORER_MODE,
        Option("sets", "Only sets of more than two images (as --task set).", kind="flag", default=False),
        MAX_MISSING,
        IMAGES,
    )
    max_tokens = 512
    reply_tokens = 130  # two captions of about 42 words

    extras = (
        Maker(
            later("snellen.synthetic.pairs.make:make"),
            (Option("sets", f"Sets of N images (3 to {MOST}) instead of pairs.", kind="int", metavar="N"),),
        ),
        DataTemplates({"pair": later("snellen.exams.d3.template:write")}),
        HubData(_not_on_the_hub),
        OptionMeaning(_sets_as_task),
        Probes(probes),
        Demo(("replay/{data}/captions/reference.json", "onnx/snellen-tiny")),
        ReplayFormat(recorded),
        RowFormat(rows.sample_from_row, evidence=rows.evidence_from_row),
        CaptionScoring(("siglip",), _captions),
        SwappedPictures(position_bias),
        Exports(exports),
        PaperTables(tables),
        PageGallery(lambda _exam, facts: D3Gallery(facts)),
    )

    open = staticmethod(D3Data)
    check = staticmethod(check)
    recognises = staticmethod(recognised)


EXAM = D3()
