"""Quantiles, kappas and means of cells have intervals."""

from __future__ import annotations

import random
from collections.abc import Iterator

from snellen.core.results import Score
from snellen.core.types import Mark, Outcome, Sample
from snellen.exams.d3.protocols import PROTOCOLS as D3
from snellen.exams.grounding.protocols import PROTOCOLS as GROUNDING
from snellen.stats.tally import summarised


def on_screens() -> Iterator[tuple[Sample, Mark]]:
    """120 targets of ScreenSpot's six cells on 24 screenshots."""
    dice = random.Random(10)
    for i in range(120):
        split, kind = ("mobile", "desktop", "web")[i % 3], ("text", "icon")[i // 3 % 2]
        facts = {"image": f"{i % 24}.png", "width": 1920, "height": 1080, "text": "Save", "instruction": "Click"}
        truth = {"boxes": [[100.0, 100.0, 200.0, 150.0]], "absent": False}
        sample = Sample(id=str(i), tags={"split": split, "task": "ground", "kind": kind}, truth=truth, facts=facts)
        hit, away = float(dice.random() < 0.8), dice.expovariate(0.02)
        values = {"click_accuracy": hit, "distance_px": away, "distance_box_px": away / 2, "seconds": 1 + away / 100}
        yield sample, Mark(id=str(i), outcome=Outcome.CORRECT if hit else Outcome.WRONG, metrics=dict(values))


def pairs() -> Iterator[tuple[Sample, Mark]]:
    """60 pairs of pictures under two scorers."""
    dice = random.Random(11)
    for i in range(60):
        hits = {"left": float(dice.random() < 0.7), "right": float(dice.random() < 0.7)}
        both, also = min(hits.values()), float(dice.random() < 0.6)
        values = {"both": both, "recall": sum(hits.values()) / 2, "margin": dice.gauss(0.02, 0.03), "words": 12.0}
        values |= hits | {"both.b": also, "recall.b": also, "margin.b": dice.gauss(0.02, 0.03), "position_words": 0.0}
        values |= {"image_to_text": both, "truncated": 0.0, "position_captions": dice.choice((0.0, 1.0, 2.0))}
        sample = Sample(id=str(i), tags={"split": "test", "task": "pair"}, truth=("a", "b"))
        yield sample, Mark(id=str(i), outcome=Outcome.CORRECT if both else Outcome.WRONG, metrics=dict(values))


def bare(scores: dict[str, Score]) -> set[str]:
    """The scores without an interval around their value."""
    return {
        name
        for name, s in scores.items()
        if s.value is not None and not (s.low is not None and s.high is not None and s.low <= s.value <= s.high)
    }


def test_every_score_of_grounding_has_an_interval() -> None:
    whole = summarised(GROUNDING["screenspot"], on_screens())[0].metrics
    assert {"distance_px_p50", "seconds_p95", "seconds_image_p50", "mean_of_six_cells"} <= set(whole)
    assert bare(whole) == set()


def test_every_score_of_d3_has_an_interval() -> None:
    whole = summarised(D3["original"], pairs())[0].metrics
    assert {"margin_p10", "margin_p90.b", "kappa.b", "position_captions"} <= set(whole)
    assert bare(whole) == {"words"}, "all captions have twelve words: no spread, no interval"
