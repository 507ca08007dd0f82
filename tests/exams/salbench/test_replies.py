"""Replies as models write them, collected by hand: what `robust` makes of each."""

from __future__ import annotations

import pytest

from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.reading import read_robust

REPLIES = [
    (
        "The feature that makes the object stand out is **orientation**. All other bars are vertical while this one is horizontal; color and size are identical.",
        "orientation",
    ),
    ("- Orientation: no difference\n- Color: the odd object is red, others blue\n- Size: same", "color"),
    ("Size (the target is larger than the others)", "size"),
    ("I would say that the color is different, the size and orientation are the same.", "color"),
    ("Orientation ❌, Color ✅, Size ❌", "color"),
    ("✅ Color\n❌ Size\n❌ Orientation", "color"),
    ('{"orientation": "No", "color": "Yes - the circle is red", "size": "No"}', "color"),
    ("None of the above", ""),
    ("Not color. Not size. Orientation.", "orientation"),
    ("It's orientation - not color or size.", "orientation"),
    ("The target differs from distractors in terms of color (hue) and not in orientation.", "color"),
    (
        "Answer: Color\n\nExplanation: While all objects have the same shape and size, the odd one has a different hue.",
        "color",
    ),
    (
        "**Orientation**\n\nThe target bar is tilted relative to the vertical distractors, whereas color and size are constant across all items.",
        "orientation",
    ),
    ("['Color', 'Size']", "color size"),
    ("Color | Size", "color size"),
    ("The answer is color, as the rest of the objects share the same orientation and size.", "color"),
    ("Orientation.\n\n(The other options, color and size, are the same for all.)", "orientation"),
    ("Out of Orientation, Color and Size, I would choose Size.", "size"),
    ("Is it color? No. Is it size? Yes.", "size"),
    ("Color? No. Orientation? No. Size? Yes.", "size"),
    ("size=1, color=0", "size"),
    ("I can't see the image, but I guess color", "color"),
    ("Sorry, I can't determine the color", ""),
    ("I'm sorry, but it is color", "color"),
    (
        "Orientation: The bars are all vertical\nColor: One bar is red, others are blue\nSize: All bars have the same size\n\nTherefore, the feature is Color.",
        "color",
    ),
    (
        "Step-by-step:\n1. Orientation – same for all.\n2. Color – different.\n3. Size – same for all.\nFinal: Color",
        "color",
    ),
    ("Step-by-step:\n1. Orientation – same for all.\n2. Color – different.\n3. Size – same for all.", "color"),
    ("Both color and size.", "color size"),
    ("No, it's the size", "size"),
    ("Not the color, it's the size.", "size"),
    ("I don't think it is color; I think it's size", "size"),
    ("I do not believe the color differs, it is the orientation", "orientation"),
    ("The color isn't what makes it stand out; it's the size.", "size"),
    ("It isn't just color, it's also size", "color size"),
    ("The answer is: **Color**.\n\nNote that the orientation and size do not differ.", "color"),
    ("There's no difference in color. There's no difference in size. So orientation.", "orientation"),
    ("Unlike the others, this object's color is red.", "color"),
    ("the same color but different sizes", "size"),
    ("They all have the same color and orientation, so size.", "size"),
    ("identical in size and orientation, differs in color", "color"),
    ("It does not have a different color. It has a different size.", "size"),
    ("<think>\nOkay, the user wants ... color\n</think>\n\n**Size**", "size"),
    ("<think>Maybe it is color", ""),
    ("hmm color</think>Size", "size"),
    (
        "Let me think about this step by step.\n\nThe image shows many bars. One of them is rotated. The colors are the same.\n\nOrientation",
        "orientation",
    ),
    ("Color is different because color is red, unlike the orientation which is the same", "color"),
    (
        '{"result": [{"feature": "Color", "present": true}, {"feature": "Size", "present": false}, {"feature": "Orientation", "present": false}]}',
        "color",
    ),
    ('{"features": [{"name": "Color"}, {"name": "Size"}]}', "color size"),
    ('[{"label": "Color"}, {"label": "Size"}]', "color size"),
    ("<Color>", "color"),
    ("Salient feature: Color", "color"),
    ("Feature: Color\nReason: the object has another hue and the same size", "color"),
    ("The odd-one-out is the one with a different colour.", "color"),
    ("Color, Orientation: No, Size: No", "color"),
    ("Color (Yes), Orientation (No), Size (No)", "color"),
    (
        "| Feature | Different? |\n|---|---|\n| Color | Yes |\n| Size | No |\n| Orientation | No |\n\n**Answer: Color**",
        "color",
    ),
    ("| Color | Size | Orientation |\n|---|---|---|\n| Yes | No | No |", "color"),
    ("Colour ✔️ Size ✖️", "color"),
    ("The **size** is the salient attribute (larger).", "size"),
    ("Definitely not color", ""),
    ("Anything but color", ""),
    ("Everything is the same.", ""),
    ("The color and the size.", "color size"),
    ("ORIENTATION", "orientation"),
    ('"orientation"', "orientation"),
    ("orientation\n\norientation\n\norientation", "orientation"),
    ("Answer: Orientation<|im_end|>\n<|im_start|>user\nWhat about color?", "orientation"),
    ("Possibly color", "color"),
    ("color: different, size: same", "color"),
    ("Color: Different\nOrientation: Same\nSize: Same", "color"),
    ("Color = yes; Size = no; Orientation = no", "color"),
    ("The correct answer is not color. It's orientation.", "orientation"),
    ("At first glance color seems to differ, but it is actually the size.", "size"),
    ("My answer would be (B) Color", "color"),
    ("B. Color", "color"),
    ("2. Color", "color"),
    ("Option 2: Color", "color"),
    ("Color, which is red, instead of the size", "color"),
    ("Orientation (horizontal instead of vertical)", "orientation"),
    ("The difference is in the orientation, not in the size or the color, of the object.", "orientation"),
    ("differs in color and orientation, but has the same size", "color orientation"),
    ("Answer: **Color**, **Orientation**", "color orientation"),
    ("Answer(s): Color, Size", "color size"),
    ("Answers: Color; Size", "color size"),
]


@pytest.mark.parametrize("split", ["P3", "O3"])
@pytest.mark.parametrize(("reply", "expected"), REPLIES)
def test_replies_of_models(reply: str, expected: str, split: str) -> None:
    assert read_robust(reply, labels_of(split)) == frozenset(expected.split())
