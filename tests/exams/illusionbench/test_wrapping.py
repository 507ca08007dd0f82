"""Wrapping a readable reply in any of the forms, with anything around it, leaves what `robust` reads as it was."""

from __future__ import annotations

import random

import pytest
from tests.support.wrapping import AROUND, BARE, FORMS, NOTHING, Topic

from snellen.exams.illusionbench.reading import answer_robust

TOPIC = Topic(("Paper_clip",), ("Cat", "Sailboat", "Dog"), because="the outline can be made out when one squints")
READABLE = ("Paper_clip", "paper clip", "a paperclip", "not a Cat but a paper clip", "Cat. No, wait, paper-clip")


@pytest.mark.parametrize("around", AROUND)
def test_every_form_reads_as_the_bare_answer(around: str) -> None:
    rng = random.Random(around)
    for said in READABLE:
        assert answer_robust(said, "Illusion_IN", "shape") == "paper_clip"
        for name, form in (FORMS | (BARE if said == "Paper_clip" else {})).items():
            wrapped = AROUND[around](form(said, TOPIC, rng), TOPIC, rng)
            assert answer_robust(wrapped, "Illusion_IN", "shape") == "paper_clip", (name, wrapped)


@pytest.mark.parametrize("form", NOTHING)
def test_nothing_is_read_where_nothing_is_said(form: str) -> None:
    reply = NOTHING[form]("Paper_clip", TOPIC, random.Random(form))
    assert answer_robust(reply, "Illusion_IN", "shape") is None, reply
