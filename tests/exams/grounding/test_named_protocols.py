"""Protocols named after somebody mark as their code does, on generated replies and predictions.

The cases are ours, made from a seed. What the others say of them was recorded once, one character a case: `+` right, `-` wrong,
`x` a wrong format. It is not run here. (`osworld-g`: test_osworld_g.py.)
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from snellen.core.types import Sample
from snellen.exams.grounding.exam import EXAM
from snellen.exams.grounding.marking.screenspot import correctness
from snellen.exams.grounding.reading.predictions import Prediction, to_text

SIGNS = {"correct": "+", "wrong": "-", "wrong_format": "x"}
COUNT = 900


class Case(NamedTuple):
    """A target (corners in pixels) on a screen of some size, what was said of it, and for openadapt the boxes' texts."""

    size: tuple[int, int]
    box: tuple[float, ...]
    reply: str = ""
    point: tuple[float, float] | None = None
    found: tuple[float, ...] | None = None
    texts: tuple[str | None, str | None] = (None, None)


def seeclick(seed: int = 1, count: int = COUNT) -> Iterator[Case]:
    """Replies as SeeClick and Qwen-VL give them: fractions, boxes in thousandths, and what is neither."""
    dice = random.Random(seed)
    for _ in range(count):
        size, box = _target(dice)
        x, y = dice.uniform(box[0] - 9, box[2] + 9) / size[0], dice.uniform(box[1] - 9, box[3] + 9) / size[1]
        corners = [max(0, int(1000 * v / s)) for v, s in zip(box, (*size, *size), strict=True)]
        a, b, c, d = corners
        yield Case(
            size,
            box,
            dice.choice(
                (
                    *(f"({x:.2f},{y:.2f})", f"({x:.3f}, {y:.3f})", f"click ({x:.4f}, {y:.4f})", f"{x:.3f} {y:.3f}"),
                    f"<ref>it</ref><box>({a},{b}),({c},{d})</box>",
                    *(f"({x - 0.01:.3f},{y - 0.01:.3f},{x + 0.01:.3f},{y + 0.01:.3f})", f"the box ({x:.2f},{y:.2f})"),
                    *(
                        "no idea",
                        f"1. ({x:.2f}, {y:.2f})",
                        f"({x * size[0]:.0f}, {y * size[1]:.0f})",
                        f"-{x:.2f}, {y:.2f}",
                    ),
                    f"<box>({a}, {b}), ({c}, {d})</box>",
                )
            ),
        )


def pro(seed: int = 2, count: int = COUNT) -> Iterator[Case]:
    """Points inside, beside and exactly on the edges, and none."""
    dice = random.Random(seed)
    for _ in range(count):
        size, box = _target(dice)
        x = dice.choice((box[0], box[2], box[0] - 1, box[2] + 1, dice.uniform(box[0] - 9, box[2] + 9)))
        y = dice.choice((box[1], box[3], dice.randint(int(box[1]), int(box[3])), dice.uniform(box[1] - 9, box[3] + 9)))
        yield Case(size, box, point=None if dice.random() < 0.1 else (x / size[0], y / size[1]))


def openadapt(seed: int = 3, count: int = COUNT) -> Iterator[Case]:
    """Points, and detections with texts, near the target."""
    dice = random.Random(seed)
    for i in range(count):
        size, (x1, y1, x2, y2) = _target(dice)
        wide, high = x2 - x1, y2 - y1
        x, y = dice.uniform(x1 - 60, x2 + 60), dice.uniform(y1 - 60, y2 + 60)
        if i % 2:
            yield Case(size, (x1, y1, x2, y2), point=(x / size[0], y / size[1]))
            continue
        dx, dy, bigger = dice.uniform(-wide, wide), dice.uniform(-high, high), dice.uniform(0.4, 1.8)
        found = (x1 + dx, y1 + dy, x1 + dx + wide * bigger, y1 + dy + high * bigger)
        texts = dice.choice((None, "", "save", "Save ", "as", "x")), dice.choice((None, "", "Save", "Save As"))
        yield Case(size, (x1, y1, x2, y2), found=found, texts=texts)


def _target(dice: random.Random) -> tuple[tuple[int, int], tuple[float, ...]]:
    size = dice.choice(((1920, 1080), (3840, 2160), (1170, 2532), (997, 731)))
    x, y = dice.randint(0, size[0] - 80), dice.randint(0, size[1] - 80)
    return size, (x, y, x + dice.randint(6, 70), y + dice.randint(6, 70))


def marked(protocol: str, case: Case) -> str:
    """What Snellen says of a case."""
    (width, height), reply = case.size, case.reply
    if not reply and case.found is not None:
        x1, y1, x2, y2 = case.found
        middle = ((x1 + x2) / 2, (y1 + y2) / 2)
        said = Prediction(
            method="m", status="found", size=case.size, point=middle, box=(x1, y1, x2, y2), text=case.texts[0]
        )
        reply = to_text(said)
    elif not reply and case.point is not None:
        at = case.point[0] * width, case.point[1] * height
        reply = to_text(Prediction(method="m", status="found", size=case.size, point=at))
    elif not reply:
        reply = to_text(Prediction(method="m", status="unparsable", size=case.size))
    facts = {"width": width, "height": height, "text": case.texts[1]}
    sample = Sample(id="a", tags={}, truth={"boxes": [list(case.box)], "absent": False}, facts=facts)
    verdict = EXAM.protocols[protocol].judge(reply, sample)
    return SIGNS[correctness("found" if verdict.readable else "unparsable", verdict.correct)]


