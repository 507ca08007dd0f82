"""Made-up screens: sizes and counts of the original generator, boxes that fit what is drawn, instructions that fit one thing alone."""

from __future__ import annotations

import io
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from snellen.synthetic.screens import lettering
from snellen.synthetic.screens.canvas import LEVELS, IndexedCanvas, levels
from snellen.synthetic.screens.icons import DRAWINGS, icon
from snellen.synthetic.screens.layouts import APPS, ROUND, Screenshot, _compose, cell, choose_targets, fill, screenshot
from snellen.synthetic.screens.naming import InstructionMaker
from snellen.synthetic.screens.original import DIFFICULTIES, DISTRIBUTION, ICONS
from snellen.synthetic.screens.themes import choose_theme
from snellen.synthetic.screens.widgets import Ui, Widget, meets

WHITE, BLACK, RED = (255, 255, 255), (0, 0, 0), (200, 20, 30)
TYPES = {"button", "icon", "text", "link", "text_field", "checkbox", "dropdown"}


@pytest.fixture(scope="module")
def screens() -> list[Screenshot]:
    return [screenshot(12, i, absent=0.5) for i in range(20)]


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def ui(difficulty: str = "medium", seed: int = 1) -> Ui:
    dice = random.Random(seed)
    return Ui(1920, 1080, 1.25, choose_theme("light", dice), dice)


# ---------------------------------------------------------------- whole screens


def test_difficulties_have_the_originals_numbers_and_sizes(screens: list[Screenshot]) -> None:
    for index, made in enumerate(screens):
        record = made.record
        difficulty, theme = cell(index)
        assert (record["metadata"]["difficulty"], record["metadata"]["theme"]) == (difficulty, theme)
        (low, high), small, large = DIFFICULTIES[difficulty]
        there = [e for e in record["elements"] if not e.get("absent")]
        assert low <= len(there) <= high
        for element in there:
            longer = max(element["bbox"][2] * record["width"], element["bbox"][3] * record["height"])
            widest = max(large, 150) if element["element_type"] in ("text_field", "dropdown") else large
            assert small - 0.01 <= longer <= widest + 0.01, element


def test_a_round_has_the_originals_shares() -> None:
    shares = {c: n / len(ROUND) for c, n in Counter(ROUND).items()}
    assert shares == pytest.approx(DISTRIBUTION)


def test_screens_differ_in_size_scale_theme_application_and_type(screens: list[Screenshot]) -> None:
    records = [s.record for s in screens]
    assert len({(r["width"], r["height"]) for r in records}) >= 4
    assert len({r["metadata"]["scale"] for r in records}) >= 4
    assert {r["metadata"]["theme"] for r in records} == {"light", "dark"}
    assert len({r["metadata"]["application"] for r in records}) >= 8
    assert {e["element_type"] for r in records for e in r["elements"]} == TYPES
    dark = [pixels(s.png).mean() for s in screens if s.record["metadata"]["theme"] == "dark"]
    light = [pixels(s.png).mean() for s in screens if s.record["metadata"]["theme"] == "light"]
    assert max(dark) < min(light)


def test_instructions_are_unique_and_boxes_lie_apart_and_inside(screens: list[Screenshot]) -> None:
    for made in screens:
        width, height = made.record["width"], made.record["height"]
        said = [e["instruction"] for e in made.record["elements"]]
        assert len(set(said)) == len(said)
        boxes = []
        for element in made.record["elements"]:
            if element.get("absent"):
                continue
            x, y, w, h = element["bbox"]
            assert x >= 0 and y >= 0 and x + w <= 1 + 1e-9 and y + h <= 1 + 1e-9
            given_boxes = element.get("acceptable_bboxes", [element["bbox"]])
            assert given_boxes[0] == element["bbox"]
            boxes += [(a * width, b * height, (a + c) * width, (b + d) * height) for a, b, c, d in given_boxes]
        inner = [tuple(v + s for v, s in zip(b, (0.1, 0.1, -0.1, -0.1), strict=True)) for b in boxes]
        assert not any(meets(a, b) for i, a in enumerate(inner) for b in inner[:i])  # type: ignore[arg-type]


def test_boxes_of_bare_ink_fit_it_exactly(screens: list[Screenshot]) -> None:
    """Every edge line of the box has ink on it, and around it there is none (a table's line may come close now and then)."""
    checked, clear = Counter[str](), 0
    for made in screens:
        shown = pixels(made.png)
        for element in made.record["elements"]:
            if element.get("absent") or element["element_type"] not in ("text", "link"):
                continue
            x, y, w, h = element["bbox"]
            x0, y0 = round(x * made.record["width"]), round(y * made.record["height"])
            x1, y1 = x0 + round(w * made.record["width"]), y0 + round(h * made.record["height"])
            box = shown[y0:y1, x0:x1]
            background = shown[y0 - 1, x0 - 1]
            for line in (box[0], box[-1], box[:, 0], box[:, -1]):
                assert (line != background).any(), element
            checked[element["element_type"]] += 1
            around = shown[y0 - 1 : y1 + 1, x0 - 1 : x1 + 1]
            clear += all((line == background).all() for line in (around[0], around[-1], around[:, 0], around[:, -1]))
    assert checked["text"] > 50 and checked["link"] > 10
    assert clear > 0.97 * checked.total()


