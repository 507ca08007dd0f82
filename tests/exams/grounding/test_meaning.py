"""The lexical chooser on natural instructions: hand-written screens, and what a person would click on them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.exams.grounding.methods.base import Parse
from snellen.exams.grounding.methods.instruction_parser import read_wish
from snellen.exams.grounding.methods.lexical import WORTH, score_all, scores_of
from snellen.exams.grounding.methods.meaning import Sentence
from snellen.exams.grounding.methods.thesaurus import MEANINGS, stem, units, words_of
from snellen.exams.grounding.reading.predictions import Detection

Seen = tuple[str, str, tuple[int, int, int, int]]


def text(said: str, x: int, y: int) -> Seen:
    return said, "text", (x, y, x + 8 * len(said), y + 16)


def icon(name: str, x: int, y: int) -> Seen:
    return f"<{name}>", "icon", (x, y, x + 16, y + 16)


def clicked(instruction: str, screen: list[Seen]) -> str:
    """What is clicked: its words, the name in brackets of an icon or a field, or nothing."""
    detections = tuple(Detection(box=box, text="" if said[0] == "<" else said, kind=kind) for said, kind, box in screen)
    scores = scores_of(instruction, Parse(width=1200, height=800, detections=detections, parser="test"))
    best = max(range(len(scores)), key=lambda i: scores[i])
    return screen[best][0] if scores[best] >= WORTH else ""


WEB = [
    text(w, 40 + 130 * i, 20) for i, w in enumerate(("Pricing", "Docs", "Careers", "Support", "Sign in", "Sign up"))
] + [
    text("Plan your week in minutes with a tool that everyone on the team can use", 40, 200),
    ("Get the app", "button", (40, 260, 160, 290)),
    text("Privacy Policy", 40, 760),
    text("Terms of Service", 240, 760),
    text("Sign out", 440, 760),
]
SHOP = [
    *(text(name, 40, y) for name, y in (("Desk lamp", 100), ("Felt hat", 300))),
    *(text(price, 40, y) for price, y in (("12.50", 124), ("30.00", 324))),
    *((buy, "button", (40, y, 90, y + 24)) for buy, y in (("Buy", 150), ("Buy ", 350))),
]
TABLE = [
    *(text(head, x, 60) for head, x in (("Order", 40), ("Customer", 240), ("Status", 440))),
    *(
        seen
        for i, (order, person, state) in enumerate(
            (("Order 2231", "Ada Park", "Paid"), ("Order 2305", "Ben Ortiz", "Late"), ("Order 2417", "Uma Rao", "Open"))
        )
        for seen in (
            text(order, 40, 100 + 40 * i),
            text(person, 240, 100 + 40 * i),
            text(state, 440, 100 + 40 * i),
            icon(f"edit {order}", 700, 100 + 40 * i),
            icon(f"delete {order}", 740, 100 + 40 * i),
        )
    ),
]
FORM = [
    text("Email", 40, 100), ("<email>", "field", (40, 122, 240, 150)),
    text("Phone", 40, 180), ("<phone>", "field", (40, 202, 240, 230)),
    text("Country", 40, 260), ("Norway", "field", (40, 282, 240, 310)),
    ("Save", "button", (40, 340, 120, 370)), ("Cancel", "button", (140, 340, 220, 370)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("screen", "instruction", "target"),
    [
        (WEB, "What does it cost?", "Pricing"),
        (WEB, "Find an open position", "Careers"),
        (WEB, "Read the instructions", "Docs"),
        (WEB, "Log me out", "Sign out"),
        (WEB, "Create an account for me", "Sign up"),
        (WEB, "How is my personal data treated?", "Privacy Policy"),
        (SHOP, "Put the felt hat in my basket", "Buy "),
        (SHOP, "I want to buy the desk lamp", "Buy"),
        (SHOP, "How much is the felt hat?", "30.00"),
        (TABLE, "Get rid of Order 2305", "<delete Order 2305>"),
        (TABLE, "Make a change to Order 2417", "<edit Order 2417>"),
        (TABLE, "What state is Order 2231 in?", "Paid"),
        (TABLE, "Write to Uma", "Uma Rao"),
        (FORM, "Enter my telephone number", "<phone>"),
        (FORM, "Type ada@fernlake.org as my mail", "<email>"),
        (FORM, "I live in Norway now", "Norway"),
        (FORM, "Store what I have done", "Save"),
        (FORM, "Never mind, stop this", "Cancel"),
    ],
)
def test_a_wish_is_read_by_what_it_means(screen: list[Seen], instruction: str, target: str) -> None:
    assert clicked(instruction, screen) == target


@pytest.mark.parametrize("instruction", ["Paint the ceiling", "Qwertz uiop", ""])
def test_what_fits_nothing_is_not_clicked(instruction: str) -> None:
    assert clicked(instruction, WEB) == ""


@pytest.mark.parametrize(
    "instruction",
    [
        "Click on the 'Docs' link",
        "Click on the settings icon",
        "Press the button that gets rid of it",
        "Click on the Search text field",
        "The link in the second row of the navigation at the top of the page, left of Careers, with four letters",
    ],
)
def test_what_is_described_is_looked_for_by_its_name_alone(instruction: str) -> None:
    detections = tuple(Detection(box=box, text=said, kind=kind) for said, kind, box in WEB)
    parse = Parse(width=1200, height=800, detections=detections, parser="test")
    assert scores_of(instruction, parse) == score_all(read_wish(instruction), detections, 1200, 800)


def test_to_switch_to_a_thing_does_not_ask_for_a_switch() -> None:
    assert read_wish("Switch to Weather").kind == ""
    assert read_wish("Click on the 'Dark mode' switch").kind == "switch"


def test_long_phrases_hide_the_short_ones_in_them() -> None:
    asked = [u.stem for u in Sentence.of("Keep me signed in").units]
    assert "keep sign in" in asked and "sign in" not in asked
    assert {"privacy policy", "privacy"} <= {u.stem for u in units("Privacy Policy")}


def test_words_of_a_meaning_share_it_and_others_do_not() -> None:
    first = {word: units(word)[0].meanings for word in ("remove", "erase", "delete", "print")}
    assert first["remove"] & first["erase"] & first["delete"]
    assert not first["print"] & first["delete"]


def test_the_thesaurus_has_at_least_two_words_a_line_and_none_twice() -> None:
    for line in MEANINGS.strip().splitlines():
        phrases = [phrase.strip() for phrase in line.split(",")]
        assert len(phrases) >= 2 and len(set(phrases)) == len(phrases), line


def test_ordinals_and_glued_numbers_are_numbers() -> None:
    assert words_of("the 14th of Sheet3") == ["the", "14", "of", "sheet", "3"]
    assert [u.stem for u in units("third sheet")] == ["3", "sheet"]


@given(st.text(max_size=80), st.lists(st.text(max_size=20), max_size=8))
def test_any_instruction_on_any_screen_has_scores_in_range(instruction: str, said: list[str]) -> None:
    detections = tuple(
        Detection(box=(0, 30 * i, 50, 30 * i + 20), text=one, kind=("text", "button", "field", "icon")[i % 4])
        for i, one in enumerate(said)
    )
    parse = Parse(width=400, height=400, detections=detections, parser="test")
    scores = scores_of(instruction, parse)
    assert len(scores) == len(detections) and all(0 <= s <= 1.0001 for s in scores)
    assert scores == scores_of(instruction, parse)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=15))
def test_a_stem_is_a_beginning_or_changes_only_its_end(word: str) -> None:
    assert stem(word) and (word.startswith(stem(word)) or stem(word)[:-1] == word[: len(stem(word)) - 1])
