"""Replies to D3's prompt with a known meaning, from a seed: two captions in every form that models use, or none.

As in `wrapping`: a form, thinking and special tokens around it, and forms without an answer. `Topic.answers` are the captions in the
order of the pictures, `Topic.others` captions that are not meant (a draft).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence

from tests.support.wrapping import AROUND, Said, Topic

CAPTIONS = (
    "A brown dog sits on the grass next to a red ball.",
    "A brown dog stands on the grass and looks to the left.",
    "Two children fly a kite, and the smaller one wears a hat.",
    "The sign says \"STOP\"; a man waits behind it.",
    "The dog's tail is up, its mouth is closed.",
    "3 cups of coffee: one is empty, two are full.",
    "A woman with a blue umbrella crosses the street at night",
    "The train is at the right platform - its doors are open.",
    "A kitchen with white cupboards; the window is closed and there's a plant.",
    "Caf\u00e9 table with four chairs, no people, and a yellow wall.",
    "The same scene, but the bicycle leans against the other wall (near the door).",
    "He has 50% of the cake left on his plate.",
)  # fmt: skip
Form = Callable[[str, str, random.Random], str]


def _pair(left: str, right: str, keys: tuple[str, str] = ("left_image", "right_image")) -> dict[str, str]:
    return dict(zip(keys, (left, right), strict=True))


def _dumped(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _keyed(*keys: str) -> Form:
    return lambda a, b, _r: _dumped(_pair(a, b, (keys[0], keys[1])))


def _lines(template: str) -> Form:
    return lambda a, b, _r: template.replace("A!", a).replace("B!", b)


def _around(template: str) -> Form:
    return lambda a, b, r: template.replace("J!", _dumped(_pair(a, b), r.choice((None, 2, 4))))


FORMS: dict[str, Form] = {
    "json": _around("J!"),
    "fence": _around("```json\nJ!\n```"),
    "fence upper": _around("```JSON\nJ!\n```"),
    "fence without language": _around("```\nJ!\n```"),
    "fence python": _around("```python\nJ!\n```"),
    "sure": _around("Sure! Here are the captions:\n\n```json\nJ!\n```\n\nLet me know if you need anything else."),
    "prose first": _around("The two images differ in several ways: the colors and the place.\n\nJ!"),
    "answer tag": _around("<answer>J!</answer>"),
    "answer tag fenced": _around("<answer>\n```json\nJ!\n```\n</answer>"),
    "begin of box": _around("<|begin_of_box|>J!<|end_of_box|>"),
    "final answer": _around("Final answer: J!"),
    "bold lead": _around("**Answer:**\n\nJ!"),
    "quoted": lambda a, b, _r: _dumped(_dumped(_pair(a, b))),
    "ascii json": lambda a, b, _r: json.dumps(_pair(a, b)),
    "other order": lambda a, b, _r: _dumped(dict(reversed(_pair(a, b).items()))),
    "python dict": lambda a, b, _r: str(_pair(a, b)),
    "difference first": lambda a, b, _r: _dumped({"difference": "the pose of the dog", **_pair(a, b)}),
    "nested": lambda a, b, _r: _dumped({"captions": _pair(a, b)}, 2),
    "nested captions": lambda a, b, _r: _dumped({"left_image": {"caption": a}, "right_image": {"caption": b}}),
    "nested with features": lambda a, b, _r: _dumped({"left_image": {"caption": a, "confidence": 0.9}, "right_image": {"caption": b, "confidence": 0.8}}),
    "list of objects": lambda a, b, _r: _dumped([{"left_image": a}, {"right_image": b}]),
    "list of named": lambda a, b, _r: _dumped([{"image": "left", "caption": a}, {"image": "right", "caption": b}]),
    "list of numbered": lambda a, b, _r: _dumped([{"image": 1, "caption": a}, {"image": 2, "caption": b}]),
    "two fences": lambda a, b, _r: f"```json\n{_dumped({'left_image': a})}\n```\n```json\n{_dumped({'right_image': b})}\n```",
    "draft": lambda a, b, r: f"{_dumped(_pair(r.choice(CAPTIONS), r.choice(CAPTIONS)))}\n\nOn second thought, more precisely:\n\n{_dumped(_pair(a, b))}",
    "template echoed": lambda a, b, _r: f'Format: {{"left_image": "...", "right_image": "..."}}\n\n{_dumped(_pair(a, b))}',
    "short keys": _keyed("left", "right"),
    "capital keys": _keyed("Left_Image", "Right_Image"),
    "upper keys": _keyed("LEFT_IMAGE", "RIGHT_IMAGE"),
    "spaced keys": _keyed("Left Image", "Right Image"),
    "hyphen keys": _keyed("left-image", "right-image"),
    "camel keys": _keyed("leftImage", "rightImage"),
    "caption keys": _keyed("left_image_caption", "right_image_caption"),
    "caption first keys": _keyed("caption_left", "caption_right"),
    "numbered keys": _keyed("image1", "image2"),
    "numbered captions": _keyed("caption_1", "caption_2"),
    "lettered keys": _keyed("image_a", "image_b"),
    "ordinal keys": _keyed("first_image", "second_image"),
    "no braces": lambda a, b, _r: f'"left_image": {_dumped(a)},\n"right_image": {_dumped(b)}',
    "trailing comma": lambda a, b, _r: _dumped(_pair(a, b))[:-1] + ",}",
    "no closing brace": lambda a, b, _r: _dumped(_pair(a, b))[:-1],
    "single quotes": lambda a, b, _r: f"{{'left_image': '{a}', 'right_image': '{b}'}}",
    "unescaped quotes": lambda a, b, _r: f'{{"left_image": "{a}", "right_image": "{b}"}}',
    "bare keys": lambda a, b, _r: f"{{left_image: {_dumped(a)}, right_image: {_dumped(b)}}}",
    "curly quotes": lambda a, b, _r: f"{{\u201cleft_image\u201d: \u201c{a}\u201d, \u201cright_image\u201d: \u201c{b}\u201d}}",
    "labelled lines": _lines("Left image: A!\nRight image: B!"),
    "labelled paragraphs": _lines("Left image: A!\n\nRight image: B!"),
    "bold labels": _lines("**Left Image:** A!\n\n**Right Image:** B!"),
    "bold labels outside": _lines("**Left Image**: A!\n**Right Image**: B!"),
    "caption labels": _lines("Left image caption: A!\nRight image caption: B!"),
    "caption for labels": _lines("Caption for the left image: A!\nCaption for the right image: B!"),
    "snake labels": _lines("left_image: A!\nright_image: B!"),
    "bullets": _lines("- Left image: A!\n- Right image: B!"),
    "bold bullets": _lines("* **Left image:** A!\n* **Right image:** B!"),
    "numbered bullets": _lines("1. **Left image**: A!\n2. **Right image**: B!"),
    "short labels": _lines("Left: A!\nRight: B!"),
    "numbered labels": _lines("Image 1: A!\nImage 2: B!"),
    "numbered labels with sides": _lines("Image 1 (left): A!\nImage 2 (right): B!"),
    "headings": _lines("**Left Image**\nA!\n\n**Right Image**\nB!"),
    "hash headings": _lines("### Left Image\nA!\n\n### Right Image\nB!"),
    "hash headings with colon": _lines("## Left Image:\n\nA!\n\n## Right Image:\n\nB!"),
    "dashes": _lines("Left image \u2013 A!\nRight image \u2013 B!"),
    "sides": _lines("The image on the left: A!\nThe image on the right: B!"),
    "sides in brackets": _lines("(Left) A!\n(Right) B!"),
    "assignments": lambda a, b, _r: f"left_image = {_dumped(a)}\nright_image = {_dumped(b)}",
    "numbered caption labels": _lines("Caption 1: A!\nCaption 2: B!"),
    "labels in a tag": _lines("<answer>Left image: A!\nRight image: B!</answer>"),
    "html quotes": lambda a, b, _r: _dumped(_pair(a, b)).replace('"', "&quot;"),
    "quoted captions": _lines('Left image: "A!"\nRight image: "B!"'),
    "yaml block": _lines("left_image: |\n  A!\nright_image: |\n  B!"),
    "yaml fence": _lines("```yaml\nleft_image: A!\nright_image: B!\n```"),
    "xml": _lines("<left_image>A!</left_image>\n<right_image>B!</right_image>"),
    "xml short": _lines("<captions>\n  <left>A!</left>\n  <right>B!</right>\n</captions>"),
    "table by rows": _lines("| Image | Caption |\n| --- | --- |\n| Left | A! |\n| Right | B! |"),
    "table by columns": _lines("| Left image | Right image |\n|---|---|\n| A! | B! |"),
    "intro and labels": _lines("Here are discriminant captions.\n\n**Left image:** A!\n\n**Right image:** B!\n\nThese captions highlight the distinct features."),
}  # fmt: skip

NOTHING: dict[str, Form] = {
    **{
        f"cut in {name}": _around(f"{tag}The captions may be J!")
        for name, tag in {
            "think": "<think>", "thinking": "<thinking>\n", "upper": "<THINK>", "reasoning": "<reasoning>", "bracket": "[THINK]",
            "kimi": "\u25c1think\u25b7", "thought": "<|begin_of_thought|>", "channel": "<|channel|>analysis<|message|>", "scratchpad": "<scratchpad>",
            "long": "<think>" + "Let me look at both images again. " * 2000,
        }.items()
    },
    "left only": lambda a, b, _r: _dumped({"left_image": a}),
    "right only": _lines("Right image: B!"),
    "empty": lambda a, b, _r: _dumped(_pair(a, "")),
    "null": lambda a, b, _r: _dumped({"left_image": None, "right_image": b}),
    "template": lambda a, b, _r: '{"left_image": "...", "right_image": "..."}',
    "placeholders": lambda a, b, _r: '{"left_image": "<caption>", "right_image": "<caption>"}',
    "refusal": lambda a, b, _r: "I'm sorry, but I cannot compare these images.",
    "same": lambda a, b, _r: "The left image and the right image look the same to me.",
    "cut before the second": lambda a, b, _r: f'{{"left_image": {_dumped(a)}, "right_im',
    "no keys": lambda a, b, _r: _dumped([a, b]),
}  # fmt: skip
_CHANGING = ("full width", "no-break spaces", "zero width", "white space", "windows lines")
"""Forms that change the captions' own characters."""


def topic(rng: random.Random) -> Topic:
    """Return two captions."""
    left, right, other = rng.sample(CAPTIONS, 3)
    return Topic((left, right), (other,))


def say(about: Topic, form: str, rng: random.Random) -> Said:
    """Return one reply of a form."""
    left, right = about.answers
    if form in NOTHING:
        return Said(NOTHING[form](left, right, rng), False, form, about)
    around = rng.choice([name for name in AROUND if name not in _CHANGING]) if rng.random() < 0.5 else ""
    thought = Topic((_dumped(_pair(right, left)),), (_dumped(_pair(about.others[0], left)),))
    reply = AROUND[around](FORMS[form](left, right, rng), thought, rng)
    return Said(reply, True, " + ".join(filter(None, (form, around))), about)


def generate(
    make: Callable[[random.Random], Topic], count: int, seed: int = 0, skip: Sequence[str] = ()
) -> Iterator[Said]:
    """Yield an even mix of all forms except some."""
    rng = random.Random(seed)
    forms = [form for form in (*FORMS, *NOTHING) if form not in skip]
    for i in range(count):
        yield say(make(rng), forms[i % len(forms)], rng)
