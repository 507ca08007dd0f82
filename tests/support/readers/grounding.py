"""Grounding's reader of plain replies: one point, in words, brackets or tags."""

from __future__ import annotations

import random

from snellen.exams.grounding.reading.points import read_point
from tests.support.readers import Reader
from tests.support.wrapping import BARE, Topic

FORMS = (
    "({}, {})", "[{}, {}]", "({},{})", "x={}, y={}", "x: {}, y: {}", "<point>{} {}</point>", "(x={}, y={})", "click({}, {})", "[[{}, {}]]",
    "({}px, {}px)", "{}, {}", '{{"x": {}, "y": {}}}', '{{"point_2d": [{}, {}]}}', "pyautogui.click(x={}, y={})", "<|box_start|>({},{})<|box_end|>",
)  # fmt: skip
BECAUSE = ("the label says so", "that is the only icon with a floppy disk", "it stands beside the search field")
OF_OPTIONS = tuple(
    name
    for name in BARE
    if name.split()[0] in ("json", "yes", "task", "each") and name not in ("json corrected", "each denied")
)
"""Lists and tables of options, which do not fit a question for a point."""


def _point(rng: random.Random) -> tuple[int, int]:
    return rng.randint(2, 1919), rng.randint(2, 1079)


def topic(rng: random.Random) -> Topic:
    form, at = rng.choice(FORMS), _point(rng)
    others = [form.format(*_point(rng)) for _ in range(3)]
    return Topic((form.format(*at),), tuple(o for o in others if o != form.format(*at)), rng.choice(BECAUSE), about=at)


def read(reply: str, topic: Topic) -> tuple[float, ...] | None:
    return read_point(reply).numbers or None


def meant(topic: Topic) -> object:
    return topic.about


READERS = (Reader("grounding click", topic, read, meant, OF_OPTIONS),)
