"""Applications that work on lists and documents: files, mail, code, spread sheets, charts."""

from __future__ import annotations

from snellen.synthetic.screens import wording
from snellen.synthetic.screens.canvas import Edges, mix
from snellen.synthetic.screens.layouts_frames import menu_bar, scroll_bar, side_bar, status_bar, tab_strip, tool_bar
from snellen.synthetic.screens.layouts_parts import bars, card, date, money, paragraph, table
from snellen.synthetic.screens.widgets import Ui


def files(ui: Ui, box: Edges) -> None:
    """A file manager: places, and a folder as a table or as a grid of symbols."""
    dice = ui.dice
    if dice.random() < 0.6:
        box = menu_bar(ui, box, (*wording.MENUS[:3], "Go", "Help"))
    box = tool_bar(
        ui, box, ("back", "forward", "up", "", "refresh", "home", "", "grid", "list"), search="Search",
        frame=dice.random() < 0.4, buttons=dice.sample(("New", "Share", "Sort", "Rename"), 2),
    )  # fmt: skip
    box = status_bar(ui, box, (f"{dice.randint(5, 90)} items", f"{dice.randint(2, 400)} GB free"))
    box = side_bar(ui, box, wording.PLACES, wording.PLACE_ICONS, wide=150, heading="Places")
    box = scroll_bar(ui, box)
    if dice.random() < 0.5:
        names = dice.sample(wording.FILES, min(len(wording.FILES), 34))
        kinds = {"png": "Image", "jpg": "Image", "svg": "Image", "py": "Code", "js": "Code", "mp3": "Audio"}
        rows = [(n, date(ui), f"{dice.randint(1, 999)} KB", kinds.get(n.partition(".")[2], "Document")) for n in names]
        table(ui, box, ("Name", "Modified", "Size", "Kind"), rows, icon="file", place="in the file list")
        return
    _grid(ui, box, [("folder", n) for n in dice.sample(wording.FOLDERS, 14)] + [("file", n) for n in wording.FILES])


