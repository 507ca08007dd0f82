"""The readers of own questions: one option by letter, by text or by a word, several labels, and numbers."""

from __future__ import annotations

import random
from collections.abc import Callable

from snellen.choice.letters import LETTERS
from snellen.choice.reading import read_choice, read_labels
from snellen.exams.own.reading import read_number
from tests.support.readers import Reader
from tests.support.wrapping import Topic

BECAUSE = (
    "it stands out from everything else in the picture",
    "the light falls on it from the left side",
    "the shadows on the ground are long",
)
OPTIONS = (
    ("red", "dark green", "blue", "light yellow"),
    ("a cat", "a dog", "a polar bear", "a stop sign"),
    ("on the table", "under the bed", "in the kitchen", "outside"),
    ("The man is sad.", "The woman is waiting.", "It is raining.", "They are about to leave."),
)
YES_NO = ("yes", "no")
NUMBERS = ("2", "3", "7", "12", "three", "1,200", "45")
MOST = 0.4
"""Corrections, most contrasts and tables of yes and no are unparsable to these readers, and a third of the replies have one."""
VALUES = {"three": 3.0, "1,200": 1200.0}


def _letter(rng: random.Random) -> Topic:
    options = rng.choice(OPTIONS)
    at = rng.randrange(4)
    letter = LETTERS[at]
    spellings = (f"({letter})", f"{letter})", f"Option {letter}", f"{letter}. {options[at].rstrip('.')}")
    others = tuple(other for other in LETTERS[:4] if other != letter)
    return Topic((letter,), others, rng.choice(BECAUSE), spellings, about=(options, options[at]))


def _text(rng: random.Random) -> Topic:
    options = rng.choice(OPTIONS)
    at = rng.randrange(4)
    texts = tuple(option.rstrip(".") for option in options)
    return Topic((texts[at],), texts[:at] + texts[at + 1 :], rng.choice(BECAUSE), about=(options, options[at]))


def _word(rng: random.Random) -> Topic:
    answer, other = rng.sample(YES_NO, 2)
    return Topic((answer,), (other,), rng.choice(BECAUSE), about=(YES_NO, answer))


def _labels(rng: random.Random) -> Topic:
    options = OPTIONS[0]
    chosen = sorted(rng.sample(range(4), rng.randint(1, 3)))
    said = tuple(LETTERS[i] for i in chosen)
    others = tuple(letter for letter in LETTERS[:4] if letter not in said)
    return Topic(
        said, others, rng.choice(BECAUSE), (" and ".join(said),), about=(options, [options[i] for i in chosen])
    )


def _number(rng: random.Random) -> Topic:
    answer, *others = rng.sample(NUMBERS, 3)
    if {answer, *others} >= {"3", "three"}:
        others = ["45", "2"]
    return Topic((answer,), tuple(o for o in others if o != answer), rng.choice(BECAUSE), about=answer)


def _about(topic: Topic, which: int) -> object:
    assert isinstance(topic.about, tuple)
    return topic.about[which]


def _reader(name: str, topic: Callable[[random.Random], Topic], read: Callable[..., object]) -> Reader:
    return Reader(name, topic, lambda r, t: read(r, _about(t, 0)), lambda t: _about(t, 1), most_unparsable=MOST)


READERS = (
    _reader("own choice, letter", _letter, read_choice),
    _reader("own choice, text", _text, read_choice),
    _reader("own choice, yes or no", _word, read_choice),
    _reader("own labels", _labels, read_labels),
    Reader(
        "own number",
        _number,
        lambda r, _t: read_number(r),
        lambda t: VALUES.get(str(t.about)) or float(str(t.about)),
        most_unparsable=MOST,
    ),
)
