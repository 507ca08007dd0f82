"""Believable screens: one application or dialog of many kinds, at a resolution, a scale, a theme and a difficulty.

Screen i depends on (seed, i) alone. The three difficulties have the original generator's numbers of targets and its sizes,
where the size of a target is the longer side of its box in pixels (fields and lists may be as wide as its fields are).
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.core.errors import SnellenError
from snellen.data.synthetic_marker import labelled
from snellen.synthetic.drawings import read_table
from snellen.synthetic.screens.canvas import Edges
from snellen.synthetic.screens.icons import DRAWINGS
from snellen.synthetic.screens.naming import InstructionMaker, NamedWidget
from snellen.synthetic.screens.original import DIFFICULTIES, SENTENCES
from snellen.synthetic.screens.templates import WORDS, draw
from snellen.synthetic.screens.themes import choose_theme
from snellen.synthetic.screens.widgets import Ui, Widget, meets
from snellen.synthetic.writing import label_of, stamped

GENERATOR = "grounding"
VERSION = 1
FIELD_WIDTH = 150  # the original generator's fields are at least this wide, whatever the difficulty allows
TRIES = 12

# the original generator's shares (15, 5, 30, 15, 20 and 15 per cent) as a round of twenty, so that the first screens of a set are mixed
_CELLS = {
    letter: (name, theme) for name in DIFFICULTIES for letter, theme in ((name[0], "light"), (name[0].upper(), "dark"))
}
ROUND = tuple(_CELLS[letter] for letter in "mhMemHhmEMhmeHmhMmHe")
FRAMES = ("buttons right", "dots left", "header")
WINDOW = (1500, 980)  # a window is not much larger than this, in the design's units
BESIDE = 0.6  # the share of screens with room for several windows that show them


class _ScreenChoice(NamedTuple):
    """The screens of a difficulty."""

    screens: list[tuple[int, int]]
    scales: list[float]
    touch: float
    overlay: float
    fitting: list[str]


_TABLES = read_table("screens/data/layouts.toml")
APPS: dict[str, list[str]] = _TABLES["titles"]
WEB: list[str] = _TABLES["web"]
TYPE_WEIGHTS: dict[str, float] = _TABLES["type_weights"]
CHOICES = {name: _ScreenChoice(**choice) for name, choice in _TABLES["difficulties"].items()}
ABSENT = {
    "button": [*WORDS["buttons"], *WORDS["more_buttons"]],
    "link": [*WORDS["links"], *WORDS["more_links"]],
    "icon": list(DRAWINGS),
    "text_field": list(WORDS["fields"]),
}


class Screenshot(NamedTuple):
    """A made screenshot: its record in the annotations, and its PNG."""

    record: dict[str, Any]
    png: bytes


def cell(index: int) -> tuple[str, str]:
    """Return the difficulty and theme of a screen."""
    return ROUND[index % len(ROUND)]


def screenshot(seed: int, index: int, *, absent: float = 0.0, screen: tuple[int, int] | None = None) -> Screenshot:
    """Draw screen `index` of the set of a seed. `absent` is the share of screens that also ask for something that is not on them."""
    label = label_of(GENERATOR, seed)
    difficulty, theme = cell(index)
    low, choice = DIFFICULTIES[difficulty][0][0], CHOICES[difficulty]
    for attempt in range(TRIES):
        dice = random.Random(f"{seed}:{index}:{attempt}")  # noqa: S311  (data, not secrets)
        size = screen or dice.choice(choice.screens)
        scale = dice.choice(choice.scales)
        if difficulty == "easy":
            scale = min(scale, size[1] / 450)
        ui = Ui(*size, scale, choose_theme(theme, dice), dice, choice.touch)
        application, platform = _compose(ui, difficulty)
        targets, names = choose_targets(ui, difficulty)
        if len(targets) >= low:
            break
    else:
        raise SnellenError(
            f"screen {index} of seed {seed} at {screen}: no layout has {low} targets; choose another size"
        )
    name = f"screen_{index:05d}"
    elements = [_element(name, i, target, ui) for i, target in enumerate(targets)]
    if dice.random() < absent:
        missing = _absent(names, dice)
        elements.append(
            {"id": f"{name}_elem_{len(elements):03d}", "bbox": [0.0, 0.0, 0.0, 0.0], **missing, "absent": True}
        )
    data = labelled(ui.png(), label)
    record = {
        "id": name,
        "image_path": f"images/{name}.png",
        "width": ui.width,
        "height": ui.height,
        "elements": elements,
        "metadata": stamped(
            {
                "difficulty": difficulty,
                "theme": theme,
                "num_elements": len(elements),
                "platform": platform,
                "application": application,
                "scale": ui.scale,
                "sha256": hashlib.sha256(data).hexdigest(),
            },
            label,
        ),
    }
    return Screenshot(record, data)


def _compose(ui: Ui, difficulty: str) -> tuple[str, str]:
    """Put windows on the desk; return the application's name and platform."""
    dice, choice = ui.dice, CHOICES[difficulty]
    style = dice.choice(FRAMES)
    area = draw(ui, "desk", (0, 0, ui.width, ui.height), decor=style)
    app = dice.choice(choice.fitting)
    if app == "dialog":
        draw(ui, "dialog", area, decor=style)
        return "dialog", "desktop"
    across, down = (_room(area, axis, ui) for axis in (0, 1))
    if difficulty == "hard" and across > 1 and dice.random() < BESIDE:
        others = dice.sample([name for name in choice.fitting if name != app], across * down - 1)
        for i, name in enumerate((app, *others)):
            x, y = i % across, i // across
            wide, high = (area[2] - area[0]) // across, (area[3] - area[1]) // down
            spot = (area[0] + x * wide, area[1] + y * high, area[0] + (x + 1) * wide, area[1] + (y + 1) * high)
            _open(ui, name, spot, style, alone=False)
        return "+".join((app, *others)), "desktop"
    _open(ui, app, _at_most(area, ui), style, alone=True)
    if dice.random() < choice.overlay:
        draw(ui, "dialog", area, decor=style)
    return app, "web" if app in WEB else "desktop"