def test_absent_targets_are_nowhere_on_the_screen() -> None:
    found = 0
    for index in range(6):
        made = screenshot(3, index, absent=1.0)
        absent = [e for e in made.record["elements"] if e.get("absent")]
        assert len(absent) == 1 and absent[0]["bbox"] == [0.0, 0.0, 0.0, 0.0]
        labels = {e["text"].lower() for e in made.record["elements"] if not e.get("absent")}
        found += absent[0]["text"].lower() in labels
    assert found == 0
    assert not any(e.get("absent") for e in screenshot(3, 0).record["elements"])


def test_a_screen_is_the_same_every_time_and_another_with_another_seed() -> None:
    assert screenshot(5, 3) == screenshot(5, 3)
    assert screenshot(5, 3).png != screenshot(6, 3).png


@pytest.mark.parametrize("name", sorted(APPS))
@pytest.mark.parametrize("size", [(1366, 768), (1920, 1080)])
def test_every_application_can_be_drawn_small_and_large(name: str, size: tuple[int, int]) -> None:
    for scale in (1.0, 1.5):
        dice = random.Random(7)
        screen = Ui(*size, scale, choose_theme("dark", dice), dice)
        fill(screen, name, (0, 0, *size))
        seen = [w for w in screen.widgets if w.aim]
        assert len(seen) >= 3
        assert all(0 <= w.box[0] < w.box[2] <= size[0] and 0 <= w.box[1] < w.box[3] <= size[1] for w in seen)


# ---------------------------------------------------------------- instructions


def widget(
    noun: str, label: str, x: int, y: int, place: str = "", row: str = "", window: str = "", aim: bool = True
) -> Widget:
    kind = {"text": "text", "icon": "icon", "link": "link", "text field": "text_field"}.get(noun, "button")
    return Widget(kind, noun, label, (x, y, x + 10, y + 10), place, row, window, aim)


def named(widgets: list[Widget], seed: int = 0) -> list[str | None]:
    names = InstructionMaker(widgets, random.Random(seed))
    return [(n := names.name(w)) and n.instruction for w in widgets]


def test_a_thing_alone_has_the_seeds_sentence() -> None:
    things = [widget("button", "Save", 0, 0), widget("icon", "search", 20, 0), widget("text", "Total", 40, 0)]
    things += [widget("text field", "Email", 60, 0), widget("link", "Help", 80, 0)]
    assert named(things) == [
        "Click on the 'Save' button",
        "Click on the search icon",
        "Click on the text 'Total'",
        "Click on the Email text field",
        "Click on the 'Help' link",
    ]


def test_rivals_are_told_apart_by_place_row_window_or_position() -> None:
    places = [
        widget("button", "Save", 0, 0, "in the toolbar"),
        widget("button", "Save", 50, 0, "in the 'Export' dialog"),
    ]
    assert named(places) == [
        "Click on the 'Save' button in the toolbar",
        "Click on the 'Save' button in the 'Export' dialog",
    ]
    rows = [widget("icon", "edit", 0, 20 * i, "in the table", f"Order {i}") for i in range(3)]
    assert named(rows)[1] == "Click on the edit icon in the row 'Order 1'"
    windows = [
        widget("icon", "close", 30 * i, 0, "in the title bar", window=w) for i, w in enumerate(("Mail", "Files"))
    ]
    assert named(windows)[1] == "Click on the close icon in the 'Files' window"
    column = [widget("button", "Edit", 0, 20 * i, "in the list") for i in range(3)]
    assert named(column)[2] == "Click on the third 'Edit' button from the top"
    line = [widget("icon", "star", 20 * i, 0) for i in range(2)]
    assert named(line)[0] == "Click on the first star icon from the left"


def test_things_that_nothing_tells_apart_are_no_targets() -> None:
    assert named([widget("text", "Total", 0, 0), widget("button", "Total", 50, 0)])[0] is None
    grid = [widget("button", "Add", x, y) for x in (0, 50) for y in (0, 50)]
    assert named(grid) == [None] * 4
    assert named([widget("icon", "star", 20 * i, 0) for i in range(7)]) == [None] * 7


def test_links_that_do_the_same_may_be_asked_for_as_any_of_them() -> None:
    links = [widget("link", "Learn more", 60 * i, 0, f"on card {i}") for i in range(3)]
    answers = {InstructionMaker(links, random.Random(seed)).name(links[1]) for seed in range(20)}
    assert {(a.instruction, len(a.boxes)) for a in answers if a} == {
        ("Click on any 'Learn more' link", 3),
        ("Click on the 'Learn more' link on card 1", 1),
    }


