"""No label of the synthetic e-SNLI-VE can be doubted."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from snellen.synthetic.chance import generator
from snellen.synthetic.explained import esnlive, vqax
from snellen.synthetic.scenes.canvas import CanvasBox
from snellen.synthetic.scenes.model import Thing
from snellen.synthetic.scenes.sampling import draw_scene

COUNT = 6000
# what is in every drawing of such a thing, beside the colour that it is said to have
ALWAYS_SEEN = {"clock": {"white"}, "house": {"red"}, "car": {"black"}, "bicycle": {"black"}}
MAY_GO_TOGETHER = {("kicking a ball", "walking"), ("sweeping", "walking")}
COLOUR = re.compile(r"(?:The|the) (\w+) is (\w+)\.?$")
NOT_DOING = re.compile(r"Somebody who is (.+) is not (.+)\.$")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Rows without drawing; the seed is that of nobody's set."""
    patch = pytest.MonkeyPatch()
    patch.setattr(esnlive, "picture", lambda scene: (b"", tuple(CanvasBox(0, 0, 1, 1) for _ in scene.items())))
    found = [esnlive.made("test", 90210, index).extra for index in range(COUNT)]
    patch.undo()
    return found


def test_rain_falls_from_a_cloudy_sky(rows: list[dict[str, Any]]) -> None:
    rainy = [row for row in rows if "drops fall" in row["explanation"].lower()]
    assert rainy
    assert not [row for row in rainy if "cloudy" in row["hypothesis"] and row["gold_label"] == "contradiction"]


def test_no_colour_is_denied_that_can_be_seen(rows: list[dict[str, Any]]) -> None:
    denied = [
        found.groups()
        for row in rows
        if row["gold_label"] == "contradiction" and (found := COLOUR.match(row["hypothesis"]))
    ]
    assert len(denied) > 50
    assert not [(kind, colour) for kind, colour in denied if colour in ALWAYS_SEEN.get(kind, ())]


def test_nothing_is_denied_that_may_go_with_what_somebody_does(rows: list[dict[str, Any]]) -> None:
    denied = [found.groups() for row in rows if (found := NOT_DOING.match(row["explanation"]))]
    assert denied
    assert not MAY_GO_TOGETHER & set(denied)


def test_labels_stay_balanced(rows: list[dict[str, Any]]) -> None:
    assert set(Counter(row["gold_label"] for row in rows).values()) == {COUNT // 3}


def test_vqax_says_no_to_no_colour_that_can_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vqax, "picture", lambda scene: (b"", tuple(CanvasBox(0, 0, 1, 1) for _ in scene.items())))
    asked = re.compile(r"Is the (\w+) (\w+)\?$")
    for index in range(COUNT):
        record = vqax.made("test", 90210, index).record
        found = asked.match(record["question"])
        if found and Counter(a["answer"] for a in record["answers"]).most_common(1)[0][0] == "no":
            assert found[2] not in ALWAYS_SEEN.get(found[1], ()), record["question"]


def test_every_other_rule_agrees_with_a_second_opinion() -> None:
    """What is hidden is neutral, what is seen is told by the scene itself: worked out here anew, claim by claim."""
    from snellen.synthetic.explained.esnlive import hidden_claims

    for index in range(300):
        scene = draw_scene(generator("second opinion", index))
        window = any(t.kind == "window" and t.state == "open" for t in scene.things)
        for claim in hidden_claims(scene):
            truth = _judged(claim.text, claim.family, scene, scene.outdoors or window)
            assert claim.label == {None: "neutral", True: "entailment", False: "contradiction"}[truth], (claim, scene)


def _judged(text: str, family: str, scene: Any, sky: bool) -> bool | None:
    """Whether a claim is true; None where nobody can tell."""
    if family == "weather":
        said = {"the sun is shining": "sunny", "the sky is cloudy": "cloudy", "it is raining": "rainy"}[text]
        assert (said, scene.weather) != ("cloudy", "rainy") or not sky
        return (said == scene.weather) if sky else None
    if family == "box":
        box: Thing = scene.thing("box")
        return None if box.state == "closed" else (box.inside is not None) == ("ball" in text)
    if family == "drink":
        kinds = {t.kind: t for t in scene.things}
        return None if "glass" not in kinds else kinds["glass"].state == "full"
    person = next(p for p in scene.people if f"the {p.who} " in text)
    if family == "trousers":
        return None if person.trousers is None else f" {person.trousers} " in text
    assert family == "hair"
    covered = person.hat is not None and person.who in ("man", "boy")
    return None if covered else f" {person.hair} " in text
