"""Templates: data files that say what is on a screen."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from snellen.synthetic.drawings import read_table
from snellen.synthetic.screens import templates
from snellen.synthetic.screens.icons import DRAWINGS
from snellen.synthetic.screens.layouts import APPS
from snellen.synthetic.screens.templates import TEMPLATES, VERBS, WIDGETS, DrawnTemplate, TemplateNode, formula, node_of
from snellen.synthetic.screens.themes import choose_theme
from snellen.synthetic.screens.widgets import Ui


def drawing(**names: object) -> DrawnTemplate:
    dice = random.Random(1)
    return DrawnTemplate(Ui(800, 600, 1.25, choose_theme("light", dice), dice), dict(names))


def nodes(found: list[TemplateNode]) -> Iterator[TemplateNode]:
    for node in found:
        yield node
        yield from nodes(node.do)
        yield from nodes(node.otherwise)


def run(*tables: dict[str, object], **names: object) -> DrawnTemplate:
    made = drawing(**names)
    made.draw([node_of(table) for table in tables])
    return made


# ---------------------------------------------------------------- the files


def test_every_verb_of_the_templates_is_known() -> None:
    for name, template in TEMPLATES.items():
        assert {node.verb for node in nodes(template)} <= {*VERBS, *WIDGETS, *TEMPLATES}, name


def test_every_application_has_a_template_and_no_two_files_name_the_same() -> None:
    assert set(APPS) <= set(TEMPLATES)
    assert sum(len(read_table(f"screens/data/{file}.toml")) for file in templates.FILES) == len(TEMPLATES)


def test_words_that_name_icons_name_those_there_are() -> None:
    words = read_table("screens/data/words.toml")
    icons = [words["place_icons"], words["mailbox_icons"], words["settings_icons"]]
    icons += [list(words[table].values()) for table in ("topics", "tile_icons", "question_icons")]
    assert {icon for names in icons for icon in names} <= set(DRAWINGS)


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10", 12),  # 12.5 pixels, rounded to even
        ("left - 10 - 10", 76),
        ("left - 20", 75),
        ("left // 3 * 2", 66),
        ("20 * i", 50),
        ("d(10 + 20 * i)", 62),
        ("left + px(1)", 101),
        ("0", 0),
        ("min(left, 10) if i == 2 else 0", 12),
        ("not name and i > 1", True),
        ("name or left <= 100", True),
        ("entry(names, i)", "c"),
        ("entry(names, 7)", ""),
        ("count(names) == 3 and 'a' in names", True),
        ("(left, 4, 4, 4)", (100, 5, 5, 5)),
    ],
)
def test_a_number_is_a_length_where_lengths_are_added(text: str, value: object) -> None:
    scope = drawing(left=100, i=2, name="", names=["a", "b", "c"])
    assert formula(text)(scope) == value


@pytest.mark.parametrize("text", ["left ** 2", "open('x')", "left.real", "[left]", "1 < left < 3", "lambda: 1"])
def test_other_expressions_are_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        formula(text)


# ---------------------------------------------------------------- values and verbs


def test_texts_have_gaps_for_names_words_and_random_numbers() -> None:
    made = drawing(name="Email", day=3)
    assert (
        made.text("Enter {name|lower}, day {day}: {name|fields}, {name|initial}")
        == "Enter email, day 3: ada@fernlake.org, E"
    )
    dates = {made.text("2025-{01..12}-{1..9}") for _ in range(50)}
    assert all(len(date) == 9 and 1 <= int(date[5:7]) <= 12 for date in dates) and len(dates) > 10


def test_lists_are_words_names_and_choices() -> None:
    made = drawing(names=["x", "y"], name="Theme")
    assert made.words("a||{name}") == ["a", "", "Theme"]
    assert made.words("") == []
    assert made.words(["@names", {"choice": "z"}, "{name}", 4]) == ["x", "y", "z", "Theme", 4]
    assert made.words("@choices/{name}") == ["System", "Light", "Dark"]
    assert sorted(made.words({"sample": "@names", "n": "count(names)"})) == ["x", "y"]
    assert made.words({"rows": "@names", "cells": ["{it}", {"choice": "1"}]}) == [["x", "1"], ["y", "1"]]


def test_colours_are_of_the_theme_numbers_or_mixtures() -> None:
    made = drawing(ink="accent")
    assert made.colour("{ink}") == made.ui.theme.accent
    assert made.colour("#0a0b0c") == (10, 11, 12)
    assert made.colour("#000000 #ffffff 0.2") == (51, 51, 51)


def test_repeating_ends_where_there_is_no_room() -> None:
    made = run(
        {"let": {"y": 0, "last": "'-'"}},
        {"each": "a|b|c|d", "as": "name", "until": "y + 40 > 120", "do": [{"let": {"y": "y + 40", "last": "name"}}]},
    )
    assert (made.names["last"], made.names["y"]) == ("b", 100)  # 40 units are 50 pixels, 120 is the number itself


def test_conditions_and_chances_choose_nodes() -> None:
    made = run(
        {"when": "x > 1", "do": [{"let": {"a": "'yes'"}}], "else": [{"let": {"a": "'no'"}}]},
        {"when": {"chance": 0.0}, "do": [{"let": {"b": "'yes'"}}], "else": [{"let": {"b": "'no'"}}]},
        {"when": "x < 1", "do": [{"let": {"c": "'yes'"}}]},
        x=2,
    )
    assert (made.names["a"], made.names["b"], "c" in made.names) == ("yes", "no", False)


def test_widgets_say_where_they_end_and_lie_at_their_place() -> None:
    made = run(
        {
            "at": "in the form",
            "do": [{"at": "", "row": "Ada", "do": [{"button": "Save", "x": 20, "y": 20, "w": 80, "h": 24}]}],
        },
        {"link": "Help", "x": "after + 8", "y": "below"},
    )
    save, link = made.ui.widgets
    assert (save.label, save.place, save.row, save.box) == ("Save", "in the form", "Ada", (25, 25, 125, 55))
    assert link.box[0] >= 135 and (link.place, link.row) == ("", "")


def test_a_template_keeps_its_names_and_gives_back_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = [
        {"defaults": {"high": 40, "label": "x"}},
        {"let": {"top": "top + high", "secret": 1}},
        {"stop": "label == 'end'"},
        {"text": "{label}", "x": "left", "y": "top"},
    ]
    monkeypatch.setitem(templates.TEMPLATES, "test", [node_of(table) for table in inner])
    sides = {"left": 0, "top": 10, "right": 400, "bottom": 300}
    docked = run({"dock": "test", "label": "end"}, **sides)
    assert docked.names["top"] == 60 and not docked.ui.widgets and "secret" not in docked.names
    used = run({"use": "test", "high": 8, "top": 100}, **sides)
    assert used.names["top"] == 10 and used.names["after"] == used.ui.widgets[0].box[2]


def test_unknown_values_are_refused() -> None:
    with pytest.raises(ValueError, match="not a value of templates"):
        drawing().random({"pick": "a|b"})
