"""Contents that several applications share: tables, paragraphs, cards, pictures, charts, labelled form fields."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.synthetic.screens import wording
from snellen.synthetic.screens.canvas import Edges, mix, rgb
from snellen.synthetic.screens.widgets import BASE, Ui

PICTURE_COLOURS = (
    ("#7fb2d9", "#4f7f52", "#f2d16b"),
    ("#e6a57e", "#7a5c8e", "#f7e3b5"),
    ("#90a8c0", "#3f5a73", "#f0f0e8"),
)


def date(ui: Ui) -> str:
    """A day, as tables write it."""
    return f"2025-{ui.dice.randint(1, 12):02d}-{ui.dice.randint(1, 28):02d}"


def money(ui: Ui) -> str:
    """An amount, as tables write it."""
    return f"{ui.dice.randint(1, 9999)}.{ui.dice.randint(0, 99):02d}"


def table(
    ui: Ui, box: Edges, heads: Sequence[str], rows: Sequence[Sequence[str]], *, widths: Sequence[float] = (),
    icon: str = "", actions: Sequence[str] = (), links: Sequence[str] = (), checks: bool = False, step: float = 28,
    place: str = "in the table",
) -> Edges:  # fmt: skip
    """Heads and rows; each row may begin with a symbol and end with actions (symbols) or links. Gives what is used."""
    x0, y0, x1, y1 = box
    t, high = ui.theme, ui.d(step)
    ends = sum(ui.d(30) for _ in actions) + sum(ui.measure(w) + ui.d(20) for w in links)
    shares = list(widths) or [1.6, *([1.0] * (len(heads) - 1))]
    room = x1 - x0 - ui.d(20) - ends - ui.d(24 if icon else 0)
    spots = [x0 + ui.d(12)]
    for share in shares:
        spots.append(spots[-1] + int(room * share / sum(shares)))
    ui.canvas.rect((x0, y0, x1, y0 + high), t.panel)
    with ui.at(place):
        for head, x, end in zip(heads, spots, spots[1:], strict=False):
            ui.text(x, y0 + high // 2, head, bold=True, colour=t.faint, dp=12, room=end - x - ui.d(6))
    y = y0 + high
    chosen = ui.dice.randrange(max(1, 2 * len(rows)))
    for number, row in enumerate(rows):
        if y + high > y1:
            break
        if number == chosen:
            ui.canvas.rect((x0, y, x1, y + high), t.chosen)
        ui.canvas.rect((x0, y + high - 1, x1, y + high), mix(t.window, t.edge, 0.6))
        with ui.at(place, row[0]):
            _row(ui, row, spots, (y, y + high), x1, icon, actions, links)
        y += high
    return x0, y0, x1, y


def _row(
    ui: Ui, row: Sequence[str], spots: list[int], ys: tuple[int, int], end: int, icon: str, actions: Sequence[str],
    links: Sequence[str],
) -> None:  # fmt: skip
    mid = (ys[0] + ys[1]) // 2
    for i, (cell, x, stop) in enumerate(zip(row, spots, spots[1:], strict=False)):
        at = x
        if i == 0 and icon:
            side = ui.side(16)
            ui.note("icon", "icon", icon, ui.glyph(at, mid - side // 2, icon, side, ui.theme.faint), aim=False)
            at += side + ui.d(8)
        ui.text(at, mid, cell, room=stop - at - ui.d(8), colour=ui.theme.text if i == 0 else ui.theme.faint)
    x = end - ui.d(12)
    for name in reversed(actions):
        x -= ui.d(16)
        ui.icon(x, mid - ui.d(8), name, dp=16, colour=ui.theme.faint)
        x -= ui.d(14)
    for words in reversed(links):
        x -= ui.measure(words)
        ui.link(x, mid, words, line=False)
        x -= ui.d(20)


def paragraph(ui: Ui, x: int, y: int, room: int, lines: int, *, dp: float = BASE) -> int:
    """Running text that only fills; gives the y below it."""
    words = " ".join(ui.dice.sample(wording.SENTENCES, min(len(wording.SENTENCES), 3 + lines))).split()
    step = ui.d(dp * 1.65)
    space = ui.measure(" ", dp)
    for _ in range(lines):
        line: list[str] = []
        used = 0
        while words and used + ui.measure(words[0], dp) <= room:
            used += ui.measure(words[0], dp) + space
            line.append(words.pop(0))
        if line:
            said = " ".join(line)
            ui.note("text", "text", said, ui.write(x, y + step // 2, said, dp=dp, colour=ui.theme.faint), aim=False)
        y += step
    return y


def picture(ui: Ui, box: Edges) -> None:
    """A small landscape: sky, hills, a sun."""
    x0, y0, x1, y1 = box
    if x1 - x0 < 6 or y1 - y0 < 6:
        return
    sky, hill, sun = (rgb(c) for c in ui.dice.choice(PICTURE_COLOURS))
    ui.canvas.rect(box, sky)
    r = max(2, min(x1 - x0, y1 - y0) // 8)
    cx, cy = x0 + (x1 - x0) * ui.dice.randint(20, 80) // 100, y0 + (y1 - y0) * 3 // 10
    ui.canvas.rounded((cx - r, cy - r, cx + r, cy + r), r, sun)
    steps = 12
    base = y0 + (y1 - y0) * 6 // 10
    for i in range(steps):
        lift = (abs(i - ui.dice.randint(3, 9)) * (y1 - y0)) // 40
        ui.canvas.rect((x0 + (x1 - x0) * i // steps, base + lift, x0 + (x1 - x0) * (i + 1) // steps, y1), hill)


def bars(ui: Ui, box: Edges) -> None:
    """A bar chart."""
    x0, y0, x1, y1 = box
    ui.canvas.rect((x0, y1 - 1, x1, y1), ui.theme.edge)
    count = max(3, min(12, (x1 - x0) // ui.d(30)))
    wide = (x1 - x0) // count
    for i in range(count):
        high = (y1 - y0) * ui.dice.randint(15, 95) // 100
        colour = ui.theme.accent if i % 3 else mix(ui.theme.accent, ui.theme.window, 0.4)
        ui.canvas.rect((x0 + i * wide + wide // 5, y1 - high, x0 + (i + 1) * wide - wide // 5, y1), colour)


def avatar(ui: Ui, x: int, y: int, side: int, name: str) -> None:
    """A disc with an initial."""
    colour = rgb(ui.dice.choice(("#c2603f", "#3f7fc2", "#5a9a4a", "#8a5ab8", "#b8862f")))
    ui.canvas.rounded((x, y, x + side, y + side), side // 2, colour)
    ui.write(x + side // 2, y + side // 2, name[0], colour=(255, 255, 255), align="centre")


def labelled(ui: Ui, x: int, y: int, label: str, wide: int, *, beside: int = 0, optional: bool = False) -> int:
    """A form field or list with its label above it, or `beside` pixels to its left; gives the y below."""
    high = ui.d(28)
    if beside:
        ui.text(x, y + high // 2, label, room=beside - ui.d(8))
        at, top = x + beside, y
    else:
        ui.text(x, y + ui.d(7), label, dp=12)
        at, top = x, y + ui.d(18)
    if label in wording.CHOICES:
        ui.dropdown(at, top, wide, label, ui.dice.choice(wording.CHOICES[label]))
    elif optional or ui.dice.random() < 0.5:
        ui.field(at, top, wide, label, hint=f"Enter {label.lower()}...")
    else:
        ui.field(at, top, wide, label, value=wording.FIELDS[label])
    return top + high + ui.d(12)


def slider(ui: Ui, x: int, mid: int, wide: int, label: str) -> None:
    """A track with a knob and its name above."""
    share = ui.dice.randint(5, 95)
    ui.text(x, mid - ui.d(14), label, dp=12)
    ui.text(x + wide, mid - ui.d(14), str(share), dp=12, align="right", colour=ui.theme.faint, aim=False)
    at, r = x + wide * share // 100, ui.d(6)
    ui.canvas.rounded((x, mid - ui.d(2), x + wide, mid + ui.d(2)), ui.d(2), ui.theme.edge)
    ui.canvas.rounded((x, mid - ui.d(2), at, mid + ui.d(2)), ui.d(2), ui.theme.accent)
    ui.canvas.rounded((at - r, mid - r, at + r, mid + r), r, ui.theme.accent)


def card(ui: Ui, box: Edges) -> None:
    """A sheet with an outline."""
    ui.canvas.rounded(box, ui.d(8), ui.theme.field, ui.theme.edge)
