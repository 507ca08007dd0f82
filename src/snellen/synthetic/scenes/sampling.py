"""Random scenes with requests: a maker states what must and must not be in a scene, and the rest is random."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from snellen.synthetic.scenes.catalog import (
    ACTIONS,
    COLUMNS,
    KINDS,
    PLACES,
    WHO,
    WORLD,
    Column,
    Kind,
    actions_at,
    hair_of,
)
from snellen.synthetic.scenes.model import Person, Scene, Thing, is_high


class SceneRequest(NamedTuple):
    """A request for a scene. `thing`, `more` and `action` must be in it, with the given fields; `without` must not be in view.

    At most one requested thing can be at the top, and beside the people there must be enough columns for the others.
    """

    place: str | None = None
    weather: str | None = None
    things: Mapping[str, Mapping[str, Any]] = {}
    action: str | None = None
    person_is: Mapping[str, Any] = {}
    people: int | None = None
    without: frozenset[str] = frozenset()


def draw_scene(rng: Random, want: SceneRequest | None = None) -> Scene:
    """Draw a scene that fulfils the request."""
    want = want or SceneRequest()
    place = want.place or rng.choice(_places(want))
    weather = want.weather or rng.choice(PLACES[place].weathers)
    made = _SceneDraft(rng, want, place)
    made.add_people()
    made.add_things()
    made.add_top()
    sun = rng.choice([c for c in COLUMNS if not any(t.above and t.column == c for t in made.things)])
    people, things = tuple(made.people), tuple(made.things)
    return Scene(place=place, weather=weather, people=people, things=things, sun=sun, decor=rng.randrange(1 << 30))


def _places(want: SceneRequest) -> list[str]:
    fits = list(PLACES)
    for kind in want.things:
        fits = [place for place in fits if place in KINDS[kind].places]
    if want.action is not None:
        fits = [place for place in fits if place in ACTIONS[want.action].places]
    if want.weather is not None:
        fits = [place for place in fits if want.weather in PLACES[place].weathers]
    if not fits:
        raise ValueError(f"no place has all of {[*want.things]}, {want.action} and {want.weather}")
    return fits


class _SceneDraft:
    """A scene under construction: its people and things so far, the free columns of the floor, and the kinds in view."""

    def __init__(self, rng: Random, want: SceneRequest, place: str) -> None:
        self.rng, self.want, self.place = rng, want, place
        self.people: list[Person] = []
        self.things: list[Thing] = []
        wishes = want.things.values()
        self.used = {*want.things, *("ball" for wish in wishes if wish.get("inside") is not None)}
        asked = {want.person_is.get("column"), *(wish.get("column") for wish in wishes)}
        self.free = [column for column in COLUMNS if column not in asked]
        rng.shuffle(self.free)
        self.top = next((kind for kind in want.things if KINDS[kind].level == "top"), None)

    def add_people(self) -> None:
        """Add the requested person first; leave a column for every requested thing that stands on the floor."""
        want, rng = self.want, self.rng
        number = want.people if want.people is not None else rng.choices((0, 1, 2), (2, 6, 2))[0]
        number = max(1, number) if want.action is not None else number
        kept = sum(KINDS[kind].level != "top" and "column" not in wish for kind, wish in want.things.items())
        whos = rng.sample(
            [who for who in WHO if who != want.person_is.get("who")], len(WHO) - ("who" in want.person_is)
        )
        for index in range(number):
            wish: Mapping[str, Any] = want.person_is if index == 0 else {}
            action = want.action if index == 0 and want.action else self._action()
            if action is None or ("column" not in wish and len(self.free) <= kept):
                break
            self.used.update(ACTIONS[action].brings)
            column = wish.get("column") or self.free.pop()
            self.people.append(_person(rng, wish.get("who") or whos.pop(), column, action, self.place, wish))

    def add_things(self) -> None:
        """Add the requested things of the floor, then one or two more."""
        for kind, wish in self.want.things.items():
            if KINDS[kind].level != "top":
                self._add(kind, wish.get("column") or self.free.pop(), wish)
        more = self.rng.choice((1, 1, 2)) if self.people or self.things else self.rng.choice((2, 2, 3))
        for _ in range(more):
            kinds = [
                kind.name for kind in self._fitting() if kind.level != "top" and not (kind.tall and self._crowded())
            ]
            if self.free and kinds:
                self._add(self.rng.choice(kinds), self.free.pop(), {})

    def add_top(self) -> None:
        """Add the requested thing for the sky or the wall, or a random one, clear of all high items."""
        kinds = [kind.name for kind in self._fitting() if kind.level == "top"]
        if self.top is None and kinds and self.rng.random() < 0.45:
            self.top = self.rng.choice(kinds)
        spots = [column for column in COLUMNS if column not in self._high()]
        if self.top is not None and spots:
            wish = self.want.things.get(self.top, {})
            self._add(self.top, wish.get("column") or self.rng.choice(spots), wish)

    def _add(self, kind: str, column: Column, wish: Mapping[str, Any]) -> None:
        thing = _thing(self.rng, KINDS[kind], column, wish)
        if thing.inside is not None and "inside" not in wish and "ball" in self.used | self.want.without:
            thing = replace(thing, inside=None)
        self.used.update((kind,) if thing.inside is None else (kind, "ball"))
        self.things.append(thing)

    def _action(self) -> str | None:
        done = {person.action for person in self.people}
        shut = self.used | self.want.without
        can = [act for act in actions_at(self.place, shut) if act.name not in done]
        fits = [act.name for act in can if not (act.tall and self._crowded())]
        return self.rng.choice(fits) if fits else None

    def _fitting(self) -> list[Kind]:
        shut = self.used | self.want.without
        return [kind for kind in KINDS.values() if self.place in kind.places and kind.name not in shut]

    def _high(self) -> set[str]:
        """Return the columns in which something reaches up to where the top things are."""
        items: list[Person | Thing] = [*self.people, *self.things]
        return {item.column for item in items if is_high(item, self.place)}

    def _crowded(self) -> bool:
        """Tell whether one more high item would leave no room for the requested top thing."""
        return self.top is not None and len(self._high()) >= len(COLUMNS) - 1


def _person(rng: Random, who: str, column: Column, action: str, place: str, wish: Mapping[str, Any]) -> Person:
    act = ACTIONS[action]
    shirt = rng.choice(WORLD.clothes)
    fields: dict[str, Any] = {
        "shirt": shirt,
        "trousers": rng.choice([colour for colour in WORLD.trousers if colour != wish.get("shirt", shirt)]),
        "hair": rng.choice(hair_of(who)),
        "skin": rng.randrange(len(WORLD.skin)),
        "hat": rng.choice(WORLD.vivid) if rng.random() < 0.35 else None,
        "facing": rng.choice(("left", "right")),
        "prop": rng.choice(act.colours) if act.colours else None,
    }
    fields |= {name: value for name, value in wish.items() if name not in ("who", "column")}
    if not act.turned:
        fields["facing"] = None
    if act.hides or place == "kitchen":
        fields["trousers"] = None
    return Person(who=who, column=column, action=action, **fields)


def _thing(rng: Random, kind: Kind, column: Column, wish: Mapping[str, Any]) -> Thing:
    count = wish.get("count") or (1 if kind.most == 1 or rng.random() < 0.5 else rng.randint(2, kind.most))
    colours = [colour for colour in kind.colours if colour != wish.get("inside")]
    fields: dict[str, Any] = {
        "colour": rng.choice(colours) if colours else None,
        "size": rng.choice(("small", "large")) if kind.sized else None,
        "facing": rng.choice(("left", "right")) if kind.turns else None,
        "state": rng.choice(tuple(kind.states)) if kind.states else None,
        "inside": None,
    }
    fields |= {name: value for name, value in wish.items() if name != "column"} | {"count": count}
    if count > 1:
        fields["size"] = None
    if kind.name == "box" and fields["state"] == "open" and "inside" not in wish and count == 1 and rng.random() < 0.5:
        fields["inside"] = rng.choice([colour for colour in WORLD.vivid if colour != fields["colour"]])
    if fields["state"] != "open":
        fields["inside"] = None
    return Thing(kind=kind.name, column=column, **fields)
