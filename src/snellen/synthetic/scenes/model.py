"""A scene as data: where it is, who and what is in it. All words and pixels follow from this and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from snellen.core.types import Struct
from snellen.synthetic.scenes.catalog import ACTIONS, KINDS, LONG_HAIRED, PLACES, Action, Column, Kind

Side = Literal["left", "right"]


class Thing(Struct, frozen=True):
    """One kind of thing in a scene, `count` times at one place. A kind occurs at most once in a scene.

    `size` is set where the kind comes small and large and there is one of it; `inside` is the colour of a ball that is
    seen in an open box. `room` is for how many there is room where they are, so that one more leaves the others where and as
    large as they are; without it they fill the room.
    """

    kind: str
    column: Column
    colour: str | None = None
    size: Literal["small", "large"] | None = None
    count: int = 1
    facing: Side | None = None
    state: str | None = None
    inside: str | None = None
    room: int | None = None

    @property
    def name(self) -> str:
        """Return the kind."""
        return self.kind

    @property
    def above(self) -> bool:
        """Return whether it is in the sky or on the wall."""
        return self.sort.level == "top"

    @property
    def other_colours(self) -> list[str]:
        """Return the colours that such a thing can have, without those that can be seen on this one."""
        seen = {self.colour, self.inside, *self.sort.shows.get(self.state or "any", ())}
        return [colour for colour in self.sort.colours if colour not in seen]

    @property
    def sort(self) -> Kind:
        return KINDS[self.kind]


class Person(Struct, frozen=True):
    """Somebody in a scene; no two people of a scene have the same `who`. `prop` is the colour of what they use.

    `trousers` is None where they are out of sight: in the water, in a boat, behind the worktop of a kitchen.
    """

    who: str
    column: Column
    shirt: str
    hair: str
    action: str
    trousers: str | None = None
    skin: int = 0
    hat: str | None = None
    facing: Side | None = None
    prop: str | None = None

    above = False

    @property
    def name(self) -> str:
        """Who it is."""
        return self.who

    @property
    def hair_seen(self) -> bool:
        """Return whether the colour of the hair can be told: short hair goes under a hat."""
        return self.hat is None or self.who in LONG_HAIRED

    @property
    def act(self) -> Action:
        return ACTIONS[self.action]


class Scene(Struct, frozen=True):
    """A place, its weather (indoors only a window shows it), the people and the things. `decor` shapes what nobody asks about."""

    place: str
    weather: str
    people: tuple[Person, ...] = ()
    things: tuple[Thing, ...] = ()
    sun: Column = "right"
    decor: int = 0

    @property
    def outdoors(self) -> bool:
        return PLACES[self.place].outdoors

    @property
    def weather_seen(self) -> bool:
        """Outdoors always; indoors through a window whose curtains are open."""
        return self.outdoors or any(thing.kind == "window" and thing.state == "open" for thing in self.things)

    def items(self) -> Iterator[Person | Thing]:
        """People first, then things, in their order; boxes come in this order too."""
        yield from self.people
        yield from self.things

    def kinds(self) -> frozenset[str]:
        """Return all kinds of things in view, also those that people use and the ball in an open box."""
        used = (kind for person in self.people for kind in person.act.brings)
        boxed = ("ball" for thing in self.things if thing.inside is not None)
        return frozenset((*used, *boxed, *(thing.kind for thing in self.things)))

    def thing(self, kind: str) -> Thing:
        """Return the thing of that kind."""
        return next(thing for thing in self.things if thing.kind == kind)


def is_high(item: Person | Thing, place: str) -> bool:
    """Return whether somebody or something reaches up to where the top things are."""
    return item.act.tall or place == "kitchen" if isinstance(item, Person) else item.sort.tall
