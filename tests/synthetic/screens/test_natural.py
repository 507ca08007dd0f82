"""Natural instructions on made-up screens: each fits one thing alone, none only repeats a label, and plain sets stay as they were."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import snellen
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.grounding.data import GroundingData
from snellen.exams.grounding.findings import findings
from snellen.synthetic.screens import goals, natural
from snellen.synthetic.screens.canvas import Edges
from snellen.synthetic.screens.layouts import FITTING, Screenshot, _compose, choose_targets, screenshot
from snellen.synthetic.screens.make import make
from snellen.synthetic.screens.themes import choose_theme
from snellen.synthetic.screens.widgets import Ui, Widget


@pytest.fixture(scope="module")
def screens() -> list[Screenshot]:
    return [screenshot(12, i, phrasing="both") for i in range(12)]


def said(made: Screenshot) -> list[dict[str, str]]:
    return [e for e in made.record["elements"] if e["phrasing"] == "natural"]


def widget(kind: str, label: str, box: tuple[int, int, int, int], noun: str = "", **more: str) -> Widget:
    return Widget(kind, noun or kind, label, box, more.get("place", ""), more.get("row", ""))


def words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in text.lower()).split())


# ---------------------------------------------------------------- whole screens


def test_pictures_and_plain_sentences_are_those_of_the_plain_set(screens: list[Screenshot]) -> None:
    for index, made in enumerate(screens[:4]):
        plain = screenshot(12, index)
        assert plain.png == made.png
        asked = [{k: v for k, v in e.items() if k != "phrasing"} for e in made.record["elements"]]
        assert asked[: len(plain.record["elements"])] == plain.record["elements"]
        assert screenshot(12, index, phrasing="natural").record["elements"] == said(made)


def test_a_natural_instruction_asks_for_a_target_of_the_plain_set_in_other_words(screens: list[Screenshot]) -> None:
    found = 0
    for made in screens:
        plain = {e["id"]: e for e in made.record["elements"] if e["phrasing"] == "plain"}
        for element in said(made):
            same = plain[element["id"].removesuffix("_natural")]
            assert same["bbox"] == element["bbox"] and same["instruction"] != element["instruction"]
            assert "'" + element["text"] + "'" not in element["instruction"]
            assert words(element["instruction"]) - words(element["text"]), element
            found += 1
    assert found > 50 and {e["family"] for made in screens for e in said(made)} == {"a", "b"}


def test_the_same_seed_says_the_same(screens: list[Screenshot]) -> None:
    assert screenshot(12, 3, phrasing="both").record == screens[3].record
    assert said(screenshot(13, 3, phrasing="both")) != said(screens[3])


@example(576, "hard")  # an icon inside the item that it belongs to
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(sorted(FITTING)))
def test_every_natural_instruction_fits_one_thing_of_its_screen(seed: int, difficulty: str) -> None:
    dice = random.Random(seed)
    ui = Ui(1920, 1080, 1.25, choose_theme("light", dice), dice)
    _compose(ui, difficulty)
    targets, _names = choose_targets(ui, difficulty)
    for target in targets:
        one = natural.say(target.widget, ui.widgets, dice)
        if one is not None:
            meant = natural.meant(one.instruction, ui.widgets)
            assert target.widget in meant
            inner = [w for w in meant if w is not target.widget]
            assert all(w.type == "icon" and within(w.box, target.widget.box) for w in inner), one


def within(inner: Edges, outer: Edges) -> bool:
    """Who clicks on the symbol that stands in a button clicks on the button."""
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


# ---------------------------------------------------------------- one thing


def test_two_things_that_serve_a_goal_have_no_natural_instruction_and_rows_tell_them_apart() -> None:
    dice = random.Random(1)
    save, apply, other = (
        widget("button", w, (9 * i, 0, 9 * i + 8, 8)) for i, w in enumerate(("Save", "Apply", "Search"))
    )
    assert natural.say(save, [save, other], dice) is not None
    assert natural.say(save, [save, apply, other], dice) is None
    rows = [widget("icon", "delete", (50, 20 * i, 60, 20 * i + 10), row=f"Order {i}") for i in (1, 2)]
    names = [widget("text", f"Order {i}", (0, 20 * i, 40, 20 * i + 10)) for i in (1, 2)]
    spoken = natural.say(rows[1], [*rows, *names], dice)
    assert spoken is not None and "Order 2" in spoken.instruction


def test_a_sentence_with_the_name_of_another_thing_is_not_used() -> None:
    home, start = widget("icon", "home", (0, 0, 8, 8)), widget("button", "Start page", (20, 0, 60, 8))
    sayings = {
        one.instruction.lower()
        for seed in range(60)
        if (one := natural.say(home, [home, start], random.Random(seed))) is not None
    }
    assert sayings and not any("start page" in one for one in sayings)


def test_a_symbol_is_asked_for_only_where_it_means_its_goal() -> None:
    play = widget("icon", "play", (0, 0, 8, 8), place="in the activity bar")
    assert natural.say(play, [play], random.Random(1)) is None
    assert natural.say(play._replace(place="in the player bar"), [play], random.Random(1)) is not None


# ---------------------------------------------------------------- the families


def test_the_families_share_no_sentence_and_the_held_out_one_has_goals_of_its_own() -> None:
    tables = [natural.NAMED, *(families for _known, families in natural.TABLES.values())]
    only_b = 0
    for families in tables:
        a, b = ({text for said in families[name].values() for text in said} for name in ("a", "b"))
        assert not a & b
        assert set(families["a"]) <= set(families["b"])
        only_b += len(set(families["b"]) - set(families["a"]))
    assert only_b >= 30


def test_every_saying_belongs_to_a_goal() -> None:
    for known, families in natural.TABLES.values():
        names = {name for name, _goal in known.values()}
        assert all(set(one) <= names for one in families.values())
    assert goals.goals("save, store / ok")["store"][1].near == {"ok"}


# ---------------------------------------------------------------- sets


def test_a_set_with_both_phrasings_is_read_with_its_groups(tmp_path: Path) -> None:
    make(tmp_path / "both", count=2, seed=3, workers=1, phrasing="both")
    marker = json.loads((tmp_path / "both" / "annotations.json").read_text())
    assert {e["phrasing"] for s in marker["samples"] for e in s["elements"]} == {"plain", "natural"}
    tags = [s.tags for s in GroundingData(tmp_path / "both", Selection()).light()]
    assert {(t["phrasing"], t.get("family", "")) for t in tags} == {("plain", ""), ("natural", "a"), ("natural", "b")}
    make(tmp_path / "plain", count=1, seed=3, workers=1)
    assert not any("phrasing" in s.tags for s in GroundingData(tmp_path / "plain", Selection()).light())


def test_scores_say_how_each_phrasing_did(tmp_path: Path) -> None:
    make(tmp_path / "both", count=2, seed=3, workers=1, phrasing="both")
    run = snellen.evaluate("grounding", model="method/center", data=tmp_path / "both", out=tmp_path / "runs")
    groups = run.summary.plain[0].groups
    sizes = {tuple(sorted(g.by.items())): g.n for g in groups if "phrasing" in g.by and len(g.by) == 2}
    plain, natural = (sizes[(("part", "all"), ("phrasing", name))] for name in ("plain", "natural"))
    assert plain > natural > 0 and plain + natural == groups[0].n
    families = [g.n for g in groups if "family" in g.by]
    assert len(families) == 2 and sum(families) == natural
    [told] = [one.text for one in findings(run.summary) if one.kind == "phrasing"]
    assert f"% of {natural}; plain ones" in told


def test_phrasings_that_there_are_not_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="unknown phrasing 'polite': choose from plain, natural, both"):
        make(tmp_path / "x", count=1, seed=0, phrasing="polite")
    with pytest.raises(SnellenError, match="use the style 'layouts'"):
        make(tmp_path / "x", count=9, seed=0, style="original", phrasing="both")
