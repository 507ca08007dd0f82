"""Replies that name an option without choosing it, or contradict themselves, are not read as answers."""

from __future__ import annotations

import pytest

from snellen.exams.grounding.reading.points import read_point
from snellen.exams.illusionbench.reading import answer_robust
from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.reading import read_robust
from snellen.exams.vqa_nle.reading.closed import read_choice, read_label
from snellen.exams.vqa_nle.reading.strict import read_open

CHOICES = ("He is sad.", "She is waiting.", "They are about to leave.", "It is raining.")

# X is the answer and Y another option
NOTHING = (
    *("X and not X.", "I can't decide between X and Y.", "People often say X.", "If it is daytime, then X.", "X or not, I can't tell."),
    *("I'd say X. No, that is wrong.", "X is the wrong answer.", "Anything but X.", "The opposite of X.", "I doubt that it is X."),
    *("I would have said X, but that's wrong.", "I don't believe the answer is X.", "The least likely answer is X.", "X (?)"),
)  # fmt: skip
# and these choose it
CHOSEN = (
    *("X \u2705", "Let's think step by step. Y does not apply. So: X", "X [confidence: high]", "ans: X", "Hmm, Y? No. X.", "Correction: X"),
    *("Some would say Y, but it is X.", "X because if it were Y, the light would be off.", "Although Y is possible, the answer is X."),
)  # fmt: skip


def readings(reply: str) -> dict[str, object]:
    """What every reader of ours makes of a reply, with its own options for X and Y; "X" where it is the answer."""

    def said(answer: str, other: str) -> str:
        return reply.replace("X", answer).replace("Y", other)

    return {
        "vqax": read_open(said("red", "blue"), short=True).answer == "red" and "X",
        "actx": read_open(said("cooking", "eating"), short=False).answer == "cooking" and "X",
        "esnlive": read_label(said("neutral", "entailment")).answer,
        "vcr": read_choice(said("C", "B"), CHOICES).choice,
        "salbench": sorted(read_robust(said("color", "size"), labels_of("P3"))),
        "illusionbench": answer_robust(said("Animal", "Music"), "Illusion_ICON", "shape"),
    }


@pytest.mark.parametrize("reply", NOTHING)
def test_what_is_not_chosen_is_no_answer(reply: str) -> None:
    nothing = {"vqax": False, "actx": False, "esnlive": None, "vcr": None, "salbench": [], "illusionbench": None}
    assert readings(reply) == nothing


@pytest.mark.parametrize("reply", CHOSEN)
def test_what_is_chosen_stays_the_answer(reply: str) -> None:
    found = readings(reply)
    assert str(found.pop("illusionbench")).lower() == "animal"
    assert found == {"vqax": "X", "actx": "X", "esnlive": "neutral", "vcr": 2, "salbench": ["color"]}


@pytest.mark.parametrize(
    "reply",
    ["I can't decide between (350, 230) and (700, 700).", "Anything but (350, 230).", "The cursor is at (350, 230)."],
)
def test_points_that_are_not_chosen(reply: str) -> None:
    assert read_point(reply).numbers == ()


def test_a_point_that_was_only_thought_of() -> None:
    assert read_point("I first thought (5, 5), but actually it is (350, 230).").numbers == (350.0, 230.0)
