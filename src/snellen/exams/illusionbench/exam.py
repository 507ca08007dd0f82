"""IllusionBench: which shape hides in a scene, under rival prompt and scoring protocols (Hemmat et al., 2024)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from snellen.core.dataset import Dataset, Problem
from snellen.core.exam import Published, RunFacts
from snellen.core.options import Selection
from snellen.core.protocol import Protocol
from snellen.core.types import Question, Sample
from snellen.exams.illusionbench import shots as icl
from snellen.exams.illusionbench.names import SUBSETS
from snellen.exams.illusionbench.prompts import PARTIAL, PROMPTS, applies, ask, probes, truths
from snellen.exams.illusionbench.protocols import PROTOCOLS


class IllusionBench:
    """The exam object that the entry point names."""

    name = "illusionbench"
    title = "IllusionBench: which shape hides in a scene"
    paper = (
        "Hidden in Plain Sight: Evaluating Abstract Shape Recognition in Vision-Language Models (Hemmat et al., 2024)"
    )
    splits = SUBSETS
    tasks = ("shape", "scene", "both")
    shots = icl.SHOTS
    prompts: Mapping[str, str] = PROMPTS
    partial = PARTIAL
    protocols: Mapping[str, Protocol] = PROTOCOLS
    solvers: Mapping[str, str] = {"pixels": "snellen.exams.illusionbench.solver:solve"}
    demo = ("baseline/pixels", "baseline/chance")
    max_tokens = 64

    marks_facts = True  # which in-context prompts have no examples for a sample

    def open(self, where: Path, options: Selection) -> Dataset:
        from snellen.exams.illusionbench.data import IllusionData

        return IllusionData(where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        from snellen.exams.illusionbench.data import check

        return check(where)

    def make(
        self, out: Path, *, count: int, seed: int, workers: int | None, progress: Callable[[int, int], None] | None
    ) -> list[Path]:
        from snellen.synthetic.hidden.make import make

        return make(out, count=count, seed=seed, workers=workers, progress=progress)

    def probes(self) -> list[Sample]:
        return probes()

    def truths(self) -> list[Sample]:
        return truths()

    def render(self, prompt: str, sample: Sample) -> Question:
        return ask(prompt, sample)

    def applies(self, prompt: str, sample: Sample) -> bool:
        return applies(prompt, sample.tags) and prompt not in sample.facts.get("unfit", ())

    def hub(self) -> tuple[str, tuple[str, ...]]:
        return "arshiahemmat/IllusionBench", ("*.parquet", "README.md")

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        from snellen.exams.illusionbench.data import sample_from_row

        return sample_from_row(dict(row))

    def reply_from_row(self, row: Mapping[str, Any]) -> str:
        from snellen.exams.illusionbench.decoded import reply_from_row

        return reply_from_row(row)

    def published(self, protocol: str, prompt: str) -> Iterator[Published]:
        from snellen.exams.illusionbench.published import published

        return published(protocol, prompt)

    def exports(self, run: RunFacts) -> Iterator[tuple[str, bytes]]:
        from snellen.exams.illusionbench.exports import exports

        return exports(run)


EXAM = IllusionBench()