FACTS = {
    "screenspot": (
        "-x-x--xx------x-++++xx---+x-x-+x----+++-xx+-+x+---x-+------x-x+x--+xx++x--+-x++xx-x-+--xx---x+------"
        "xx+xxx+-x-x++-x-+xx-x-x--+++x----x-xx-+x+++x+-x-xx-xxx++-x-+-+-+-+x--x-+x+-xx--+++x-+x++-+-xx+--x-+-"
        "x+x--x-+++x-x-xx+----xx+x-++-xx-x+---x-xxx---x+x-x++x--+x+xxx-x-x-+---xx-x+----+-xx++xx--+x+-+--x-x-"
        "-x-+++-x-x-x-x+x----x+++xxx-++x-++----+--++----x++---x+x--x-+--xxx+--xx-++-+x--x-xxxxxx+x++x---x-xxx"
        "x--x-+----++-xx-+-x-x++xx--x+xx--+-x+--x-x--x--+++-+++-x-+-xxxxxx--xx--xx-x--x+--xx--+x-x+--+-+x-x-+"
        "+-x-x---x---x+-+-x+-+x+-+-+x++++-+----x---x+--x--x+-+--xx-x+---+-+--x---+-xx+xx++xx+--x-+++x+--+-xx-"
        "xx-xx+xxx-x-+-x----x-x-+-----+--x--xx-+-------+x--x+-xxxx-+x-+-xx-xx+----x-xx--xx+------xx-++x--x+-+"
        "+x-x-+x-+x-+x-+x-+x+--x+-+x++--++x-x---x---x-x--x+x---x+xx---+x+x------x-x++x--x+x-++-x---x-x-xx+x--"
        "-++---+xxx-x----x+xx--x-++-++x+xxxx--xxxx--x-+xx-x---+--++xx-+x+-x--x---x-+-x++--x---+xx---+-----+-+"
    ),
    "screenspot-pro": (
        "--++--++x++++-++-++-x++--+-+--+++-xxx+x-----xx-++-++--+--+-+++---++++--x--x+---+-------+x-+++++----+"
        "-++--+x--+---+----xx-+-+-+-+++xx+++++--+-x++xx-++x++x+--+-+-++-+--++-+++-x----+x+--+++-+++++----+-+-"
        "--+-+-+x-++-+----x-+-+-+++--++++x-+-+x++++--+--+++-++--++--+++++-++--+-+---x--+++--+--++-++x----++-+"
        "++++--+++++-+-+x-+--xx+-+-+---x+++x+++--++-+-+xx--+++-++x--+----+-+---+--+----x++-+++-+++++----x--++"
        "x---x++--+--+-x--+--+-++++-+x+--+x------++--++-+---+-x---+--+--++++++----+---+++--+---+---x++++-+-x-"
        "-++++-++--+x---+x++x+-x-+-+--+x++----+---++-++-+x+-----+-+-++-+++-+-x--++--+-+--+-----+-x-++-++----+"
        "-+---+++-+x+-++--++-x---+-+x+-+---+xxx+x+-x-+x+++x-+++---+----+--+-+--+-x++++++++-+---+++-+++xx+-+--"
        "-++--+x+-+--++--++---+-+--+x+------+-++--x+++++x+----++-++---+x+-x--xx+--++x-++x--++x-++x-++--x++--+"
        "+++-+x+-------++-+-+x+-+-++---+--+-x--+-+--+-+-+-+-++-+--+---++--+--+----+x++-+-++---+--++-x--+x++-x"
    ),
    "openadapt": (
        "----++--+----++++--+-+--+-+-+--+++-+-++--+---+---+-+---+-+-+-+---+-+-+-+---------+--+--+--+-+--+--+-"
        "---+--------++--+-----+----++--++--+-+-+---+-+-+--+--+---+-++------+--++++--+------------------+----"
        "-++--++-+++-+----+---------+--+-----++-+---+--+---+---++----+-+-+++---+-++-+---+-+----+--+++--+-+---"
        "---------------+--+--+-+-++----+++-+---------+-+----+--+---+--++++--+--+--++++---+-+-++-++---+-+-+-+"
        "+--+---++-+---+--+------+----+---+++---+--+++-++-+--++-++-+-+--+-------+---+++-----+-----+--+-+----+"
        "++--------++-----+-++-+--+----+++--+---+-+-+-+---+------+--+--+---+---------+++-++-----+---+---+-+--"
        "++++--++---+++--++++++-+-+-++------++-+------+-------++--+----++-----+----++-------++---+--+--+++--+"
        "-++++--++-++-+++++--+--+++-++--+---+-+-+--++-+-+-+-----+-+---+-+---+----+--+-------+----++-+---+-++-"
        "+-+-----++-----+-----+---+++-+++-++--+--+---+++----+-+---+---+---+-+-+--+--++--++++++-+----+-++--+-+"
    ),
}
"""SeeClick (pretrain/process_utils.py) and ScreenSpot-Pro (eval_screenspot_pro.py), run; openadapt-grounding's two rules (2e9859e),
written a second time from its source, since the package could not be installed where this was recorded.
"""


@pytest.mark.parametrize("protocol", ["screenspot", "screenspot-pro", "openadapt"])
def test_marks_are_theirs(protocol: str) -> None:
    cases = {"screenspot": seeclick, "screenspot-pro": pro, "openadapt": openadapt}[protocol]
    assert "".join(marked(protocol, case) for case in cases()) == FACTS[protocol]
