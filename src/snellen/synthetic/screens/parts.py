"""Parts of screens that templates cannot say: tables and running text."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.synthetic.colours import mix
from snellen.synthetic.screens.canvas import Edges
from snellen.synthetic.screens.data_files import load
from snellen.synthetic.screens.widgets import BASE, Ui

WORDS = load("words")
FIRST_COLUMN = 1.6
"""How much wider the first column of a table is than the others."""


def site(ui: Ui) -> str:
    """Return the company of the page; it follows from the screen's colours, so that tab, address and page agree."""
    companies: list[str] = WORDS["companies"]
    return companies[sum(ui.theme.accent + ui.theme.window + ui.theme.desk_top) % len(companies)]


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
