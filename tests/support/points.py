"""Replies that name a point or a box, made from a seed: a form of the numbers, a sentence, a wrapper, a script of digits.

Every reply comes with its meaning. `None` means that it names no place: it was cut off, taken back, or is something else.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

Numbers = tuple[float, ...]


class Made(NamedTuple):
    """A reply, its meaning, and how it was made."""

    reply: str
    numbers: Numbers | None
    how: str


POINTS = (
    "({x}, {y})", "({x},{y})", "[{x}, {y}]", "[{x},{y}]", "[[{x}, {y}]]", "( {x} , {y} )", "({x} {y})", "[{x} {y}]", "({x}; {y})",
    "x={x}, y={y}", "x = {x}, y = {y}", "X: {x}, Y: {y}", "x: {x}\ny: {y}", "x={x} and y={y}", "y={y}, x={x}", "(x={x}, y={y})",
    "(x: {x}, y: {y})", "({x}px, {y}px)", "x: {x}px, y: {y}px", "x-coordinate: {x}, y-coordinate: {y}", "X = {x}; Y = {y}",
    '{{"x": {x}, "y": {y}}}', '{{"y": {y}, "x": {x}}}', "{{'x': {x}, 'y': {y}}}", "{{x: {x}, y: {y}}}", '{{"point": [{x}, {y}]}}',
    '{{"point_2d": [{x}, {y}], "label": "Save"}}', '[{{"point_2d": [{x}, {y}]}}]', '{{"coordinate": [{x}, {y}]}}',
    '{{"action": "left_click", "coordinate": [{x}, {y}]}}', '{{"answer": {{"x": {x}, "y": {y}}}}}', '{{"x": "{x}", "y": "{y}"}}',
    '{{"point": "{x}, {y}"}}', '{{"reason": "it says Save", "click": {{"x": {x}, "y": {y}}}, "confidence": 0.9}}',
    '{{"coordinates": {{"x": {x}, "y": {y}}}}}', "<point>{x} {y}</point>", "<point>{x}, {y}</point>", "<point>({x}, {y})</point>",
    '<point x="{x}" y="{y}">Save</point>', "<point x='{x}' y='{y}' />", '<point x="{x}" y="{y}" alt="Save">Save</point>',
    "<|box_start|>({x},{y})<|box_end|>", "<click>{x}, {y}</click>", "<x>{x}</x><y>{y}</y>", "<coordinate>[{x}, {y}]</coordinate>",
    "click({x}, {y})", "pyautogui.click({x}, {y})", "pyautogui.click(x={x}, y={y})", "pyautogui.moveTo({x}, {y}, duration=0.5)",
    "click(start_box='({x},{y})')", "click(point='<point>{x} {y}</point>')", "left_click(coordinate=[{x}, {y}])", "tap({x}, {y})",
)  # fmt: skip
BOXES = (
    "[{a}, {b}, {c}, {d}]", "({a},{b},{c},{d})", "({a},{b}),({c},{d})", "<|box_start|>({a},{b}),({c},{d})<|box_end|>",
    "<bbox>{a} {b} {c} {d}</bbox>", "<box>{a}, {b}, {c}, {d}</box>", '{{"bbox_2d": [{a}, {b}, {c}, {d}]}}',
    '{{"bbox": [{a}, {b}, {c}, {d}], "label": "Save"}}', '{{"x1": {a}, "y1": {b}, "x2": {c}, "y2": {d}}}',
    "xmin={a}, ymin={b}, xmax={c}, ymax={d}", "x1={a}, y1={b}, x2={c}, y2={d}", "left: {a}, top: {b}, right: {c}, bottom: {d}",
    '{{"xmin": {a}, "ymin": {b}, "xmax": {c}, "ymax": {d}}}', '{{"left": {a}, "top": {b}, "right": {c}, "bottom": {d}}}',
    '{{"x": {a}, "y": {b}, "width": {w}, "height": {h}}}', "[[{a}, {b}], [{c}, {d}]]", "bounding box: {a}, {b}, {c}, {d}",
)  # fmt: skip
BARE = ("{x}, {y}", "{x},{y}", "{x} {y}", "{x}px, {y}px", "{x} , {y}")
SENTENCES = (
    "{p}", "{p}.", "{p}\n", "Answer: {p}", "The answer is {p}.", "Final answer: {p}", "**{p}**", "`{p}`", '"{p}"', "Coordinates: {p}",
    "The target is at {p}.", "Click at {p}", "I would click {p} to save the file.", "Sure! Here it is: {p}", "Click point: {p}",
    "The center of the element is {p}.", "Based on the screenshot, the button is located at {p}.", "The 3rd button is at {p}.",
    "Step 1 of 2: click {p}", "On the 1920x1080 screen: {p}", "{p} is where the Save button is.", "{p}\n\nThis is the Save button.",
    "{p} \u2014 the Save button", "- {p}", "> {p}", "# Answer\n{p}", "1. {p}", "The screenshot is 1920 x 1080 pixels. {p}",
    "I found it:\n\n{p}\n\nLet me know if you need more.", "Position \u2192 {p}", "CLICK {p}", "The button's location: {p}",
    "There are 2 buttons; the right one is at {p}.",
)  # fmt: skip
BARE_SENTENCES = (
    "{p}", "{p}.", "Answer: {p}", "**{p}**", "Coordinates: {p}", "The coordinates are {p}.", "Click at {p}", "Point: {p}", "Position: {p}",
    "The answer is {p}", "`{p}`", "Location: {p}", "<answer>{p}</answer>", "\\boxed{{{p}}}", "Sure! {p}",
)  # fmt: skip
WRAPPERS = (
    "{p}", "{p}", "{p}", "<think>Maybe {o}? No.</think>{p}", "<think>first {o}</think>\n\n{p}", "<thinking>{o}</thinking> {p}",
    "hmm {o}, no</think>{p}", "<reasoning>It looks like {o}</reasoning>{p}", "```\n{p}\n```", "```json\n{p}\n```", "```python\n{p}\n```",
    "<answer>{p}</answer>", "<answer>\n{p}\n</answer>", "Thought: maybe {o}, no.\nAction: {p}", "Action: {p}", "$\\boxed{{{p}}}$",
    "\\boxed{{{p}}}", "<tool_call>\n{p}\n</tool_call>", "I first thought of {o}. Answer: {p}", "Assistant: {p}", "{p}<|im_end|>",
    "{p}</s>", "<|channel|>analysis<|message|>{o}<|end|><|start|>assistant<|channel|>final<|message|>{p}<|return|>",
    "\u25c1think\u25b7{o}\u25c1/think\u25b7{p}", "<final_answer>{p}</final_answer>", "Okay. {p}", "**Final answer:** {p}", "\n\n  {p}  \n",
    "&lt;think&gt;{o}&lt;/think&gt;{p}",
)  # fmt: skip
TURNS = (
    "{o}. No, wait, {p}", "{o}. Actually, {p}", "{o}... wait, that's wrong. {p}", "{o}. Correction: {p}", "not {o} but {p}", "{p}, not {o}",
    "Not {o}. {p}", "It is not at {o}, it is at {p}.", "{p} rather than {o}", "{p} instead of {o}", "Don't click {o}. Click {p}.",
    "{o} is wrong. {p}", "{o}? No. {p}", "I said {o}, sorry, I meant {p}", "{o}. Scratch that: {p}", "~~{o}~~ {p}",
    "{o} is not the button; {p}", "Rather than {o}, click {p}", "{o}. Oops, {p}", "{o}. Let me correct that: {p}",
)  # fmt: skip
NOTHING = (
    "<think>It is at {p}", "<thinking>So {p}", "{p}, so", "The toolbar is at {p}, but", "{p} and", "either {o} or {p}", "{o} or {p}",
    "It is not at {p}.", "{p} is wrong.", "{p}. No, wait", "{p}? That's not right.", "Thought: it is at {p}", "{p} is the toolbar and the",
    "{o}\n{p}", "drag(start_box='({x},{y})', end_box='(7,8)')", "Action: scroll(point='<point>{x} {y}</point>', direction='down')",
    "It is anywhere but not at {p}", "[{p}", "<think>{o}</think>I cannot say, {p} is not it.", "<|channel|>analysis<|message|>{p}",
)  # fmt: skip
CUT = (
    "({x}, {y}", "[{x}, {y}", '{{"x": {x}, "y": {y}', '{{"point_2d": [{x}, {y}', "<point>{x} {y}", "<point>{x} {y}</po", "click(x={x}, y={y}",
    "pyautogui.click({x}, {y}", "(x={x}, y={y}", "<bbox>{a} {b} {c}", "[{a}, {b}, {c}, {d}", "```json\n{{\"x\": {x}, \"y\": {y}", "({x},",
    "The button is at ({x}, {y}", "Action: click(start_box='({x},{y}",
)  # fmt: skip
SCRIPTS = (
    *("0123456789",) * 8,
    "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19",
    "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669",
    "\u0966\u0967\u0968\u0969\u096a\u096b\u096c\u096d\u096e\u096f",
)
WIDE = str.maketrans("(),[]:=", "\uff08\uff09\uff0c\uff3b\uff3d\uff1a\uff1d")


def replies(count: int, seed: int) -> Iterator[Made]:
    """Yield an even mix: plain forms, bare numbers, boxes, corrections, negations, replies without an answer, replies that were cut."""
    dice = random.Random(seed)
    for i in range(count):
        yield (_plain, _plain, _plain, _bare, _box, _turn, _nothing, _cut)[i % 8](dice)


def _place(dice: random.Random) -> dict[str, str]:
    x, y = dice.randint(2, 1900), dice.randint(2, 1060)
    w, h = 2 * dice.randint(5, 60), 2 * dice.randint(5, 30)
    if dice.random() < 0.15:
        return {
            "x": f"{x}.5",
            "y": f"{y}.25",
            "a": str(x),
            "b": str(y),
            "c": str(x + w),
            "d": str(y + h),
            "w": str(w),
            "h": str(h),
        }
    return {k: str(v) for k, v in {"x": x, "y": y, "a": x, "b": y, "c": x + w, "d": y + h, "w": w, "h": h}.items()}


def _point(place: dict[str, str]) -> Numbers:
    return float(place["x"]), float(place["y"])


def _dressed(dice: random.Random, text: str) -> str:
    """Return the text, now and then in another script of digits, full-width brackets, or capitals; JSON, code and tags keep their signs."""
    marked = any(sign in text for sign in '"<{`\\')
    script = dice.choice(SCRIPTS)
    if script != SCRIPTS[0] and not (marked and '"' in text):
        text = text.translate(str.maketrans("0123456789", script))
    if not marked and dice.random() < 0.08:
        text = text.translate(WIDE)
    if not marked and dice.random() < 0.05:
        text = text.upper()
    return text


def _plain(dice: random.Random) -> Made:
    place, other = _place(dice), _place(dice)
    form, sentence, wrapper = dice.choice(POINTS), dice.choice(SENTENCES), dice.choice(WRAPPERS)
    said = sentence.format(p=form.format(**place))
    text = wrapper.format(p=said, o=dice.choice(POINTS[:8]).format(**other))
    return Made(_dressed(dice, text), _point(place), f"{form} | {sentence} | {wrapper}")


def _bare(dice: random.Random) -> Made:
    place = _place(dice)
    form, sentence = dice.choice(BARE), dice.choice(BARE_SENTENCES)
    return Made(_dressed(dice, sentence.format(p=form.format(**place))), _point(place), f"{form} | {sentence}")


def _box(dice: random.Random) -> Made:
    place = _place(dice)
    form, sentence = (
        dice.choice(BOXES),
        dice.choice(("{p}", "{p}.", "Answer: {p}", "```json\n{p}\n```", "<think>hm</think>{p}", "The box is {p}")),
    )
    text = sentence.format(p=form.format(**place))
    return Made(_dressed(dice, text), tuple(float(place[k]) for k in "abcd"), f"{form} | {sentence}")


def _turn(dice: random.Random) -> Made:
    place, other = _place(dice), _place(dice)
    while other["x"] == place["x"]:
        other = _place(dice)
    form, turn = dice.choice(POINTS), dice.choice(TURNS)
    same = form if dice.random() < 0.5 else dice.choice(POINTS[:8])
    return Made(turn.format(p=form.format(**place), o=same.format(**other)), _point(place), f"{form} | {same} | {turn}")


def _nothing(dice: random.Random) -> Made:
    place, other = _place(dice), _place(dice)
    while other["x"] == place["x"]:
        other = _place(dice)
    form, said = dice.choice(POINTS[:8]), dice.choice(NOTHING)
    text = said.format(p=form.format(**place), o=form.format(**other), **place)
    return Made(text, None, f"{form} | {said}")


def _cut(dice: random.Random) -> Made:
    place = _place(dice)
    form = dice.choice(CUT)
    return Made(form.format(**place), None, form)
