"""`lmms-first` keeps the last `Shape:` line of a reply, as lmms-eval does."""

from __future__ import annotations

import pytest

from snellen.core.types import Sample
from snellen.exams.illusionbench.protocols import PROTOCOLS

# replies, and what lmms-eval 6123e925 said of them with the truths cat and Ocean: shape_recall, scene_recall
UPSTREAM = [
    ("Shape: dog\nShape: cat", 1, 0),
    ("Shape: cat\nShape: dog", 0, 0),
    ("Scene: Ocean\nShape: cat\nScene: City", 1, 0),
    ("Scene: City\nShape: cat\nScene: Ocean", 1, 1),
    ("Shape: dog\nShape: \ncat", 1, 0),  # only white space after the colon: the whole reply is read
    ("Shape: dog\nShape:\ncat", 0, 0),  # nothing after the colon: not a line of that kind
    ("Shape:\ncat", 1, 0),
    ("a Shape: cat", 1, 0),
    ("Scene: the ocean\x0bScene: a city", 0, 0),  # every line break of Python's counts
]


@pytest.mark.parametrize(("reply", "shape", "scene"), UPSTREAM)
def test_the_last_line_counts(reply: str, shape: int, scene: int) -> None:
    tags = {"split": "Illusion_IN", "task": "both", "shape": "cat", "scene": "Ocean"}
    metrics = PROTOCOLS["lmms-first"].judge(reply, Sample(id="x", tags=tags, truth={})).metrics
    assert (metrics["shape_recall"], metrics["scene_recall"]) == (shape, scene)


def test_its_version_was_raised() -> None:
    assert PROTOCOLS["lmms-first"].version == "2"
