"""The original's own synthetic set: its annotations bit for bit, its screens in the same places and colours.

The annotations follow from one random sequence over the whole set, so they are planned at once and the screens drawn
afterwards. The original's quirks stay: counts are rounded down, instructions repeat, texts spill over their
boxes. Use it to compare with published numbers, and `layouts` to measure.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.synthetic.drawings import read_table
from snellen.synthetic.screens import lettering
from snellen.synthetic.screens.canvas import IndexedCanvas, rgb

WIDTH, HEIGHT = 1920, 1080
TRIES, EDGE, GAP = 20, 20, 10

_TABLES, _WORDS = read_table("screens/data/original.toml"), read_table("screens/data/words.toml")
DISTRIBUTION = {(row["difficulty"], row["theme"]): row["share"] for row in _TABLES["distribution"]}
DIFFICULTIES: dict[str, tuple[tuple[int, int], int, int]] = _TABLES["difficulties"]
TYPES: dict[str, float] = _TABLES["types"]
SENTENCES: dict[str, str] = _TABLES["sentences"]
ICONS: list[str] = _TABLES["icons"]
WORDS: dict[str, list[str]] = {
    "button": _WORDS["buttons"],
    "link": _WORDS["links"],
    "icon": ICONS,
    "text": _TABLES["labels"],
    "text_field": _TABLES["labels"],
}

Rect = tuple[int, int, int, int]


class _ElementShape(NamedTuple):
    """An element to draw: x, y, width, height in pixels."""

    kind: str
    rect: Rect
    text: str
    colour: str = ""


class ScreenDesign(NamedTuple):
    """One screenshot before it is drawn: its record in the annotations, and its elements."""

    record: dict[str, Any]
    theme: str
    background: str
    shapes: tuple[_ElementShape, ...]


def clashes(rect: Rect, taken: Sequence[Rect], gap: int = GAP) -> bool:
    """Tell whether a rectangle is nearer than the gap to an existing one; exactly the gap counts as near.

    >>> clashes((0, 0, 10, 10), [(20, 0, 10, 10)]), clashes((0, 0, 10, 10), [(21, 0, 10, 10)])
    (True, False)
    """
    x, y, w, h = rect
    return any(
        x + w + gap >= ox and ox + ow + gap >= x and y + h + gap >= oy and oy + oh + gap >= y
        for ox, oy, ow, oh in taken
    )


def counts(count: int) -> dict[tuple[str, str], int]:
    """Return the number of screenshots of each difficulty and theme: rounded down, so the total may be less than requested."""
    return {cell: int(count * share) for cell, share in DISTRIBUTION.items()}


def plan(count: int, seed: int) -> list[ScreenDesign]:
    """Return all screenshots of a set. They share one random sequence, as in the original."""
    dice = random.Random(seed)  # noqa: S311  (data, not secrets)
    screens: list[ScreenDesign] = []
    for (difficulty, theme), number in counts(count).items():
        for _ in range(number):
            screens.append(_screen(dice, f"synthetic_{len(screens):04d}", difficulty, theme))
    if not screens:
        raise SnellenError(f"the original makes no screenshot at all for count {count}: choose 4 or more, or 'layouts'")
    return screens


def metadata(number: int) -> dict[str, Any]:
    """Return the file's metadata of the whole set."""
    distribution = {f"{difficulty}_{theme}": share for (difficulty, theme), share in DISTRIBUTION.items()}
    return {"num_samples": number, "distribution": distribution, "width": WIDTH, "height": HEIGHT}


def _screen(dice: random.Random, name: str, difficulty: str, theme: str) -> ScreenDesign:
    background = dice.choice(_TABLES["backgrounds"][theme])
    wanted, small, large = DIFFICULTIES[difficulty]
    taken: list[Rect] = []
    shapes: list[_ElementShape] = []
    elements: list[dict[str, Any]] = []
    for number in range(dice.randint(*wanted)):
        kind = dice.choices(list(TYPES), weights=list(TYPES.values()))[0]
        rect = _place(dice, kind, small, large, taken)
        if rect is None:
            continue
        text = dice.choice(WORDS[kind])
        colour = dice.choice(_TABLES["button_colours"]) if kind == "button" else ""
        shapes.append(_ElementShape(kind, rect, text, colour))
        x, y, w, h = rect[0] / WIDTH, rect[1] / HEIGHT, rect[2] / WIDTH, rect[3] / HEIGHT
        # the original reads its own fractions back with int(), which may lose a pixel
        taken.append((int(x * WIDTH), int(y * HEIGHT), int(w * WIDTH), int(h * HEIGHT)))
        elements.append(
            {
                "id": f"{name}_elem_{number:03d}",
                "bbox": [x, y, w, h],
                "text": text,
                "element_type": kind,
                "instruction": SENTENCES[kind].format(text),
            }
        )
    record = {
        "id": name,
        "image_path": f"samples/{name}.png",
        "width": WIDTH,
        "height": HEIGHT,
        "elements": elements,
        "metadata": {"difficulty": difficulty, "theme": theme, "num_elements": len(elements)},
    }
    return ScreenDesign(record, theme, background, tuple(shapes))


def _place(dice: random.Random, kind: str, small: int, large: int, taken: Sequence[Rect]) -> Rect | None:
    for _ in range(TRIES):
        w, h = dice.randint(small, large), dice.randint(small // 3, small)
        if kind == "icon":
            h = w
        elif kind == "text_field":
            w, h = max(w, 150), max(30, small // 2)
        rect = (dice.randint(EDGE, WIDTH - w - EDGE), dice.randint(EDGE, HEIGHT - h - EDGE), w, h)
        if not clashes(rect, taken):
            return rect
    return None


def draw(screen: ScreenDesign) -> bytes:
    """Return the screenshot as a PNG. Places, colours and words are the original's; the letters are those of Pillow's own font."""
    canvas = IndexedCanvas(WIDTH, HEIGHT, rgb(screen.background))
    inks = {name: rgb(colour) for name, colour in _TABLES["inks"][screen.theme].items()}
    for kind, (x, y, w, h), text, colour in screen.shapes:
        box = (x, y, x + w + 1, y + h + 1)
        if kind == "text_field":
            canvas.rect(box, inks["field"])
            canvas.frame(box, inks["outline"])
            words = lettering.line(f"Enter {text.lower()}...", 12)
            canvas.stamp(words.ink, x + 8 + words.dx, y + (h - words.height) // 2, inks["placeholder"])
            continue
        ink = inks.get(kind, rgb("#ffffff"))
        if kind == "button":
            canvas.rounded(box, 4, rgb(colour))
        elif kind == "icon":
            canvas.rounded((x + 2, y + 2, x + w - 1, y + h - 1), w, ink)
            ink = rgb("#ffffff")
        words = lettering.line(text[0].upper() if kind == "icon" else text, 14)
        left, top = x + (w - words.width) // 2, y + (h - words.height) // 2
        canvas.stamp(words.ink, left, top, ink)
        if kind == "link":
            below = top + words.height + 2
            canvas.rect((left, below, left + words.width + 1, below + 1), ink)
    return canvas.png()
