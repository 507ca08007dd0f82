"""Applications for pictures, music, talk and dates."""

from __future__ import annotations

from snellen.synthetic.screens import wording
from snellen.synthetic.screens.canvas import Edges, mix
from snellen.synthetic.screens.layouts_frames import menu_bar, side_bar, status_bar, tool_bar
from snellen.synthetic.screens.layouts_parts import avatar, picture, slider
from snellen.synthetic.screens.widgets import Ui


def photo(ui: Ui, box: Edges) -> None:
    """A picture editor: tools, the picture, sliders and layers."""
    dice, t = ui.dice, ui.theme
    box = menu_bar(ui, box, wording.IMAGE_MENUS)
    box = tool_bar(
        ui, box, ("save", "undo", "redo", "", "zoom in", "zoom out", "", "copy", "paste"),
        buttons=dice.sample(("Export", "Share", "Reset", "Compare"), 2),
    )  # fmt: skip
    box = status_bar(
        ui, box, (f"{dice.randint(10, 400)}%", f"{dice.randint(640, 6000)} x {dice.randint(480, 4000)} px", "RGB")
    )
    x0, y0, x1, y1 = box
    strip = ui.d(46)
    ui.canvas.rect((x0, y0, x0 + strip, y1), t.panel)
    tools = ("brush", "crop", "text", "edit", "location", "camera", "search", "brightness", "cut", "heart")
    with ui.at("in the tool palette"):
        for i, name in enumerate(tools):
            y = y0 + ui.d(12) + i * ui.d(38)
            if y + ui.d(30) > y1:
                break
            ui.icon(x0 + (strip - ui.d(20)) // 2, y, name, dp=20)
    wide = min(ui.d(220), (x1 - x0) // 3)
    right = x1 - wide
    ui.canvas.rect((right, y0, x1, y1), t.panel)
    ui.canvas.rect((right, y0, right + 1, y1), t.edge)
    middle = (x0 + strip, y0, right, y1)
    ui.canvas.rect(middle, mix(t.window, t.faint, 0.35))
    pad = ui.d(26)
    if right - x0 - strip > 3 * pad:
        picture(ui, (middle[0] + pad, y0 + pad, right - pad, y1 - pad))
    with ui.at("in the right panel"):
        _adjust(ui, (right + ui.d(14), y0 + ui.d(10), x1 - ui.d(14), y1 - ui.d(10)))


def _adjust(ui: Ui, box: Edges) -> None:
    x, y, end, low = box
    dice = ui.dice
    ui.text(x, y + ui.d(10), "Adjust", bold=True)
    y += ui.d(46)
    for label in dice.sample(("Exposure", "Contrast", "Warmth", "Shadows", "Sharpness", "Grain", "Tint"), 4):
        if y + ui.d(60) > low:
            return
        slider(ui, x, y, end - x, label)
        y += ui.d(44)
    if y + ui.d(70) > low:
        return
    ui.checkbox(x, y, dice.choice(wording.CHECKS), dice.random() < 0.5)
    y += ui.d(34)
    ui.text(x, y, "Layers", bold=True)
    y += ui.d(24)
    for label in dice.sample(("Background", "Sky", "People", "Logo", "Shadow", "Frame", "Caption"), 5):
        if y + ui.d(20) > low:
            return
        with ui.at(row=label):
            ui.icon(x, y - ui.d(8), "eye", dp=16, colour=ui.theme.faint)
            ui.text(x + ui.d(26), y, label)
            if dice.random() < 0.4:
                ui.icon(end - ui.d(16), y - ui.d(8), "lock", dp=16, colour=ui.theme.faint)
        y += ui.d(28)


def player(ui: Ui, box: Edges) -> None:
    """A music player: lists, songs, large controls."""
    dice, t = ui.dice, ui.theme
    lists = ("Library", "Albums", "Artists", "Podcasts", "Radio", "Favorites", "Downloads")
    symbols = ("home", "grid", "user", "microphone", "wifi", "heart", "download")
    x0, y0, x1, y1 = side_bar(ui, box, lists, symbols, wide=130, heading="Music")
    low = y1 - ui.d(76)
    ui.canvas.rect((x0, low, x1, y1), t.bar)
    ui.canvas.rect((x0, low, x1, low + 1), t.edge)
    with ui.at("in the player bar"):
        names = ("shuffle", "previous", dice.choice(("play", "pause")), "next", "volume")
        sides = (24, 30, 56, 30, 24)
        x = (x0 + x1) // 2 - ui.d(142)
        for name, side in zip(names, sides, strict=True):
            ui.icon(x, low + ui.d(32) - ui.d(side) // 2, name, dp=side)
            x += ui.d(side + 30)
        ui.canvas.rounded((x0 + ui.d(20), y1 - ui.d(12), x1 - ui.d(20), y1 - ui.d(8)), ui.d(2), t.edge)
        ui.canvas.rounded((x0 + ui.d(20), y1 - ui.d(12), x0 + (x1 - x0) // 3, y1 - ui.d(8)), ui.d(2), t.accent)
    side = min(ui.d(150), (low - y0) // 2)
    picture(ui, (x0 + ui.d(20), y0 + ui.d(20), x0 + ui.d(20) + side, y0 + ui.d(20) + side))
    song = dice.choice(wording.SONGS)
    x = x0 + ui.d(40) + side
    ui.text(x, y0 + ui.d(40), song, dp=26, bold=True, room=x1 - x - ui.d(10))
    ui.text(x, y0 + ui.d(72), dice.choice(wording.PEOPLE), dp=16, colour=t.faint)
    end = ui.button(x, y0 + ui.d(96), "Play all", style="main", h=ui.d(34))[2]
    if end + ui.d(110) < x1:
        ui.button(end + ui.d(12), y0 + ui.d(96), "Share", h=ui.d(34))
    y, step = y0 + side + ui.d(40), ui.d(32)
    with ui.at("in the song list"):
        for title in dice.sample([s for s in wording.SONGS if s != song], 12):
            if y + step > low:
                break
            with ui.at(row=title):
                ui.icon(x0 + ui.d(20), y + step // 2 - ui.d(9), "heart", dp=18, colour=t.faint)
                ui.text(x0 + ui.d(52), y + step // 2, title)
                time = f"{dice.randint(2, 6)}:{dice.randint(0, 59):02d}"
                ui.text(x1 - ui.d(20), y + step // 2, time, align="right", colour=t.faint)
            y += step


def chat(ui: Ui, box: Edges) -> None:
    """Talk: people at the left, messages, a line to type into."""
    dice, t = ui.dice, ui.theme
    x0, y0, x1, y1 = box
    wide = min(ui.d(210), (x1 - x0) * 2 // 5)
    ui.canvas.rect((x0, y0, x0 + wide, y1), t.panel)
    people = dice.sample(wording.PEOPLE, 14)
    with ui.at("in the contact list"):
        ui.field(x0 + ui.d(10), y0 + ui.d(10), min(wide - ui.d(20), ui.d(150)), "Search", hint="Search", icon="search")
        y = y0 + ui.d(50)
        for i, name in enumerate(people):
            if y + ui.d(48) > y1:
                break
            if i == 0:
                ui.canvas.rect((x0, y, x0 + wide, y + ui.d(46)), t.chosen)
            avatar(ui, x0 + ui.d(10), y + ui.d(7), ui.d(32), name)
            ui.item(x0 + ui.d(52), y + ui.d(16), name, noun="contact", room=wide - ui.d(60))
            said = dice.choice(wording.SENTENCES)
            ui.text(x0 + ui.d(52), y + ui.d(33), said, dp=12, colour=t.faint, room=wide - ui.d(60), aim=False)
            y += ui.d(46)
    x0 += wide
    head = ui.d(46)
    ui.canvas.rect((x0, y0 + head, x1, y0 + head + 1), t.edge)
    with ui.at("in the header"):
        ui.text(x0 + ui.d(16), y0 + head // 2, people[0], dp=16, bold=True)
        x = x1 - ui.d(34)
        for name in ("more", "search", "phone", "camera"):
            ui.icon(x, y0 + head // 2 - ui.d(10), name, dp=20)
            x -= ui.d(36)
    _bubbles(ui, (x0, y0 + head + ui.d(14), x1, y1 - ui.d(64)))
    with ui.at("in the message bar"):
        mid = y1 - ui.d(28)
        ui.icon(x0 + ui.d(16), mid - ui.d(10), "add", dp=20)
        ui.icon(x0 + ui.d(50), mid - ui.d(10), "image", dp=20)
        end = x1 - ui.d(96)
        left = max(x0 + ui.d(86), end - ui.d(150)) if dice.random() < 0.5 else x0 + ui.d(86)
        ui.field(left, mid - ui.d(15), end - left, "Message", hint="Type a message", h=ui.d(30))
        ui.button(x1 - ui.d(12), mid - ui.d(15), "Send", style="main", align="right")


def _bubbles(ui: Ui, box: Edges) -> None:
    x0, y, x1, low = box
    t = ui.theme
    mine = mix(t.accent, t.window, 0.1)
    for said in ui.dice.sample(wording.SENTENCES, 8):
        if y + ui.d(40) > low:
            return
        wide = ui.measure(said) + ui.d(28)
        if wide > x1 - x0 - ui.d(50):
            continue
        own = ui.dice.random() < 0.45
        left = x1 - ui.d(16) - wide if own else x0 + ui.d(16)
        ui.canvas.rounded((left, y, left + wide, y + ui.d(34)), ui.d(12), mine if own else t.panel)
        colour = t.on_accent if own else t.text
        ui.text(left + ui.d(14), y + ui.d(17), said, colour=colour)
        y += ui.d(46)


def calendar(ui: Ui, box: Edges) -> None:
    """A month with appointments."""
    dice, t = ui.dice, ui.theme
    box = tool_bar(
        ui, box, ("chevron left", "chevron right", "", "search", "settings", "print"),
        buttons=("Today", "New", dice.choice(("Share", "Import"))),
    )  # fmt: skip
    x0, y0, x1, y1 = side_bar(
        ui, box, ("My calendar", "Birthdays", "Holidays", "Team", "Rooms"), wide=140, heading="Calendars"
    )
    with ui.at("in the header"):
        ui.text(x0 + ui.d(16), y0 + ui.d(22), f"{dice.choice(wording.MONTHS)} 2025", dp=20, bold=True)
        at = x1 - ui.d(16)
        for label in ("Month", "Week", "Day"):
            at = ui.button(at, y0 + ui.d(8), label, align="right", style="soft" if label == "Month" else "plain")[
                0
            ] - ui.d(6)
    y0 += ui.d(46)
    wide, high = (x1 - x0) // 7, (y1 - y0 - ui.d(24)) // 5
    for i, weekday in enumerate(wording.WEEKDAYS):
        ui.text(x0 + i * wide + wide // 2, y0 + ui.d(12), weekday, align="centre", colour=t.faint, dp=12)
    y0 += ui.d(24)
    first, today = dice.randrange(3), dice.randint(1, 28)
    events = iter(dice.sample(wording.EVENTS, len(wording.EVENTS)))
    for cell in range(35):
        x, y = x0 + cell % 7 * wide, y0 + cell // 7 * high
        ui.canvas.frame((x, y, x + wide + 1, y + high + 1), mix(t.window, t.edge, 0.7))
        day = cell - first + 1
        if not 1 <= day <= 31:
            continue
        if day == today:
            r = ui.d(10)
            ui.canvas.rounded((x + ui.d(15) - r, y + ui.d(14) - r, x + ui.d(15) + r, y + ui.d(14) + r), r, t.accent)
        with ui.at("in the month view"):
            ui.text(
                x + ui.d(15),
                y + ui.d(14),
                str(day),
                align="centre",
                dp=12,
                colour=t.on_accent if day == today else t.text,
            )
            if dice.random() < 0.45 and high > ui.d(56):
                label = next(events, "")
                if label and ui.measure(label, 12) + ui.d(16) < wide:
                    chip = (x + ui.d(4), y + ui.d(28), x + ui.measure(label, 12) + ui.d(20), y + ui.d(48))
                    ui.canvas.rounded(chip, ui.d(4), t.chosen)
                    ui.write(x + ui.d(12), y + ui.d(38), label, dp=12)
                    ui.note("button", "event", label, chip)
