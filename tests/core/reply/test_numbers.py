"""Numbers as replies write them: a minus sign is no bullet, and no number is read from a part of it, by any reader of ours."""

from __future__ import annotations

from snellen.choice.reading import exact_choice, read_choice, read_labels
from snellen.core.reply import minus_signs, numbers_in
from snellen.core.types import Sample
from snellen.exams.d3.reading import read as read_captions
from snellen.exams.eye.reading import read_point as eye_point
from snellen.exams.grounding.reading.points import read_point
from snellen.exams.own import protocols as own
from snellen.exams.own.reading import exact_number, read_number, read_text
from snellen.exams.vqa_nle.reading.strict import read_open

WORDS = {
    "twenty-one": 21,
    "There are twenty one birds.": 21,
    "one hundred and one": 101,
    "a hundred and two": 102,
    "1 million": 1e6,
    "1.5 million": 1.5e6,
    "minus 1.5 million": -1.5e6,
    "2 hundred": 200,
    "two dozen": 24,
    "one thousand, two hundred and five": 1205,
    "two hundred and five thousand and three": 205_003,
    "3 thousand and five": 3005,
}
NOT_UNDERSTOOD = (
    *("twenty-odd", "twenty-first", "three quarters", "three and a half", "3 1/2", "half a million", "hundreds", "3k"),
    *(
        "several hundred",
        "nineteen eighty-four",
        "one two",
        "3/4",
        "12:30",
        "one point five",
        "No one",
        "1e999",
        "5-10",
    ),
)
MINUS_THREE = (
    "-3",
    "\u22123",
    "\u20133",
    "-3 \u00b0C",
    "\u22123\u00b0C",
    "\u20133 \u00b0C",
    "**\u22123**",
    "&minus;3",
    "$-3$",
)


def test_numbers_in_words_are_read_right_or_not_at_all() -> None:
    assert {text: read_number(text) for text in WORDS} == WORDS
    assert [text for text in NOT_UNDERSTOOD if read_number(text) is not None] == []
    assert [n.value for n in numbers_in("page 20 two cats, a hundred dogs and two birds")] == [20, 2, 100, 2]


def test_a_dash_before_a_digit_is_a_minus_sign_for_own_questions() -> None:
    told = (
        "Answer: \u20133",
        "The answer is \u22123.",
        "The answer is \u2212 3.",
        "Answer: \u2212\u20093",
        "\u2013$3",
        "minus 3",
        "minus  3",
        "negative three",
        "(-3)",
    )
    assert [n.value for n in numbers_in(minus_signs("5 \u2212 3, x \u2212 3"))] == [5, 3, 3]
    assert {text for text in (*MINUS_THREE, *told) if read_number(text) != -3} == set()
    assert {text for text in ("- 3", "\u2013 3", "\u2022 3", "* 3") if read_number(text) != 3} == set()  # bullets
    assert [exact_number(text) for text in MINUS_THREE[:3]] == [-3] * 3
    options = ("3 \u00b0C", "\u22123 \u00b0C")
    for text in ("-3 \u00b0C", "\u20133 \u00b0C", "It is \u22123 \u00b0C."):
        assert read_choice(text, options) == "\u22123 \u00b0C", text
    assert exact_choice("-3 \u00b0C", options) == "\u22123 \u00b0C"


def test_texts_with_other_signs_are_not_the_same() -> None:
    sample = Sample(id="1", tags={"task": "text"}, truth=["3 \u00b0C", "+3"])
    for text, right in (("3 \u00b0C", 1.0), ("-3 \u00b0C", 0.0), ("\u22123 \u00b0C", 0.0), ("minus 3 \u00b0C", 0.0)):
        assert own.score(read_text(text), sample) == {"accuracy": right}, text


def test_an_option_is_not_chosen_by_a_part_of_a_number() -> None:
    for reply in ("twenty-one", "It is one hundred and one.", "one million", "minus one"):
        assert read_choice(reply, ("one", "twenty", "hundred")) is None, reply
        assert read_choice(reply, ("one", "twenty", "hundred"), lettered=False) is None, reply
    for reply in ("-5", "\u22125", "5 million", "5.5", "1,500", "5/6", "minus 5"):
        assert read_choice(reply, ("5", "500")) is None, reply
        assert read_choice(reply, ("5", "500"), lettered=False) is None, reply
    assert read_choice("It is twenty-one.", ("one", "twenty-one")) == "twenty-one"


def test_points_keep_their_signs() -> None:
    for reply in ("-940, 430", "\u2212940, 430", "(\u2013940, 430)", "minus 940, 430", "x: \u2013940 y: 430"):
        assert read_point(reply).numbers == (-940, 430), reply
        assert eye_point(reply) == (-940, 430), reply
    assert read_point("- 940, 430").numbers == eye_point("\u2013 940, 430") == (940, 430)


def test_answers_and_captions_keep_their_signs() -> None:
    for reply in (
        "-3\u00b0C",
        "\u22123\u00b0C",
        "\u20133\u00b0C",
        "Answer: (-3\u00b0C)",
        "4\u00b0C. No, wait, -3\u00b0C",
    ):
        assert read_open(f"{reply} because it freezes", short=True).answer == "-3\u00b0c", reply
    assert read_open("- 3 because it is warm", short=True).answer == "3"
    captions = read_captions("Left image: -3 degrees\n\nRight image: - 4 degrees")
    assert captions is not None
    assert captions == ("-3 degrees", "4 degrees")


