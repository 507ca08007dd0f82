"""Replies that adversaries wrote: each is read as a person reads it, or is unparsable, and none as another answer."""

from __future__ import annotations

from random import Random

import pytest

from snellen.choice.order import reordered
from snellen.choice.reading import read_choice, read_labels
from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.exams.own.protocols import PROTOCOLS
from snellen.exams.own.reading import read_number

COLOURS = ("red", "blue", "green", "yellow")
PEOPLE = ("a man", "a woman")
YES_NO = ("yes", "no")

# options, what a person reads (None: nothing), replies
CHOICES: tuple[tuple[tuple[str, ...], str | None, tuple[str, ...]], ...] = (
    (
        COLOURS,
        None,
        (
            *(
                "A fits the picture better than B.",
                "A makes more sense than B.",
                "A beats B.",
                "A vs B",
                "A or B?",
                "A. green",
            ),
            *(
                "A. That is wrong.",
                "None are red.",
                "Nothing is red.",
                "Unlikely to be A.",
                "Option A: Incorrect",
                "A: wrong",
            ),
            *("I don't think the answer is A.", "I don't believe the answer is A.", "I DON'T THINK THE ANSWER IS A."),
            *(
                "I can't determine the color of the ball; I only see a red box.",
                "There's no ball in the image, only red squares.",
            ),
            *(
                "A is out.",
                "A. Doesn't match.",
                "A. This isn't it.",
                "A - does not match",
                "A: the picture does not show it",
            ),
            *(
                "A\n\nB is also possible.",
                "A\n\nB fits better.",
                "A\n\nI think B is better.",
                "A; alternatively B",
                "A\n\nThat can't be right.",
            ),
            *(
                "A. red\nB. blue",
                "The options are A. red, B. blue, C. green and D. yellow.",
                "A: 0.6, B: 0.4",
                "A (60%), B (40%)",
            ),
            *(
                "My second choice is A.",
                "The wrong option is A.",
                "Rejected: A",
                "Some would say A.",
                "The sign says A.",
                "Grade: A",
            ),
            *(
                "<answer>A or B</answer>",
                '{"answer": "A or B"}',
                '{"answer": null}',
                '{"rejected": "A"}',
                "\\boxed{A} is wrong",
            ),
            *(
                "~~A~~",
                "A \u2717",
                "\u274c A",
                "[ ] A",
                "A... no",
                "red? Nope",
                "The answer would be red if it were day.",
            ),
        ),
    ),
    (
        COLOURS,
        None,
        (
            *(
                "I refuse to choose A",
                "~A",
                "!= A",
                "\u00acA",
                "-A",
                "non-red",
                "blue-green",
                "Answer: A B",
                "First A, then B",
            ),
            *(
                "Answer: A\n\nNote: B is the right one.",
                "Answer: A\nB is what I'd choose.",
                "The answer is A. Just kidding, B.",
            ),
            "My friend thinks it's A.",
        ),
    ),
    (COLOURS, "red", ("I would choose A over B.",)),
    (
        COLOURS,
        "blue",
        (
            *(
                "I lean towards B over A.",
                "Answer: A\n\nI made an error. B is correct.",
                "Answer: A\n\nApologies for the confusion: B is right.",
            ),
            *(
                "Answer: A\n\nI misread the picture: B is correct.",
                "A\n\nMy final answer: B",
                "The answer is \\boxed{A}. Actually, B.",
            ),
        ),
    ),
    (PEOPLE, None, ("A. a man: not in the picture",)),
    (
        PEOPLE,
        "a woman",
        (
            *("A. a man: not in the picture\nB. a woman: in the picture", "- A: not present\n- B: present"),
            "There is a man, but the person you asked about is a woman.",
        ),
    ),
    (
        YES_NO,
        None,
        (
            *(
                "No image was provided. Please upload it.",
                "No answer can be given.",
                "No problem, I can help.",
                "No one can tell.",
            ),
            *(
                "Yes, I can help with that, but I don't see an image.",
                "Yes, please share the image.",
                "Yes, but no.",
                "yes/no",
            ),
            *(
                "The answer is A. No, there is no dog.",
                "A. No",
                "B. Yes",
                "Yes: no",
                "Not yes",
                "The answer is yes and no.",
            ),
        ),
    ),
    (YES_NO, "no", ("Yes or No? No.", "Yes/No: No", "Yes. Actually, no.", "Yes, or rather, no")),
    (("B", "C", "A"), "B", ("A", "The answer is A.")),
)
# what must be read, too: few of them would be useless
READ: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = (
    (
        YES_NO,
        "yes",
        (
            "I would say yes.",
            "Yes, there is a dog.",
            "Yes. The image shows a dog, and no cat.",
            "A. Yes",
            '{"answer": "Yes"}',
        ),
    ),
    (
        YES_NO,
        "no",
        (
            *(
                "The correct answer is B. no",
                "No, there is no dog in the image.",
                "No, it isn't.",
                "No. There isn't a dog.",
                "**No**",
                "Answer: no",
                "B) No",
            ),
            *(
                "Yes or no? No.",
                "No\n\nThe dog is on the left.",
                "No, the man is not wearing a hat.",
                "The answer is: **No**.",
                "no (B)",
            ),
        ),
    ),
    (("A", "B", "C", "D"), "A", ("A", "(A)", "Answer: A")),
    (
        COLOURS,
        "blue",
        (
            *(
                "Answer: B\n\nExplanation: The car stands next to a red house, not A or C.",
                "The answer is B. A, C and D are not visible.",
            ),
            *(
                "The correct answer is B because A is not visible.",
                "B\n\nThe red house is behind it.",
                "The car is blue.",
                "B is correct.",
            ),
            *(
                "**B) Blue** \u2013 the car is parked next to the red house.",
                "So the final answer is $\\boxed{B}$",
                "the answer is b",
                "B, not A",
            ),
            *(
                "The bus is red.\n\nStep 2: A is not right.\n\nFinal answer: B",
                "The house is red, so A might fit.\n\n**B**",
                "I'd go with B.",
            ),
            *(
                "A) red: the first car.\nB) blue: the second car.\nThe answer is B.",
                "[x] blue\n[ ] red",
                "Answer:\nB",
                "### Answer\nB",
            ),
            *(
                "Answer: B\n\nExplanation:\n- A. red: there is no red.\n- B. blue: matches.\n- C. green: no.",
                "B (confidence: 90%)",
            ),
        ),
    ),
)
NUMBERS: dict[str, float | None] = {
    **dict.fromkeys(
        (
            *(
                "I'm sorry, but I cannot determine the number of people in image 1.",
                "Too blurry to count. Could you upload a clearer one?",
            ),
            *(
                "I don't see one.",
                "I don't see any dogs in image 2.",
                "It isn't 3.",
                "The left image shows a clearer one.",
                "image 1",
                "Step 1: look.",
            ),
            *(
                "5 or 6",
                "at least 5",
                "more than 3",
                "up to 6",
                "maybe 5",
                "5, no 6",
                "5\n\nCorrection: 6",
                "There might be 5",
            ),
        )
    ),
    **dict.fromkeys(("Answer: \u2013 4", "x = \u2013 4", "The temperature is \u2013 4 \u00b0C."), -4),
    **dict.fromkeys(("$1.5 mil", "1.5 mln", "$1.5mio"), 1.5e6),
    **dict.fromkeys(("5 mio", "There are 5 mio cells."), 5e6),
    "5 K": 5000,
}
NUMBERS_READ = {
    **dict.fromkeys(
        ("7 apples", "In image 2, there are 7 dogs.", "There are **7** people.", "7\n\n3 on the left, 4 on the right."),
        7.0,
    ),
    **dict.fromkeys(
        ("3 + 4 = 7", "I count 3 on the left and 4 on the right.\n\nAnswer: 7", '{"count": 7}', "12 - 5 = 7"), 7.0
    ),
    **dict.fromkeys(("one dog", "There is one dog.", "Answer: one"), 1.0),
}
LABELS: tuple[tuple[list[str] | None, tuple[str, ...]], ...] = (
    (
        ["red"],
        ("A: yes\nB: no", "red: true", "[x] red [ ] green", "Present: A\nAbsent: B", "A: 1\nB: 0", "A \u2713 B \u2717"),
    ),
    (["red"], ("A yes, B no", "A (present), B (absent)", "A, not B, maybe C", "Selected: A. Not selected: B, C")),
    (["red", "blue", "green"], ("A-C", "A to C", "A through C")),
    (["blue", "green", "yellow"], ("All but A", "Everything but A", "All except red")),
    (None, ("red: 0.9, blue: 0.1", "A: likely\nB: unlikely", "A or B", "A and/or B", "A, B?")),
)
LABELS_READ = (
    *(
        "A: yes\nB: no\nC: yes\nD: no",
        '{"red": true, "blue": false, "green": true}',
        "- [x] red\n- [ ] blue\n- [x] green",
    ),
    *("The answers are A and C.", '"A", "C"', "Answer: A, C\n\nB is not visible.", "red and green", "A. red\nC. green"),
)