def _room(area: Edges, axis: int, ui: Ui) -> int:
    """Return how many windows of a usual size fit in a direction, at most two."""
    return max(1, min(2, round((area[axis + 2] - area[axis]) / ui.scale / WINDOW[axis] + 0.1)))


def _at_most(area: Edges, ui: Ui) -> Edges:
    """Cut an area to the size that a single window may have, and put it somewhere on the desk."""
    x0, y0, x1, y1 = area
    wide, high = min(x1 - x0, round(1.3 * ui.scale * WINDOW[0])), min(y1 - y0, round(1.3 * ui.scale * WINDOW[1]))
    left, top = ui.dice.randint(x0, x1 - wide), ui.dice.randint(y0, y1 - high)
    return left, top, left + wide, top + high


def _open(ui: Ui, app: str, area: Edges, style: str, *, alone: bool) -> None:
    dice = ui.dice
    x0, y0, x1, y1 = area
    if not alone or dice.random() < 0.5:
        edge = 0 if alone else ui.d(dice.choice((6, 14, 24)))
        across = edge or (x1 - x0) * dice.randint(1, 5) // 100
        down = edge or (y1 - y0) * dice.randint(1, 4) // 100
        area = (x0 + across, y0 + down, x1 - across, y1 - down)
    title = dice.choice(APPS[app])
    ui.window = "" if alone else title
    fill(ui, app, draw(ui, "window", area, decor=style, title=title))
    ui.window = ""


def fill(ui: Ui, app: str, box: Edges) -> None:
    """Draw an application into its window."""
    if app in WEB:
        draw(ui, "browser", box, page=app)
    else:
        draw(ui, app, box)


# ---------------------------------------------------------------- targets


def _fits(widget: Widget, difficulty: str) -> bool:
    """Tell whether a thing has the size for the difficulty: by the longer side of its box."""
    _, small, large = DIFFICULTIES[difficulty]
    longer = max(widget.box[2] - widget.box[0], widget.box[3] - widget.box[1])
    if widget.type in ("text_field", "dropdown"):
        return small <= longer <= max(large, FIELD_WIDTH)
    return small <= longer <= large


def choose_targets(ui: Ui, difficulty: str) -> tuple[list[NamedWidget], InstructionMaker]:
    """Choose targets of mixed types in reading order, each with an instruction that fits it alone."""
    names = InstructionMaker(ui.widgets, ui.dice)
    pools: dict[str, list[Widget]] = defaultdict(list)
    for widget in ui.widgets:
        if widget.aim and _fits(widget, difficulty):
            pools[widget.type].append(widget)
    for pool in pools.values():
        ui.dice.shuffle(pool)
    all_boxes = np.asarray([widget.box for widget in ui.widgets]).T.copy()
    wanted = ui.dice.randint(*DIFFICULTIES[difficulty][0])
    chosen: list[NamedWidget] = []
    taken: list[Edges] = []
    while len(chosen) < wanted and pools:
        kinds = list(pools)
        kind = ui.dice.choices(kinds, weights=[TYPE_WEIGHTS[k] for k in kinds])[0]
        widget = pools[kind].pop()
        if not pools[kind]:
            del pools[kind]
        named = None if _crossed(widget.box, all_boxes) else names.name(widget)
        if named and not any(meets(box, other) for box in named.boxes for other in taken):
            chosen.append(named)
            taken += named.boxes
    return sorted(chosen, key=lambda n: (n.widget.box[1], n.widget.box[0])), names


def _crossed(box: Edges, others: NDArray[np.int_]) -> bool:
    """Tell whether something else lies partly on a thing (parts of it lie wholly inside)."""
    x0, y0, x1, y1 = box
    lefts, tops, rights, bottoms = others
    touching = (lefts < x1) & (rights > x0) & (tops < y1) & (bottoms > y0)
    inside = (lefts >= x0) & (tops >= y0) & (rights <= x1) & (bottoms <= y1)
    around = (lefts <= x0) & (tops <= y0) & (rights >= x1) & (bottoms >= y1)
    return bool((touching & ~inside & ~around).any())


def _element(screen: str, number: int, target: NamedWidget, ui: Ui) -> dict[str, Any]:
    widget = target.widget
    element: dict[str, Any] = {
        "id": f"{screen}_elem_{number:03d}",
        "bbox": _fractions(widget.box, ui),
        "text": widget.label,
        "element_type": widget.type,
        "instruction": target.instruction,
        "kind": "icon" if widget.type == "icon" else "text",
        "role": widget.noun,
    }
    if len(target.boxes) > 1:
        element["acceptable_bboxes"] = [_fractions(box, ui) for box in target.boxes]
    return element


def _fractions(box: Edges, ui: Ui) -> list[float]:
    x0, y0, x1, y1 = box
    return [x0 / ui.width, y0 / ui.height, (x1 - x0) / ui.width, (y1 - y0) / ui.height]


def _absent(names: InstructionMaker, dice: random.Random) -> dict[str, Any]:
    """Return an element that could be on such a screen but is absent."""
    kind = dice.choice(tuple(ABSENT))
    label = dice.choice([word for word in ABSENT[kind] if not names.knows(word)])
    return {
        "text": label,
        "element_type": kind,
        "instruction": SENTENCES[kind].format(label),
        "kind": "icon" if kind == "icon" else "text",
    }
