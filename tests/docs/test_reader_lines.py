"""What salbench.md says of thinking and marking.md of refusals is what happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.exams.salbench.protocols import PROTOCOLS

DOCS = Path(__file__).parents[2] / "docs"
SAMPLE = Sample(id="x", tags={"split": "P3"}, truth="Color")


def said(page: str) -> str:
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    "reply", ["<think>color", "<think>size</think><think>color", "[THINK]color", "<reasoning>color"]
)
def test_unfinished_thinking_says_nothing(reply: str) -> None:
    assert "A reply that ends inside its thinking has said nothing." in said("salbench.md")
    assert mark_reply(PROTOCOLS["robust"], SAMPLE, reply).outcome is Outcome.UNPARSABLE


def test_thinking_before_the_answer_does_not_count() -> None:
    for reply in ("<think>size", "size", "<THINKING>size"):
        assert mark_reply(PROTOCOLS["robust"], SAMPLE, f"{reply}</think>Color").outcome is Outcome.CORRECT


def test_a_refusal_is_one_by_its_field_or_where_nothing_was_read() -> None:
    assert "A content filter or a refusal field always counts as a refusal." in said("marking.md")
    blocked = mark_reply(PROTOCOLS["robust"], SAMPLE, "Color", finish_reason="content_filter")
    assert blocked.outcome is Outcome.REFUSED
    assert set(blocked.metrics.values()) == {0.0}
    assert "\"I'm sorry, but it is color\" is correct under SalBench's `robust`" in said("marking.md")
    assert mark_reply(PROTOCOLS["robust"], SAMPLE, "I'm sorry, but it is color").outcome is Outcome.CORRECT
    assert mark_reply(PROTOCOLS["robust"], SAMPLE, "I'm sorry, I cannot tell.").outcome is Outcome.REFUSED


def test_protocols_of_others_read_the_raw_reply_but_no_thought_that_was_cut() -> None:
    assert mark_reply(PROTOCOLS["plan-v2"], SAMPLE, "<think>hm</think>color").outcome is Outcome.CORRECT
    assert mark_reply(PROTOCOLS["plan-v2"], SAMPLE, "<think>color").outcome is Outcome.UNPARSABLE
