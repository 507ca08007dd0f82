"""Labelled points, full-width digits and boxes are read; a cut reply is not taken for a click."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import points, wrapping
from tests.support.readers import figures
from tests.support.readers.grounding import READERS, topic

from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.exams.grounding.exam import EXAM
from snellen.exams.grounding.reading.points import read_point

CLICK = EXAM.protocols["click"]
WRAPPERS = [w for w in points.WRAPPERS if w != "{p}"]


def reading(reply: str, **more: str) -> tuple[float, ...] | None:
    """The numbers of the click or box that `click` reads; None where there is no click."""
    facts = {"width": 1920, "height": 1080, **more}
    sample = Sample(id="a", tags={}, truth={"boxes": [[0, 0, 9, 9]], "absent": False}, facts=facts)
    found = CLICK.judge(reply, sample).reading
    return tuple(found["box"] if "box" in found else found["point"]) if found["status"] == "found" else None


def outcome(reply: str, finish_reason: str | None = None) -> Outcome:
    truth = {"boxes": [[10, 30, 14, 40]], "absent": False}
    sample = Sample(id="a", tags={}, truth=truth, facts={"width": 1920, "height": 1080})
    return mark_reply(CLICK, sample, reply, finish_reason).outcome


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("Coordinates: 10, 20", (10, 20)),
        ("\uff08\uff11\uff10\uff0c\uff12\uff10\uff09", (10, 20)),
        ("xmin=10, ymin=20, xmax=30, ymax=40", (10, 20, 30, 40)),
        ("left: 10, top: 20, width: 20, height: 20", (10, 20, 30, 40)),
        ("y=20, x=10", (10, 20)),
        ("(50%, 25%)", (960, 270)),
        ("not (1, 2) but (3, 4)", (3, 4)),
        ("(1, 2). No, wait, (3, 4)", (3, 4)),
        ('{"box_2d": [20, 10, 40, 30]}', (10, 20, 30, 40)),  # its order is y first
        ('{"x": 10, "y": 20, "width": 20, "height": 20}', (10, 20, 30, 40)),
        ("pyautogui.moveTo(10, 20, duration=0.5)", (10, 20)),
        ("\\boxed{10, 20}", (10, 20)),
        ("(\u0661\u0660\u060c \u0662\u0660)", (10, 20)),
        ("(1,024, 768)", (1024, 768)),
    ],
)
def test_forms_that_are_read(reply: str, numbers: tuple[float, ...]) -> None:
    assert reading(reply) == numbers


@pytest.mark.parametrize(
    "reply",
    [
        *("(12,34), so", "(12, 3", '{"x": 12, "y": 3', "<point>12 34", "The toolbar is at (12,34), but", "[12, 34"),
        *(
            "It is not at (12, 34).",
            "(12, 34) is wrong.",
            "(12, 34). No, wait",
            "(12, 34) or (56, 78)",
            "(12, 34)? No.",
        ),
        *("<think>(12, 34)", "I am not sure whether it is (12, 34) or (56, 78).", "(1,024)", "Row 3, column 4"),
    ],
)
def test_what_is_no_click(reply: str) -> None:
    assert reading(reply) is None
    assert outcome(reply) is not Outcome.CORRECT


def test_a_reply_that_is_known_to_be_cut_is_a_click_only_behind_a_marker() -> None:
    assert outcome("(12, 34). This is the toolba") is Outcome.CORRECT  # nobody can tell
    assert outcome("(12, 34). This is the toolba", "length") is Outcome.TRUNCATED
    assert outcome("Thought: hm\nAction: click(start_box='(12,34)') and", "length") is Outcome.CORRECT
    assert outcome("Thought: hm\nAction: click(start_box='(12,3", "length") is Outcome.TRUNCATED


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        *((r, True) for r in ("none", "**None.**", "<answer>none</answer>", '{"x": null, "y": null}', "[-1, -1]")),
        *((r, True) for r in ("The icon is not visible.", "There is no such element on this screen.")),
        *((r, False) for r in ("It is not visible, but it is there", "Is it not there?", "(12, 34) is not there.")),
        *((r, False) for r in ("<think>It is not there", "None of the other tabs is open, so click Save", "no idea")),
    ],
)
def test_only_what_says_so_is_a_refusal(reply: str, right: bool) -> None:
    absent = Sample(id="a", tags={}, truth={"boxes": [], "absent": True}, facts={"width": 1920, "height": 1080})
    assert CLICK.judge(reply, absent).correct is right


def test_generated_replies() -> None:
    answers = misread = unparsable = invented = 0
    for made in points.replies(2_000, 9):
        found = reading(made.reply)
        if made.numbers is None:
            invented += found is not None or read_point(made.reply).kind == "refusal"
            continue
        answers += 1
        unparsable += found is None
        misread += found is not None and found != made.numbers
    assert (misread, invented) == (0, 0)
    assert unparsable < 0.02 * answers
    shared = figures(READERS[0], 1_500, 5)
    assert (shared.misread, shared.invented) == (0, 0)
    assert shared.unparsable < 0.02 * shared.answers


@given(st.integers(0, 2**32), st.sampled_from(WRAPPERS), st.sampled_from(sorted(wrapping.AROUND)))
def test_wrapping_leaves_the_reading_as_it_was(seed: int, wrapper: str, around: str) -> None:
    rng = random.Random(seed)
    asked = topic(rng)
    said = asked.answers[0]
    assert reading(said) == asked.about
    assert reading(wrapper.format(p=said, o=asked.others[0])) == asked.about
    assert reading(wrapping.AROUND[around](said, asked, rng)) == asked.about
