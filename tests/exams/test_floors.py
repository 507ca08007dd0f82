"""A floor is what the legend says: the best constant point, an answer that the prompt allows, and what was picked with the labels."""

from __future__ import annotations

import random
from itertools import product

import msgspec
import pytest
from tests.support.extras import of

from snellen.core.extras import TextGuess, truths_of
from snellen.core.outcomes import mark_reply
from snellen.core.results import GroupSummary, ProtocolSummary, Score
from snellen.core.types import Sample
from snellen.exams import load
from snellen.present.model import formatting
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
    samples = [s for s in truths_of(exam) if s.tags["split"] == "Illusion_ICON" and s.tags["task"] == "shape"]
    found = floor_of("illusionbench", "original", samples)
    assert found.floor == pytest.approx(1 / 6)
    assert found.forbidden == 1.0
    assert "forbids" in formatting.floor_why(found)


def test_two_names_are_allowed_where_two_are_asked_for() -> None:
    exam = load("illusionbench")
    samples = [s for s in truths_of(exam) if s.tags["split"] == "Illusion_ICON" and s.tags["task"] == "shape"]
    both = [Sample(id=s.id, tags=s.tags | {"task": "both"}, truth=s.truth, facts=s.facts) for s in samples]
    found = floor_of("illusionbench", "lmms-first", both)
    assert found.floor == pytest.approx(1 / 66), "one shape in one scene"
    assert found.forbidden == 1.0


def summary_of(exam: str, protocol: str, samples: list[Sample], replies: list[str] | None = None) -> ProtocolSummary:
    rules = load(exam).protocols[protocol]
    said = replies or ["x"] * len(samples)
    groups = summarised(rules, ((s, mark_reply(rules, s, r)) for s, r in zip(samples, said, strict=True)))
    return ProtocolSummary(
        protocol=protocol,
        version="1",
        prompt=rules.prompt,
        headline=rules.headline,
        groups=groups,
        metrics=rules.metrics,
    )


def shapes(task: str, n: int) -> list[Sample]:
    every = [
        s for s in truths_of(load("illusionbench")) if s.tags["split"] == "Illusion_ICON" and s.tags["task"] == task
    ]
    return every[:: max(1, len(every) // n)][:n]


def floored(summary: ProtocolSummary) -> list[str]:
    """Scores that are called at or below their floors."""
    return [
        f"{group.by} {name}"
        for group in summary.groups
        for name, score in group.metrics.items()
        if formatting.floor_word(summary, name, score)
    ]


def test_the_legend_says_once_that_the_labels_were_used() -> None:
    said = formatting.floor_legend([summary_of("illusionbench", "original", shapes("shape", 30))])
    assert said.count("picked with the test labels") == 1


def test_the_legend_of_chance_says_chance() -> None:
    d3 = load("d3")
    name = next(iter(d3.protocols))
    group = GroupSummary(
        by={"split": "x"},
        n=1,
        outcomes={},
        metrics={"accuracy": Score(value=1.0, n=1, floor=0.5, floor_answer="chance")},
    )
    only = ProtocolSummary(protocol=name, version="1", prompt="p", headline="accuracy", groups=(group,))
    assert formatting.floor_legend([only]) == "Floor: chance."


def test_the_legend_of_places_speaks_of_points() -> None:
    samples = [target(i, [10.0 * i, 10.0, 10.0 * i + 50, 50.0]) for i in range(5)]
    said = formatting.floor_legend([summary_of("grounding", "click", samples)])
    assert "one point for everything, a random point, or always a refusal" in said


def test_guesses_from_texts_are_marked_alike_whatever_units_a_protocol_reads() -> None:
    exam = load("grounding")
    known = [target(i, [400.0, 10.0, 600.0, 30.0]) for i in range(6)]
    (guess,) = of(exam, TextGuess).replies(exam, "instruction", known, [target(9, None)]) or ()
    for name, rules in exam.protocols.items():
        assert mark_reply(rules, known[0], guess).outcome == "correct", name


def test_a_group_with_one_truth_has_no_floor_whatever_its_name() -> None:
    (one,) = shapes("shape", 1)
    for samples in ([one], [one, msgspec.structs.replace(one, id=f"{one.id}x")]):
        summary = summary_of("illusionbench", "original", samples, [one.tags["shape"]] * len(samples))
        assert not floored(summary)
        assert all(score.floor is None for group in summary.groups for score in group.metrics.values())
    tags = {"config": "P3", "split": "P3", "task": "D", "difficulty": "easy"}
    sample = Sample(id="1", tags=tags, truth="Color")
    assert not floored(summary_of("salbench", "paper", [sample], ["Color"]))
    seen = Sample(
        id="1",
        tags={"split": "val", "task": "vqax", "answer_type": "other"},
        truth={"answers": ["red", "red"], "explanations": []},
        facts={"question": "Which color?", "image_name": "1.jpg"},
    )
    assert not floored(summary_of("vqax", "strict", [seen], ["red"]))


def test_a_recall_that_was_not_asked_for_has_no_floor() -> None:
    samples = shapes("shape", 40)
    summary = summary_of("illusionbench", "original", samples, [s.tags["shape"] for s in samples])
    whole = summary.groups[0]
    assert whole.metrics["scene_recall"].floor is None
    assert whole.metrics["shape_recall"].floor is not None
    assert not floored(summary), "who is always right is above every floor"


@pytest.mark.parametrize("protocol", ["paper", "robust", "lmms-eval", "plan-v2"])
def test_who_names_every_label_rightly_is_above_every_floor(protocol: str) -> None:
    labels = ("Orientation", "Color", "Size", "Focus", "Shape", "Location", "Pattern")
    truths = [", ".join(sorted({labels[i % 7], labels[(i * 3 + 1) % 7]})) for i in range(28)]
    tags = {"config": "O3", "split": "O3", "task": "D"}
    samples = [Sample(id=str(i), tags=tags, truth=truth) for i, truth in enumerate(truths)]
    summary = summary_of("salbench", protocol, samples, truths)
    assert summary.groups[0].metrics["exact_match"].value == 1.0
    assert not floored(summary)
