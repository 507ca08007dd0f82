"""The papers' table: the task's score (VCR's three parts), then the explanations of right answers, scored by BLEU, METEOR, ROUGE-L and
CIDEr.

All columns are of one split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.core.layout import PAPER, By, Column, Layout
from snellen.exams.vqa_nle.names import JOINT, RATIONALE, TASKS
from snellen.exams.vqa_nle.summary import CAPTION_NAMES, FILTERED, headline

PARTS = {"Q->A": "vcr", RATIONALE: RATIONALE, JOINT: JOINT}
ORDER = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr")


def tables(task: str, protocol: str, parts: Sequence[By]) -> Iterator[Layout]:
    """Yield one table for each split of the run."""
    score = headline(protocol, task)
    for split in dict.fromkeys(by["split"] for by in parts if "split" in by):
        whole = {"split": split, "task": task}
        answers = [Column("answers", whole, score)]
        if task == "vcr":
            answers = [Column(name, whole | {"task": part}, score, "answers") for name, part in PARTS.items()]
        said = [Column(name, whole, f"{CAPTION_NAMES[name]}_{FILTERED}", "explanations") for name in ORDER]
        yield Layout(
            PAPER,
            f"{TASKS[task].title}, {split}: answers, and explanations of right answers",
            [*answers, *said],
        )