def test_a_number_in_quotes_keeps_its_sign() -> None:
    quoted = ('"-3"', "'-3'", "\u201c-3\u201d", "\u2018\u22123\u2019", "\u201c\u20133\u201d", 'It reads "-3\u00b0C".')
    told = (*quoted, 'Answer: "-3"', '<answer>"-3"</answer>')
    assert {text: read_number(text) for text in told} == dict.fromkeys(told, -3)
    for text in ("5'-3\"", '"3"-"5"', "\u201c3\u201d\u20135", "5\u2032\u22123\u2033"):  # feet and inches, and ranges
        assert [n.value for n in numbers_in(text) if n.value is not None and n.value < 0] == [], text
        assert read_number(text) is None, text


def test_a_decimal_comma_is_not_read_as_another_number() -> None:
    told = (
        "0,125",
        "0,500",
        "-0,5",
        "5,5",
        "12,34",
        "1234,567",
        "1,2345",
        "1,200,30",
        "The answer is 5,5.",
        "1,234.5.6",
    )
    assert {text: read_number(text) for text in told} == dict.fromkeys(told)
    assert [n.value for n in numbers_in("5,5 and 0,125")] == [None, None, None]
    assert [read_number(text) for text in ("1,200", "-12,345,678.5", "3,")] == [1200, -12_345_678.5, 3]
    assert read_labels("3,5", ("3", "4", "5")) is None
    assert read_labels("3, 5", ("3", "4", "5")) == ["3", "5"]
    assert read_choice("0,125", ("125", "0")) is None


def test_numbers_are_not_read_in_part() -> None:
    told = (
        *(
            "10\u00b3",
            "5\u00b2",
            "2\u00b2",
            "10\u207b\u00b3",
            "2**3",
            "2**2",
            "3*4",
            "2^2",
            "\u221a2",
            "2\u03c0",
            "\\sqrt{2}",
        ),
        *(
            "3...5",
            "3\u20265",
            "0x10",
            "0xFF",
            "3x4",
            "1h30",
            "5m30s",
            "twenty first",
            "one hundred second",
            "point five",
        ),
        *(
            "minus point five",
            "$2.5 B",
            "$2.5 M",
            "2.5 bn",
            "1.5 mil",
            "1.5 mln",
            "5 mio",
            "5 K",
            "300 K",
            "5 lakh",
            "2 crores",
        ),
    )
    assert {text: read_number(text) for text in told} == dict.fromkeys(told)
    signed = ("-three", "It is -three.", "Negative-3", "minus-3", "negative-three")
    assert {text: read_number(text) for text in signed} == dict.fromkeys(signed, -3)
    whole = {"5 m\u00b2": 5, "**7**": 7, "2*3 = 6": 6, "1h": 1, "It is 5...": 5, "twenty seconds": 20}
    assert {text: read_number(text) for text in whole} == whole
    assert read_number("At this point 5 are left") == 5
    assert read_number("pre-three") == 3


def test_a_dash_that_may_be_a_minus_sign_is_not_dropped() -> None:
    doubtful = (
        "Answer: - 3",
        "x = - 3",
        "The answer is - 3",
        "T = - 3 \u00b0C",
        "-\u00a53",
        "-USD 3",
        "\u2212\u20b9300",
        "{-}3",
        "-(3)",
        "\u20143",
        "Answer: \u20143",
        "\u00b13",
    )
    assert {text: read_number(text) for text in (*doubtful, "minus about 3")} == dict.fromkeys(
        (*doubtful, "minus about 3")
    )
    assert read_choice("Answer: - 3", ("-3", "3")) is None


def test_a_dash_before_the_first_of_two_numbers_is_a_minus_sign_or_leaves_them_unread() -> None:
    for text in ("(- 940, 430)", "[- 940, 430]", "<point>- 940 430</point>", "x=- 940, y=430", "(\u2014940, 430)"):
        assert read_point(text).numbers == eye_point(text) == (-940, 430), text
    for text in ("\u2014940, 430", "Answer: \u2014940, 430", "\u00b1940, 430"):
        assert not read_point(text).numbers and eye_point(text) is None, text
    assert read_choice("\u20143", ("3", "4"), lettered=False) is None and read_point("- 940, 430").numbers == (940, 430)


def test_part_of_a_grouped_or_decimal_number_is_not_an_option() -> None:
    cases = {
        "12,5 %": ("5 %", "12 %"), "0,5 cm": ("5 cm", "1 cm"), "1 200 km": ("200 km", "1 km"), ".5": ("5", "2"), "1,5": ("1", "2"),
        "1'200 km": ("200 km", "1 km"), "10 000": ("10", "20"), "\u221a5": ("5", "2"), "5\u00d710\u00b3": ("5", "3"),
    }  # fmt: skip
    assert {text: read_choice(text, options) for text, options in cases.items()} == dict.fromkeys(cases)
    assert read_choice("It is 5 %.", ("5 %", "12 %")) == "5 %"