def test_a_choice_is_read_as_a_person_reads_it_or_not_at_all() -> None:
    read = {(reply, read_choice(reply, options), meant) for options, meant, replies in CHOICES for reply in replies}
    assert {found for found in read if found[1] not in (None, found[2])} == set()


def test_ordinary_choices_are_read() -> None:
    read = {(reply, read_choice(reply, options), meant) for options, meant, replies in READ for reply in replies}
    assert {found for found in read if found[1] != found[2]} == set()


def test_numbers_are_read_as_a_person_reads_them_or_not_at_all() -> None:
    assert {reply for reply, meant in NUMBERS.items() if read_number(reply) not in (None, meant)} == set()
    assert {reply: read_number(reply) for reply in NUMBERS_READ} == NUMBERS_READ


def test_labels_are_read_as_a_person_reads_them_or_not_at_all() -> None:
    read = [(reply, read_labels(reply, COLOURS), meant) for meant, replies in LABELS for reply in replies]
    assert [found for found in read if found[1] not in (None, found[2])] == []
    assert [reply for reply in LABELS_READ if read_labels(reply, COLOURS) != ["red", "green"]] == []


@pytest.mark.parametrize("reply", ["12\n\nWait, let me recount", "12\n\nHmm, let me recount the"])
def test_a_cut_reply_that_began_to_correct_itself_is_no_answer(reply: str) -> None:
    sample = Sample(id="n", tags={"task": "number"}, truth=12.0)
    assert mark_reply(PROTOCOLS["robust"], sample, reply, "length").outcome is Outcome.TRUNCATED


def test_options_that_are_letters_are_not_put_in_another_order() -> None:
    facts = {"question": "Which region?", "options": ["A", "B", "C"]}
    assert reordered(Sample(id="x", tags={}, truth="A", facts=facts), Random(0)) is None