def _grid(ui: Ui, box: Edges, things: list[tuple[str, str]]) -> None:
    x0, y0, x1, y1 = box
    wide, high, side = ui.d(104), ui.d(92), ui.side(44)
    y = y0 + ui.d(12)
    at = iter(things)
    while y + high <= y1:
        x = x0 + ui.d(12)
        while x + wide <= x1:
            kind, name = next(at, ("", ""))
            if not name:
                return
            colour = mix(ui.theme.accent, ui.theme.window, 0.25) if kind == "folder" else ui.theme.faint
            part = ui.glyph(x + (wide - side) // 2, y, kind, side, colour)
            ui.note("icon", "icon", kind, part, aim=False)
            with ui.at("in the folder view"):
                ui.text(x + wide // 2, y + side + ui.d(14), name, align="centre")
            x += wide
        y += high


def mail(ui: Ui, box: Edges) -> None:
    """A mail program: boxes, a list of messages, and the message that is open."""
    dice = ui.dice
    if dice.random() < 0.5:
        box = menu_bar(ui, box, ("File", "Edit", "View", "Message", "Tools", "Help"))
    box = tool_bar(
        ui, box, ("refresh", "", "delete", "flag", "tag", "", "print", "more"), search="Search mail",
        buttons=dice.sample(("New", "Reply", "Forward", "Archive"), 3),
    )  # fmt: skip
    box = side_bar(ui, box, wording.MAILBOXES, wording.MAILBOX_ICONS, wide=140, counts=True)
    x0, y0, x1, y1 = box
    wide = min(ui.d(270), (x1 - x0) // 2)
    step, y = ui.d(54), y0
    people = dice.sample(wording.PEOPLE, len(wording.PEOPLE))
    subjects = dice.sample(wording.SUBJECTS, len(wording.SUBJECTS))
    chosen = dice.randrange(4)
    with ui.at("in the message list"):
        for i, (person, subject) in enumerate(zip(people, subjects, strict=False)):
            if y + step > y1:
                break
            if i == chosen:
                ui.canvas.rect((x0, y, x0 + wide, y + step), ui.theme.chosen)
            with ui.at(row=person):
                bold = dice.random() < 0.4
                ui.text(x0 + ui.d(14), y + ui.d(18), person, bold=bold)
                ui.text(x0 + wide - ui.d(12), y + ui.d(18), date(ui)[5:], dp=12, colour=ui.theme.faint, align="right")
                ui.text(x0 + ui.d(14), y + ui.d(37), subject, dp=12, colour=ui.theme.faint, room=wide - ui.d(60))
                if dice.random() < 0.35:
                    ui.icon(x0 + wide - ui.d(28), y + ui.d(30), "star", dp=14, colour=ui.theme.accent)
            ui.canvas.rect((x0, y + step - 1, x0 + wide, y + step), mix(ui.theme.window, ui.theme.edge, 0.6))
            y += step
    ui.canvas.rect((x0 + wide, y0, x0 + wide + 1, y1), ui.theme.edge)
    with ui.at("in the message"):
        _message(ui, (x0 + wide + 1, y0, x1, y1), people[-1], subjects[-1])


def _message(ui: Ui, box: Edges, sender: str, subject: str) -> None:
    x0, y0, x1, y1 = box
    x, room = x0 + ui.d(24), x1 - x0 - ui.d(48)
    if room < ui.d(160):
        return
    ui.text(x, y0 + ui.d(28), subject, dp=20, bold=True, room=room)
    ui.text(x, y0 + ui.d(58), sender)
    ui.text(x1 - ui.d(24), y0 + ui.d(58), date(ui), align="right", colour=ui.theme.faint)
    y = paragraph(ui, x, y0 + ui.d(82), room, 4) + ui.d(10)
    ui.link(x, y + ui.d(8), ui.dice.choice(wording.LINKS))
    y += ui.d(34)
    ui.button(x, y, ui.dice.choice(wording.FILES), icon="file")
    y = paragraph(ui, x, y + ui.d(48), room, 3) + ui.d(14)
    if y + ui.d(40) < y1:
        end = ui.button(x, y, "Reply all", style="main")[2]
        ui.button(end + ui.d(10), y, "Forward")


def code(ui: Ui, box: Edges) -> None:
    """A code editor: files, tabs, lines of code, problems."""
    dice, t = ui.dice, ui.theme
    box = menu_bar(ui, box, wording.CODE_MENUS)
    words = (f"Ln {dice.randint(1, 400)}, Col {dice.randint(1, 80)}", "Spaces: 4", "UTF-8", "LF", "Python", "main")
    box = status_bar(ui, box, words)
    x0, y0, x1, y1 = box
    strip = ui.d(44)
    ui.canvas.rect((x0, y0, x0 + strip, y1), t.bar)
    with ui.at("in the activity bar"):
        for i, name in enumerate(("copy", "search", "share", "play", "grid", "user", "settings")):
            ui.icon(x0 + (strip - ui.d(22)) // 2, y0 + ui.d(12) + i * ui.d(44), name, dp=22, colour=t.faint)
    box = (x0 + strip, y0, x1, y1)
    names = dice.sample([f for f in wording.FILES if f.endswith((".py", ".js", ".css", ".md", ".json", ".html"))], 7)
    box = side_bar(
        ui, box, dice.sample(wording.FOLDERS, 6) + names, ["folder"] * 6 + ["file"] * 7, wide=150, heading="EXPLORER",
        place="in the explorer",
    )  # fmt: skip
    box = tab_strip(ui, box, dice.sample(names, 3), closing=True)
    low = box[3] - ui.d(150)
    if low - box[1] > ui.d(160):
        panel = (box[0], low, box[2], box[3])
        ui.canvas.rect((box[0], low, box[2], low + 1), t.edge)
        inner = tab_strip(ui, panel, ("Problems", "Output", "Debug", "Terminal"), place="in the panel")
        with ui.at("in the panel"):
            for i, text in enumerate(dice.sample(wording.CODE[8:], 3)):
                ui.text(inner[0] + ui.d(14), inner[1] + ui.d(18 + 24 * i), f"> {text.strip()}", dp=12, aim=False)
        box = (box[0], box[1], box[2], low)
    box = scroll_bar(ui, box)
    y, step, number = box[1] + ui.d(8), ui.d(21), 1
    colours = (t.text, t.link, mix(t.accent, t.text, 0.5), t.faint)
    while y + step < box[3]:
        text = dice.choice(wording.CODE)
        ui.write(box[0] + ui.d(34), y + step // 2, str(number), dp=12, colour=t.faint, align="right")
        indent = (len(text) - len(text.lstrip())) * ui.d(7)
        said = text.strip()
        head, _, rest = said.partition(" ")
        first = ui.write(box[0] + ui.d(50) + indent, y + step // 2, head, colour=dice.choice(colours))
        if rest:
            ui.write(first[2] + ui.d(6), y + step // 2, rest)
        y, number = y + step, number + 1


def sheet(ui: Ui, box: Edges) -> None:
    """A spread sheet: menus, a ribbon, the formula line, cells, sheet tabs."""
    dice, t = ui.dice, ui.theme
    box = menu_bar(ui, box, ("File", "Home", "Insert", "Data", "Review", "View", "Help"))
    x0, y0, x1, y1 = tool_bar(
        ui, box, ("save", "undo", "redo", "", "cut", "copy", "paste", "", "bold", "italic", "underline", "",
                  "align left", "align center", "", "chart", "image", "link", "filter", "print"), frame=dice.random() < 0.3,
    )  # fmt: skip
    with ui.at("in the format bar"):
        ui.canvas.rect((x0, y0, x1, y0 + ui.d(38)), t.bar)
        x = x0 + ui.d(12)
        for label, wide in (("Font", 110), ("Size", 64), ("Format", 90), ("Currency", 84)):
            if x + ui.d(wide + 60) > x1:
                break
            ink = ui.text(x, y0 + ui.d(19), label, dp=12)
            box = ui.dropdown(
                ink[2] + ui.d(8), y0 + ui.d(6), ui.d(wide), label, dice.choice(wording.CHOICES[label]), h=ui.d(26)
            )
            x = box[2] + ui.d(18)
    y0 += ui.d(38)
    with ui.at("in the formula bar"):
        ui.canvas.rect((x0, y0, x1, y0 + ui.d(32)), t.bar)
        cell = f"{dice.choice('BCDE')}{dice.randint(2, 18)}"
        ui.field(x0 + ui.d(12), y0 + ui.d(3), ui.d(64), "cell name", value=cell, h=ui.d(25), aim=False)
        ui.field(x0 + ui.d(86), y0 + ui.d(3), x1 - x0 - ui.d(98), "formula", value="=SUM(B2:B9)", h=ui.d(25), aim=False)
    y0 += ui.d(32)
    low = y1 - ui.d(30)
    tab_strip(ui, (x0, low, x1, y1), [f"Sheet{i}" for i in (1, 2, 3)], place="in the sheet tabs")
    _cells(ui, (x0, y0, x1, low))


def _cells(ui: Ui, box: Edges) -> None:
    x0, y0, x1, y1 = box
    dice, t = ui.dice, ui.theme
    head, wide, high = ui.d(40), ui.d(92), ui.d(24)
    line = mix(t.window, t.edge, 0.7)
    ui.canvas.rect((x0, y0, x1, y0 + high), t.panel)
    ui.canvas.rect((x0, y0, x0 + head, y1), t.panel)
    columns = [x for x in range(x0 + head, x1 - wide // 2, wide)]
    rows = [y for y in range(y0 + high, y1 - high, high)]
    for i, x in enumerate(columns):
        ui.canvas.rect((x, y0, x + 1, y1), line)
        if i < 26:
            ui.write(x + wide // 2, y0 + high // 2, chr(65 + i), colour=t.faint, align="centre", dp=12)
    for i, y in enumerate(rows):
        ui.canvas.rect((x0, y, x1, y + 1), line)
        ui.write(x0 + head // 2, y + high // 2, str(i + 1), colour=t.faint, align="centre", dp=12)
    used = min(len(columns) - 1, dice.randint(4, 6))
    people = dice.sample(wording.PEOPLE, len(wording.PEOPLE))
    with ui.at("in the sheet"):
        heads = (
            "Name",
            *dice.sample(("Region", "Units", "Price", "Total", "Owner", "Week", "Status", "Cost"), max(used - 1, 0)),
        )
        for i, label in enumerate(heads[: len(columns)]):
            ui.text(columns[i] + ui.d(6), rows[0] + high // 2, label, bold=True, room=wide - ui.d(8))
        for number, y in enumerate(rows[1 : min(len(rows), 22)]):
            ui.text(columns[0] + ui.d(6), y + high // 2, people[number % len(people)], room=wide - ui.d(8))
            for x in columns[1:used]:
                ui.text(x + wide - ui.d(6), y + high // 2, money(ui), align="right", dp=12)
    if len(columns) > used and len(rows) > 4:
        x, y = columns[min(used - 1, len(columns) - 1)], rows[dice.randrange(1, min(len(rows), 12))]
        ui.canvas.frame((x, y, x + wide + 1, y + high + 1), t.accent, max(1, ui.d(2)))


def dashboard(ui: Ui, box: Edges) -> None:
    """Figures, charts and a table of entries with actions."""
    dice, t = ui.dice, ui.theme
    pages = ("Overview", "Orders", "Customers", "Products", "Reports", "Team", "Billing", "Settings")
    symbols = ("home", "cart", "user", "tag", "chart", "chat", "calendar", "settings")
    box = side_bar(ui, box, pages, symbols, wide=150, heading=dice.choice(wording.COMPANIES))
    x0, y0, x1, y1 = tool_bar(
        ui, box, ("bell", "help", "user"), search="Search", buttons=("Export", dice.choice(("Refresh", "Filter"))),
        place="in the header",
    )  # fmt: skip
    gap = ui.d(16)
    ui.text(x0 + gap, y0 + ui.d(26), "Dashboard", dp=20, bold=True)
    with ui.at("in the header area"):
        ui.dropdown(x1 - gap - ui.d(110), y0 + ui.d(12), ui.d(110), "Region", dice.choice(wording.CHOICES["Region"]))
    y = y0 + ui.d(52)
    count = max(2, min(4, (x1 - x0) // ui.d(190)))
    wide = (x1 - x0 - gap * (count + 1)) // count
    for i, label in enumerate(
        dice.sample(("Revenue", "Orders today", "Visitors", "Returns", "Refunds", "Signups"), count)
    ):
        left = x0 + gap + i * (wide + gap)
        card(ui, (left, y, left + wide, y + ui.d(76)))
        ui.text(left + ui.d(14), y + ui.d(20), label, dp=12, colour=t.faint)
        ui.text(left + ui.d(14), y + ui.d(50), money(ui), dp=20, bold=True)
    y += ui.d(92)
    if y1 - y > ui.d(330):
        card(ui, (x0 + gap, y, x1 - gap, y + ui.d(150)))
        ui.text(x0 + gap + ui.d(14), y + ui.d(18), "Sales by week", bold=True)
        ui.link(x1 - gap - ui.d(14), y + ui.d(18), "View details", align="right")
        bars(ui, (x0 + gap + ui.d(14), y + ui.d(36), x1 - gap - ui.d(14), y + ui.d(138)))
        y += ui.d(166)
    rows = [
        (f"Order {n}", dice.choice(wording.PEOPLE), money(ui), dice.choice(wording.STATES))
        for n in dice.sample(range(1000, 9999), 20)
    ]
    table(
        ui, (x0 + gap, y, x1 - gap, y1 - ui.d(8)), ("Order", "Customer", "Amount", "Status"), rows,
        actions=dice.choice((("edit", "delete"), ("eye", "more"), ("download",))), links=dice.choice(((), ("Open",))),
    )  # fmt: skip