@pytest.mark.parametrize("difficulty", sorted(DIFFICULTIES))
def test_no_other_thing_on_the_screen_answers_to_a_targets_words(difficulty: str) -> None:
    """An independent count: same words, same noun, same added place, row or window."""
    for seed in range(6):
        screen = ui(difficulty, seed)
        _compose(screen, difficulty)
        targets, _ = choose_targets(screen, difficulty)
        for target in targets:
            one = target.widget
            same = [
                w
                for w in screen.widgets
                if w.label.lower() == one.label.lower() and w.noun == one.noun and w.box != one.box
            ]
            if not same or len(target.boxes) > 1:
                assert {w.box for w in same} <= set(target.boxes)
            elif "from the top" not in target.instruction and "from the left" not in target.instruction:
                said = target.instruction.removeprefix("Click on ")
                assert any(
                    p and p in said and all(p not in (w.place, w.row, w.window) for w in same) for p in one[4:7]
                ), said


def test_a_window_on_top_hides_what_is_below() -> None:
    screen = ui()
    screen.text(100, 100, "below")
    screen.text(300, 100, "half hidden by it")
    screen.cover((50, 50, 320, 200))
    assert [(w.label, w.aim) for w in screen.widgets] == [("half hidden by it", False)]


# ---------------------------------------------------------------- ink


@pytest.mark.parametrize("size", [11, 13, 16, 20, 26, 40])
def test_letters_are_pillows_to_the_pixel(size: int) -> None:
    for text in ("Forgot password?", "Settings (2)", "quick jumps", "100%"):
        line = lettering.line(text, size)
        image = Image.new("L", (40 * size, 4 * size))
        pen, base = 2 * size, 2 * size
        ImageDraw.Draw(image).text((pen, base), text, 255, font=ImageFont.load_default(size), anchor="ls")
        expected = levels(np.asarray(image)).astype(int)
        mine = np.zeros_like(expected)
        mine[base + line.dy : base + line.dy + line.height, pen + line.dx : pen + line.dx + line.width] = line.ink
        assert (expected != mine).sum() <= 2  # where letters touch, the stronger ink is kept
        assert line.advance == round(ImageFont.load_default(size).getlength(text))
        assert line.ink[0].any() and line.ink[-1].any() and line.ink[:, 0].any() and line.ink[:, -1].any()


def test_shortened_text_fits_and_says_that_it_is() -> None:
    cut = lettering.shortened("A rather long file name.txt", 90, 13)
    assert cut.endswith("…") and lettering.width(cut, 13) <= 90
    assert lettering.shortened("Short", 90, 13) == "Short"


def test_icons_are_all_different_and_touch_their_boxes() -> None:
    assert len(ICONS) == 20 and set(ICONS) <= set(DRAWINGS)
    drawn = {name: icon(name, 32) for name in DRAWINGS}
    for name, one in drawn.items():
        x0, y0, x1, y1 = one.edges
        assert x1 - x0 >= 10 and (y1 - y0 >= 10 or name in ("minimize", "more")), name
        for other, two in drawn.items():
            if other > name:
                apart = np.abs(one.ink.astype(int) - two.ink.astype(int)).sum() / LEVELS
                assert apart > 20, (name, other)


@given(
    st.integers(-30, 70),
    st.integers(-30, 70),
    st.integers(1, 60),
    st.integers(1, 60),
    st.integers(0, 20),
    st.booleans(),
)
def test_anything_may_be_drawn_over_the_edge(x: int, y: int, w: int, h: int, r: int, lined: bool) -> None:
    canvas = IndexedCanvas(64, 48, WHITE)
    canvas.rounded((x, y, x + w, y + h), r, RED, BLACK if lined else None)
    canvas.stamp(lettering.line("Ag", 16).ink, x, y, BLACK)
    shown = pixels(canvas.png())
    assert shown.shape == (48, 64, 3) and (shown == canvas.rgb()).all()


def test_ink_blends_with_whatever_is_below() -> None:
    canvas = IndexedCanvas(40, 10, WHITE)
    canvas.rect((20, 0, 40, 10), BLACK)
    half = np.full((10, 40), LEVELS // 2, dtype=np.uint8)
    canvas.stamp(half, 0, 0, RED)
    shown = canvas.rgb()
    assert tuple(shown[5, 5]) == pytest.approx([(a + b) / 2 for a, b in zip(WHITE, RED, strict=True)], abs=0.5)
    assert tuple(shown[5, 35]) == pytest.approx([b / 2 for b in RED], abs=0.5)


def test_a_full_palette_takes_the_nearest_colour() -> None:
    canvas = IndexedCanvas(4, 4, WHITE)
    for value in range(300):
        canvas.rect((0, 0, 4, 4), (value % 256, value // 256 * 7, 0))
    assert len(canvas.colours) == 256
    canvas.rect((0, 0, 4, 4), (100, 1, 1))
    assert tuple(canvas.rgb()[0, 0]) == (100, 0, 0)
