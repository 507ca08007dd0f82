"""A floor is what the legend says: the best constant point, an answer that the prompt allows, and what was picked with the labels."""

from __future__ import annotations

import random
from itertools import product

import pytest

from snellen.core.outcomes import mark_reply
from snellen.core.results import Score
from snellen.core.types import Sample
from snellen.exams import load
from snellen.show import words
from snellen.stats.tally import summarised


def floor_of(exam: str, protocol: str, samples: list[Sample], metric: str | None = None) -> Score:
    rules = load(exam).protocols[protocol]
    whole = summarised(rules, ((s, mark_reply(rules, s, "x")) for s in samples))[0]
    return whole.metrics[metric or rules.headline]


def target(number: int, box: list[float] | None, image: str | None = None) -> Sample:
    truth = {"boxes": [box] if box else [], "absent": box is None}
    facts = {"instruction": "x", "image": image or f"{number}.png", "width": 1000, "height": 500}
    return Sample(id=str(number), tags={"split": "easy", "task": "ground"}, truth=truth, facts=facts)


def test_the_floor_of_grounding_is_the_best_of_all_points() -> None:
    dice = random.Random(3)
    boxes = []
    for _ in range(60):
        x, y = dice.randrange(0, 900), dice.randrange(0, 450)
        boxes.append([x, y, x + dice.randrange(5, 100), y + dice.randrange(5, 50)])
    every = product({b[0] for b in boxes}, {b[1] for b in boxes})
    best = max(sum(b[0] <= x <= b[2] and b[1] <= y <= b[3] for b in boxes) for x, y in every)
    found = floor_of("grounding", "click", [target(i, list(map(float, b))) for i, b in enumerate(boxes)])
    assert best > 1
    assert found.floor == pytest.approx(best / len(boxes))


def test_targets_that_are_not_there_are_refused_where_that_is_best() -> None:
    samples = [target(i, None) for i in range(3)] + [target(9, [1.0, 1.0, 5.0, 5.0])]
    assert floor_of("grounding", "click", samples).floor == 0.75
    assert floor_of("grounding", "click", samples).floor_answer == "always refuse"


def test_the_floor_of_p3_is_an_answer_that_its_prompt_allows() -> None:
    labels = ("Orientation", "Color", "Size")
    tags = {"config": "P3", "split": "P3", "task": "D"}
    samples = [Sample(id=str(i), tags=tags, truth=labels[i % 3]) for i in range(30)]
    found = floor_of("salbench", "paper", samples)
    assert found.floor == pytest.approx(1 / 3, abs=1e-6)
    assert found.floor_answer == "chance"
    assert found.forbidden == pytest.approx(0.5, abs=1e-6)
    one = floor_of("salbench", "paper", samples, "exact_match")
    assert one.floor == pytest.approx(1 / 3)
    assert one.floor_answer == "orientation"


def test_the_best_single_name_stands_beside_the_list_of_all() -> None:
    exam = load("illusionbench")
    samples = [s for s in exam.truths() if s.tags["split"] == "Illusion_ICON" and s.tags["task"] == "shape"]
    found = floor_of("illusionbench", "original", samples)
    assert found.floor == pytest.approx(1 / 6)
    assert found.forbidden == 1.0
    assert "forbids" in words.floor_why(found)


def test_two_names_are_allowed_where_two_are_asked_for() -> None:
    exam = load("illusionbench")
    samples = [s for s in exam.truths() if s.tags["split"] == "Illusion_ICON" and s.tags["task"] == "shape"]
    both = [Sample(id=s.id, tags=s.tags | {"task": "both"}, truth=s.truth, facts=s.facts) for s in samples]
    found = floor_of("illusionbench", "lmms-first", both)
    assert found.floor == pytest.approx(1 / 66), "one shape in one scene"
    assert found.forbidden == 1.0


def test_the_legend_says_once_that_the_labels_were_used() -> None:
    assert "picked with the test labels" in words.FLOOR
