"""Words: what is said of a scene is true of it, and stops being true when the scene changes."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from training.scene_captions import caption

from snellen.synthetic.chance import generator
from snellen.synthetic.scenes.catalog import ACTIONS, KINDS, alike
from snellen.synthetic.scenes.differences import KINDS_OF_DIFFERENCE, draw_difference
from snellen.synthetic.scenes.model import Person, Scene, Thing
from snellen.synthetic.scenes.questions import ask_presence, could_be, questions
from snellen.synthetic.scenes.render import draw
from snellen.synthetic.scenes.sampling import draw_scene
from snellen.synthetic.scenes.words import brief, facts

PARK = Scene(
    place="park",
    weather="rainy",
    people=(
        Person(
            who="man",
            column="left",
            shirt="red",
            trousers="blue",
            hair="black",
            action="riding a bicycle",
            facing="right",
            prop="orange",
            hat="green",
        ),
    ),
    things=(
        Thing(kind="box", column="right", colour="white", state="open", size="small", inside="red"),
        Thing(kind="kite", column="centre", colour="yellow", count=3),
    ),
)


def test_a_caption_reads_like_one() -> None:
    assert caption(PARK) == (
        "A rainy park. A man in a red shirt and blue trousers with a green hat is riding an orange bicycle on the left, "
        "facing right. A small white box with a red ball inside on the right is open. Three yellow kites are at the top in the middle."
    )
    assert brief(PARK) == "A rainy park with a man, a box and three kites."


def test_facts_say_all_and_nothing_that_is_hidden() -> None:
    said = {(f.about, f.aspect): f.text for f in facts(PARK)}
    assert said == {
        ("scene", "place"): "it is in a park",
        ("scene", "weather"): "it is raining",
        ("man", "action"): "the man is riding an orange bicycle",
        ("man", "shirt"): "the man is wearing a red shirt",
        ("man", "position"): "the man is on the left",
        ("man", "hat"): "the man is wearing a green hat",
        ("man", "trousers"): "the man is wearing blue trousers",
        ("man", "facing"): "the man is facing right",
        ("box", "count"): "there is a box",
        ("box", "position"): "the box is on the right",
        ("box", "colour"): "the box is white",
        ("box", "size"): "the box is small",
        ("box", "state"): "the box is open",
        ("box", "inside"): "there is a red ball in the box",
        ("kite", "count"): "there are three kites",
        ("kite", "position"): "the kites are at the top in the middle",
        ("kite", "colour"): "the kites are yellow",
    }  # short hair is under the hat: its colour is not said
    inside = Scene(
        place="kitchen", weather="sunny", things=(Thing(kind="window", column="left", colour="red", state="closed"),)
    )
    assert "weather" not in {f.aspect for f in facts(inside)}


def test_sentences_are_whole_and_never_speak_of_pictures() -> None:
    for index in range(300):
        scene = draw_scene(generator("sentences", index))
        text = caption(scene)
        assert re.fullmatch(r"(?:An? [^.]+\. |[A-Z][^.]+\. ?)+", text + " "), text
        assert not re.search(r"\b(image|picture|photo|None)\b|  |\ba [aeiou]|\ban [^aeiou]", text), text
        assert len(text.split()) <= 75


@pytest.mark.parametrize("kind", KINDS_OF_DIFFERENCE)
def test_a_difference_is_one_change_that_its_sentences_tell(kind: str) -> None:
    aspects: Counter[str] = Counter()
    for index in range(60):
        found = draw_difference(generator("difference", kind, index), kind)
        aspects[found.aspect] += 1
        assert found.kind == kind
        one, other = ([*scene.items()] for scene in (found.one, found.other))
        assert (found.one.place, found.one.weather, found.one.decor) == (
            found.other.place,
            found.other.weather,
            found.other.decor,
        )
        left, right = [i for i in one if i not in other], [i for i in other if i not in one]
        assert len(left) <= 1 >= len(right)
        assert len(left) + len(right) >= 1
        if left and right:
            changed = [f for f in left[0].__struct_fields__ if getattr(left[0], f) != getattr(right[0], f)]
            assert len(changed) == 1, changed
        said = [{f.text for f in facts(scene)} for scene in (found.one, found.other)]
        if found.aspect != "item":
            assert found.said_of_one in said[0] - said[1]
            assert found.said_of_other in said[1] - said[0]
        a, b = found.captions
        assert a != b
        assert a.startswith(found.said_of_one[0].upper() + found.said_of_one[1:] + ".")
        assert found.swapped().captions == (b, a)
        assert not re.search(r"\b(image|picture|photo)\b", a + b)
    if kind == "presence":
        assert aspects["item"] > 20


def test_differences_are_seen_and_nothing_else_changes() -> None:
    for index in range(48):
        found = draw_difference(generator("seen", index), KINDS_OF_DIFFERENCE[index % 6])
        one, other = draw(found.one), draw(found.other)
        a, b = (np.asarray(d.image, dtype=np.int16) for d in (one, other))
        apart = np.abs(a - b).max(axis=2) > 24
        assert apart.sum() >= 60, found
        for scene, drawing in ((found.one, one), (found.other, other)):
            for item, (left, top, right, bottom) in zip(scene.items(), drawing.boxes, strict=True):
                if (item.who if isinstance(item, Person) else item.kind) == found.about:
                    apart[max(0, int(top) - 3) : int(bottom) + 4, max(0, int(left) - 3) : int(right) + 4] = False
        assert apart.sum() == 0, found


def test_both_orders_are_as_likely() -> None:
    more = Counter()
    for index in range(200):
        found = draw_difference(generator("order", index), "presence")
        if found.aspect == "item":
            more[len([*found.one.items()]) > len([*found.other.items()])] += 1
    assert min(more.values()) > 0.35 * sum(more.values())


def test_questions_follow_from_the_scene() -> None:
    asked = {q.question: q for q in questions(PARK, generator("q"))}
    assert asked["How many kites are there?"].answer == "3"
    assert asked["What color is the box?"].answer == "white"
    assert asked["What is the man doing?"].answer == "riding a bicycle"
    assert asked["Is the box open or closed?"].answer == "open"
    assert asked["Where is the man, left, middle or right?"].answer == "left"
    assert asked["What is the weather like?"].answer == "rainy"
    assert asked["Where is this scene?"].answer == "park"
    assert asked["How many people are there?"].answer == "1"
    assert asked["Which way is the man facing?"].answer == "right"
    assert asked["Is the box closed?"].answer == "no"
    assert asked["Is the man wearing a hat?"].answer == "yes"
    assert asked["Is there a bicycle in this picture?"].answer == "yes"
    assert (
        asked["Is there a bicycle in this picture?"].explanations[0]
        == "the man on the left is riding an orange bicycle"
    )
    assert ask_presence(PARK, "ball").answer == "yes", "it is in the box"
    assert ask_presence(PARK, "dog").answer == "no"


def test_every_question_has_three_explanations_in_small_letters_and_a_dissenter() -> None:
    for index in range(200):
        scene = draw_scene(generator("explained", index))
        for asked in questions(scene, generator("q", index)):
            assert len(set(asked.explanations)) == 3
            assert all(text == text.lower() and "." not in text and "none" not in text for text in asked.explanations)
            assert asked.minority
            assert asked.answer not in asked.minority
            assert asked.answer == asked.answer.lower()
            assert asked.question.endswith("?")


def test_yes_and_no_are_as_frequent() -> None:
    for_kind: dict[str, Counter[str]] = {}
    for index in range(600):
        scene = draw_scene(generator("balance", index))
        for asked in questions(scene, generator("q", index)):
            if asked.answer in ("yes", "no") and asked.kind != "hat":
                for_kind.setdefault(asked.kind, Counter())[asked.answer] += 1
    assert for_kind.keys() == {"presence", "is-colour", "is-state", "is-action"}
    for counts in for_kind.values():
        assert counts["yes"] == counts["no"] > 100


def test_nobody_is_asked_about_what_could_be_mistaken() -> None:
    scene = Scene(place="kitchen", weather="sunny", things=(Thing(kind="cup", column="left", colour="red"),))
    absent = could_be(scene)
    assert "glass" not in absent
    assert "bottle" not in absent
    assert {"apple", "book", "clock"} <= set(absent)
    assert alike("cup") >= {"cup", "glass", "bottle"}


def test_every_state_action_and_kind_has_its_words() -> None:
    for name, kind in KINDS.items():
        assert len(kind.states) in (0, 2)
        assert name in alike(name)
    for act in ACTIONS.values():
        assert len(set(act.cues)) == 3
