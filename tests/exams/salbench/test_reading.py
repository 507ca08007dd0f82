"""What `robust` understands, and what no reader may do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.outcomes import mark_answer, mark_reply
from snellen.core.types import Answer, Failure, Outcome, Sample
from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.exams.salbench.reading import read_robust

P3, O3 = labels_of("P3"), labels_of("O3")

CASES = [
    ("Colour", P3, "color"),
    ("**Color**", P3, "color"),
    ("The hue.", P3, "color"),
    ("It's rotated", P3, "orientation"),
    ("bigger than the rest", P3, "size"),
    ("emphasized synthesized", P3, ""),
    ("Color, not size", P3, "color"),
    ("not color but orientation", P3, "orientation"),
    ("Not only color but also size", P3, "color size"),
    ("There is no difference in size or color; the orientation differs.", P3, "orientation"),
    ("The color, shape and size are the same, but the orientation is different.", O3, "orientation"),
    ("All objects have the same shape, size and color. One is tilted.", O3, "orientation"),
    ("differs in color, size is equal", P3, "color"),
    ("The color is not the same.", P3, "color"),
    ("Neither color nor size. Orientation!", P3, "orientation"),
    ("Color rather than size", P3, "color"),
    ("1. Color\n2. Shape", O3, "color shape"),
    ("- Color\n- Location", O3, "color location"),
    ('```json\n{"features": ["Color", "Pattern"]}\n```', O3, "color pattern"),
    ("Orientation, Color, Size were offered. The answer is: Size", P3, "size"),
    ("Given the list Orientation, Color, Size, the object differs in color.", P3, "color"),
    ("<think>maybe size? maybe color</think>Orientation", P3, "orientation"),
    ("Final answer: color and shape.", O3, "color shape"),
    ("The allocation of resources", O3, ""),
    ("Color/Size", P3, "color size"),
    ("color shape size", O3, "color shape size"),
    ("It is blurred and in another position", O3, "focus location"),
    ("Color, Shape, Pattern", P3, "color"),
    ("One of the identical circles differs in color.", P3, "color"),
    ("Among many similar objects one differs in size.", P3, "size"),
    ("All objects are the same except for color.", P3, "color"),
    ("There is no doubt the color differs.", P3, "color"),
    ("It doesn't match the others in color.", P3, "color"),
    ("One object does not have the same color as the others", P3, "color"),
    ("It does not differ in color or size but in orientation", P3, "orientation"),
    ("", P3, ""),
]


@pytest.mark.parametrize(("reply", "labels", "expected"), CASES, ids=[c[0][:40] for c in CASES])
def test_robust(reply: str, labels: tuple[str, ...], expected: str) -> None:
    assert read_robust(reply, labels) == frozenset(expected.split())


@given(st.text(max_size=300))
def test_no_reader_fails_on_any_text(text: str) -> None:
    sample = Sample(id="x", tags={"split": "O3"}, truth="Color, Shape")
    for protocol in PROTOCOLS.values():
        mark = mark_reply(protocol, sample, text)
        assert all(0 <= (v or 0) <= 1 for v in mark.metrics.values())


@given(st.lists(st.sampled_from(O3), min_size=1, max_size=7, unique=True))
def test_a_clean_list_is_read_alike_by_all(labels: list[str]) -> None:
    sample = Sample(id="x", tags={"split": "O3"}, truth=", ".join(x.title() for x in labels))
    for protocol in PROTOCOLS.values():
        mark = mark_reply(protocol, sample, ", ".join(x.title() for x in reversed(labels)))
        assert mark.reading == sorted(labels)
        assert mark.outcome is Outcome.CORRECT


def test_hostile_replies_do_not_stall_the_reader() -> None:
    for evil in (
        "color " * 20_000,
        "not " * 50_000 + "color",
        "the " * 50_000,
        "color, " * 20_000 + "are x",
        "a" * 300_000,
        "\n" * 300_000,
        "<think>" * 9_000,
    ):
        assert len(read_robust(evil, O3)) <= 1  # with unbounded repeats in its patterns this would take hours


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Answer(id="x", prompt="q", failure=Failure(kind="k", reason="r")), Outcome.ERROR),
        (Answer(id="x", prompt="q", text="Color"), Outcome.CORRECT),
        (Answer(id="x", prompt="q", text="Size"), Outcome.WRONG),
        (Answer(id="x", prompt="q", text="hmm"), Outcome.UNPARSABLE),
        (Answer(id="x", prompt="q", text=" "), Outcome.EMPTY),
        (Answer(id="x", prompt="q", text="", finish_reason="length"), Outcome.TRUNCATED),
        (Answer(id="x", prompt="q", text="Size", finish_reason="length"), Outcome.WRONG),
        (Answer(id="x", prompt="q", text="Color", finish_reason="length"), Outcome.CORRECT),
        (Answer(id="x", prompt="q", text="", finish_reason="content_filter"), Outcome.REFUSED),
        (Answer(id="x", prompt="q", text="blocked", refused=True), Outcome.REFUSED),
        (Answer(id="x", prompt="q", text="I'm sorry, I can't help with that."), Outcome.REFUSED),
    ],
)
def test_outcomes_are_told_apart(answer: Answer, outcome: Outcome) -> None:
    sample = Sample(id="x", tags={"split": "P3"}, truth="color")
    for protocol in PROTOCOLS.values():
        mark = mark_answer(protocol, sample, answer)
        assert mark.outcome is outcome
        if outcome not in (Outcome.CORRECT, Outcome.WRONG):
            assert set(mark.metrics.values()) == {0.0}
