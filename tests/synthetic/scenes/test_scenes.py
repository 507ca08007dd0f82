"""Scenes: what is wished for is there, what is said is drawn, and the same key gives the same pixels."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.scenes.catalog import ACTIONS, COLOURS, COLUMNS, KINDS, PLACES, WORLD, alike, denied
from snellen.synthetic.scenes.model import Person, Scene, Thing
from snellen.synthetic.scenes.render import draw, jpeg
from snellen.synthetic.scenes.sampling import SceneRequest, draw_scene


def scenes(count: int, key: str = "scenes") -> list[Scene]:
    return [draw_scene(generator(key, index)) for index in range(count)]


def pixels(scene: Scene, size: tuple[int, int] = (320, 240)) -> np.ndarray:
    return np.asarray(draw(scene, size).image, dtype=np.int16)


def share(image: Image.Image, box: tuple[float, float, float, float], colour: str) -> float:
    """Part of the pixels of a box that have (nearly) that colour."""
    part = np.asarray(image.crop(tuple(round(v) for v in box)), dtype=np.int16)  # type: ignore[arg-type]
    return float((np.abs(part - np.array(COLOURS[colour])).max(axis=2) < 40).mean())


def test_the_same_key_gives_the_same_scene_and_the_same_bytes() -> None:
    one, again, other = (draw_scene(generator("x", seed)) for seed in (3, 3, 4))
    assert one == again != other
    assert jpeg(draw(one).image) == jpeg(draw(again).image) != jpeg(draw(other).image)


def test_scenes_are_few_distinct_items_in_columns_of_their_own() -> None:
    for scene in scenes(400):
        floor = [i.column for i in scene.items() if isinstance(i, Person) or i.sort.level != "top"]
        top = [t for t in scene.things if t.sort.level == "top"]
        assert len(floor) == len(set(floor)) >= 1
        assert len(top) <= 1
        assert 2 <= sum(1 for _ in scene.items()) <= 4
        assert len({p.who for p in scene.people}) == len(scene.people)
        kinds = [*(t.kind for t in scene.things), *(k for p in scene.people for k in p.act.brings)]
        kinds += ["ball" for t in scene.things if t.inside is not None]
        assert len(kinds) == len(set(kinds)), "a kind must not be there twice: 'the dog' would be two dogs"
        assert scene.kinds() == set(kinds)
        assert scene.weather in PLACES[scene.place].weathers
        assert all(scene.place in t.sort.places for t in scene.things)
        assert all(scene.place in p.act.places for p in scene.people)
        high = {p.column for p in scene.people if p.act.tall or scene.place == "kitchen"}
        high |= {t.column for t in scene.things if t.sort.tall}
        assert not any(t.column in high or t.column == scene.sun for t in top)


def test_all_that_there_can_be_comes_up() -> None:
    seen = scenes(3000, "coverage")
    assert {s.place for s in seen} == set(PLACES)
    assert {t.kind for s in seen for t in s.things} == set(KINDS)
    assert {p.action for s in seen for p in s.people} == set(ACTIONS)
    columns = Counter(i.column for s in seen for i in s.items())
    assert set(columns) == set(COLUMNS)
    assert max(columns.values()) < 1.15 * min(columns.values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_wished_thing_is_there_as_wished(kind: str) -> None:
    sort = KINDS[kind]
    for index, column in enumerate(COLUMNS):
        wish = {"column": column, "count": sort.most}
        if sort.colours:
            wish["colour"] = sort.colours[index % len(sort.colours)]
        if sort.states:
            wish["state"] = tuple(sort.states)[index % 2]
        scene = draw_scene(generator("wish", kind, index), SceneRequest(thing=kind, thing_is=wish, people=index))
        thing = scene.thing(kind)
        assert {name: getattr(thing, name) for name in wish} == wish
        without = draw_scene(generator("wish", kind, index), SceneRequest(place=scene.place, without=alike(kind)))
        assert not without.kinds() & alike(kind)


def test_several_wishes_are_granted_together() -> None:
    want = SceneRequest(
        place="kitchen",
        more={"window": {"state": "open"}, "glass": {"state": "full"}},
        action="cooking",
        people=2,
        person_is={"who": "boy", "hat": "red"},
        weather="rainy",
    )
    for index in range(30):
        scene = draw_scene(generator("several", index), want)
        assert (scene.thing("window").state, scene.thing("glass").state, scene.weather) == ("open", "full", "rainy")
        first = scene.people[0]
        assert (first.who, first.hat, first.action, first.trousers) == ("boy", "red", "cooking", None)
    with pytest.raises(ValueError, match="no place"):
        draw_scene(generator("never"), SceneRequest(thing="bus", action="swimming"))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].colours])
def test_a_thing_has_its_colour_and_no_other(kind: str) -> None:
    sort = KINDS[kind]
    for colour in sort.colours:
        wish = {"colour": colour, "count": 1, "column": "left", "inside": None}
        scene = draw_scene(
            generator("colour", kind), SceneRequest(thing=kind, thing_is=wish, people=0, weather="cloudy")
        )
        if kind == "door" and colour == "black":
            continue
        place = [*scene.items()].index(scene.thing(kind))
        drawing = draw(scene)
        other = next(c for c in sort.colours if c != colour)
        changed = replace(scene, things=tuple(replace(t, colour=other) if t.kind == kind else t for t in scene.things))
        here = share(drawing.image, drawing.boxes[place], colour)
        assert here > 0.05, (colour, here)
        assert here > share(draw(changed).image, drawing.boxes[place], colour) + 0.04, (colour, other)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_person_wears_what_is_said(action: str) -> None:
    for shirt, trousers in (("red", "black"), ("yellow", "blue"), ("purple", "brown")):
        wish = {"shirt": shirt, "trousers": trousers, "hat": "green", "prop": "red", "column": "centre"}
        if "red" not in ACTIONS[action].colours:
            del wish["prop"]
        scene = draw_scene(
            generator("clothes", action), SceneRequest(action=action, person_is=wish, people=1, weather="sunny")
        )
        drawing = draw(scene)
        box = drawing.boxes[0]
        assert share(drawing.image, box, shirt) > 0.015
        assert share(drawing.image, box, "green") > 0.01, "the hat"
        worn = scene.people[0].trousers
        assert worn == (None if ACTIONS[action].hides or scene.place == "kitchen" else trousers)
        if worn is not None:
            assert share(drawing.image, box, trousers) > 0.012


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].states])
def test_states_can_be_told_apart_even_when_small(kind: str) -> None:
    one, other = KINDS[kind].states
    wish = {"state": one, "count": 1, "inside": None, "column": "left"}
    scene = draw_scene(generator("state", kind), SceneRequest(thing=kind, thing_is=wish, people=0))
    changed = replace(scene, things=tuple(replace(t, state=other) if t.kind == kind else t for t in scene.things))
    apart = np.abs(pixels(scene, (64, 64)) - pixels(changed, (64, 64))).max(axis=2) > 40
    assert apart.sum() >= 12, f"{apart.sum()} of 4096 pixels"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].turns])
def test_the_two_directions_can_be_told_apart_even_when_small(kind: str) -> None:
    wish = {"facing": "left", "count": 1, "column": "left"}
    scene = draw_scene(generator("facing", kind), SceneRequest(thing=kind, thing_is=wish, people=0))
    changed = replace(scene, things=tuple(replace(t, facing="right") if t.kind == kind else t for t in scene.things))
    apart = np.abs(pixels(scene, (64, 64)) - pixels(changed, (64, 64))).max(axis=2) > 40
    assert apart.sum() >= 20


def test_boxes_hold_their_items_and_scale_with_the_picture() -> None:
    for scene in scenes(40, "boxes"):
        large, small = draw(scene), draw(scene, (160, 120))
        assert large.image.size == (320, 240)
        assert len(large.boxes) == sum(1 for _ in scene.items())
        for box, half in zip(large.boxes, small.boxes, strict=True):
            assert 0 <= box.left < box.right <= 320
            assert 0 <= box.top < box.bottom <= 240
            assert (box.right - box.left) * (box.bottom - box.top) > 350, "too small to be seen"
            assert half == pytest.approx([v / 2 for v in box])
        for item, box in zip(scene.items(), large.boxes, strict=True):
            middle = (box.left + box.right) / 2
            wanted = {"left": 60, "centre": 160, "right": 260}[item.column]
            assert abs(middle - wanted) < 45, "left is on the left"


def test_taking_an_item_away_changes_nothing_outside_its_box() -> None:
    for scene in scenes(12, "gone"):
        whole = draw(scene)
        for place, item in enumerate(scene.items()):
            rest = replace(
                scene,
                people=tuple(p for p in scene.people if p is not item),
                things=tuple(t for t in scene.things if t is not item),
            )
            apart = np.abs(pixels(scene) - pixels(rest)).max(axis=2) > 24
            assert apart.sum() > 100
            left, top, right, bottom = whole.boxes[place]
            apart[max(0, int(top) - 3) : int(bottom) + 4, max(0, int(left) - 3) : int(right) + 4] = False
            assert apart.sum() == 0, (item, whole.boxes[place])


def test_counts_are_drawn() -> None:
    """Each ball more adds a patch of its colour; patches that hang together are one ball."""
    for count in (1, 2, 3, 4):
        thing = Thing(kind="ball", column="centre", colour="purple", count=count)
        image = pixels(Scene(place="park", weather="cloudy", things=(thing,)))
        mask = np.abs(image - np.array(COLOURS["purple"])).max(axis=2) < 60
        assert _patches(mask) == count


def _patches(mask: np.ndarray) -> int:
    """Connected patches of at least 60 pixels."""
    mask, found = mask.copy(), 0
    while mask.any():
        todo, size = [tuple(np.argwhere(mask)[0])], 0
        while todo:
            y, x = todo.pop()
            if 0 <= y < mask.shape[0] and 0 <= x < mask.shape[1] and mask[y, x]:
                mask[y, x] = False
                size += 1
                todo += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
        found += size >= 60
    return found


def test_nothing_that_an_action_implies_is_denied() -> None:
    assert "standing" not in denied("waving", "park")
    assert "walking" not in denied("walking a dog")
    assert "waving" in denied("standing", "park")
    for action, place in itertools.product(ACTIONS, PLACES):
        if place in ACTIONS[action].places:
            assert action not in denied(action, place)
            assert denied(action, place), "there is always something else to ask"


def test_colours_are_far_apart() -> None:
    for colours in (WORLD.clothes, WORLD.trousers, *(kind.colours for kind in KINDS.values())):
        for a, b in itertools.combinations(colours, 2):
            assert sum(abs(x - y) for x, y in zip(COLOURS[a], COLOURS[b], strict=True)) > 90, (a, b)


def test_dealing_gives_every_case_equally_often_and_depends_on_the_index_alone() -> None:
    cases = ("a", "b", "c", "d")
    given = [dealt(cases, index, "key", 7) for index in range(40)]
    assert all(sorted(given[k : k + 4]) == list(cases) for k in range(0, 40, 4))
    assert given[:12] == [dealt(cases, index, "key", 7) for index in range(12)]
    assert given != [dealt(cases, index, "key", 8) for index in range(40)]
