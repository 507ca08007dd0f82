"""Replies that were cut off in the middle of reasoning are no answers under our own protocols."""

from __future__ import annotations

from typing import Any

import pytest

from snellen.core.extras import rows_of
from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.exams.eye.protocols import PROTOCOLS as EYE
from snellen.exams.illusionbench.protocols import PROTOCOLS as ILLUSIONBENCH
from snellen.exams.own.protocols import PROTOCOLS as OWN
from snellen.exams.salbench.protocols import PROTOCOLS as SALBENCH
from snellen.exams.vqa_nle.exam import VQAX

CHOICE = Sample(id="c", tags={"task": "choice"}, truth="a cat", facts={"options": ["a cat", "a dog"]})
LABELS = Sample(id="l", tags={"task": "labels"}, truth=["red", "blue"], facts={"options": ["red", "blue"]})
NUMBER = Sample(id="n", tags={"task": "number"}, truth=7.0)
TEXT = Sample(id="t", tags={"task": "text"}, truth=["red"])
P3 = Sample(id="s", tags={"split": "P3"}, truth="Color")
SHAPE = {"split": "Illusion_IN", "task": "shape", "shape": "cat", "scene": "Forest"}
SILHOUETTE = Sample(id="i/1", tags=SHAPE, truth="cat")
LETTER = Sample(id="e", tags={"faculty": "letters"}, truth="K")
VQA = rows_of(VQAX).sample({"id": 1, "answers": ["red"] * 3})
CUT = (
    (OWN, CHOICE, "First, let me consider option A"),
    (OWN, CHOICE, "The options are A"),
    (OWN, CHOICE, "Is it a cat? Hmm"),
    (OWN, CHOICE, "A. a cat\nB. a dog\nIt"),
    (OWN, CHOICE, "The answer is A. Wait, no"),
    (OWN, LABELS, "red\nblue\nThe"),
    (OWN, NUMBER, "1. On the left there are 3 apples and on the"),
    (OWN, NUMBER, "Thus, in the first row there are 7. In the second"),
    (OWN, NUMBER, "I see 7. Answer:\n4"),
    (OWN, NUMBER, "7"),
    (OWN, TEXT, "Okay."),
    (OWN, TEXT, "Sure!\nThe"),
    (OWN, TEXT, "First:\nThe"),
    (SALBENCH, P3, "The first thing to check is the color of the"),
    (VQAX.protocols, VQA, "The car is parked on the left. It"),
    (ILLUSIONBENCH, SILHOUETTE, "I look for a cat in the"),
    (EYE, LETTER, "It might look like the letter K or"),
)
ANSWERED = (
    *((OWN, CHOICE, reply) for reply in ("A", "A because", "**A**\n\nThe", "a cat\nThe", "The answer is A. So")),
    *((OWN, CHOICE, reply) for reply in ('{"answer": "A"}\nThe', "<answer>A</answer> as", "Answer: A")),
    *((OWN, NUMBER, reply) for reply in ("7 because", "seven\nThe", "Answer: 7.\nThe")),
    (OWN, LABELS, "A, B\nThe"),
    (OWN, TEXT, "red because"),
    (SALBENCH, P3, "Color\n\nThe"),
    (VQAX.protocols, VQA, "red because the man is"),
    (ILLUSIONBENCH, SILHOUETTE, "Cat\nThe"),
    (EYE, LETTER, "K because"),
)


def _own(protocols: Any) -> Any:
    return next(protocols[name] for name in ("robust", "strict", "threshold") if name in protocols)


@pytest.mark.parametrize(("protocols", "sample", "reply"), CUT)
def test_reasoning_that_was_cut_is_no_answer(protocols: Any, sample: Sample, reply: str) -> None:
    mark = mark_reply(_own(protocols), sample, reply, "length")
    assert mark.outcome is Outcome.TRUNCATED
    assert not any(mark.metrics.values())


@pytest.mark.parametrize(("protocols", "sample", "reply"), ANSWERED)
def test_an_answer_before_the_cut_counts(protocols: Any, sample: Sample, reply: str) -> None:
    assert mark_reply(_own(protocols), sample, reply, "length").outcome is Outcome.CORRECT
