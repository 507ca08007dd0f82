"""What there is in the world: places, kinds of things and what can be said of each."""

from __future__ import annotations

from typing import Literal, NamedTuple

from snellen.synthetic.scenes.palette import BRIGHT

Column = Literal["left", "centre", "right"]
COLUMNS: tuple[Column, ...] = ("left", "centre", "right")
WEATHERS = ("sunny", "cloudy", "rainy")
VIVID = ("red", "orange", "yellow", "green", "blue", "purple")


class Backdrop(NamedTuple):
    """A backdrop: how it is said, whether it is outdoors, what gives it away, and other words that annotators use for it."""

    name: str
    phrase: str
    noun: str
    outdoors: bool
    cue: str
    also: tuple[str, ...]


PLACES = {
    place.name: place
    for place in (
        Backdrop(
            "living room",
            "in a living room",
            "living room",
            False,
            "there is a wooden floor and a papered wall",
            ("room", "lounge", "house"),
        ),
        Backdrop(
            "kitchen",
            "in a kitchen",
            "kitchen",
            False,
            "there is a worktop in front of a tiled wall",
            ("house", "room"),
        ),
        Backdrop(
            "street",
            "on a street",
            "street",
            True,
            "there is a road in front of a row of buildings",
            ("city", "road", "town"),
        ),
        Backdrop("park", "in a park", "park", True, "a path leads through green grass", ("garden", "outside", "grass")),
        Backdrop("beach", "on a beach", "beach", True, "there is sand in front of the sea", ("sea", "ocean", "sand")),
        Backdrop(
            "field",
            "in a field",
            "field",
            True,
            "there are long furrows in yellow ground",
            ("farm", "countryside", "meadow"),
        ),
        Backdrop(
            "lake",
            "by a lake",
            "lake shore",
            True,
            "there is calm water between the hills and the shore",
            ("river", "water", "pond"),
        ),
        Backdrop(
            "snow",
            "in the snow",
            "snowy valley",
            True,
            "the ground is white and there are mountains",
            ("mountains", "winter", "hill"),
        ),
    )
}


def weathers(place: str) -> tuple[str, ...]:
    """The weather that a place can have: no rain falls on snow."""
    return WEATHERS[:2] if place == "snow" else WEATHERS


DRY = ("street", "park", "beach", "field")
OPEN = (*DRY, "lake", "snow")


class Kind(NamedTuple):
    """A kind of thing. `level` is where it is: ground, water, or top (the sky or the wall). `states` exclude each other;
    where `part` is set it is the part that is in that state ("the sail of the boat is up").
    """

    name: str
    plural: str
    places: tuple[str, ...]
    colours: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    part: str | None = None
    turns: bool = False
    most: int = 1
    sized: bool = False
    level: str = "ground"
    tall: bool = False


KINDS = {
    kind.name: kind
    for kind in (
        Kind("car", "cars", ("street",), BRIGHT, turns=True),
        Kind("bus", "buses", ("street",), VIVID, turns=True),
        Kind("bicycle", "bicycles", DRY, BRIGHT, turns=True),
        Kind(
            "dog",
            "dogs",
            (*OPEN, "living room"),
            ("brown", "black", "white"),
            ("standing", "sitting"),
            turns=True,
            most=3,
        ),
        Kind(
            "cat",
            "cats",
            ("street", "park", "field", "living room"),
            ("orange", "black", "grey", "white"),
            ("sitting", "lying down"),
            turns=True,
            most=3,
        ),
        Kind("horse", "horses", ("field",), ("brown", "black", "white"), turns=True),
        Kind("tree", "trees", ("park", "field", "lake", "snow"), ("green", "orange"), sized=True, tall=True, most=3),
        Kind(
            "flower",
            "flowers",
            ("park", "field", "lake"),
            ("red", "orange", "yellow", "blue", "purple", "white"),
            most=4,
        ),
        Kind("ball", "balls", (*OPEN, "living room"), BRIGHT, most=4, sized=True),
        Kind("box", "boxes", (*OPEN, "living room"), BRIGHT, ("open", "closed"), sized=True, most=3),
        Kind("umbrella", "umbrellas", ("street", "park", "beach"), BRIGHT, ("open", "closed")),
        Kind("bench", "benches", ("street", "park", "lake"), VIVID),
        Kind("boat", "boats", ("lake", "beach"), VIVID, ("up", "down"), "sail", turns=True, level="water", tall=True),
        Kind("duck", "ducks", ("lake",), ("yellow", "white", "brown"), turns=True, most=4, level="water"),
        Kind("flag", "flags", OPEN, VIVID, ("up", "down"), tall=True),
        Kind("traffic light", "traffic lights", ("street",), (), ("red", "green"), tall=True),
        Kind("house", "houses", ("field", "snow"), VIVID, ("open", "closed"), "door"),
        Kind("snowman", "snowmen", ("snow",), (), sized=True, most=3),
        Kind("bucket", "buckets", ("beach",), VIVID, ("full", "empty"), most=3),
        Kind("suitcase", "suitcases", ("street", "living room"), BRIGHT, ("open", "closed")),
        Kind("chair", "chairs", ("living room",), BRIGHT, turns=True),
        Kind("table", "tables", ("living room",), BRIGHT),
        Kind("lamp", "lamps", ("living room",), VIVID, ("on", "off"), tall=True),
        Kind("television", "televisions", ("living room",), (), ("on", "off")),
        Kind("door", "doors", ("living room",), BRIGHT, ("open", "closed"), tall=True),
        Kind("plant", "plants", ("living room", "kitchen"), (), sized=True, most=3),
        Kind("glass", "glasses", ("kitchen",), (), ("full", "empty"), most=4),
        Kind("cup", "cups", ("kitchen",), BRIGHT, most=4, sized=True),
        Kind("bottle", "bottles", ("kitchen",), VIVID, most=4, sized=True),
        Kind("apple", "apples", ("kitchen",), ("red", "green", "yellow"), most=4),
        Kind("candle", "candles", ("kitchen",), BRIGHT, ("lit", "unlit"), most=4),
        Kind("book", "books", ("kitchen",), BRIGHT, ("open", "closed")),
        Kind("laptop", "laptops", ("kitchen",), (), ("open", "closed")),
        Kind("kite", "kites", OPEN, VIVID, level="top", most=3),
        Kind("balloon", "balloons", (*OPEN, "living room", "kitchen"), VIVID, level="top", most=4),
        Kind("bird", "birds", OPEN, ("black", "red", "blue", "white"), turns=True, level="top", most=4),
        Kind("plane", "planes", OPEN, VIVID, turns=True, level="top"),
        Kind("clock", "clocks", ("living room", "kitchen"), BRIGHT, level="top"),
        Kind("window", "windows", ("living room", "kitchen"), VIVID, ("open", "closed"), "curtains", level="top"),
    )
}

WHO = ("man", "woman", "boy", "girl")
CHILDREN = frozenset({"boy", "girl"})
