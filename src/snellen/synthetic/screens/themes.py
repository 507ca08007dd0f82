"""Colour schemes of made-up desktops, light and dark, each with a choice of accents."""

from __future__ import annotations

import random
from typing import NamedTuple

from snellen.synthetic.screens.canvas import Colour, mix, rgb


class Theme(NamedTuple):
    """What each kind of surface and ink is coloured."""

    name: str
    window: Colour
    panel: Colour
    bar: Colour
    field: Colour
    edge: Colour
    text: Colour
    faint: Colour
    accent: Colour
    on_accent: Colour
    link: Colour
    chosen: Colour
    desk: tuple[Colour, Colour]


# window, panel, bar, field, edge, text, faint
_LIGHT = (
    ("#ffffff", "#f3f4f6", "#fafafa", "#ffffff", "#d4d7dc", "#1f2328", "#656d76"),
    ("#fbfbfc", "#ebedf0", "#e3e6ea", "#ffffff", "#c3c8cf", "#20242a", "#5b6570"),
    ("#f7f5f2", "#efece6", "#e9e5dd", "#fffefc", "#cfc9bd", "#2b2722", "#6f675c"),
    ("#ffffff", "#eef3fa", "#f5f8fc", "#ffffff", "#c9d5e5", "#1b2a3d", "#5d6f86"),
)
_DARK = (
    ("#1e1f22", "#26282c", "#2b2d31", "#17181a", "#43464d", "#e6e7ea", "#9a9fa8"),
    ("#202124", "#2a2b2f", "#35363a", "#292a2d", "#4a4c52", "#e8eaed", "#9aa0a6"),
    ("#1b222c", "#222b37", "#273240", "#151b23", "#3d4a5c", "#dde6f0", "#8fa0b4"),
    ("#282a36", "#30323f", "#343746", "#21222c", "#4b4f66", "#f4f4f0", "#a3a8c3"),
)
_ACCENTS = {
    "light": ("#1a73e8", "#0f7b6c", "#7a3ff2", "#c2410c", "#2563eb", "#b3246b", "#15803d"),
    "dark": ("#3b82f6", "#10a37f", "#9168f5", "#e0702f", "#4c8dff", "#d64f93", "#2f9e58"),
}
_DESKS = {
    "light": (("#8fb7dc", "#dfe9f1"), ("#c9b6d9", "#f0e3df"), ("#9fc7b5", "#e2eee4"), ("#b9c2cc", "#e6e9ec")),
    "dark": (("#101a2b", "#2c3d5c"), ("#1a1426", "#3f2b4f"), ("#0e211f", "#24433d"), ("#141414", "#303236")),
}


def choose_theme(name: str, dice: random.Random) -> Theme:
    """A scheme of the light or the dark kind."""
    surfaces = dice.choice(_LIGHT if name == "light" else _DARK)
    window, panel, bar, field, edge, text, faint = (rgb(c) for c in surfaces)
    accent = rgb(dice.choice(_ACCENTS[name]))
    top, bottom = dice.choice(_DESKS[name])
    white = (255, 255, 255)
    return Theme(
        name=name,
        window=window,
        panel=panel,
        bar=bar,
        field=field,
        edge=edge,
        text=text,
        faint=faint,
        accent=accent,
        on_accent=white,
        link=accent if name == "light" else mix(accent, white, 0.35),
        chosen=mix(window, accent, 0.16 if name == "light" else 0.32),
        desk=(rgb(top), rgb(bottom)),
    )
