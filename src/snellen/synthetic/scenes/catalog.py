"""The contents of the world: colours, places, weather, kinds of things, and actions. All of it is in the TOML files here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from snellen.core.types import Struct
from snellen.synthetic.colours import RGB
from snellen.synthetic.drawings import read_table

Column = Literal["left", "centre", "right"]
COLUMNS: tuple[Column, ...] = ("left", "centre", "right")
WHO = ("man", "woman", "boy", "girl")
CHILDREN = frozenset({"boy", "girl"})
LONG_HAIRED = frozenset({"woman", "girl"})


class _Weather(Struct, frozen=True):
    """A kind of weather: its phrase, the sign by which it is known, and other words that annotators use for it."""

    phrase: str
    cue: str
    also: tuple[str, ...]


class _Backdrop(Struct, frozen=True):
    """A place: its phrase, the sign by which it is known, other words for it, and its possible weather."""

    phrase: str
    noun: str
    outdoors: bool
    cue: str
    also: tuple[str, ...]
    weathers: tuple[str, ...] = ("sunny", "cloudy", "rainy")


class _World(Struct, frozen=True):
    """The settings shared by all scenes. Kinds that are `alike` are easily mistaken for each other."""

    bright: tuple[str, ...]
    clothes: tuple[str, ...]
    trousers: tuple[str, ...]
    vivid: tuple[str, ...]
    alike: tuple[frozenset[str], ...]
    skin: tuple[RGB, ...]
    colours: dict[str, RGB]
    hair: dict[str, RGB]
    near_colours: dict[str, tuple[str, ...]]
    weather: dict[str, _Weather]
    places: dict[str, _Backdrop]


class Kind(Struct, frozen=True):
    """A kind of thing.

    `level` is where it is: ground, water, or top (the sky or the wall). `states` exclude each other, each with the sign by which it is
    known. Where `part` is set, it is the part in that state ("the sail of the boat is up"). `shows` are additional colours, by state.
    """

    name: str
    plural: str
    places: tuple[str, ...]
    colours: tuple[str, ...] = ()
    states: dict[str, str] = msgspec.field(default_factory=dict)
    part: str | None = None
    turns: bool = False
    most: int = 1
    sized: bool = False
    level: str = "ground"
    tall: bool = False
    shows: dict[str, frozenset[str]] = msgspec.field(default_factory=dict)


class Action(Struct, frozen=True):
    """An activity of a person.

    `cues` are what an annotator would point at. `brings` are the kinds of things that go with it, the first in one of `colours`. `turned`
    people look to one side. `hides` means that the legs cannot be seen. The activities that it `implies` are true as well; those in `maybe`
    go with it in life though not in the drawing. `label` is its activity in ACT-X, by place where needed.
    """

    name: str
    places: tuple[str, ...]
    cues: tuple[str, str, str]
    label: str
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    brings: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    turned: bool = True
    hides: bool = False
    tall: bool = False
    afloat: bool = False
    also: tuple[str, ...] = ()
    details: str | None = None
    implies: frozenset[str] = frozenset()
    maybe: frozenset[str] = frozenset()
    reach: float = 40.0
    high: float = 1.0

    def label_at(self, place: str) -> str:
        """Return the activity's label at a place."""
        return self.labels.get(place, self.label)


WORLD = msgspec.convert(read_table("scenes/world.toml"), _World)
COLOURS, PLACES, WEATHER = WORLD.colours, WORLD.places, WORLD.weather
KINDS = {name: msgspec.convert({"name": name, **row}, Kind) for name, row in read_table("scenes/things.toml").items()}
ACTIONS = {
    name: msgspec.convert({"name": name, **row}, Action) for name, row in read_table("scenes/actions.toml").items()
}


def actions_at(place: str, without: Iterable[str] = ()) -> list[Action]:
    """Return the possible actions at a place, without those that bring any of these kinds of things."""
    return [act for act in ACTIONS.values() if place in act.places and not {*act.brings} & {*without}]


def hair_of(who: str) -> list[str]:
    """Return the possible colours of this person's hair."""
    return [hair for hair in WORLD.hair if hair != "grey" or who not in CHILDREN]


def denied(action: str, place: str | None = None, *, strict: bool = False) -> list[str]:
    """Return actions (possible at that place) that this action clearly excludes; `strict` leaves out doubtful ones."""
    act = ACTIONS[action]
    maybe = act.implies | {action} | (act.maybe if strict else frozenset())
    return [other.name for other in ACTIONS.values() if place in (None, *other.places) and other.name not in maybe]


def alike(kind: str) -> frozenset[str]:
    """Return the kind and all that may be mistaken for it: where one is in view, no question is about another.

    >>> sorted(alike("duck"))
    ['bird', 'duck']
    """
    return frozenset({kind}).union(*(group for group in WORLD.alike if kind in group))
