"""`osworld-g` reads as lmms-eval reads.

The replies are ours, made from a seed. What lmms-eval's own code says of them was recorded once, as bits: it is not run here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.present.pages import report
from tests.support.marked_screens import replies as fractions
from tests.support.marked_screens import write_screens

import snellen as api
from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.exams.grounding.exam import EXAM

PROTOCOL = EXAM.protocols["osworld-g"]
SIZE = (1920, 1080)
TRUTHS: tuple[dict[str, Any], ...] = (
    {"boxes": [[400, 250, 520, 310]], "absent": False},
    {"boxes": [[400, 250, 520, 310]], "polygons": [[400, 250, 520, 250, 460, 310, 400, 310]], "absent": False},
    {"boxes": [], "absent": True},
)
FORMS = (
    "({x}, {y})", "[{x}, {y}]", "[{x} {y}]", "({x},{y})", "{x}, {y}", "{x} {y}", "x={x}, y={y}", '{{"x": {x}, "y": {y}}}',
    "X: {x}\nY: {y}", "<point>{x} {y}</point>", "<bbox>{a} {b} {c} {d}</bbox>", "< BBox id=1>{a},{b},{c},{d}< / bbox >",
    "<bbox>{x} {y}</bbox>", "[{a}, {b}, {c}, {d}]", "({a},{b}),({c},{d})", "box: {a} {b} {c} {d}", "{a} {b} {c} {d}",
    "Rectangle {a}, {b}, {c}, {d}", "a checkbox, {x} {y} {a} {b}", "at [{x}, {y}] on the 1920x1080 screen",
    "on the 1920x1080 screen at [{x}, {y}]", "Step 1 of 2: click the 3rd icon at [{x}, {y}]", "[{x}, {y}] or maybe [{a}, {b}]",
    "pyautogui.click(x={x}, y={y})", "max: 7, y: {y}, x: {x}", "{x}%, {y}%", "[{x}%, {y}%]", "the point ({x} , {y} )",
    "Action: click(start_box='({x},{y})')", "[[{x}, {y}]]", "{{'point': ({x}, {y})}}", "-", "no target", "{x}", "[{x}, {y}, {a}]",
)  # fmt: skip
FACTS = (
    "980180100136024c00c06000801836d86024d84c310081309b49069a48003b0c04d80830c260008063a03368001b0180188001026da60001"
    "361a4000030926226980836008c00124000806036000c060001810090368460602263b0020030c240348301801b0d80c74030d30c069261b"
    "00001b0c001b1180104100100134c0cc3627000402098080c8300000369b01061301869361b6808c30824024c061a4c44184930c26830020"
    "0049001a0d80824000800004c341b6130036d00d00834106044184180104100c04936030db6c06c36004c06830108820006006186026020d"
    "b4004d208240400061b6074c00040d84104120071c06800930108d00024804000101824846024120008800020181200180034c06d86db004"
    "61b08043a60311a4006d8e1809b4000936871906c20c208009201b6034c400349b0004986c20c30da6c64d80c00100c30da4000100db6da0"
    "da6006c30000046106180c30000830c309000001860441a0100988044900d8698c100c04c061a6134d20240d80d84c00230900124c700260"
    "04004d80026db08300209a0006000c36c001301a61309b0000d249849a01a0c36034876d811b1c06da0d36008024046981046da4d0020410"
    "8c40"
)
"""lmms-eval 75571cf, `osworld_g`: a bit a mark, 1,200 replies of seed 11 under the three truths."""


def replies(count: int, seed: int) -> Iterator[str]:
    """Replies in forms that models use: near the target, on its edges, as fractions, percents, negative, doubled, or nothing at all."""
    dice = random.Random(seed)
    for _ in range(count):
        x, y, a, b, c, d = _numbers(dice)
        form = dice.choice(FORMS)
        text = form.format(x=x, y=y, a=a, b=b, c=c, d=d)
        yield dice.choice(("", "", "", "Sure! ", "**Answer** ", "The box is here: ", "<think>(9, 9)</think>")) + text


def _numbers(dice: random.Random) -> tuple[str, ...]:
    kind = dice.randrange(8)
    x, y = dice.choice((400, 520, 460, dice.randint(390, 530))), dice.choice((250, 310, 280, dice.randint(240, 320)))
    if kind == 0:  # fractions
        return tuple(str(round(v, 4)) for v in (x / 1920, y / 1080, 0.2, 0.2, 0.28, 0.3))
    if kind == 1:  # percents' numbers
        return tuple(str(round(v, 2)) for v in (x / 19.2, y / 10.8, 20, 22, 27, 29))
    if kind == 2:
        x, y = dice.choice(((-1, -1), (-1, -1), (-5, -0.5), (-1, 0), (0, -1), (-100, 30)))
        return str(x), str(y), "-1", "-1", "-1", "-1"
    if kind == 3:
        return tuple(f"{v:.1f}" for v in (x, y, 400, 250, 519.9, 310))
    return tuple(str(v) for v in (x, y, x - 20, y - 8, x + 20, y + 8))


def sample(truth: dict[str, Any]) -> Sample:
    return Sample(id="a", tags={}, truth=truth, facts={"width": SIZE[0], "height": SIZE[1]})


def marks(count: int, seed: int) -> list[bool]:
    samples = [sample(truth) for truth in TRUTHS]
    return [PROTOCOL.judge(reply, one).correct for reply in replies(count, seed) for one in samples]


def test_marks_are_those_of_lmms_eval() -> None:
    facts = f"{int(FACTS, 16):0{4 * len(FACTS)}b}"
    assert "".join(str(int(right)) for right in marks(len(facts) // 3, 11)) == facts


@pytest.mark.parametrize(
    ("reply", "point"),
    [
        ("at [443, 281] on the 1920x1080 screen", [443, 281]),
        ("Step 1 of 2: click the 3rd icon at [443, 281]", [443, 281]),
        ("[443, 281] or maybe [900, 900]", [443, 281]),
        ("443 281 900 900", [443, 281]),
        ("box 400 250 486 312", [443, 281]),
        ("<bbox>400 250 486 312</bbox>", [443, 281]),
        ("0.25, 0.5", [480, 540]),
    ],
)
def test_the_points_of_the_finding(reply: str, point: list[float]) -> None:
    verdict = PROTOCOL.judge(reply, sample(TRUTHS[0]))
    assert verdict.reading["point"] == point


@pytest.mark.parametrize("reply", ["[-1, -1]", "(-5, -0.5)", "x=-3, y=-2"])
def test_both_numbers_negative_are_a_refusal(reply: str) -> None:
    assert mark_reply(PROTOCOL, sample(TRUTHS[2]), reply).outcome is Outcome.CORRECT
    assert mark_reply(PROTOCOL, sample(TRUTHS[0]), reply).outcome is Outcome.REFUSED
    assert mark_reply(PROTOCOL, sample(TRUTHS[2]), "[-1, 4]").outcome is Outcome.WRONG


def test_no_reply_is_slow() -> None:
    for piece in ("<bbox", "<bbox>", "x=1 ", "[1 ", "[1" + " " * 50, "<", "1", "< " * 3):
        PROTOCOL.judge(piece * (200_000 // len(piece)), sample(TRUTHS[0]))


def test_the_gallery_shows_what_the_protocol_read(tmp_path: Path) -> None:
    """It drew the reading of `click`, whatever protocol the verdict was of."""
    data, subject = write_screens(tmp_path / "set"), fractions(tmp_path / "replies.jsonl", "{:.4f}, {:.4f}", (1, 1))
    run = api.evaluate("grounding", model=subject, data=data, protocols=["osworld-g"], out=tmp_path / "runs")
    assert "Click at (350, 220)" in report(run, tmp_path=tmp_path).text
