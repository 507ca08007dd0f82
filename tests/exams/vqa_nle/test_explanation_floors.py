"""Explanation metrics have a floor: one explanation that is given to everything."""

from __future__ import annotations

import random

import pytest

from snellen.core.outcomes import mark_reply
from snellen.core.types import Sample
from snellen.exams import load
from snellen.exams.vqa_nle import explanation_floor
from snellen.stats.nlg import score
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


def told(n: int) -> list[list[str]]:
    """Explanations that are alike in several ways, as people's are: no single text is the most usual one in all of them."""
    dice = random.Random(n)
    things = ["dog", "cat", "bus", "boat", "horse", "lamp", "girl", "boy", "suitcase", "laptop", "kite", "cake"]
    forms = (
        "there is a {} on the {side}",
        "the {} is on the {side}",
        "{color} is the main color of the {}",
        "a {} is {color}",
        "the {} has a {color} top and stands next to a {other}",
        "yes, {}",
        "you can see that the {} is {color}",
    )
    found = []
    for _ in range(n):
        thing, side = dice.choice(things), dice.choice(("left", "right"))
        color = dice.choice(("red", "blue", "purple", "green"))
        texts = dice.sample(forms, 3)
        found.append([t.format(thing, side=side, color=color, other=dice.choice(things)) for t in texts])
    return found


def test_no_explanation_beats_the_floor_by_two_points() -> None:
    references = told(160)
    floors = explanation_floor.explanation_floors(references, raw_text=False)
    pool = sorted({text for texts in references for text in texts})
    best = dict.fromkeys(floors, 0.0)
    for text in pool[::3]:
        for name, value in score([text] * len(references), references).items():
            best[name] = max(best[name], value)
    for name, floor in floors.items():
        assert floor.value > best[name] - 0.02, name
        whole = score([floor.answer] * len(references), references)[name]
        assert floor.value == pytest.approx(whole), "a floor is what its explanation gets on all samples"


def test_one_sample_has_no_floor_of_explanations() -> None:
    assert explanation_floor.explanation_floors([["there is a dog"]], raw_text=False) == {}
