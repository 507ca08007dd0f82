"""IllusionBench: which shape hides in a scene, under rival prompt and scoring protocols (Hemmat et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from snellen.core.dataset import Dataset, Problem
from snellen.core.exam import Exam, HubSet, Published, RunFacts
from snellen.core.options import MAX_MISSING, SHOTS, Selection
from snellen.core.types import Sample
from snellen.exams.illusionbench.check import check
from snellen.exams.illusionbench.data import IllusionData
from snellen.exams.illusionbench.exports import exports
from snellen.exams.illusionbench.names import SUBSETS, TASKS
from snellen.exams.illusionbench.prompts import PROMPTS, probes, truths
from snellen.exams.illusionbench.protocols import PROTOCOLS
from snellen.exams.illusionbench.published import published
from snellen.exams.illusionbench.rows import reply_from_row, sample_from_row


class IllusionBench(Exam):
    """The exam object that the entry point names. The samples' facts say which in-context prompts have no examples for them."""

    name = "illusionbench"
    title = "IllusionBench: which shape hides in a scene"
    paper = (
        "Hidden in Plain Sight: Evaluating Abstract Shape Recognition in Vision-Language Models (Hemmat et al., 2024)"
    )
    splits = SUBSETS
    tasks = TASKS
    prompts = PROMPTS
    protocols = PROTOCOLS
    options = (SHOTS, MAX_MISSING)
    solvers: Mapping[str, str] = {"pixels": "snellen.exams.illusionbench.solver:solve"}
    demo = ("baseline/pixels", "baseline/chance")
    max_tokens = 64

    def open(self, where: Path, options: Selection) -> Dataset:
        return IllusionData(where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        return check(where)

    def make(self, out: Path, **options: Any) -> list[Path]:
        from snellen.synthetic.hidden.make import make

        return make(out, **options)

    def hub(self, name: str | None) -> HubSet:
        return HubSet("arshiahemmat/IllusionBench", ("*.parquet", "README.md"))

    def probes(self) -> list[Sample]:
        return probes()

    def truths(self) -> list[Sample]:
        return truths()

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        return sample_from_row(row)

    def reply_from_row(self, row: Mapping[str, Any]) -> Any:
        return reply_from_row(row)

    def published(self, protocol: str, prompt: str) -> Iterator[Published]:
        return published(protocol, prompt)

    def exports(self, run: RunFacts) -> Iterator[tuple[str, bytes]]:
        return exports(run)


EXAM = IllusionBench()
