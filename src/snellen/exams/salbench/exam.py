"""SalBench: which low-level feature makes one object stand out (P3 patterns, O3 photographs; tasks D, R, VR)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from snellen.core.dataset import Dataset, Problem
from snellen.core.errors import SnellenError
from snellen.core.exam import Published, RunFacts
from snellen.core.options import Selection
from snellen.core.protocol import Protocol
from snellen.core.types import Question, Sample
from snellen.exams.salbench.prompts import PROMPTS, SHOTS, probes, question_of, truths
from snellen.exams.salbench.protocols import PROTOCOLS


class SalBench:
    """The exam object that the entry point names."""

    name = "salbench"
    title = "SalBench: which low-level feature makes one object stand out"
    paper = "Vision-Language Models Can't See the Obvious (ICCV 2025, arXiv 2507.04741)"
    splits = ("synthetic", "natural")
    tasks = ("D", "R", "VR")
    shots = SHOTS
    prompts: Mapping[str, str] = PROMPTS
    partial: frozenset[str] = frozenset()
    protocols: Mapping[str, Protocol] = PROTOCOLS
    solvers: Mapping[str, str] = {"pixels": "snellen.exams.salbench.solver.pixels:solve"}
    demo = ("baseline/pixels", "baseline/chance", "baseline/constant:Color")
    max_tokens = 256

    marks_facts = False

    def open(self, where: Path, options: Selection) -> Dataset:
        from snellen.exams.salbench.data import SalBenchData

        return SalBenchData(where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        from snellen.exams.salbench.data import check

        return check(where)

    def make(
        self, out: Path, *, count: int, seed: int, workers: int | None, progress: Callable[[int, int], None] | None
    ) -> list[Path]:
        from snellen.synthetic.patterns.make import make

        return make(out, count=count, seed=seed, workers=workers, progress=progress)

    def probes(self) -> list[Sample]:
        return probes()

    def truths(self) -> list[Sample]:
        return truths()

    def render(self, prompt: str, sample: Sample) -> Question:
        return question_of(prompt, sample)

    def applies(self, prompt: str, sample: Sample) -> bool:
        return True

    def hub(self) -> tuple[str, tuple[str, ...]]:
        return "salbench-vlm/salbench", (
            "P3*/*.parquet",
            "O3*/*.parquet",
            "*/P3*/*.parquet",
            "*/O3*/*.parquet",
            "README.md",
        )

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        split = row.get("split")
        if split not in ("P3", "O3"):
            raise SnellenError(f'field "split" must be "P3" or "O3", not {split!r}')
        if not isinstance(row.get("answer"), str):
            given = "missing" if "answer" not in row else f"not a text but {type(row['answer']).__name__}"
            raise SnellenError(f'field "answer" (the true labels, a text such as "Color, Shape") is {given}')
        return Sample(id=str(row["id"]), tags={"split": split}, truth=row["answer"])

    def published(self, protocol: str, prompt: str) -> tuple[Published, ...]:
        return ()

    def exports(self, run: RunFacts) -> Iterator[tuple[str, bytes]]:
        from snellen.exams.salbench.exports import exports

        return exports(run)


EXAM = SalBench()
