"""The strict reader on what models say: rows written by hand, every form that an answer can be wrapped in."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.readers import Reader
from tests.support.readers.vqa_nle import FORMS as READERS
from tests.support.wrapping import BARE, FORMS, Topic, say

from snellen.exams.vqa_nle.reading.closed import read_choice, read_label
from snellen.exams.vqa_nle.reading.strict import read_open
from snellen.exams.vqa_nle.vqa_official import normalise

ROWS = json.loads((Path(__file__).parent / "replies.json").read_text(encoding="utf-8"))
CHOICES, OBJECTS = ROWS["choices"], ROWS["objects"]


def reading(task: str, reply: str) -> tuple[object, str | None]:
    """The answer (VCR: its number) in the form in which it is compared, and the explanation."""
    if task == "vcr":
        chosen = read_choice(reply, CHOICES, OBJECTS)
        return chosen.choice, chosen.explanation
    found = read_label(reply) if task == "esnlive" else read_open(reply, short=task == "vqax")
    return None if found.answer is None else normalise(found.answer), found.explanation


@pytest.mark.parametrize("task", ["vqax", "actx", "esnlive", "vcr"])
def test_replies_written_by_hand(task: str) -> None:
    for reply, answer, part in ROWS[task]:
        found, explanation = reading(task, reply)
        assert found == (normalise(answer) if isinstance(answer, str) else answer), reply
        assert part is None or part in (explanation or ""), reply


@pytest.mark.parametrize("reader", READERS, ids=[r.name for r in READERS])
def test_wrapping_leaves_the_reading_as_it_was(reader: Reader) -> None:
    rng = random.Random(5)
    for form in (*FORMS, *BARE) * 3:
        topic = reader.topic(rng)
        bare = reader.read(topic.answers[0], topic)
        assert bare == reader.meant(topic)
        reply = say(topic, form, rng, plainly=True).reply
        assert reader.read(reply, topic) == bare, reply


REASONED = [
    *("because", "comma because", "since", "as", "given that", "semicolon", "hyphen", "em dash", "tight em dash", "em dash because"),
    *("trailing sentence", "trailing paragraph", "answer tag because", "boxed because", "boxed at the end", "so the answer is"),
    *("therefore", "thus colon", "reasoning then answer", "answer then reasoning", "bold answer then explanation", "json reason last"),
    *("json reason first", "yaml", "yaml reason first", "nested xml"),
]  # fmt: skip


@pytest.mark.parametrize("form", REASONED)
@pytest.mark.parametrize("task", ["vqax", "actx", "esnlive", "vcr"])
def test_an_explanation_survives_its_form(task: str, form: str) -> None:
    why = "it stands out from everything else"
    answer = {"vqax": "red", "actx": "bicycling", "esnlive": "neutral", "vcr": "B"}[task]
    said = say(Topic((answer,), ("x",), why), form, random.Random(0), plainly=True)
    found, explanation = reading(task, said.reply)
    assert found == (1 if task == "vcr" else answer)
    assert (explanation or "").rstrip(".").lower() == why


@given(st.text(alphabet="<>/think{}[]\"'`*_$\\boxed|answer:, \nAB1.yesno", max_size=200))
def test_nothing_raises(reply: str) -> None:
    for task in ("vqax", "actx", "esnlive", "vcr"):
        reading(task, reply)


@pytest.mark.parametrize(
    "piece", ["<", "{", "because ", "[", "not ", "A) ", "wait, ", "| ", "the man is ", "<answer>", "\\boxed{", "1. "]
)
def test_a_hundred_thousand_characters_are_read_to_their_end(piece: str) -> None:
    reply = piece * (100_000 // len(piece))  # and soon: a reader that turns back would take minutes over these
    for task in ("vqax", "actx", "esnlive", "vcr"):
        reading(task, reply)
