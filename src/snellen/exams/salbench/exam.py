"""SalBench: which low-level feature makes one object stand out (P3 patterns, O3 photographs; tasks D, R, VR)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from snellen.core.dataset import Dataset, Problem
from snellen.core.exam import Exam, HubSet, RunFacts
from snellen.core.options import SHOTS, Selection
from snellen.core.types import Sample
from snellen.exams.salbench.check import check
from snellen.exams.salbench.data import SalBenchData
from snellen.exams.salbench.exports import exports
from snellen.exams.salbench.prompts import PROMPTS, probes, truths
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.exams.salbench.rows import sample_from_row


class SalBench(Exam):
    """The exam object that the entry point names."""

    name = "salbench"
    title = "SalBench: which low-level feature makes one object stand out"
    paper = "Vision-Language Models Can't See the Obvious (ICCV 2025, arXiv 2507.04741)"
    splits = ("synthetic", "natural")
    tasks = ("D", "R", "VR")
    prompts = PROMPTS
    protocols = PROTOCOLS
    old_names: Mapping[str, str] = {"seed": "plan-v2"}
    options = (SHOTS,)
    solvers: Mapping[str, str] = {"pixels": "snellen.exams.salbench.solver.pixels:solve"}
    demo = ("baseline/pixels", "baseline/chance", "baseline/constant:Color")
    keeps_facts = False

    def open(self, where: Path, options: Selection) -> Dataset:
        return SalBenchData(where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        return check(where)

    def make(self, out: Path, **options: Any) -> list[Path]:
        from snellen.synthetic.patterns.make import make

        return make(out, **options)

    def hub(self, name: str | None) -> HubSet:
        configs = ("P3*/*.parquet", "O3*/*.parquet")
        return HubSet("salbench-vlm/salbench", (*configs, *(f"*/{c}" for c in configs), "README.md"))

    def probes(self) -> list[Sample]:
        return probes()

    def truths(self) -> list[Sample]:
        return truths()

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        return sample_from_row(row)

    def exports(self, run: RunFacts) -> Iterator[tuple[str, bytes]]:
        return exports(run)


EXAM = SalBench()
