"""The paper's table: for each subset the share of replies that name the shape, and of those that name the scene."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.core.layout import PAPER, By, Column, Layout
from snellen.exams.illusionbench.names import SUBSETS

RECALLS = {"shape": "shape_recall", "scene": "scene_recall"}


def tables(protocol: str, parts: Sequence[By]) -> Iterator[Layout]:
    """Yield one table for each task of the run; the paper's figures are of the question for the shape."""
    for task in dict.fromkeys(by["task"] for by in parts if "task" in by):
        columns = [
            Column(recall, {"split": subset, "task": task}, metric, subset.replace("Illusion_", ""))
            for subset in SUBSETS
            for recall, metric in RECALLS.items()
        ]
        yield Layout(PAPER, f"shape and scene recall (question for the {task})", columns)
