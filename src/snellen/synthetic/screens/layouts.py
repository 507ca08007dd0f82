"""Believable screens: one application or dialog of many kinds, at a resolution, a scale, a theme and a difficulty.

Screen i depends on (seed, i) alone. The three difficulties have the original generator's numbers of targets and its sizes,
where the size of a target is the longer side of its box in pixels (fields and lists may be as wide as its fields are).
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.core.errors import SnellenError
from snellen.synthetic.screens import layouts_apps as apps
from snellen.synthetic.screens import layouts_forms as forms
from snellen.synthetic.screens import layouts_frames as frames
from snellen.synthetic.screens import layouts_media as media
from snellen.synthetic.screens import layouts_pages as pages
from snellen.synthetic.screens import wording
from snellen.synthetic.screens.canvas import Edges
from snellen.synthetic.screens.icons import DRAWINGS
from snellen.synthetic.screens.naming import InstructionMaker, NamedWidget
from snellen.synthetic.screens.original import DIFFICULTIES, SENTENCES
from snellen.synthetic.screens.themes import choose_theme
from snellen.synthetic.screens.widgets import Ui, Widget, meets
from snellen.synthetic.writing import signed, stamped

VERSION = 1
FIELD_WIDTH = 150  # the original generator's fields are at least this wide, whatever the difficulty allows
TRIES = 12

# the original generator's shares (15, 5, 30, 15, 20 and 15 per cent) as a round of twenty, so that every beginning of a set is mixed
ROUND = tuple(
    {"e": ("easy", "light"), "E": ("easy", "dark"), "m": ("medium", "light"), "M": ("medium", "dark"),
     "h": ("hard", "light"), "H": ("hard", "dark")}[c] for c in "mhMemHhmEMhmeHmhMmHe"
)  # fmt: skip
SCREENS = {
    "easy": ((1600, 900), (1920, 1080), (1920, 1200), (2560, 1440)),
    "medium": ((1280, 800), (1366, 768), (1440, 900), (1600, 900), (1920, 1080), (2560, 1440)),
    "hard": ((1366, 768), (1440, 900), (1680, 1050), (1920, 1080), (1920, 1080), (2560, 1440), (3840, 2160)),
}
SCALES = {"easy": (1.75, 2.0, 2.25), "medium": (1.0, 1.25, 1.5), "hard": (1.0, 1.0, 1.25)}
TOUCH = {"easy": 1.9, "medium": 1.6, "hard": 1.0}
TYPE_WEIGHTS = {
    "button": 0.25, "icon": 0.20, "text": 0.15, "link": 0.12, "text_field": 0.10, "checkbox": 0.10, "dropdown": 0.08,
}  # fmt: skip

Fill = Callable[[Ui, Edges], None]


class App(NamedTuple):
    """An application: how it is titled, what fills its window, and whether it is a page in a browser."""

    name: str
    titles: tuple[str, ...]
    fill: Fill
    platform: str = "desktop"


def _in_browser(page: Fill) -> Fill:
    return lambda ui, box: pages.browser(ui, box, page)


APPS = {
    app.name: app
    for app in (
        App("files", ("Files", "File Manager", "Explorer"), apps.files),
        App("mail", ("Mail", "Postbox", "Messages"), apps.mail),
        App("code", ("Code", "Editor", "Studio"), apps.code),
        App("sheet", ("Sheets", "Budget 2025", "Tables"), apps.sheet),
        App("dashboard", ("Console", "Store Admin", "Insights"), apps.dashboard),
        App("photo", ("Photo Editor", "Darkroom", "Pixels"), media.photo),
        App("player", ("Player", "Tunes"), media.player),
        App("chat", ("Chat", "Talk", "Teamline"), media.chat),
        App("calendar", ("Calendar", "Agenda"), media.calendar),
        App("settings", ("Settings", "Preferences", "System"), forms.settings),
        App("form", ("Records", "Office", "Ledger"), forms.form),
        App("launcher", ("Start", "Apps"), forms.launcher),
        App("landing", ("Browser",), _in_browser(pages.landing), "web"),
        App("shop", ("Browser",), _in_browser(pages.shop), "web"),
        App("article", ("Browser",), _in_browser(pages.article), "web"),
        App("login", ("Browser",), _in_browser(pages.login), "web"),
    )
}
FITTING = {
    "easy": ("launcher", "launcher", "settings", "player", "login", "landing", "form", "files", "dialog", "dialog", "chat"),
    "medium": ("files", "mail", "settings", "form", "landing", "shop", "article", "dashboard", "chat", "calendar", "player",
               "login", "photo", "sheet", "dialog"),
    "hard": ("files", "mail", "code", "sheet", "photo", "dashboard", "form", "settings", "calendar", "shop", "article", "chat"),
}  # fmt: skip
OVERLAY = {"easy": 0.0, "medium": 0.2, "hard": 0.2}
WINDOW = (1500, 980)  # a window is not much larger than this, in the design's units
BESIDE = 0.6  # how often a screen with room for several windows shows them


class Screenshot(NamedTuple):
    """A made screenshot: its record in the annotations, and its PNG."""

    record: dict[str, Any]
    png: bytes


def cell(index: int) -> tuple[str, str]:
    """Difficulty and theme of a screen."""
    return ROUND[index % len(ROUND)]


def screenshot(
    seed: int,
    index: int,
    *,
    absent: float = 0.0,
    screen: tuple[int, int] | None = None,
    label: Mapping[str, Any] | None = None,
) -> Screenshot:
    """Draw screen `index` of the set of a seed. `absent` is the share of screens that also ask for something that is not there.

    Picture and record bear the label, if one is given.
    """
    label = dict(label or {})
    difficulty, theme = cell(index)
    low = DIFFICULTIES[difficulty][0][0]
    for attempt in range(TRIES):
        dice = random.Random(f"{seed}:{index}:{attempt}")  # noqa: S311  (data, not secrets)
        size = screen or dice.choice(SCREENS[difficulty])
        ui = Ui(*size, _scale(difficulty, size, dice), choose_theme(theme, dice), dice, TOUCH[difficulty])
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
    data = signed(ui.canvas.png(), label)
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


def _scale(difficulty: str, size: tuple[int, int], dice: random.Random) -> float:
    scale = dice.choice(SCALES[difficulty])
    return min(scale, size[1] / 450) if difficulty == "easy" else scale


def _compose(ui: Ui, difficulty: str) -> tuple[str, str]:
    """Put windows on the desk; gives the application's name and platform."""
    dice = ui.dice
    style = dice.choice(frames.STYLES)
    area = frames.desk(ui, style)
    kind = dice.choice(FITTING[difficulty])
    if kind == "dialog":
        forms.dialog(ui, area, style)
        return "dialog", "desktop"
    app = APPS[kind]
    across, down = (_room(area, axis, ui) for axis in (0, 1))
    if difficulty == "hard" and across > 1 and dice.random() < BESIDE:
        others = dice.sample([k for k in FITTING["hard"] if k != kind], across * down - 1)
        for i, name in enumerate((kind, *others)):
            x, y = i % across, i // across
            wide, high = (area[2] - area[0]) // across, (area[3] - area[1]) // down
            spot = (area[0] + x * wide, area[1] + y * high, area[0] + (x + 1) * wide, area[1] + (y + 1) * high)
            _open(ui, APPS[name], spot, style, alone=False)
        return "+".join((kind, *others)), "desktop"
    _open(ui, app, _at_most(area, ui), style, alone=True)
    if dice.random() < OVERLAY[difficulty]:
        forms.dialog(ui, area, style)
    return app.name, app.platform


