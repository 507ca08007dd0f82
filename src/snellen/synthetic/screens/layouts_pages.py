"""A web browser, and pages to show in it: a product's site, a shop, an article, a log-in."""

from __future__ import annotations

from collections.abc import Callable

from snellen.synthetic.screens import wording
from snellen.synthetic.screens.canvas import Edges, mix
from snellen.synthetic.screens.layouts_frames import scroll_bar, tab_strip
from snellen.synthetic.screens.layouts_parts import card, labelled, money, paragraph, picture
from snellen.synthetic.screens.widgets import Ui

TOPICS = {
    "Calendars": "calendar",
    "Reports": "chart",
    "Messages": "chat",
    "Backups": "cloud",
    "Templates": "copy",
    "Alerts": "bell",
}


def browser(ui: Ui, box: Edges, page: Callable[[Ui, Edges], None]) -> None:
    """Tabs, the address line, and a page below."""
    dice = ui.dice
    site = _site(ui)
    x0, y0, x1, y1 = tab_strip(
        ui, box, (f"{site}", *dice.sample(("Inbox", "News", "Weather", "Maps", "Docs"), 2)), closing=True
    )
    high = ui.d(42)
    ui.canvas.rect((x0, y0, x1, y0 + high), ui.theme.bar)
    ui.canvas.rect((x0, y0 + high, x1, y0 + high + 1), ui.theme.edge)
    mid = y0 + high // 2
    with ui.at("in the browser's toolbar"):
        x = x0 + ui.d(12)
        for name in ("back", "forward", "refresh", "home"):
            ui.icon(x, mid - ui.d(9), name, dp=18)
            x += ui.d(34)
        end = x1 - ui.d(14)
        for name in ("menu", "download", "bookmark"):
            end -= ui.d(18)
            ui.icon(end, mid - ui.d(9), name, dp=18)
            end -= ui.d(16)
        ui.field(x, mid - ui.d(14), end - x - ui.d(6), "address", value=f"{site.lower()}.example/start", icon="lock")
    page(ui, scroll_bar(ui, (x0, y0 + high + 1, x1, y1)))


def _site(ui: Ui) -> str:
    """Whose page it is; tab, address and page agree on it because it follows from the screen's colours."""
    return wording.COMPANIES[sum(ui.theme.accent + ui.theme.window + ui.theme.desk[0]) % len(wording.COMPANIES)]


def _navigation(ui: Ui, box: Edges, *, action: str = "") -> Edges:
    x0, y0, x1, y1 = box
    high = ui.d(52)
    ui.canvas.rect((x0, y0, x1, y0 + high), ui.theme.window)
    ui.canvas.rect((x0, y0 + high, x1, y0 + high + 1), ui.theme.edge)
    mid = y0 + high // 2
    with ui.at("in the navigation bar"):
        x = ui.text(x0 + ui.d(24), mid, _site(ui), dp=20, bold=True)[2] + ui.d(30)
        end = x1 - ui.d(20)
        if action:
            end = ui.button(end, mid - ui.d(16), action, style="main", align="right", h=ui.d(32))[0] - ui.d(16)
        for name in ui.dice.sample(("search", "user", "cart", "bell", "heart"), 2):
            end -= ui.d(20)
            ui.icon(end, mid - ui.d(10), name, dp=20)
            end -= ui.d(18)
        for name in wording.NAVIGATION[1:]:
            wide = ui.measure(name)
            if x + wide > end - ui.d(10):
                break
            ui.link(x, mid, name, line=False)
            x += wide + ui.d(24)
    return x0, y0 + high + 1, x1, y1


