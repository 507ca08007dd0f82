"""Two scenes that differ in exactly one stated way, and statements that distinguish them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from snellen.synthetic.scenes.catalog import COLUMNS, WORLD, Column
from snellen.synthetic.scenes.model import Person, Scene, Thing, is_high
from snellen.synthetic.scenes.sampling import draw_scene
from snellen.synthetic.scenes.words import brief, facts, listing, sentence, terms

KINDS_OF_DIFFERENCE = ("attribute", "count", "position", "orientation", "state", "presence")
_Value = TypeVar("_Value", str, int)
Change = tuple[str, Person | Thing | None]
_POSES = (("standing", "waving", "jumping"), ("walking", "running"))


class SceneDifference(NamedTuple):
    """A scene, the other scene, and the statements that are true of only one of them. `about` and `aspect` name the difference."""

    kind: str
    about: str
    aspect: str
    one: Scene
    other: Scene
    said_of_one: str
    said_of_other: str

    @property
    def captions(self) -> tuple[str, str]:
        """The captions of both scenes: the difference in a full sentence, then what else is there."""
        return _caption(self.said_of_one, self.one), _caption(self.said_of_other, self.other)

    def swapped(self) -> SceneDifference:
        """Return the same difference the other way round."""
        return self._replace(
            one=self.other, other=self.one, said_of_one=self.said_of_other, said_of_other=self.said_of_one
        )


def _caption(said: str, scene: Scene) -> str:
    return f"{sentence(said)} {brief(scene)}"


def draw_difference(rng: Random, kind: str) -> SceneDifference:
    """Draw a pair of scenes that differ in this way. Where they differ in a number, they differ in nothing else."""
    while True:
        scene = with_room(draw_scene(rng)) if kind == "count" else draw_scene(rng)
        found = list(differences(scene, kind, rng))
        if found:
            aspects = sorted({d.aspect for d in found})
            aspect = rng.choices(aspects, [3 if aspect == "item" else 1 for aspect in aspects])[0]
            chosen = rng.choice([d for d in found if d.aspect == aspect])
            return chosen.swapped() if rng.random() < 0.5 else chosen


def with_room(scene: Scene) -> Scene:
    """Return the scene with room for the maximum number of each thing: then a changed number moves and shrinks nothing."""
    return replace(scene, things=tuple(replace(t, room=t.sort.most) if _countable(t) else t for t in scene.things))


def _countable(thing: Thing) -> bool:
    return thing.sort.most > 1 and thing.size is None and thing.inside is None


def differences(scene: Scene, kind: str, rng: Random) -> Iterator[SceneDifference]:
    """Yield all the differences of this kind for the scene; where many values are possible one is chosen."""
    for item in scene.items():
        for aspect, changed in _changes(scene, item, kind, rng):
            other = _with(scene, item, changed)
            yield SceneDifference(kind, item.name, aspect, scene, other, *_told(scene, other, item, changed, aspect))


def _with(scene: Scene, item: Person | Thing, changed: Person | Thing | None) -> Scene:
    """Return the scene with one item changed, or without it."""
    new = [changed if other is item else other for other in scene.items()]
    return replace(
        scene,
        people=tuple(other for other in new if isinstance(other, Person)),
        things=tuple(other for other in new if isinstance(other, Thing)),
    )


def _told(
    scene: Scene, other: Scene, item: Person | Thing, changed: Person | Thing | None, aspect: str
) -> tuple[str, str]:
    """Return the clause that is true of each scene."""
    words = terms(item)
    if changed is None:
        return (
            f"there {words['be']} {words['plain']} {words['where']}",
            f"there is no {item.name}, only {listing(other)}",
        )
    return _first(scene, item.name, aspect), _first(other, item.name, aspect)


def _first(scene: Scene, about: str, aspect: str) -> str:
    """Return the statement about it; the colour of a thing that a person uses is in the sentence of their action."""
    aspect = "action" if aspect == "prop" else aspect
    return next(fact.text for fact in facts(scene) if fact.about == about and fact.aspect == aspect)


def _changes(scene: Scene, item: Person | Thing, kind: str, rng: Random) -> Iterator[Change]:
    """Yield the possible changes of one item: the aspect, and the item afterwards (None: removed)."""
    if kind == "position":
        free = _free(scene, item)
        if free:
            yield "position", replace(item, column=rng.choice(free))
    elif kind == "orientation" and item.facing is not None:
        yield "facing", replace(item, facing="left" if item.facing == "right" else "right")
    elif kind == "presence" and sum(1 for _ in scene.items()) > 2:
        yield "item", None
    yield from _of_person(item, kind, rng) if isinstance(item, Person) else _of_thing(item, kind, rng)


def _of_thing(thing: Thing, kind: str, rng: Random) -> Iterator[Change]:
    sort = thing.sort
    if kind == "attribute":
        if len(sort.colours) > 1:
            yield "colour", replace(thing, colour=_other(rng, sort.colours, thing.colour, thing.inside))
        if thing.size is not None:
            yield "size", replace(thing, size="small" if thing.size == "large" else "large")
    elif kind == "count" and _countable(thing):
        yield "count", replace(thing, count=_other(rng, range(1, sort.most + 1), thing.count))
    elif kind == "state" and thing.state is not None and thing.inside is None:
        yield "state", replace(thing, state=_other(rng, sort.states, thing.state))
    elif kind == "presence" and thing.inside is not None:
        yield "inside", replace(thing, inside=None)


def _of_person(person: Person, kind: str, rng: Random) -> Iterator[Change]:
    if kind == "attribute":
        yield "shirt", replace(person, shirt=_other(rng, WORLD.clothes, person.shirt, person.trousers))
        if person.trousers is not None:
            yield "trousers", replace(person, trousers=_other(rng, WORLD.trousers, person.trousers, person.shirt))
        if person.hair_seen:
            yield "hair", replace(person, hair=_other(rng, WORLD.hair, person.hair, "grey"))
        if person.prop is not None:
            yield "prop", replace(person, prop=_other(rng, person.act.colours, person.prop))
    elif kind == "state":
        for poses in _POSES:
            if person.action in poses:
                yield "action", replace(person, action=_other(rng, poses, person.action))
    elif kind == "presence":
        yield "hat", replace(person, hat=None if person.hat else rng.choice(WORLD.vivid))


def _free(scene: Scene, item: Person | Thing) -> list[Column]:
    """Return the columns to which this item alone can move, keeping clear of all others."""
    others = [other for other in scene.items() if other is not item]
    tops = {o.column for o in others if o.above}
    floor = {o.column for o in others if not o.above}
    high = {o.column for o in others if is_high(o, scene.place)}
    blocked = tops | high | {scene.sun} if item.above else floor | (tops if is_high(item, scene.place) else set())
    return [column for column in COLUMNS if column not in blocked and column != item.column]


def _other(rng: Random, values: Iterable[_Value], *taken: _Value | None) -> _Value:
    return rng.choice([value for value in values if value not in taken])
