"""`robust` reads maps and lists of yes and no, and never unfinished thinking."""

from __future__ import annotations

import pytest

from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.exams.salbench.reading import read_robust

P3 = labels_of("P3")
MEANT = [
    ("<think>Maybe it is color", ""),
    ("<thinking>The color differs. Answer: color", ""),
    ("<|channel|>analysis<|message|>It is the color", ""),
    ("hmm color</think>Size", "size"),
    ("<THINK>color</THINK>Size", "size"),
    ('{"Color": true, "Size": false}', "color"),
    ('{"answer": {"Color": "no", "Orientation": "no", "Size": "yes"}}', "size"),
    ("Color: Yes, Size: No", "color"),
    ("Color: No\nOrientation: No\nSize: Yes", "size"),
    ("| Feature | Different |\n|---|---|\n| Color | Yes |\n| Size | No |\n| Orientation | No |", "color"),
    ("| Color | Size | Orientation |\n|---|---|---|\n| Yes | No | No |", "color"),
    ("- [x] Color\n- [ ] Size\n- [ ] Orientation", "color"),
    ("Color. No, wait, size.", "size"),
    ("Color... scratch that, orientation", "orientation"),
    ("I don't think it is color; I think it's size", "size"),
    ("Color or size", ""),
    ("I cannot tell if it is color or size.", ""),
    ("It is color. It is not color.", ""),
    ("The options are: Color, Orientation, Size.", ""),
    ("Color\n\nThe orientation of the bars is vertical.", "color"),
    ("\uff23\uff4f\uff4c\uff4f\uff52", "color"),
]


@pytest.mark.parametrize(("reply", "meant"), MEANT)
def test_only_what_was_said_is_read(reply: str, meant: str) -> None:
    assert read_robust(reply, P3) == frozenset(meant.split())


@pytest.mark.parametrize("finish", [None, "length", "stop"])
def test_unfinished_thinking_is_never_correct(finish: str | None) -> None:
    sample = Sample(id="x", tags={"split": "P3"}, truth="Color")
    mark = mark_reply(PROTOCOLS["robust"], sample, "<think>Maybe it is color", finish)
    assert mark.outcome is (Outcome.TRUNCATED if finish == "length" else Outcome.UNPARSABLE)
    assert set(mark.metrics.values()) == {0.0}


def test_its_version_was_raised() -> None:
    assert PROTOCOLS["robust"].version == "3"


@pytest.mark.parametrize(
    "reply", ["Color | Yes", "Color | Yes\nSize | No\nOrientation | No", "| Color | yes |", "|", "Color |", "yes | no"]
)
def test_bars_without_a_table_never_end_a_run(reply: str) -> None:
    assert read_robust(reply, ("orientation", "color", "size")) in (frozenset(), frozenset({"color"}))
