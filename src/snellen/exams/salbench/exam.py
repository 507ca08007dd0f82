"""SalBench: which low-level feature makes one object stand out (P3 patterns, O3 photographs; tasks D, R, VR)."""

from __future__ import annotations

from pathlib import Path

from snellen.core.exam import Exam
from snellen.core.extras import (
    DataTraits,
    DefaultModel,
    Demo,
    Exports,
    HubData,
    HubSet,
    Maker,
    PaperTables,
    Probes,
    RowFormat,
    Solvers,
    later,
)
from snellen.core.options import SHOTS, Selection
from snellen.data.published import published_figures
from snellen.exams.salbench.data import LAYOUT, SalBenchData, check
from snellen.exams.salbench.exports import exports
from snellen.exams.salbench.layout import tables
from snellen.exams.salbench.names import BY_NAME
from snellen.exams.salbench.prompts import PROMPTS, probes, truths
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.exams.salbench.rows import sample_from_row

TINY = "onnx/snellen-tiny"
FILES = ("P3*/*.parquet", "O3*/*.parquet")
SOURCE = "arXiv 2507.04741 as printed in salbench/salbench, taken to be of this protocol (docs/salbench.md)"
HUB = HubSet("salbench-vlm/salbench", (*FILES, *(f"*/{c}" for c in FILES), "README.md"))


class SalBench(Exam):
    """The exam object; an entry point names it."""

    name = "salbench"
    title = "SalBench: which low-level feature makes one object stand out"
    paper = "Vision-Language Models Can't See the Obvious (ICCV 2025, arXiv 2507.04741)"
    splits = ("synthetic", "natural")
    tasks = ("D", "R", "VR")
    prompts = PROMPTS
    protocols = PROTOCOLS
    options = (SHOTS,)
    extras = (
        Maker(later("snellen.synthetic.patterns.make:make")),
        HubData(lambda _name: HUB),
        DataTraits(keeps_facts=False),
        DefaultModel("ollama/llava:7b"),  # as in the SalBench Evaluation Plan v2
        Probes(probes, truths),
        Solvers({"pixels": "snellen.exams.salbench.solver.pixels:solve"}),
        Demo(
            ("baseline/pixels", TINY, "baseline/chance", "baseline/constant:Color"),
            parts={TINY: Selection(splits=("synthetic",), tasks=("D",))},
        ),
        RowFormat(sample_from_row),
        Exports(exports),
        PaperTables(tables, published_figures("snellen.exams.salbench", "paper", "question", SOURCE)),
    )

    open = staticmethod(SalBenchData)
    check = staticmethod(check)

    def recognises(self, where: Path) -> str | None:
        found = LAYOUT.recognised(where, BY_NAME)
        return f"SalBench's {', '.join(found)}" if found else None


EXAM = SalBench()
