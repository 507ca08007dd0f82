"""Intervals of IllusionBench count silhouettes, not images, as independent."""

from __future__ import annotations

import numpy as np
import pytest

from snellen.core.types import Mark, Outcome, Sample
from snellen.exams.illusionbench.names import SCENES, SHAPES
from snellen.exams.illusionbench.protocols import PROTOCOLS
from snellen.stats.intervals import wilson
from snellen.stats.tally import summarised

IN = "Illusion_IN"
STRENGTHS = ("1.25", "1.4", "1.05", "0.85")


def marked(dice: np.random.Generator, mean: float) -> list[tuple[Sample, Mark]]:
    """The real set's names: three silhouettes of each of 16 objects, each in every scene; some silhouettes are found, others not."""
    found = []
    for shape in SHAPES[IN]:
        for drawing in (1, 2, 3):
            chance = dice.beta(mean, 1 - mean)
            for scene in SCENES:
                for strength in STRENGTHS:
                    level = "Easy" if strength > "1.2" else "Hard"
                    name = f"{IN}/{shape}-{scene}-{level}-{strength}-{drawing}/shape"
                    tags = {"split": IN, "task": "shape", "shape": shape, "scene": scene}
                    sample = Sample(id=name, tags=tags | {"difficulty": level, "strength": strength}, truth={})
                    hit = dice.random() < chance
                    outcome = Outcome.CORRECT if hit else Outcome.WRONG
                    found.append((sample, Mark(id=name, outcome=outcome, metrics={"recall": float(hit)})))
    return found


def test_intervals_hold_the_truth_where_silhouettes_stand_or_fall_together() -> None:
    dice, held = np.random.default_rng(4), 0
    for _ in range(12):
        recall = summarised(PROTOCOLS["robust"], marked(dice, 0.5))[0].metrics["recall"]
        assert recall.low is not None
        assert recall.high is not None
        held += recall.low <= 0.5 <= recall.high
    assert held >= 10, "Wilson's interval on 2,112 images holds it in 2 to 4 of 12"
    alone = wilson(1056, 2112)
    assert recall.high - recall.low > 4 * (alone[1] - alone[0])


@pytest.mark.parametrize(
    ("name", "cluster"),
    [
        (f"{IN}/cat-Ocean-Easy-1.25-2/shape", "cat-2"),
        ("Illusion_LOGO/benz-Museum-Hard-0.85-1/scene", "benz-1"),
        ("Illusion_ICON/animal-100-Sand_dune-Hard-1.1-64/shape", "animal-64"),
        ("Illusion_ICON/animal-204-City-Hard-1.1-64#2/shape", "animal-64"),
        ("Illusion_ICON/animal-3-Sand_dune-Hard-1.1-871/shape", "animal-3"),  # as our synthetic set names them
        (f"{IN}/cat-Ocean-Easy-1.25-871/shape", "cat-"),
        ("row 17", "cat-"),
    ],
)
def test_the_name_says_which_silhouette_it_is(name: str, cluster: str) -> None:
    shape = cluster.rpartition("-")[0]
    sample = Sample(id=name, tags={"split": IN, "task": "shape", "shape": shape, "scene": "Ocean"}, truth={})
    mark = Mark(id=name, outcome=Outcome.WRONG, metrics={"recall": 0.0})
    assert PROTOCOLS["robust"].seen(sample, mark).cluster == cluster