def _footer(ui: Ui, box: Edges) -> Edges:
    x0, y0, x1, y1 = box
    high = ui.d(46)
    top = y1 - high
    ui.canvas.rect((x0, top, x1, y1), ui.theme.panel)
    x = x0 + ui.d(24)
    with ui.at("in the footer"):
        for name in ui.dice.sample([*wording.MORE_LINKS, "Privacy Policy", "Terms of Service", "Contact us"], 12):
            wide = ui.measure(name, 12)
            if x + wide > x1 - ui.d(20):
                break
            ui.link(x, top + high // 2, name, dp=12)
            x += wide + ui.d(22)
    return x0, y0, x1, top


def landing(ui: Ui, box: Edges) -> None:
    """A product's front page."""
    dice, t = ui.dice, ui.theme
    box = _footer(ui, _navigation(ui, box, action=dice.choice(("Sign up", "Start", "Join"))))
    x0, y0, x1, y1 = box
    high = min(ui.d(230), (y1 - y0) * 2 // 3)
    ui.canvas.rect((x0, y0, x1, y0 + high), mix(t.window, t.accent, 0.08))
    x, half = x0 + ui.d(40), (x1 - x0) // 2
    ui.text(x, y0 + ui.d(48), dice.choice(wording.HEADLINES), dp=26, bold=True, room=x1 - x - ui.d(20))
    y = paragraph(ui, x, y0 + ui.d(76), half, 2, dp=16) + ui.d(10)
    end = ui.button(x, y, dice.choice(("Get the app", "Try it now", "Download")), style="main", h=ui.d(38), dp=16)[2]
    ui.button(end + ui.d(12), y, dice.choice(("Watch demo", "Contact", "Compare")), h=ui.d(38), dp=16)
    if y + ui.d(70) < y0 + high:
        ui.link(x, y + ui.d(60), dice.choice(wording.LINKS[:9]))
    y = y0 + high + ui.d(22)
    count = max(2, min(4, (x1 - x0) // ui.d(230)))
    gap = ui.d(20)
    wide = (x1 - x0 - gap * (count + 1)) // count
    more = dice.choice(("Learn more", "Read more", "See how"))
    topics = dice.sample(list(TOPICS), count)
    for i, topic in enumerate(topics):
        left = x0 + gap + i * (wide + gap)
        if y + ui.d(150) > y1:
            return
        card(ui, (left, y, left + wide, y + ui.d(142)))
        with ui.at(f"on the '{topic}' card"):
            ui.icon(left + ui.d(16), y + ui.d(14), TOPICS[topic], dp=26, colour=t.accent)
            ui.text(left + ui.d(54), y + ui.d(28), topic, dp=16, bold=True)
            paragraph(ui, left + ui.d(16), y + ui.d(50), wide - ui.d(32), 2)
            ui.link(left + ui.d(16), y + ui.d(122), more)


def shop(ui: Ui, box: Edges) -> None:
    """Goods in a grid, with filters at the left."""
    dice, t = ui.dice, ui.theme
    x0, y0, x1, y1 = _footer(ui, _navigation(ui, box))
    wide = ui.d(160)
    with ui.at("in the filter panel"):
        y = y0 + ui.d(24)
        ui.text(x0 + ui.d(20), y, "Filters", dp=16, bold=True)
        for label in dice.sample(("On sale", "In stock", "New in", "Handmade", "Gift wrap", "Top rated", "Vegan"), 4):
            y += ui.d(30)
            ui.checkbox(x0 + ui.d(20), y, label, dice.random() < 0.4)
        y += ui.d(26)
        for label in ("Sort by", "Category"):
            y = labelled(ui, x0 + ui.d(20), y, label, ui.d(120))
        ui.button(x0 + ui.d(20), y, "Apply", style="main", w=ui.d(70))
        ui.button(x0 + ui.d(100), y, "Reset")
    x0 += wide + ui.d(24)
    side, high = ui.d(180), ui.d(206)
    names = iter(dice.sample(wording.PRODUCTS, len(wording.PRODUCTS)))
    buy = dice.choice(("Add to cart", "Buy", "Add"))
    y = y0 + ui.d(16)
    while y + high <= y1:
        x = x0
        while x + side <= x1:
            name = next(names, "")
            if not name:
                return
            card(ui, (x, y, x + side - ui.d(14), y + high - ui.d(14)))
            picture(ui, (x + ui.d(10), y + ui.d(10), x + side - ui.d(24), y + ui.d(96)))
            with ui.at(f"on the '{name}' card"):
                ui.text(x + ui.d(12), y + ui.d(114), name, bold=True)
                ui.text(x + ui.d(12), y + ui.d(136), money(ui), colour=t.faint)
                ui.icon(x + side - ui.d(42), y + ui.d(106), "heart", dp=16, colour=t.faint)
                ui.button(x + ui.d(12), y + ui.d(152), buy, h=ui.d(28), style="soft")
            x += side
        y += high


def article(ui: Ui, box: Edges) -> None:
    """A text to read, with links and a form to be told of the next one."""
    dice, t = ui.dice, ui.theme
    x0, y0, x1, y1 = _footer(ui, _navigation(ui, box, action="Subscribe"))
    x, room = x0 + ui.d(40), min(ui.d(560), (x1 - x0) * 6 // 10)
    ui.text(x, y0 + ui.d(40), dice.choice(wording.HEADLINES), dp=26, bold=True, room=x1 - x - ui.d(20))
    ui.text(x, y0 + ui.d(72), f"By {dice.choice(wording.PEOPLE)}", colour=t.faint)
    with ui.at("below the headline"):
        for i, name in enumerate(("share", "bookmark", "print")):
            ui.icon(x + ui.d(170) + i * ui.d(34), y0 + ui.d(63), name, dp=18, colour=t.faint)
    y = y0 + ui.d(96)
    links = dice.sample(wording.LINKS, 4)
    while y + ui.d(135) < y1:
        if dice.random() < 0.35 and y + ui.d(265) < y1:
            picture(ui, (x, y, x + room, y + ui.d(110)))
            y += ui.d(126)
        y = paragraph(ui, x, y, room, 3, dp=16) + ui.d(6)
        if links:
            ui.link(x, y + ui.d(6), links.pop())
            y += ui.d(30)
    left = x + room + ui.d(40)
    if x1 - left < ui.d(180):
        return
    with ui.at("in the right column"):
        ui.text(left, y0 + ui.d(40), "More to read", dp=16, bold=True)
        for i, subject in enumerate(dice.sample(wording.SUBJECTS, 6)):
            ui.link(left, y0 + ui.d(74) + i * ui.d(30), subject)
        y = y0 + ui.d(270)
        if y + ui.d(130) < y1:
            y = labelled(ui, left, y, "Email", ui.d(148), optional=True)
            ui.button(left, y, "Subscribe")


def login(ui: Ui, box: Edges) -> None:
    """Who are you? A card in the middle of a page."""
    dice, t = ui.dice, ui.theme
    x0, y0, x1, y1 = _footer(ui, box)
    ui.canvas.rect((x0, y0, x1, y1), t.panel)
    wide, high = ui.d(300), min(ui.d(330), y1 - y0 - ui.d(16))
    left, top = (x0 + x1 - wide) // 2, (y0 + y1 - high) // 2
    card(ui, (left, top, left + wide, top + high))
    x = left + ui.d(30)
    title = dice.choice(("Welcome back", "Log in", "Sign in", "Hello again"))
    ui.text((x0 + x1) // 2, top + ui.d(34), title, dp=20, bold=True, align="centre")
    y = top + ui.d(62)
    for label in (dice.choice(("Email", "Username", "Phone")), "Password"):
        y = labelled(ui, x, y, label, ui.d(dice.choice((90, 100, 148, 240))), optional=True)
    if y + ui.d(120) < top + high + ui.d(8):
        ui.checkbox(x, y + ui.d(8), "Remember me", dice.random() < 0.5)
        y += ui.d(30)
    ui.button(x, y, dice.choice(("Log in", "Continue", "Sign in")), style="main", w=ui.d(96), h=ui.d(34))
    ui.link(x + ui.d(112), y + ui.d(17), "Sign up")
    if y + ui.d(64) < top + high:
        ui.link(x, y + ui.d(54), "Forgot password?")
