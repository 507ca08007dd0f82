"""Replies that list labels, hedge, or give their reason after the answer."""

from __future__ import annotations

import pytest

from snellen.choice.reading import read_choice, read_labels
from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.exams.own.protocols import PROTOCOLS as OWN

FOUR = ("red", "blue", "green", "yellow")


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: A, C",
        "**Answer:** A, C",
        "Answers: A; C",
        "Answer:\nA\nC",
        "Answer: red\ngreen",
        "The letters are A, C",
        "A, C because both are shown",
        "Answer: A/C",
    ],
)
def test_every_label_of_a_list_counts(reply: str) -> None:
    assert read_labels(reply, FOUR) == ["red", "green"]
    assert read_choice(reply, FOUR) is None


@pytest.mark.parametrize("reply", ["Answer: A & B", "Answer: A|B", "A (or B)", "A, or maybe B", "It is B (possibly C)"])
def test_a_hedge_chooses_nothing(reply: str) -> None:
    assert read_choice(reply, FOUR) is None


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is (B) because A is wrong",
        "Answer: B\n\nExplanation: A is wrong since red is not shown.",
        "Answer: B. A, C, and D are incorrect.",
        "Answer: B\n\nThe car stands next to a red house.",
        "B\n\nThe red house is behind it.",
        "**B. blue**\n\n- A. red is incorrect because it is not shown",
        "The correct answer is B.\n\nHere is why:\n- A. red: there is no red.\n- C. green: the trees are green.",
        "B. blue. The other options, A, C, and D, do not match.",
    ],
)
def test_a_reason_against_other_options_takes_nothing_back(reply: str) -> None:
    assert read_choice(reply, FOUR) == "blue"


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is either A\nor B",
        "Answer: A because it is red, or B",
        "In conclusion,\nA: the car is not red\nB: the car is blue",
        "Therefore, A is out because it is red. B.",
        "A. red\nB. blue",
        "Red\nGreen",
        "Answer: A\n\nA is not right.",
        "Answer: A\n\nI don't know.",
        "Answer: A\nA is wrong. It is B.",
    ],
)
def test_other_options_that_are_not_denied_leave_a_doubt(reply: str) -> None:
    assert read_choice(reply, FOUR) is None


def test_options_that_look_like_labels_or_words() -> None:
    assert read_choice("A. C++", ("C++", "Java", "Go")) == "C++"
    assert read_choice("B. A+", ("O", "A+", "B+")) == "A+"
    assert read_choice("Answer: C, I am sure.", tuple("abcdefghij")) == "c"
    assert read_labels("B. A, C, D are not shown.", FOUR) == ["blue"]
    assert read_labels("none of A, C, D", FOUR) is None
    assert read_labels("Answer: A, C\n\nB (blue) is not visible.", FOUR) == ["red", "green"]


@pytest.mark.parametrize("reply", ["Answer: not A\nso maybe B or C", "Answer: A or B\nbecause both are shown"])
def test_a_denial_or_a_hedge_before_the_reason_is_not_an_answer(reply: str) -> None:
    assert read_choice(reply, FOUR) is None


@pytest.mark.parametrize(
    ("kind", "truth", "options", "reply"),
    [
        ("labels", ["red"], FOUR, "A,"),
        ("labels", ["red"], FOUR, "Answer: A,"),
        ("labels", ["red", "blue"], FOUR, "A, B,"),
        ("labels", ["red", "blue"], FOUR, '["A", "B"'),
        ("choice", "red", ("red", "red wine"), "red w"),
    ],
)
def test_a_reply_that_was_cut_within_its_answer_counts_as_cut(
    kind: str, truth: object, options: tuple[str, ...], reply: str
) -> None:
    facts = {"question": "q", "options": list(options)}
    mark = mark_reply(OWN["robust"], Sample(id="x", tags={"task": kind}, truth=truth, facts=facts), reply, "length")
    assert mark.outcome is Outcome.TRUNCATED
