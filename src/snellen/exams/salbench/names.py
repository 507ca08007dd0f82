"""The six configs of SalBench, their names for users, and their labels."""

from __future__ import annotations

from typing import NamedTuple

from snellen.synthetic.patterns.wording import FEATURES_O3, FEATURES_P3


class Config(NamedTuple):
    """A hub config: P3 is the synthetic split of the paper, O3 the natural one."""

    name: str
    split: str
    task: str


CONFIGS = (
    Config("P3", "P3", "D"),
    Config("P3_box", "P3", "R"),
    Config("P3_box_img", "P3", "VR"),
    Config("O3", "O3", "D"),
    Config("O3_box", "O3", "R"),
    Config("O3_box_img", "O3", "VR"),
)
BY_NAME = {c.name: c for c in CONFIGS}

SPLIT_NAMES = {"p3": "P3", "synthetic": "P3", "syn": "P3", "o3": "O3", "natural": "O3", "nat": "O3"}
TASK_NAMES = {
    "d": "D",
    "detection": "D",
    "r": "R",
    "referring": "R",
    "vr": "VR",
    "visual-referring": "VR",
    "visual_referring": "VR",
    "visualref": "VR",
}
ANY = {"split": ("synthetic (P3)", "natural (O3)"), "task": ("D", "R", "VR")}


def labels_of(split: str) -> tuple[str, ...]:
    """Return the labels of a split, in the order of the paper's prompts."""
    return FEATURES_P3 if split == "P3" else FEATURES_O3
