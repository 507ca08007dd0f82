"""Explanation metrics have a floor too: one explanation that is given to everything is not worth nothing."""

from __future__ import annotations

from snellen.core.outcomes import mark_reply
from snellen.core.types import Sample
from snellen.exams import load
from snellen.stats.tally import summarised


def test_a_constant_explanation_is_the_floor_of_text_metrics() -> None:
    rules = load("vqax").protocols["strict"]
    things = ("dog", "cat", "bus", "boat", "horse", "lamp")
    samples = [
        Sample(
            id=str(i),
            tags={"split": "val", "task": "vqax"},
            truth={"answers": ["yes", "yes"], "explanations": [f"there is a {thing} in the picture"]},
            facts={"question": f"Is there a {thing}?", "image_name": f"{i}.jpg"},
        )
        for i, thing in enumerate(things)
    ]
    said = "yes because there is a dog in the picture"
    whole = summarised(rules, ((s, mark_reply(rules, s, said)) for s in samples))[0]
    for name in ("bleu1_unfiltered", "bleu4_unfiltered", "rouge_l_unfiltered", "cider_filtered"):
        found = whole.metrics[name]
        assert found.floor is not None, name
        assert found.value is not None
        assert found.floor >= found.value - 1e-9, "who always says the same is at the floor"
        assert "in the picture" in (found.floor_answer or "")
