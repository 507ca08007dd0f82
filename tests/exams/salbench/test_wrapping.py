"""Wrapping a readable reply in any of the forms, with anything around it, leaves what `robust` reads as it was."""

from __future__ import annotations

import random

import pytest
from tests.support.wrapping import AROUND, BARE, FORMS, NOTHING, Topic

from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.reading import read_robust

O3 = labels_of("O3")
TOPICS = [
    Topic(("Color",), ("Orientation", "Size")),
    Topic(("Orientation", "Shape"), ("Color", "Focus", "Location", "Pattern", "Size")),
]
READABLE = {"{}": 1, "{}.": 1, "the {}": 1, "not {other} but {}": 2, "{other}. No, wait, {}": 2}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("topic", TOPICS, ids=["one", "two"])
def test_every_form_reads_as_the_bare_answer(topic: Topic, around: str) -> None:
    meant = frozenset(x.lower() for x in topic.answers)
    rng = random.Random(around)
    for reply in READABLE:
        said = reply.format(", ".join(topic.answers), other=topic.others[0])
        assert read_robust(said, O3) == meant
        for name, form in (FORMS | (BARE if reply == "{}" else {})).items():
            wrapped = AROUND[around](form(said, topic, rng), topic, rng)
            assert read_robust(wrapped, O3) == meant, (name, wrapped)


@pytest.mark.parametrize("form", NOTHING)
def test_nothing_is_read_where_nothing_is_said(form: str) -> None:
    rng = random.Random(form)
    for topic in TOPICS:
        reply = NOTHING[form](", ".join(topic.answers), topic, rng)
        assert read_robust(reply, O3) == frozenset(), reply
