"""Clustered intervals do not jump with the number of clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from snellen.core.protocol import Key, Protocol, Seen
from snellen.core.results import Score
from snellen.core.types import Mark, Outcome, Sample
from snellen.stats.tally import summarised


class Clustered(Protocol):
    def seen(self, sample: Sample, mark: Mark) -> Seen:
        return super().seen(sample, mark)._replace(cluster=sample.tags["image"])

    def groups(self, sample: Sample) -> Iterator[Key]:
        yield (("split", "s"),)


def score(clusters: Sequence[tuple[int, int]]) -> Score:
    """The score of clusters given as (right, all)."""
    marked = []
    for c, (right, every) in enumerate(clusters):
        for i in range(every):
            sample = Sample(id=f"{c:03d}/{i:03d}", tags={"image": f"image {c:03d}"}, truth="x")
            hit = i < right
            outcome = Outcome.CORRECT if hit else Outcome.WRONG
            marked.append((sample, Mark(id=sample.id, outcome=outcome, metrics={"score": float(hit)})))
    return summarised(Clustered("c"), marked)[0].metrics["score"]


def ends(clusters: Sequence[tuple[int, int]]) -> tuple[float, float]:
    found = score(clusters)
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_the_fifteenth_cluster_changes_little() -> None:
    """Two fifths of the clusters are wholly right: one more cluster never makes the interval much narrower."""
    like = [(10, 10), (0, 10), (10, 10), (0, 10), (0, 10)] * 6
    widths = {k: np.subtract(*ends(like[:k])[::-1]) for k in (10, 15, 20, 25, 30)}
    for few, more in ((10, 15), (15, 20), (20, 25), (25, 30)):
        assert widths[more] / widths[few] > 0.95 * (few / more) ** 0.5 - 0.05


def test_intervals_of_fifteen_to_thirty_clusters_hold_the_truth() -> None:
    dice = np.random.default_rng(3)
    for clusters, mean in ((15, 0.1), (16, 0.9), (20, 0.05), (30, 0.1)):
        held = 0
        for _ in range(200):
            chances = dice.beta(mean, 1 - mean, clusters)  # a correlation of 0.5
            low, high = ends([(int(dice.binomial(10, c)), 10) for c in chances])
            held += low <= mean <= high
        assert held >= 0.9 * 200, (clusters, mean, held)


def test_nine_screenshots_that_are_all_wrong_are_not_as_unsure_as_nine_samples() -> None:
    low, high = ends([(0, 23)] * 8 + [(0, 25)])
    assert low == 0.0
    assert 0.05 < high < 0.2, "31.1 % before"
