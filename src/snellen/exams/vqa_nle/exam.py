"""VQA-X, ACT-X, e-SNLI-VE and VCR: answer and explain (Park et al. 2018; Zellers et al. 2019; Kayser et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

import msgspec

from snellen.choice.order import new_order
from snellen.core.dataset import Dataset, Problem
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import (
    DefaultModel,
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
    Remarks,
    RowFormat,
    SampleOptions,
    TextGuess,
    later,
)
from snellen.core.options import MAX_MISSING, Option, Selection
from snellen.core.types import Sample
from snellen.exams.vqa_nle import check, layout, rows
from snellen.exams.vqa_nle.data import NleData
from snellen.exams.vqa_nle.exports import tables
from snellen.exams.vqa_nle.findings import findings
from snellen.exams.vqa_nle.formats.find import find
from snellen.exams.vqa_nle.gallery import ShadedGallery
from snellen.exams.vqa_nle.names import LETTERS, MAX_TOKENS, SPLITS, TASKS, wants_explanation
from snellen.exams.vqa_nle.prompts import probes, prompts_of, truths
from snellen.exams.vqa_nle.protocols import protocols_of
from snellen.stats.text_floor import Choices, choices

PROMPT_MODE = Option(
    "prompt_mode",
    "The prompt, as multimodal-vqa-eval names it: zero, 1shot, 3shot.",
    flags=("--prompt_mode", "--prompt-mode"),
    metavar="MODE",
)
GENERATE_EXPLANATIONS = Option(
    "generate_explanations",
    "false asks for the answer alone, as in multimodal-vqa-eval.",
    flags=("--generate_explanations", "--generate-explanations"),
    kind="bool",
)
RESULTS = Option("results", "Also merge CSV files into this folder, keeping the best run per cell.", metavar="DIR")


class VqaNle(Exam):
    """The exam object of one task; an entry point names it."""

    splits = SPLITS
    options = (PROMPT_MODE, GENERATE_EXPLANATIONS, RESULTS, MAX_MISSING)
    max_tokens = MAX_TOKENS
    reply_tokens = 40

    def __init__(self, task: str) -> None:
        self.name = task
        self.title = f"{TASKS[task].title}: {TASKS[task].about}"
        self.paper = TASKS[task].paper
        self.tasks = ("answer", "rationale") if task == "vcr" else (task,)
        self.prompts = prompts_of(task)
        self.protocols = protocols_of(task)
        self.extras = (
            Maker(later(f"snellen.synthetic.explained.make:make_{task}")),
            HubData(self._not_on_the_hub),
            DefaultModel("llava"),  # as in multimodal-vqa-eval
            OptionMeaning(self._prompt_wanted),
            Probes(lambda: probes(task), lambda: truths(task)),
            Demo(TASKS[task].demo),
            RowFormat(lambda row: rows.sample_from_row(task, row)),
            Remarks(findings=findings, unavailable=_unavailable),
            Exports(partial(tables.exports, task), partial(tables.publish, task)),
            PaperTables(lambda protocol, parts: layout.tables(task, protocol, parts)),
            PageGallery(lambda _exam, _facts: ShadedGallery()),
        )
        if task == "vcr":
            self.extras += (SampleOptions(_reordered), TextGuess(_guess))

    def open(self, where: Path, options: Selection) -> Dataset:
        return NleData(self.name, where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        return check.check(self.name, where)

    def recognises(self, where: Path) -> str | None:
        try:
            found = find(self.name, where)
        except SnellenError:
            return None
        return f"annotations of {TASKS[self.name].title}" if found.sources else None

    def _not_on_the_hub(self, _name: str | None) -> HubSet:
        raise SnellenError(
            f"{TASKS[self.name].title} is not on the hub as one data set: docs/vqa_nle_data.md says where its files come from and how "
            f"to lay them out; 'snellen data make {self.name} --out DIR' makes a synthetic set"
        )

    def _prompt_wanted(self, wanted: ExamRequest) -> ExamRequest:
        options = dict(wanted.options)
        mode, explain = options.pop("prompt_mode", None), options.pop("generate_explanations", None)
        if mode is None and explain is None:
            return wanted._replace(options=options)
        if wanted.prompt is not None:
            raise SnellenError(
                f"--prompt {wanted.prompt} and --prompt_mode or --generate_explanations say the same: give one of them"
            )
        if explain is False and mode not in (None, "zero"):
            raise SnellenError(f"--prompt_mode {mode}: without explanations there is only the zero-shot prompt")
        prompt = "answer-only" if explain is False else (mode or "zero")
        if prompt not in self.prompts:
            raise SnellenError(f"--prompt_mode {prompt}: {self.name} has {', '.join(self.prompts)}")
        return wanted._replace(prompt=prompt, options=options)


def _reordered(sample: Sample, draw: Random) -> Sample:
    """Return the sample with VCR's four choices in another order, and the number of the right one changed to match."""
    order = new_order(len(LETTERS), draw)
    moved = {**sample.facts, "choices": [sample.facts["choices"][i] for i in order]}
    truth = sample.truth and {**sample.truth, "label": order.index(sample.truth["label"])}
    return msgspec.structs.replace(sample, facts=moved, truth=truth)


def _guess(exam: Exam, prompt: str, known: Sequence[Sample], asked: Sequence[Sample]) -> Sequence[str]:
    """Compare VCR's choices as texts."""
    chosen = choices([_choices(s) for s in known], [_choices(s) for s in asked])
    questions = [exam.ask(prompt, s) for s in asked]
    return [q.answer_form.format(q.options[i]) for q, i in zip(questions, chosen, strict=True)]


def _unavailable(prompts: Sequence[str]) -> Mapping[str, str]:
    """Return those of METEOR, SPICE and BERTScore that are not available, and e-ViL's scores if any is missing, because they need all
    three.
    """
    from snellen.stats.nlg import missing

    found = missing() if any(map(wants_explanation, prompts)) else {}
    return found | ({"e-ViL's scores": f"need {', '.join(found)}"} if found else {})


def _choices(sample: Sample) -> Choices:
    truth = sample.truth if isinstance(sample.truth, dict) else {}
    # QA->R includes the right answer
    asked = f"{sample.facts['question']} {sample.facts.get('answer', '')}".strip()
    return Choices(asked, tuple(sample.facts["choices"]), truth.get("label"))


VQAX = VqaNle("vqax")
ACTX = VqaNle("actx")
ESNLIVE = VqaNle("esnlive")
VCR = VqaNle("vcr")
