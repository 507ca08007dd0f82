"""Settings, forms, dialogs and start screens."""

from __future__ import annotations

from snellen.synthetic.screens import wording
from snellen.synthetic.screens.canvas import Edges, mix
from snellen.synthetic.screens.layouts_frames import side_bar, tool_bar, window
from snellen.synthetic.screens.layouts_parts import labelled, table
from snellen.synthetic.screens.widgets import Ui


def settings(ui: Ui, box: Edges) -> None:
    """Preferences: pages at the left, choices of all kinds, buttons below."""
    dice = ui.dice
    x0, y0, x1, y1 = side_bar(ui, box, wording.SETTINGS_PAGES, wording.SETTINGS_ICONS, wide=150, place="in the sidebar")
    foot = y1 - ui.d(52)
    ui.canvas.rect((x0, foot, x1, foot + 1), ui.theme.edge)
    with ui.at("at the bottom"):
        at = x1 - ui.d(16)
        for label, style in (("OK", "main"), ("Cancel", "plain"), ("Apply", "plain")):
            at = ui.button(at, foot + ui.d(11), label, style=style, align="right")[0] - ui.d(8)
        if at > x0 + ui.d(160):
            ui.link(x0 + ui.d(24), foot + ui.d(26), dice.choice(("Help", "Learn more", "Reset all")))
    x, y = x0 + ui.d(24), y0 + ui.d(30)
    ui.text(x, y, dice.choice(wording.SETTINGS_PAGES), dp=20, bold=True)
    y += ui.d(28)
    columns = max(1, min(3, (x1 - x0 - ui.d(24)) // ui.d(300)))
    switches = dice.sample(wording.SWITCHES, len(wording.SWITCHES))
    checks = dice.sample(wording.CHECKS, len(wording.CHECKS))
    choices = dice.sample(list(wording.CHOICES), len(wording.CHOICES))
    fields = dice.sample(list(wording.FIELDS), len(wording.FIELDS))
    step = (x1 - x0 - ui.d(24)) // columns
    for column in range(columns):
        _column(
            ui, (x + column * step, y, x + (column + 1) * step - ui.d(24), foot), (switches, checks, choices, fields)
        )


def _column(ui: Ui, box: Edges, pools: tuple[list[str], list[str], list[str], list[str]]) -> None:
    x, y, end, low = box
    switches, checks, choices, fields = pools
    dice = ui.dice
    wide = ui.d(dice.choice((74, 90, 100, 118)))
    beside = ui.d(96) if dice.random() < 0.5 and end - x > ui.d(96) + wide else 0
    while True:
        kind = dice.choice(("switches", "checks", "fields", "radios", "fields"))
        if y + ui.d(100) > low:
            return
        if kind == "fields":
            for pool in (choices, fields):
                if pool and y + ui.d(50) < low:
                    y = labelled(ui, x, y, pool.pop(), wide, beside=beside)
        elif kind == "radios":
            label = dice.choice(("Startup", "Position", "Behavior", "Scope"))
            ui.text(x, y + ui.d(8), label, dp=12, colour=ui.theme.faint)
            names = dice.sample(
                ("Always", "Never", "Ask first", "On demand", "Left", "Right", "Center", "Automatic"), 3
            )
            for i, name in enumerate(names):
                with ui.at(row=label):
                    ui.checkbox(x, y + ui.d(32 + 26 * i), name, i == 1, style="radio")
            y += ui.d(112)
        else:
            pool, style = (switches, "switch") if kind == "switches" else (checks, "box")
            for _ in range(min(3, len(pool))):
                ui.checkbox(x, y + ui.d(12), pool.pop(), dice.random() < 0.5, style=style)
                y += ui.d(29)
            y += ui.d(10)


def form(ui: Ui, box: Edges) -> None:
    """A record to fill in, and a table of those that are there."""
    dice, t = ui.dice, ui.theme
    box = tool_bar(
        ui, box, ("add", "edit", "delete", "", "print", "download", "filter"), search="Search", buttons=("Import",)
    )
    x0, y0, x1, y1 = box
    x, y = x0 + ui.d(24), y0 + ui.d(28)
    ui.text(
        x, y, dice.choice(("New customer", "Edit invoice", "Add contact", "Booking", "Work order")), dp=20, bold=True
    )
    y += ui.d(26)
    labels = dice.sample([*wording.FIELDS, *list(wording.CHOICES)], 12)
    columns = max(1, min(4, (x1 - x0 - ui.d(40)) // ui.d(180)))
    step = (x1 - x0 - ui.d(40)) // columns
    below = y
    with ui.at("in the form"):
        for i, label in enumerate(labels):
            top = y + i // columns * ui.d(60)
            if top + ui.d(120) > y1:
                break
            wide = min(step - ui.d(20), ui.d(dice.choice((74, 96, 118, 118, 160))))
            below = max(below, labelled(ui, x + i % columns * step, top, label, wide))
        at = x
        for label, style in (("Save", "main"), ("Cancel", "plain"), (dice.choice(wording.MORE_BUTTONS), "plain")):
            if at + ui.d(90) < x1:
                at = ui.button(at, below + ui.d(4), label, style=style)[2] + ui.d(10)
        if at + ui.d(120) < x1:
            ui.checkbox(at + ui.d(10), below + ui.d(19), dice.choice(wording.CHECKS), dice.random() < 0.5)
    y = below + ui.d(54)
    if y1 - y > ui.d(90):
        rows = [
            (n, dice.choice(wording.COMPANIES), dice.choice(wording.STATES)) for n in dice.sample(wording.PEOPLE, 14)
        ]
        actions = dice.choice((("edit", "delete"), ("mail", "phone"), ("eye",)))
        table(ui, (x0 + ui.d(16), y, x1 - ui.d(16), y1 - ui.d(6)), ("Name", "Company", "Status"), rows, actions=actions)
    ui.canvas.rect((x0, y1 - 1, x1, y1), t.window)


def launcher(ui: Ui, box: Edges) -> None:
    """A start screen: large symbols with their names, a search line."""
    x0, y0, x1, y1 = box
    dice, t = ui.dice, ui.theme
    with ui.at("at the top"):
        wide = ui.d(100)
        ui.field((x0 + x1 - wide) // 2, y0 + ui.d(16), wide, "Search", hint="Search", icon="search")
    tiles = dice.sample(list(zip(wording.TILES, wording.TILE_ICONS, strict=True)), len(wording.TILES))
    cell, high = ui.d(124), ui.d(124)
    columns = max(2, min(6, (x1 - x0 - ui.d(40)) // cell))
    rows = max(1, min(3, (y1 - y0 - ui.d(100)) // high))
    left = (x0 + x1 - columns * cell) // 2
    top = y0 + ui.d(60)
    for i, (name, symbol) in enumerate(tiles[: columns * rows]):
        x, y = left + i % columns * cell, top + i // columns * high
        side = ui.d(84)
        face = (x + (cell - side) // 2, y, x + (cell + side) // 2, y + side)
        ui.canvas.rounded(face, ui.d(14), mix(t.window, t.accent, dice.choice((0.08, 0.2, 0.85))))
        ui.icon(face[0] + ui.d(12), y + ui.d(12), symbol, dp=60)
        ui.text(x + cell // 2, y + side + ui.d(15), name, align="centre", dp=16)
    y = y1 - ui.d(32)
    with ui.at("at the bottom"):
        at = x0 + ui.d(20)
        for label in dice.sample(("Help", "Sign out", "See all", "Contact us"), 2):
            at = ui.link(at, y, label, dp=16)[2] + ui.d(30)
        at = x1 - ui.d(20)
        for label in dice.sample(("Edit", "Update", "Refresh", "Start"), 2):
            at = ui.button(at, y - ui.d(16), label, align="right", h=ui.d(32))[0] - ui.d(12)


# ---------------------------------------------------------------- dialogs


def dialog(ui: Ui, area: Edges, style: str) -> None:
    """A dialog in the middle of an area, over whatever is there."""
    kind = ui.dice.choice((_question, _sign_in, _save_as, _export, _print))
    kind(ui, area, style)


def _frame(ui: Ui, area: Edges, wide: float, high: float, title: str, style: str) -> Edges:
    w, h = min(ui.d(wide), area[2] - area[0] - 4), min(ui.d(high), area[3] - area[1] - 4)
    x, y = (area[0] + area[2] - w) // 2, (area[1] + area[3] - h) // 2
    edge = ui.d(3)
    shade = mix(ui.theme.desk[0], (0, 0, 0), 0.45)
    ui.canvas.rounded((x - edge, y, x + w + edge, y + h + 2 * edge), ui.d(9), shade)
    return window(ui, (x, y, x + w, y + h), title, style)


def _buttons(ui: Ui, box: Edges, labels: tuple[str, ...]) -> None:
    at = box[2] - ui.d(16)
    for i, label in enumerate(labels):
        style = "main" if i == 0 else "plain"
        at = ui.button(at, box[3] - ui.d(44), label, style=style, align="right", w=ui.d(70))[0] - ui.d(10)


def _question(ui: Ui, area: Edges, style: str) -> None:
    title, symbol, line, labels = ui.dice.choice(
        (
            ("Delete file", "warning", "This cannot be undone.", ("Delete", "Keep")),
            ("Save changes", "help", "Your changes will be lost.", ("Save", "Discard", "Cancel")),
            ("Update ready", "download", "A new version is here.", ("Install", "Later")),
            ("Connection lost", "wifi", "The server did not reply.", ("Retry", "Cancel")),
            ("Low battery", "battery", "Only 8 percent is left.", ("OK", "Settings")),
            ("Upload finished", "info", "All files were sent.", ("Close", "Open")),
        )
    )
    box = _frame(ui, area, 360, 190, title, style)
    with ui.at(f"in the '{title}' dialog"):
        ui.icon(box[0] + ui.d(20), box[1] + ui.d(22), symbol, dp=48, colour=ui.theme.accent)
        ui.text(box[0] + ui.d(86), box[1] + ui.d(36), title + "?", dp=16, bold=True)
        ui.text(box[0] + ui.d(86), box[1] + ui.d(62), line, colour=ui.theme.faint)
        ui.checkbox(box[0] + ui.d(86), box[1] + ui.d(90), "Ask again", ui.dice.random() < 0.5)
        _buttons(ui, box, labels)


def _sign_in(ui: Ui, area: Edges, style: str) -> None:
    box = _frame(ui, area, 330, 270, "Sign in", style)
    x, y = box[0] + ui.d(24), box[1] + ui.d(16)
    with ui.at("in the 'Sign in' dialog"):
        for label in (ui.dice.choice(("Email", "Username")), "Password"):
            y = labelled(ui, x, y, label, ui.d(ui.dice.choice((92, 100, 148))), optional=True)
        ui.checkbox(x, y + ui.d(10), "Remember me", ui.dice.random() < 0.5)
        ui.link(x + ui.d(138), y + ui.d(10), "Forgot password?")
        _buttons(ui, box, ("Log in", "Cancel"))


def _save_as(ui: Ui, area: Edges, style: str) -> None:
    dice = ui.dice
    box = _frame(ui, area, 520, 360, "Save as", style)
    with ui.at("in the 'Save as' dialog"):
        rest = side_bar(
            ui, box, wording.PLACES[1:7], wording.PLACE_ICONS[1:7], wide=130, place="in the 'Save as' dialog"
        )
        x, y = rest[0] + ui.d(16), rest[1] + ui.d(14)
        y = labelled(ui, x, y, "Name", ui.d(98), beside=ui.d(70))
        y = labelled(ui, x, y, "Format", ui.d(98), beside=ui.d(70))
        rows = [(f, f"2025-0{dice.randint(1, 9)}-1{dice.randint(0, 9)}") for f in dice.sample(wording.FILES, 5)]
        table(ui, (x, y, rest[2] - ui.d(10), rest[3] - ui.d(54)), ("File", "Modified"), rows, icon="file")
        _buttons(ui, rest, ("Save", "Cancel"))


def _export(ui: Ui, area: Edges, style: str) -> None:
    dice = ui.dice
    box = _frame(ui, area, 400, 300, "Export", style)
    x, y = box[0] + ui.d(24), box[1] + ui.d(16)
    with ui.at("in the 'Export' dialog"):
        for label in dice.sample(("Format", "Quality", "Paper", "Encoding", "Size"), 3):
            y = labelled(ui, x, y, label, ui.d(98), beside=ui.d(90))
        for label in dice.sample(wording.CHECKS, 2):
            ui.checkbox(x, y + ui.d(10), label, dice.random() < 0.5)
            y += ui.d(30)
        _buttons(ui, box, ("Export", "Cancel"))


def _print(ui: Ui, area: Edges, style: str) -> None:
    dice = ui.dice
    box = _frame(ui, area, 430, 310, "Print", style)
    x, y = box[0] + ui.d(24), box[1] + ui.d(16)
    with ui.at("in the 'Print' dialog"):
        for label in ("Paper", "Layout"):
            y = labelled(ui, x, y, label, ui.d(98), beside=ui.d(80))
        for i, label in enumerate(("All pages", "This page", "Selection")):
            ui.checkbox(x, y + ui.d(10), label, i == 0, style="radio")
            y += ui.d(27)
        ui.checkbox(x + ui.d(160), y - ui.d(17), "Two sided", dice.random() < 0.5)
        ui.link(x + ui.d(160), y - ui.d(44), "View details")
        _buttons(ui, box, ("Print", "Cancel"))
