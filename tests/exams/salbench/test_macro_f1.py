"""Macro F1 does not count labels that no sample has."""

from __future__ import annotations

import pytest

from snellen.core.outcomes import mark_reply
from snellen.core.results import Score
from snellen.core.types import Sample
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.stats.tally import summarised

TRUTHS = ("Color", "Color, Shape", "Focus", "Location, Color", "Color")  # four of O3's seven labels


def macro(protocol: str, replies: tuple[str, ...] = TRUTHS) -> Score:
    tags = {"config": "O3", "split": "O3", "task": "D"}
    samples = [Sample(id=str(i), tags=tags, truth=truth) for i, truth in enumerate(TRUTHS)]
    marked = ((s, mark_reply(PROTOCOLS[protocol], s, reply)) for s, reply in zip(samples, replies, strict=True))
    return summarised(PROTOCOLS[protocol], marked)[0].metrics["macro_f1"]


@pytest.mark.parametrize("protocol", ["paper", "robust"])
def test_perfect_replies_score_100(protocol: str) -> None:
    found = macro(protocol)
    assert found.value == pytest.approx(1.0, abs=1e-6)
    assert found.high == pytest.approx(1.0, abs=1e-6)
    assert found.low is not None
    assert 0.2 < found.low < 0.8, "five samples leave doubt"


@pytest.mark.parametrize("protocol", ["paper", "robust"])
def test_a_label_that_no_truth_has_is_no_part_of_macro_scores(protocol: str) -> None:
    found = macro(protocol, tuple(f"{truth}, Pattern" for truth in TRUTHS))
    assert found.value == pytest.approx(1.0, abs=1e-6), "it lowers the precision of the samples"


def test_the_floor_is_over_the_same_labels() -> None:
    found = macro("paper")
    every = (8 / 9 + 2 / 6 + 2 / 6 + 2 / 6) / 4  # always naming the four labels: F1 of 4, 1, 1 and 1 of 5 samples
    assert found.floor == pytest.approx(every, abs=1e-6)


def test_lmms_eval_stays_as_its_code_has_it() -> None:
    """Its three categories, of which these samples have one, divided by three."""
    assert macro("lmms-eval").value == pytest.approx(1 / 3, abs=1e-6)
