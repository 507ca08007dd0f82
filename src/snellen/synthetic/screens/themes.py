"""Colour schemes of made-up desktops, light and dark, each with a choice of accents."""

from __future__ import annotations

import random
from typing import NamedTuple

from snellen.synthetic.colours import RGB, mix
from snellen.synthetic.drawings import read_table
from snellen.synthetic.screens.canvas import rgb


class Theme(NamedTuple):
    """The colours of each kind of surface and ink."""

    window: RGB
    panel: RGB
    bar: RGB
    field: RGB
    edge: RGB
    text: RGB
    faint: RGB
    accent: RGB
    on_accent: RGB
    link: RGB
    chosen: RGB
    picked: RGB
    desk_top: RGB
    desk_bottom: RGB


_TABLES = read_table("screens/data/themes.toml")
WHITE = (255, 255, 255)


def choose_theme(name: str, dice: random.Random) -> Theme:
    """Choose a scheme of the light or the dark kind."""
    table = _TABLES[name]
    surfaces = {kind: rgb(colour) for kind, colour in dice.choice(table["surfaces"]).items()}
    accent = rgb(dice.choice(table["accents"]))
    desk_top, desk_bottom = (rgb(colour) for colour in dice.choice(table["desks"]))
    return Theme(
        **surfaces,
        accent=accent,
        on_accent=WHITE,
        link=mix(accent, WHITE, table["lighter_link"]),
        chosen=mix(surfaces["window"], accent, table["tint"]),
        picked=accent if name == "light" else surfaces["text"],
        desk_top=desk_top,
        desk_bottom=desk_bottom,
    )
