"""Parts of screens that templates cannot say: tables, running text, pictures, charts, code, the cells of a spread sheet."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.synthetic.screens.canvas import Edges, mix, rgb
from snellen.synthetic.screens.data_files import load
from snellen.synthetic.screens.widgets import BASE, Ui

WORDS = load("words")
FIRST_COLUMN = 1.6
"""How much wider the first column of a table is than the others."""
WALLPAPER_BANDS = 12
HILLS = 12
PICTURE_COLOURS = (
    ("#7fb2d9", "#4f7f52", "#f2d16b"),
    ("#e6a57e", "#7a5c8e", "#f7e3b5"),
    ("#90a8c0", "#3f5a73", "#f0f0e8"),
)


def site(ui: Ui) -> str:
    """Return the company of the page; it follows from the screen's colours, so that tab, address and page agree."""
    companies: list[str] = WORDS["companies"]
    return companies[sum(ui.theme.accent + ui.theme.window + ui.theme.desk_top) % len(companies)]


def wallpaper(ui: Ui, box: Edges) -> None:
    """Fill a box with bands from one colour to another."""
    x0, y0, x1, y1 = box
    for i in range(WALLPAPER_BANDS):
        edges = (x0, y0 + (y1 - y0) * i // WALLPAPER_BANDS, x1, y0 + (y1 - y0) * (i + 1) // WALLPAPER_BANDS)
        ui.rect(edges, mix(ui.theme.desk_top, ui.theme.desk_bottom, i / (WALLPAPER_BANDS - 1)))


def table(
    ui: Ui, heads: Sequence[str], box: Edges, rows: Sequence[Sequence[str]], *, icon: str = "", actions: Sequence[str] = (),
    links: Sequence[str] = (), place: str = "in the table",
) -> None:  # fmt: skip
    """Draw heads and rows; each row may begin with an icon and end with actions (icons) or links."""
    x0, y0, x1, y1 = box
    theme, high = ui.theme, ui.d(28)
    ends = ui.d(30) * len(actions) + sum(ui.measure(word) + ui.d(20) for word in links)
    room = x1 - x0 - ui.d(20) - ends - ui.d(24 if icon else 0)
    shares = [FIRST_COLUMN, *([1.0] * (len(heads) - 1))]
    spots = [x0 + ui.d(12)]
    for share in shares:
        spots.append(spots[-1] + int(room * share / sum(shares)))
    ui.rect((x0, y0, x1, y0 + high), theme.panel)
    with ui.at(place):
        for head, x, end in zip(heads, spots, spots[1:], strict=False):
            ui.text(x, y0 + high // 2, head, bold=True, colour=theme.faint, dp=12, room=end - x - ui.d(6))
    chosen = ui.dice.randrange(max(1, 2 * len(rows)))
    for number, row in enumerate(rows):
        y = y0 + high * (number + 1)
        if y + high > y1:
            break
        if number == chosen:
            ui.rect((x0, y, x1, y + high), theme.chosen)
        ui.rect((x0, y + high - 1, x1, y + high), mix(theme.window, theme.edge, 0.6))
        with ui.at(place, row[0]):
            _cells_of_row(ui, row, spots, y + high // 2, icon)
            _ends_of_row(ui, x1 - ui.d(12), y + high // 2, actions, links)


def _cells_of_row(ui: Ui, row: Sequence[str], spots: list[int], mid: int, icon: str) -> None:
    for i, (cell, x, end) in enumerate(zip(row, spots, spots[1:], strict=False)):
        at = x
        if i == 0 and icon:
            side = ui.side(16)
            ui.icon(at, mid - side // 2, icon, dp=16, colour=ui.theme.faint, aim=False)
            at += side + ui.d(8)
        ui.text(at, mid, cell, room=end - at - ui.d(8), colour=ui.theme.faint if i else ui.theme.text)


def _ends_of_row(ui: Ui, x: int, mid: int, actions: Sequence[str], links: Sequence[str]) -> None:
    for name in reversed(actions):
        x -= ui.d(16)
        ui.icon(x, mid - ui.d(8), name, dp=16, colour=ui.theme.faint)
        x -= ui.d(14)
    for words in reversed(links):
        x -= ui.measure(words)
        ui.link(x, mid, words, line=False)
        x -= ui.d(20)


def paragraph(ui: Ui, lines: int, x: int, y: int, room: int, dp: float = BASE) -> Edges:
    """Write running text that only fills; return the room that it takes."""
    sentences = WORDS["sentences"]
    words = " ".join(ui.dice.sample(sentences, min(len(sentences), 3 + lines))).split()
    step, space, top = ui.d(dp * 1.65), ui.measure(" ", dp), y
    for _ in range(lines):
        line: list[str] = []
        used = 0
        while words and used + ui.measure(words[0], dp) <= room:
            used += ui.measure(words[0], dp) + space
            line.append(words.pop(0))
        if line:
            ui.text(x, y + step // 2, " ".join(line), dp=dp, colour=ui.theme.faint, aim=False)
        y += step
    return x, top, x + room, y


def picture(ui: Ui, box: Edges) -> None:
    """Draw a small landscape: sky, hills, a sun."""
    x0, y0, x1, y1 = box
    wide, high = x1 - x0, y1 - y0
    if wide < 6 or high < 6:
        return
    sky, hill, sun = (rgb(colour) for colour in ui.dice.choice(PICTURE_COLOURS))
    ui.rect(box, sky)
    r = max(2, min(wide, high) // 8)
    x, y = x0 + wide * ui.dice.randint(20, 80) // 100, y0 + high * 3 // 10
    ui.rounded((x - r, y - r, x + r, y + r), r, sun)
    for i in range(HILLS):
        lift = (abs(i - ui.dice.randint(3, 9)) * high) // 40
        ui.rect((x0 + wide * i // HILLS, y0 + high * 6 // 10 + lift, x0 + wide * (i + 1) // HILLS, y1), hill)


def bars(ui: Ui, box: Edges) -> None:
    """Draw a bar chart."""
    x0, y0, x1, y1 = box
    ui.rect((x0, y1 - 1, x1, y1), ui.theme.edge)
    count = max(3, min(12, (x1 - x0) // ui.d(30)))
    wide = (x1 - x0) // count
    for i in range(count):
        high = (y1 - y0) * ui.dice.randint(15, 95) // 100
        colour = ui.theme.accent if i % 3 else mix(ui.theme.accent, ui.theme.window, 0.4)
        ui.rect((x0 + i * wide + wide // 5, y1 - high, x0 + (i + 1) * wide - wide // 5, y1), colour)


def code(ui: Ui, box: Edges) -> None:
    """Write numbered lines of a program, the first word of each in a colour."""
    left, y0, _, y1 = box
    theme, step = ui.theme, ui.d(21)
    colours = (theme.text, theme.link, mix(theme.accent, theme.text, 0.5), theme.faint)
    first = y0 + ui.d(8)
    for number, y in enumerate(range(first, y1 - step, step), start=1):
        text = ui.dice.choice(WORDS["code"])
        mid = y + step // 2
        ui.write(left + ui.d(34), mid, str(number), dp=12, colour=theme.faint, align="right")
        indent = (len(text) - len(text.lstrip())) * ui.d(7)
        head, _, rest = text.strip().partition(" ")
        written = ui.write(left + ui.d(50) + indent, mid, head, colour=ui.dice.choice(colours))
        if rest:
            ui.write(written[2] + ui.d(6), mid, rest)


def cells(ui: Ui, box: Edges) -> None:
    """Draw the cells of a spread sheet, some of them filled and one of them chosen."""
    x0, y0, x1, y1 = box
    theme, dice = ui.theme, ui.dice
    head, wide, high = ui.d(40), ui.d(92), ui.d(24)
    line = mix(theme.window, theme.edge, 0.7)
    ui.rect((x0, y0, x1, y0 + high), theme.panel)
    ui.rect((x0, y0, x0 + head, y1), theme.panel)
    columns = range(x0 + head, x1 - wide // 2, wide)
    rows = range(y0 + high, y1 - high, high)
    for i, x in enumerate(columns):
        ui.rect((x, y0, x + 1, y1), line)
        if i < 26:
            ui.write(x + wide // 2, y0 + high // 2, chr(65 + i), colour=theme.faint, align="centre", dp=12)
    for i, y in enumerate(rows):
        ui.rect((x0, y, x1, y + 1), line)
        ui.write(x0 + head // 2, y + high // 2, str(i + 1), colour=theme.faint, align="centre", dp=12)
    used = min(len(columns) - 1, dice.randint(4, 6))
    people = dice.sample(WORDS["people"], len(WORDS["people"]))
    with ui.at("in the sheet"):
        heads = ("Name", *dice.sample(WORDS["sheet_heads"], max(used - 1, 0)))
        for label, x in zip(heads, columns, strict=False):
            ui.text(x + ui.d(6), rows[0] + high // 2, label, bold=True, room=wide - ui.d(8))
        for person, y in zip(people, rows[1:22], strict=False):
            ui.text(columns[0] + ui.d(6), y + high // 2, person, room=wide - ui.d(8))
            for x in columns[1:used]:
                amount = f"{dice.randint(1, 9999)}.{dice.randint(0, 99):02d}"
                ui.text(x + wide - ui.d(6), y + high // 2, amount, align="right", dp=12)
    if len(columns) > used and len(rows) > 4:
        x, y = columns[used - 1], rows[dice.randrange(1, min(len(rows), 12))]
        ui.frame((x, y, x + wide + 1, y + high + 1), theme.accent, max(1, ui.d(2)))
