"""The best point that could always be clicked, and guesses from instructions."""

from __future__ import annotations

import random

from snellen.core.types import Sample
from snellen.exams.grounding.floors import Area, area_of, best_point, floor, guesses
from snellen.exams.grounding.geometry import Pixels
from snellen.exams.grounding.marking.marks import Truth
from snellen.exams.grounding.reading.predictions import from_text


def area(screen: int, *box: float) -> Area:
    return Area(str(screen), ((box[0], box[1], box[2], box[3]),) if box else ())


def test_a_point_is_a_place_on_any_screen() -> None:
    from snellen.exams.grounding.geometry import Box

    found = []
    for i, (width, height) in enumerate(((1000, 500), (400, 800))):
        space = Pixels(width, height)
        found.append(area_of(Truth(space, (Box(0.1 * width, 0.2 * height, 0.3 * width, 0.4 * height, space),)), str(i)))
    best = floor(tuple(found))
    assert best.value == 1.0
    assert best.answer == "the point 20.0 %, 30.0 % of the screen"


def test_a_point_has_to_be_right_on_two_screenshots() -> None:
    nested = [area(1, 0.1, 0.1, 0.2, 0.2), area(1, 0.12, 0.12, 0.15, 0.15), area(2, 0.8, 0.8, 0.9, 0.9)]
    assert best_point(nested) is None
    assert best_point([*nested, area(3, 0.85, 0.85, 0.95, 0.95)]) is not None


def test_edges_belong_to_boxes() -> None:
    touching = [area(1, 0.1, 0.1, 0.2, 0.2), area(2, 0.2, 0.2, 0.3, 0.3)]
    best = best_point(touching)
    assert best is not None
    assert best[0] == 2


def test_a_polygon_is_no_box() -> None:
    """Two triangles whose bounding boxes overlap wholly and who share their lower left half."""
    low = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    high = (0.0, 0.0, 1.0, 0.0, 1.0, 1.0)
    box = ((0.0, 0.0, 1.0, 1.0),)
    same = best_point([Area("1", box, (low,)), Area("2", box, (low,)), area(3, 0.1, 0.6, 0.3, 0.9)])
    assert same is not None
    assert same[0] == 3
    apart = best_point([Area("1", ((0.0, 0.5, 0.4, 1.0),), ((0.0, 0.5, 0.0, 1.0, 0.4, 1.0),)), Area("2", box, (high,))])
    assert apart is None


def test_many_targets_agree_with_trying_every_corner() -> None:
    dice = random.Random(5)
    for _ in range(5):
        areas = []
        for i in range(40):
            x, y = dice.randrange(90) / 100, dice.randrange(90) / 100
            areas.append(area(i, x, y, x + dice.randrange(1, 10) / 100, y + dice.randrange(1, 10) / 100))
        corners = [(a.boxes[0][0], b.boxes[0][1]) for a in areas for b in areas]
        most = max(sum(a.holds(x, y) for a in areas) for x, y in corners)
        best = best_point(areas)
        assert (best[0] if best is not None else 1) == most


def test_an_instruction_is_looked_for_where_like_ones_were() -> None:
    def target(i: int, instruction: str, box: list[float]) -> Sample:
        facts = {"instruction": instruction, "width": 1000, "height": 500, "image": f"{i}.png"}
        return Sample(id=str(i), tags={}, truth={"boxes": [box], "absent": False}, facts=facts)

    known = [target(i, "click the search field", [400.0, 10.0, 600.0, 30.0]) for i in range(4)]
    known += [target(9 + i, "open the trash", [900.0, 400.0, 950.0, 450.0]) for i in range(4)]
    asked = [target(20, "empty the trash", [0.0, 0.0, 1.0, 1.0]), target(21, "the search field", [0.0, 0.0, 1.0, 1.0])]
    found = [from_text(guess) for guess in guesses(known, asked)]
    assert [one.point for one in found if one is not None] == [(925.0, 425.0), (500.0, 20.0)]
