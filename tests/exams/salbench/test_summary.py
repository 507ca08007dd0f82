"""What SalBench says over many samples: labels, groups, and intervals that hold in small groups."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from snellen.core.outcomes import mark_reply
from snellen.core.protocol import roles
from snellen.core.types import Mark, Sample
from snellen.exams.salbench.exam import EXAM
from snellen.exams.salbench.protocols import METRICS, PROTOCOLS
from snellen.stats.jackknife import moved_interval
from snellen.stats.tally import summarised


def rows(n: int, config: str = "P3") -> Iterator[tuple[Sample, Mark]]:
    truths = ("color", "size", "orientation")
    for i in range(n):
        tags = {"config": config, "split": config[:2], "task": "D", "difficulty": ("odd", "hard", "easy")[i // 3 % 3]}
        sample = Sample(id=str(i), tags=tags, truth=truths[i % 3])
        yield sample, mark_reply(PROTOCOLS["paper"], sample, truths[(i + (i % 5 == 0)) % 3] + (", x" if i % 7 else ""))


def test_groups_come_in_their_order_and_only_configs_are_whole() -> None:
    groups = summarised(PROTOCOLS["paper"], [*rows(27, "P3_box"), *rows(27)])
    assert [" ".join(g.by.values()) for g in groups if g.by["config"] == "P3"] == [
        *("P3", "P3 easy", "P3 hard", "P3 odd", "P3 orientation", "P3 color", "P3 size")
    ]
    assert [g.by["config"] for g in groups if g.whole] == ["P3", "P3_box"]
    for group in groups:
        if "category" in group.by:
            assert all(s.floor is None for s in group.metrics.values())
        else:
            assert all((s.floor is None) == ("recall" in name) for name, s in group.metrics.items() if "." not in name)


def test_every_metric_is_declared_with_its_label() -> None:
    group = summarised(PROTOCOLS["robust"], rows(30))[0]
    labels = {name: [m.label_of(name) for m in METRICS if m.fits(name)] for name in group.metrics}
    assert all(len(found) == 1 for found in labels.values())
    assert labels["f1"] == ["F1 (sample)"]
    assert labels["f1.color"] == ["F1 of color"]
    assert labels["recall.size"] == ["recall of size"]
    for protocol in EXAM.protocols.values():
        assert any(m.fits(protocol.headline) for m in protocol.metrics)
        assert (roles(protocol).bounded, roles(protocol).breakdown) == ("exact_match", "f1")


def test_alike_marks_are_counted_together() -> None:
    protocol = PROTOCOLS["paper"]
    seen = [protocol.seen(sample, mark) for sample, mark in rows(3150)]
    kept = {(tuple(s.values.items()), s.outcome, s.cluster, s.own) for s in seen}
    assert len(kept) == 3 * 3, "each truth: right, right with a word beside it, wrong"
    assert all("x" not in own.predicted for _values, _outcome, _cluster, own in kept)


def test_label_intervals_are_those_of_leaving_out_each_sample() -> None:
    """The long way: all marks are summarised again without each sample in turn."""
    every = list(rows(24))
    whole = summarised(PROTOCOLS["paper"], every)[0].metrics
    for name in ("macro_f1", "macro_recall", "f1.color", "precision.size"):
        value = whole[name].value
        assert value is not None
        without = [
            summarised(PROTOCOLS["paper"], [m for m in every if m is not one])[0].metrics[name].value for one in every
        ]
        said = sum("size" in mark.reading for _sample, mark in every)
        made_of = {"macro_f1": 24, "macro_recall": 24, "f1.color": 8, "precision.size": said}[name]
        expected = moved_interval(value, np.array(without, dtype=np.float64), made_of)
        assert (whole[name].low, whole[name].high) == pytest.approx((expected.low, expected.high))  # type: ignore[union-attr]
