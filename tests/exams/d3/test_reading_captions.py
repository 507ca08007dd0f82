"""Captions are found in tags, tables and labels, and never in unfinished thinking."""

from __future__ import annotations

import json

import pytest
from tests.support.captions import FORMS, NOTHING, generate, topic

from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome
from snellen.exams.d3.prompts import probes
from snellen.exams.d3.protocols import PROTOCOLS
from snellen.exams.d3.reading import read

A, B = "A dog sits on the grass.", "A dog stands on the road."
DRAFT = json.dumps({"left_image": A, "right_image": B})


@pytest.mark.parametrize(
    "start",
    [
        *("<think>", "<thinking>", "[THINK]", "<scratchpad>", "\u25c1think\u25b7", "<|begin_of_thought|>"),
        *("<|channel|>analysis<|message|>", "<think>" + "hm, " * 20_000),
    ],
    ids=lambda start: start[:20],
)
def test_captions_in_unfinished_thinking_were_not_said(start: str) -> None:
    assert read(start + DRAFT) is None
    for protocol in PROTOCOLS.values():
        assert mark_reply(protocol, probes()[0], start + DRAFT).outcome is Outcome.UNPARSABLE


@pytest.mark.parametrize(
    "reply",
    [
        f"<left_image>{A}</left_image><right_image>{B}</right_image>",
        f"| Left image | Right image |\n|---|---|\n| {A} | {B} |",
        f"| Image | Caption |\n|---|---|\n| Left | {A} |\n| Right | {B} |",
        f"Caption for the left image: {A}\nCaption for the right image: {B}",
        f"1. **Left image**: {A}\n2. **Right image**: {B}",
        f"### Left Image\n{A}\n\n### Right Image\n{B}",
        f"left_image: |\n  {A}\nright_image: |\n  {B}",
        f"Left image \u2013 {A}\nRight image \u2013 {B}",
        f"Image 1 (left): {A}\nImage 2 (right): {B}",
        json.dumps(DRAFT),
        f"[THINK]{json.dumps({'left_image': B, 'right_image': A})}[/THINK]Left image: {A}\nRight image: {B}",
    ],
)
def test_captions_are_read_as_they_were_said(reply: str) -> None:
    found = read(reply)
    assert found is not None
    assert found == (A, B)


def test_hardly_any_generated_reply_is_misread() -> None:
    misread = unparsable = answers = 0
    for said in generate(topic, 10 * (len(FORMS) + len(NOTHING)), seed=1):
        found = read(said.reply)
        assert said.means or found is None, said.reply[:200]
        answers += said.means
        unparsable += said.means and found is None
        misread += found is not None and [t.rstrip(".") for t in found] != [t.rstrip(".") for t in said.topic.answers]
    assert misread <= 0.01 * answers
    assert unparsable <= 0.05 * answers


def test_their_versions_were_raised() -> None:
    assert {p.version for p in PROTOCOLS.values()} == {"4"}
