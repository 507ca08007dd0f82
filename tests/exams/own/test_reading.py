"""What a reply chooses, names or counts, under the robust and the exact reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.choice.reading import exact_choice, exact_labels, read_choice, read_labels
from snellen.core.protocol import ReplyContext
from snellen.core.types import Sample
from snellen.exams.own.protocols import PROTOCOLS
from snellen.exams.own.reading import exact_number, read_number, read_text

COLOURS = ("red", "blue", "green", "dark red")
YES_NO = ("yes", "no")


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("B", "blue"),
        ("b", "blue"),
        ("(B)", "blue"),
        ("**B**", "blue"),
        ("B.", "blue"),
        ("B. blue", "blue"),
        ("blue", "blue"),
        ("Blue.", "blue"),
        ("blue (B)", "blue"),
        ("Option B", "blue"),
        ("The answer is (C).", "green"),
        ("Answer: B) blue", "blue"),
        ("The correct option is: D", "dark red"),
        ("I think it is blue.", "blue"),
        ("C because the grass is green", "green"),
        ("The car is dark red, not red.", "dark red"),
        ("B, because it is blue and not red", "blue"),
        ("A. red\nB. blue\nC. green\nThe correct answer is B.", "blue"),
        ("<think>maybe A</think>B", "blue"),
        ('{"answer": "C"}', "green"),
        ('```json\n{"answer": "blue"}\n```', "blue"),
        ("So $\\boxed{C}$", "green"),
        ("There is a red bus, but the car is green. So the answer is C.", "green"),
    ],
)
def test_one_option_is_read_whatever_stands_around_it(reply: str, option: str) -> None:
    assert read_choice(reply, COLOURS) == option


@pytest.mark.parametrize(
    "reply",
    [
        *("", "E", "It could be red or blue.", "Both A and B", "B. red", "Not blue.", "None of the above", "A man"),
        *(
            "I cannot tell.",
            "I see a red car. Wait, actually it is blue.",
            "Not A, but B",
            "<think>B",
            "A or B",
            "It is neither red nor blue.",
        ),
    ],
)
def test_nothing_is_guessed(reply: str) -> None:
    assert read_choice(reply, COLOURS) is None


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("No.", "no"),
        ("No, there is no cat", "no"),
        ("Yes, there is no doubt", "yes"),
        ("B. No", "no"),
        ("The answer is no", "no"),
        ("There is no cat.", None),
    ],
)
def test_small_words_are_options_only_where_a_reply_begins_with_them(reply: str, option: str | None) -> None:
    assert read_choice(reply, YES_NO) == option


@pytest.mark.parametrize(
    ("reply", "option"),
    [("B", "blue"), (" (b). ", "blue"), ("Blue", "blue"), ("B. blue", None), ("It is B", None), ("", None)],
)
def test_the_exact_reader_takes_a_letter_or_a_text_and_no_more(reply: str, option: str | None) -> None:
    assert exact_choice(reply, COLOURS) == option


@pytest.mark.parametrize(
    ("reply", "found", "exactly"),
    [
        ("A, C", ["red", "green"], ["red", "green"]),
        ("AC", None, None),
        ("A and C", ["red", "green"], None),
        ('["A", "C"]', ["red", "green"], None),
        ("red, green", ["red", "green"], ["red", "green"]),
        ("The colours are red and green, not blue.", ["red", "green"], None),
        ("A. red\nC. green", ["red", "green"], None),
        ("nothing", None, None),
    ],
)
def test_several_labels(reply: str, found: list[str] | None, exactly: list[str] | None) -> None:
    assert read_labels(reply, COLOURS) == found
    assert exact_labels(reply, COLOURS) == exactly


@pytest.mark.parametrize(
    ("reply", "number", "exactly"),
    [
        ("7", 7, 7),
        ("-3.5", -3.5, -3.5),
        ("1,200", 1200, 1200),
        ("There are seven.", 7, None),
        ("7 apples", 7, None),
        ("3 + 4 = 7", 7, None),
        ("2 cats and 3 dogs. Answer: 5", 5, None),
        ("Answer: 12 (not 13)", 12, None),
        ('{"count": 4}', 4, None),
        ("v2 has 3", 3, None),
        ("between 3 and 4", None, None),
        ("1/2", None, None),
        ("nan", None, None),
        ("many", None, None),
    ],
)
def test_numbers(reply: str, number: float | None, exactly: float | None) -> None:
    assert read_number(reply) == number
    assert exact_number(reply) == exactly


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("red", "red"),
        ("The ball is red.", "red"),
        ("Final answer: **red**.", "red"),
        ('{"answer": "red"}', "red"),
        ("<think>blue?</think>\nred", "red"),
        ("", None),
        ("<think>red", None),
    ],
)
def test_short_answers(reply: str, text: str | None) -> None:
    assert read_text(reply) == text


@given(
    st.text(
        alphabet="ABCD\u0130\u0131\u017f\u212a\u2260.,()'\n redblu-not orisanswer:*{}[]\"\ue010\ue0110123", max_size=200
    )
)
def test_any_reply_can_be_read(reply: str) -> None:
    assert read_choice(reply, COLOURS) in (None, *COLOURS)
    assert set(read_labels(reply, COLOURS) or ()) <= set(COLOURS)
    read_number(reply)
    read_text(reply)


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("The total is 1", None),
        ("Let me count. Row 1", None),
        ("First I see 1 dog near the", None),
        ("There are twenty", None),
        ("7 because the man in the", 7.0),
        ("Answer: 7\n\nThe expl", 7.0),
        ("7\n\n3 on the table and", 7.0),
    ],
)
def test_a_reply_that_was_cut_counts_only_as_far_as_it_is_whole(reply: str, read: float | None) -> None:
    sample = Sample(id="1", tags={"task": "number"}, truth=7.0)
    assert PROTOCOLS["robust"].judge(reply, sample, ReplyContext(cut=True)).reading == read
