"""`strict` of VQA-X, ACT-X, e-SNLI-VE and VCR (by letter and by text), which `e-vil` uses too."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from snellen.exams.vqa_nle.names import LABELS, LETTERS
from snellen.exams.vqa_nle.reading.closed import read_choice, read_label
from snellen.exams.vqa_nle.reading.strict import read_open
from snellen.exams.vqa_nle.vqa_official import normalise
from tests.support import slots
from tests.support.readers import Reader
from tests.support.wrapping import Topic

BECAUSE = (
    "it stands out from everything else in the picture",
    "the light falls on it from the left side",
    "there is a large sign in the background that says so",
    "people in the background are looking at it",
    "he has raised both of his hands and smiles",
    "the shadows on the ground are long",
)
# an answer, its other spellings, and answers that are not meant
QUESTIONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("yes", (), ("no",)),
    ("no", (), ("yes",)),
    ("2", ("two",), ("3", "5", "12")),
    ("3", ("three",), ("4", "2", "10")),
    ("12", (), ("10", "7", "20")),
    ("1,000", (), ("200", "50", "10")),
    ("3.5", (), ("2.5", "4", "1.25")),
    ("red", ("a red",), ("blue", "green", "dark gray")),
    ("white", ("the white",), ("black", "blue", "yellow")),
    ("stop sign", ("a stop sign", "the stop sign"), ("traffic light", "bus", "fire hydrant")),
    ("t-shirt", ("a t-shirt",), ("jacket", "dress", "wet suit")),
    ("riding a bike", ("riding bike", "riding the bike"), ("surfing", "playing tennis", "sitting")),
    ("on the table", (), ("under the bed", "outside", "in the kitchen")),
    ("st. bernard", ("a St. Bernard",), ("poodle", "labrador", "cat")),
    ("left", ("the left",), ("right", "middle", "behind")),
    ("winter", (), ("summer", "fall", "spring")),
    ("café", (), ("school", "bank", "train station")),
)
ACTIVITIES = (
    *("bicycling", "yoga", "cooking", "surfing", "playing guitar", "skateboarding", "mowing lawn", "rock climbing", "golf"),
    *("skating, ice", "bicycling, mountain", "walking, for exercise, with dog", "horseback riding", "washing dishes", "table tennis"),
    *("resistance training", "sitting quietly", "canoeing, rowing", "ballet", "carrying boxes"),
)  # fmt: skip
CHOICES = (
    ("He is sad because the game is over.", "A man is angry at <det0>.", "She is waiting for the bus.", "They are about to leave."),
    ("<det0> wants to catch <det1>.", "A dog has taken <det1>.", "<det0> is afraid of <det2>.", "<det1> is about to burst."),
    ("No, <det1> lives far away.", "Yes, <det1> works there.", "No, <det1> is a guest.", "Yes, as <det2> said so."),
    ("It is raining.", "It is too hot outside.", "The sun is in his eyes.", "There is a party."),
)  # fmt: skip
OBJECTS = ("person", "ball", "dog")


def _form(answer: str | None) -> str | None:
    return None if answer is None else normalise(answer)


def _question(rng: random.Random) -> Topic:
    answer, spellings, others = rng.choice(QUESTIONS)
    return Topic((answer,), others, rng.choice(BECAUSE), spellings)


def _activity(rng: random.Random) -> Topic:
    answer, *others = rng.sample(ACTIVITIES, 4)
    return Topic((answer,), tuple(others), rng.choice(BECAUSE))


def _label(rng: random.Random) -> Topic:
    answer, *others = rng.sample(LABELS, 3)
    return Topic((answer,), tuple(others), rng.choice(BECAUSE))


def _letter(rng: random.Random) -> Topic:
    choices = rng.choice(CHOICES)
    at = rng.randrange(4)
    letter = LETTERS[at]
    others = tuple(other for other in LETTERS if other != letter)
    spellings = (
        f"({letter})",
        f"{letter})",
        f"Option {letter}",
        f"option ({letter})",
        f"{letter}) {choices[at].rstrip('.')}",
    )
    return Topic((letter,), others, rng.choice(BECAUSE), spellings, about=(choices, at))


def _text(rng: random.Random) -> Topic:
    choices = rng.choice(CHOICES)
    at = rng.randrange(4)
    texts = tuple(choice.rstrip(".") for choice in choices)
    return Topic((texts[at],), texts[:at] + texts[at + 1 :], rng.choice(BECAUSE), about=(choices, at))


def _words(answer: str | None) -> str | None:
    return None if answer is None else " ".join(re.findall(r"[^\W_]+", answer.lower()))


def _asked(topic: Topic) -> tuple[Sequence[str], int]:
    """Return the choices of a topic, and the number of the right one."""
    about = topic.about
    assert isinstance(about, tuple)
    return about[0], about[1]


def _read_choice(reply: str, topic: Topic) -> int | None:
    return read_choice(reply, _asked(topic)[0], OBJECTS).choice


FORMS = (
    Reader("vqax strict", _question, lambda r, _t: _form(read_open(r, short=True).answer), lambda t: _form(t.answers[0])),
    Reader("actx strict", _activity, lambda r, _t: _words(read_open(r, short=False).answer), lambda t: _words(t.answers[0]), ("or",)),
    Reader("esnlive strict", _label, lambda r, _t: read_label(r).answer, lambda t: t.answers[0]),
    Reader("vcr strict letter", _letter, _read_choice, lambda t: _asked(t)[1]),
    Reader("vcr strict text", _text, _read_choice, lambda t: _asked(t)[1]),
)  # fmt: skip
SLOTS = tuple(reader._replace(name=f"{reader.name}, by slots", replies=slots.generate) for reader in FORMS)
READERS = (*FORMS, *SLOTS)
