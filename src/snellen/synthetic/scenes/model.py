"""A scene as data: its place, people and things. All words and pixels follow from this and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from snellen.core.types import Struct
from snellen.synthetic.scenes.catalog import ACTIONS, KINDS, LONG_HAIRED, PLACES, Action, Column, Kind

Side = Literal["left", "right"]


class Thing(Struct, frozen=True):
    """One kind of thing in a scene, `count` times at one place. A kind occurs at most once in a scene.

    `size` is set where the kind comes small and large and there is one of it; `inside` is the colour of a ball that is
    visible in an open box. `room` is the number of places, so that one more does not move or shrink the others;
    without it they fill the room.
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
        """The kind."""
        return self.kind

    @property
    def above(self) -> bool:
        """True in the sky or on the wall."""
        return self.sort.level == "top"

    @property
    def other_colours(self) -> list[str]:
        """The possible colours of such a thing, without those visible on this one."""
        seen = {self.colour, self.inside, *self.sort.shows.get(self.state or "any", ())}
        return [colour for colour in self.sort.colours if colour not in seen]

    @property
    def sort(self) -> Kind:
        return KINDS[self.kind]


class Person(Struct, frozen=True):
    """A person in a scene; no two people of a scene have the same `who`. `prop` is the colour of what they use.

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
        """The kind of person."""
        return self.who

    @property
    def hair_seen(self) -> bool:
        """True if the colour of the hair is visible: a hat hides short hair."""
        return self.hat is None or self.who in LONG_HAIRED

    @property
    def act(self) -> Action:
        return ACTIONS[self.action]


class Scene(Struct, frozen=True):
    """A place, its weather (indoors only a window shows it), the people and the things. `decor` shapes details without questions."""

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
        """True if the weather is visible: outdoors always, indoors through a window whose curtains are open."""
        return self.outdoors or any(thing.kind == "window" and thing.state == "open" for thing in self.things)

    def items(self) -> Iterator[Person | Thing]:
        """Yield people first, then things, in their order; boxes come in this order too."""
        yield from self.people
        yield from self.things

    def kinds(self) -> frozenset[str]:
        """Return the kinds of all visible things, also those that people use and the ball in an open box."""
        used = (kind for person in self.people for kind in person.act.brings)
        boxed = ("ball" for thing in self.things if thing.inside is not None)
        return frozenset((*used, *boxed, *(thing.kind for thing in self.things)))

    def thing(self, kind: str) -> Thing:
        """Return the thing of that kind."""
        return next(thing for thing in self.things if thing.kind == kind)


def is_high(item: Person | Thing, place: str) -> bool:
    """Tell whether an item reaches up to where the top things are."""
    return item.act.tall or place == "kitchen" if isinstance(item, Person) else item.sort.tall
