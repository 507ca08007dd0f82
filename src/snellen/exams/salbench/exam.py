"""SalBench: which low-level feature makes one object stand out (P3 patterns, O3 photographs; tasks D, R, VR)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam, HubSet
from snellen.core.options import SHOTS, Selection
from snellen.exams.salbench.check import check
from snellen.exams.salbench.data import SalBenchData, sources
from snellen.exams.salbench.exports import exports
from snellen.exams.salbench.layout import tables
from snellen.exams.salbench.names import CONFIGS
from snellen.exams.salbench.prompts import PROMPTS, probes, truths
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.exams.salbench.published import published
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
    maker = "snellen.synthetic.patterns.make:make"
    options = (SHOTS,)
    solvers: Mapping[str, str] = {"pixels": "snellen.exams.salbench.solver.pixels:solve"}
    default_model = "ollama/llava:7b"  # as in the SalBench Evaluation Plan v2
    demo = ("baseline/pixels", "onnx/snellen-tiny", "baseline/chance", "baseline/constant:Color")
    demo_parts: Mapping[str, Selection] = {"onnx/snellen-tiny": Selection(splits=("synthetic",), tasks=("D",))}
    keeps_facts = False

    open = staticmethod(SalBenchData)
    check = staticmethod(check)
    probes = staticmethod(probes)
    truths = staticmethod(truths)
    sample_from_row = staticmethod(sample_from_row)
    exports = staticmethod(exports)
    published = staticmethod(published)
    tables = staticmethod(tables)

    def recognises(self, where: Path) -> str | None:
        try:
            found = [c.name for c in CONFIGS if sources(where, c.name)]
        except SnellenError:  # several sets
            return None
        return f"SalBench's {', '.join(found)}" if found else None

    def hub(self, name: str | None) -> HubSet:
        configs = ("P3*/*.parquet", "O3*/*.parquet")
        return HubSet("salbench-vlm/salbench", (*configs, *(f"*/{c}" for c in configs), "README.md"))


EXAM = SalBench()
