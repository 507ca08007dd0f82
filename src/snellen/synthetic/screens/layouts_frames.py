"""What surrounds an application: the desk, window frames of three styles, menu bars, tool bars, side bars, status bars."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.synthetic.screens.canvas import Edges, mix, rgb
from snellen.synthetic.screens.widgets import Ui

STYLES = ("buttons right", "dots left", "header")


def desk(ui: Ui, style: str) -> Edges:
    """A wallpaper and a task bar; gives what is left for windows."""
    top, bottom = ui.theme.desk
    bands = 12
    for i in range(bands):
        edges = (0, ui.height * i // bands, ui.width, ui.height * (i + 1) // bands)
        ui.canvas.rect(edges, mix(top, bottom, i / (bands - 1)))
    if style == "dots left":
        high = ui.d(24)
        ui.canvas.rect((0, 0, ui.width, high), ui.theme.bar)
        _tray(ui, high // 2)
        return 0, high, ui.width, ui.height
    high = ui.d(38)
    y = ui.height - high
    ui.canvas.rect((0, y, ui.width, ui.height), ui.theme.bar)
    ui.canvas.rect((0, y, ui.width, y + 1), ui.theme.edge)
    with ui.at("in the task bar"):
        names = ui.dice.sample(("grid", "search", "folder", "mail", "globe", "calendar", "chat", "image", "cart"), 6)
        x = ui.d(10)
        for name in names:
            ui.icon(x, y + (high - ui.d(20)) // 2, name, dp=20)
            x += ui.d(38)
    _tray(ui, y + high // 2)
    return 0, 0, ui.width, y


def _tray(ui: Ui, mid: int) -> None:
    with ui.at("in the task bar"):
        clock = f"{ui.dice.randint(7, 21):02d}:{ui.dice.randint(0, 59):02d}"
        ui.text(ui.width - ui.d(12), mid, clock, align="right")
        x = ui.width - ui.d(80)
        for name in ("battery", "wifi", "volume"):
            ui.icon(x, mid - ui.d(8), name, dp=16)
            x -= ui.d(26)


def window(ui: Ui, box: Edges, title: str, style: str) -> Edges:
    """A window's frame and title; gives the inside below the title bar."""
    t, c = ui.theme, ui.canvas
    ui.cover(box)
    x0, y0, x1, y1 = box
    c.rounded(box, ui.d(7), t.window, t.edge)
    high = ui.d(34 if style == "header" else 30)
    c.rounded((x0 + 1, y0 + 1, x1 - 1, y0 + high), ui.d(6), t.bar)
    c.rect((x0 + 1, y0 + high // 2, x1 - 1, y0 + high), t.bar)
    c.rect((x0 + 1, y0 + high, x1 - 1, y0 + high + 1), t.edge)
    mid = y0 + high // 2
    with ui.at("in the title bar"):
        if style == "dots left":
            r = ui.d(6)
            for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
                x = x0 + ui.d(12) + i * ui.d(20)
                c.rounded((x, mid - r, x + 2 * r, mid + r), r, rgb(colour))
            ui.text((x0 + x1) // 2, mid, title, align="centre", bold=True)
        else:
            side = ui.side(14)
            for i, name in enumerate(("close", "maximize", "minimize")):
                ui.icon(x1 - ui.d(14) - side - i * ui.d(34), mid - side // 2, name, dp=14)
            if style == "header":
                ui.text((x0 + x1) // 2, mid, title, align="centre", bold=True)
            else:
                ui.text(x0 + ui.d(14), mid, title)
    return x0 + 1, y0 + high + 1, x1 - 1, y1 - ui.d(3)


def menu_bar(ui: Ui, box: Edges, names: Sequence[str]) -> Edges:
    """Words along the top; gives the rest."""
    x0, y0, x1, y1 = box
    high = ui.d(26)
    ui.canvas.rect((x0, y0, x1, y0 + high), ui.theme.bar)
    x = x0 + ui.d(12)
    with ui.at("in the menu bar"):
        for name in names:
            wide = ui.measure(name)
            if x + wide > x1 - ui.d(8):
                break
            ui.item(x, y0 + high // 2, name, noun="menu")
            x += wide + ui.d(18)
    return x0, y0 + high, x1, y1


def tool_bar(
    ui: Ui, box: Edges, icons: Sequence[str], *, place: str = "in the toolbar", search: str = "",
    buttons: Sequence[str] = (), frame: bool = False,
) -> Edges:  # fmt: skip
    """Buttons, symbols in groups, then perhaps a search field; gives the rest. A name of '' makes a divider."""
    x0, y0, x1, y1 = box
    dp = 18 * ui.touch
    frame = frame or (ui.touch > 1 and ui.dice.random() < 0.7)
    side = ui.side(dp) + (2 * ui.d(6) if frame else 0)
    tall = max(ui.d(38), side + ui.d(12))
    ui.canvas.rect((x0, y0, x1, y0 + tall), ui.theme.bar)
    ui.canvas.rect((x0, y0 + tall, x1, y0 + tall + 1), ui.theme.edge)
    x, mid = x0 + ui.d(12), y0 + tall // 2
    end = x1 - ui.d(10)
    with ui.at(place):
        if search:
            wide = ui.d(ui.dice.choice((100, 120, 150)))
            if end - wide > x0 + (x1 - x0) // 2:
                ui.field(end - wide, mid - ui.d(13), wide, search, hint=search, icon="search", h=ui.d(26))
                end -= wide + ui.d(12)
        for label in buttons:
            wide = ui.measure(label) + ui.d(24)
            if x + wide > end:
                break
            ui.button(x, mid - ui.d(13), label, h=ui.d(26), style=ui.dice.choice(("plain", "soft")))
            x += wide + ui.d(8)
        for name in icons:
            if x + side > end:
                break
            if not name:
                ui.canvas.rect((x + ui.d(2), mid - ui.d(9), x + ui.d(2) + 1, mid + ui.d(9)), ui.theme.edge)
                x += ui.d(12)
                continue
            ui.icon(x, mid - side // 2, name, dp=dp, frame=frame)
            x += side + ui.d(6 if frame else 14)
    return x0, y0 + tall + 1, x1, y1


def side_bar(
    ui: Ui, box: Edges, labels: Sequence[str], icons: Sequence[str] = (), *, wide: float = 170, heading: str = "",
    place: str = "in the sidebar", right: bool = False, counts: bool = False,
) -> Edges:  # fmt: skip
    """A column of entries, one of them chosen; gives the rest."""
    x0, y0, x1, y1 = box
    breadth = ui.d(wide)
    left, end = (x1 - breadth, x1) if right else (x0, x0 + breadth)
    ui.canvas.rect((left, y0, end, y1), ui.theme.panel)
    ui.canvas.rect((left if right else end - 1, y0, left + 1 if right else end, y1), ui.theme.edge)
    y, step = y0 + ui.d(10), ui.d(30)
    with ui.at(place):
        if heading:
            ui.text(left + ui.d(14), y + ui.d(10), heading, dp=12, colour=ui.theme.faint, bold=True)
            y += ui.d(26)
        chosen = ui.dice.randrange(max(1, len(labels)))
        for i, label in enumerate(labels):
            if y + step > y1:
                break
            if i == chosen:
                ui.canvas.rounded((left + ui.d(6), y, end - ui.d(7), y + step - ui.d(2)), ui.d(5), ui.theme.chosen)
            symbol = icons[i] if i < len(icons) else ""
            room = breadth - ui.d(30) - (ui.d(24) if symbol else 0) - (ui.d(24) if counts else 0)
            ui.item(left + ui.d(14), y + step // 2 - 1, label, icon=symbol, chosen=i == chosen, room=room)
            if counts and ui.dice.random() < 0.5:
                number = str(ui.dice.randint(1, 99))
                ui.text(
                    end - ui.d(14), y + step // 2 - 1, number, dp=12, colour=ui.theme.faint, align="right", aim=False
                )
            y += step
    return (x0, y0, left, y1) if right else (end, y0, x1, y1)


def status_bar(ui: Ui, box: Edges, words: Sequence[str]) -> Edges:
    """A line of facts at the bottom; gives the rest."""
    x0, y0, x1, y1 = box
    high = ui.d(22)
    top = y1 - high
    ui.canvas.rect((x0, top, x1, y1), ui.theme.bar)
    ui.canvas.rect((x0, top, x1, top + 1), ui.theme.edge)
    x = x0 + ui.d(12)
    with ui.at("in the status bar"):
        for word in words:
            if x + ui.measure(word, 11) > x1 - ui.d(10):
                break
            ink = ui.text(x, top + high // 2, word, dp=12, colour=ui.theme.faint)
            x = ink[2] + ui.d(22)
    return x0, y0, x1, top


def tab_strip(
    ui: Ui, box: Edges, names: Sequence[str], *, closing: bool = False, place: str = "in the tab bar"
) -> Edges:
    """Tabs along the top, the first one open; gives the rest."""
    x0, y0, x1, y1 = box
    high = ui.d(32)
    ui.canvas.rect((x0, y0, x1, y0 + high), ui.theme.panel)
    ui.canvas.rect((x0, y0 + high - 1, x1, y0 + high), ui.theme.edge)
    x = x0
    for i, name in enumerate(names):
        wide = ui.measure(name) + ui.d(28) + (ui.d(22) if closing else 0)
        if x + wide > x1:
            break
        if i == 0:
            ui.canvas.rect((x, y0, x + wide, y0 + high), ui.theme.window)
            ui.canvas.rect((x, y0, x + wide, y0 + ui.d(2)), ui.theme.accent)
        with ui.at(place):
            ui.item(x + ui.d(14), y0 + high // 2, name, noun="tab", chosen=i == 0)
        if closing:
            with ui.at(f"on the '{name}' tab"):
                ui.icon(x + wide - ui.d(24), y0 + high // 2 - ui.d(6), "close", dp=12, colour=ui.theme.faint)
        ui.canvas.rect((x + wide - 1, y0, x + wide, y0 + high), ui.theme.edge)
        x += wide
    return x0, y0 + high, x1, y1


def scroll_bar(ui: Ui, box: Edges) -> Edges:
    """A slim track with a handle at the right; gives the rest."""
    x0, y0, x1, y1 = box
    wide = ui.d(10)
    ui.canvas.rect((x1 - wide, y0, x1, y1), ui.theme.panel)
    length = max(ui.d(30), (y1 - y0) // ui.dice.randint(2, 5))
    top = y0 + ui.dice.randint(0, max(1, (y1 - y0) - length))
    ui.canvas.rounded(
        (x1 - wide + ui.d(2), top, x1 - ui.d(2), min(top + length, y1)),
        ui.d(3),
        mix(ui.theme.panel, ui.theme.faint, 0.5),
    )
    return x0, y0, x1 - wide, y1