def _room(area: Edges, axis: int, ui: Ui) -> int:
    """How many windows of a usual size fit in a direction, at most two."""
    return max(1, min(2, round((area[axis + 2] - area[axis]) / ui.scale / WINDOW[axis] + 0.1)))


def _at_most(area: Edges, ui: Ui) -> Edges:
    """An area cut to the size that a single window may have, somewhere on the desk."""
    x0, y0, x1, y1 = area
    wide, high = min(x1 - x0, round(1.3 * ui.scale * WINDOW[0])), min(y1 - y0, round(1.3 * ui.scale * WINDOW[1]))
    left, top = ui.dice.randint(x0, x1 - wide), ui.dice.randint(y0, y1 - high)
    return left, top, left + wide, top + high


def _open(ui: Ui, app: App, area: Edges, style: str, *, alone: bool) -> None:
    dice = ui.dice
    x0, y0, x1, y1 = area
    if not alone or dice.random() < 0.5:
        edge = ui.d(dice.choice((6, 14, 24))) if not alone else 0
        across = edge or (x1 - x0) * dice.randint(1, 5) // 100
        down = edge or (y1 - y0) * dice.randint(1, 4) // 100
        area = (x0 + across, y0 + down, x1 - across, y1 - down)
    title = dice.choice(app.titles)
    ui.window = "" if alone else title
    app.fill(ui, frames.window(ui, area, title, style))
    ui.window = ""


# ---------------------------------------------------------------- targets


def fits(widget: Widget, difficulty: str) -> bool:
    """Whether a thing has the size that the difficulty asks for: by the longer side of its box."""
    _, small, large = DIFFICULTIES[difficulty]
    longer = max(widget.box[2] - widget.box[0], widget.box[3] - widget.box[1])
    if widget.type in ("text_field", "dropdown"):
        return small <= longer <= max(large, FIELD_WIDTH)
    return small <= longer <= large


def choose_targets(ui: Ui, difficulty: str) -> tuple[list[NamedWidget], InstructionMaker]:
    """Targets of mixed types in reading order, each with an instruction that fits it alone."""
    names = InstructionMaker(ui.widgets, ui.dice)
    pools: dict[str, list[Widget]] = defaultdict(list)
    for widget in ui.widgets:
        if widget.aim and fits(widget, difficulty):
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
    """Whether something else lies partly on a thing (parts of it lie wholly inside)."""
    x0, y0, x1, y1 = box
    lefts, tops, rights, bottoms = others
    for i in np.flatnonzero((lefts < x1) & (rights > x0) & (tops < y1) & (bottoms > y0)):
        left, top, right, bottom = others[:, i]
        inside = left >= x0 and top >= y0 and right <= x1 and bottom <= y1
        around = left <= x0 and top <= y0 and right >= x1 and bottom >= y1
        if not inside and not around:
            return True
    return False


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
    """Something that could be on such a screen and is not."""
    kind = dice.choice(("button", "link", "icon", "text_field"))
    words: dict[str, list[str]] = {
        "button": [*wording.BUTTONS, *wording.MORE_BUTTONS],
        "link": [*wording.LINKS, *wording.MORE_LINKS],
        "icon": list(DRAWINGS),
        "text_field": list(wording.FIELDS),
    }
    label = dice.choice([w for w in words[kind] if not names.knows(w)])
    return {
        "text": label,
        "element_type": kind,
        "instruction": SENTENCES[kind].format(label),
        "kind": "icon" if kind == "icon" else "text",
    }
