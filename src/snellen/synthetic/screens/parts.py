"""Parts of screens that templates cannot say."""

from __future__ import annotations

from snellen.synthetic.screens.canvas import Edges
from snellen.synthetic.screens.data_files import load
from snellen.synthetic.screens.widgets import BASE, Ui

WORDS = load("words")


def site(ui: Ui) -> str:
    """Return the company of the page; it follows from the screen's colours, so that tab, address and page agree."""
    companies: list[str] = WORDS["companies"]
    return companies[sum(ui.theme.accent + ui.theme.window + ui.theme.desk_top) % len(companies)]


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
