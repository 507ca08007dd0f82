"""IllusionBench: the shape hidden in a scene, under rival prompt and scoring protocols (Hemmat et al., 2024)."""

from __future__ import annotations

from pathlib import Path

from snellen.core.exam import Exam
from snellen.core.extras import Demo, Exports, HubData, HubSet, Maker, PaperTables, Probes, RowFormat, Solvers, later
from snellen.core.options import MAX_MISSING, SHOTS
from snellen.data.published import published_figures
from snellen.exams.illusionbench.data import LAYOUT, IllusionData, check
from snellen.exams.illusionbench.exports import exports
from snellen.exams.illusionbench.layout import tables
from snellen.exams.illusionbench.names import SUBSETS, TASKS
from snellen.exams.illusionbench.prompts import PROMPTS, probes, truths
from snellen.exams.illusionbench.protocols import PROTOCOLS
from snellen.exams.illusionbench.rows import reply_from_row, sample_from_row

SOURCE = "Hemmat et al. 2024, read off the bars; both recalls taken to be of the shape prompt"
HUB = HubSet("arshiahemmat/IllusionBench", ("*.parquet", "README.md"))


class IllusionBench(Exam):
    """The exam object; an entry point names it. The samples' facts list the in-context prompts without examples for them."""

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
    max_tokens = 64
    extras = (
        Maker(later("snellen.synthetic.hidden.make:make")),
        HubData(lambda _name: HUB),
        Probes(probes, truths),
        Solvers({"pixels": "snellen.exams.illusionbench.solver:solve"}),
        Demo(("baseline/pixels", "onnx/snellen-tiny", "baseline/chance")),
        RowFormat(sample_from_row, reply_from_row),
        Exports(exports),
        PaperTables(tables, published_figures("snellen.exams.illusionbench", "original", "original", SOURCE)),
    )

    open = staticmethod(IllusionData)
    check = staticmethod(check)

    def recognises(self, where: Path) -> str | None:
        found = LAYOUT.recognised(where, SUBSETS)
        return f"IllusionBench's {', '.join(found)}" if found else None


EXAM = IllusionBench()
