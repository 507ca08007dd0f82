"""What people do: where, with what, how it is known, and what may be said of it as well."""

from __future__ import annotations

from typing import NamedTuple

from snellen.synthetic.scenes.catalog import DRY, VIVID
from snellen.synthetic.scenes.palette import BRIGHT

LAND = (*DRY, "snow")


class Action(NamedTuple):
    """Something a person does. `prop` is the kind of thing that goes with it, with the colours it can have; `turned` people
    look to one side; `hides` says that the legs cannot be seen; `cues` are what an annotator would point at.
    """

    name: str
    places: tuple[str, ...]
    cues: tuple[str, str, str]
    prop: str | None = None
    colours: tuple[str, ...] = ()
    turned: bool = True
    hides: bool = False
    tall: bool = False
    also: tuple[str, ...] = ()


ACTIONS = {
    action.name: action
    for action in (
        Action(
            "standing",
            (*LAND, "lake", "living room"),
            (
                "both feet are on the ground",
                "the body is upright and still",
                "the arms hang down",
            ),
            turned=False,
        ),
        Action(
            "waving",
            (*LAND, "lake", "living room"),
            (
                "one arm is raised high",
                "the hand is up in the air",
                "one hand is up and the other is down",
            ),
            turned=False,
            also=("saying hello",),
        ),
        Action(
            "walking",
            LAND,
            (
                "one foot is in front of the other",
                "the legs are taking a step",
                "the body is upright and moving forward",
            ),
            also=("strolling",),
        ),
        Action(
            "running",
            LAND,
            (
                "one knee is lifted high",
                "the body leans forward with bent arms",
                "the legs are wide apart in a fast step",
            ),
            also=("jogging", "sprinting"),
        ),
        Action(
            "jumping",
            (*LAND, "living room"),
            (
                "both feet are off the ground",
                "the arms and legs are spread in the air",
                "there is air below the feet",
            ),
            turned=False,
            tall=True,
            also=("leaping",),
        ),
        Action(
            "sitting on a chair",
            ("living room", "park", "beach"),
            (
                "the knees are bent on a chair",
                "the body rests on a chair",
                "a chair is under the body",
            ),
            "chair",
            BRIGHT,
            also=("sitting", "resting"),
        ),
        Action(
            "reading a book",
            ("living room", "park", "beach"),
            (
                "an open book is in the hands",
                "the head is bent over a book",
                "the eyes are on the pages of a book",
            ),
            "book",
            VIVID,
            also=("reading", "studying"),
        ),
        Action(
            "riding a bicycle",
            DRY,
            (
                "the feet are on the pedals",
                "the hands are on the handlebars of a bicycle",
                "there are two wheels under the body",
            ),
            "bicycle",
            BRIGHT,
            also=("biking", "cycling"),
        ),
        Action(
            "riding a horse",
            ("field",),
            (
                "the legs are around the back of a horse",
                "a horse is under the body",
                "the hands hold the reins of a horse",
            ),
            "horse",
            ("brown", "black", "white"),
            tall=True,
            also=("horseback riding",),
        ),
        Action(
            "holding an umbrella",
            ("street", "park", "beach", "lake"),
            (
                "an umbrella is held over the head",
                "the hand is on the handle of an umbrella",
                "an open umbrella is above the head",
            ),
            "umbrella",
            BRIGHT,
            turned=False,
            tall=True,
            also=("standing",),
        ),
        Action(
            "playing the guitar",
            ("living room", "park", "beach", "street"),
            (
                "a guitar is held across the body",
                "one hand is on the strings of a guitar",
                "the fingers are on the neck of a guitar",
            ),
            "guitar",
            ("brown", "red", "blue", "black"),
            turned=False,
            also=("playing music",),
        ),
        Action(
            "walking a dog",
            LAND,
            (
                "a dog is on a lead",
                "the hand holds the lead of a dog",
                "a dog goes ahead on a lead",
            ),
            "dog",
            ("brown", "black", "white"),
            also=("walking",),
        ),
        Action(
            "flying a kite",
            ("park", "beach", "field"),
            (
                "a string leads up to a kite",
                "the arm is raised with a kite string",
                "a kite is in the air on a string",
            ),
            "kite",
            VIVID,
            tall=True,
            also=("playing",),
        ),
        Action(
            "kicking a ball",
            DRY,
            (
                "a leg is stretched out to a ball",
                "a ball is at the foot",
                "the foot swings at a ball",
            ),
            "ball",
            BRIGHT,
            also=("playing football", "playing soccer"),
        ),
        Action(
            "skateboarding",
            ("street", "park"),
            (
                "both feet are on a board with wheels",
                "a skateboard is under the feet",
                "the arms are out for balance on a board",
            ),
            "skateboard",
            VIVID,
            turned=False,
            also=("skating",),
        ),
        Action(
            "skiing",
            ("snow",),
            (
                "there are long skis under the feet",
                "each hand holds a ski pole",
                "the knees are bent on skis",
            ),
            "skis",
            VIVID,
            also=("going downhill",),
        ),
        Action(
            "swimming",
            ("lake", "beach"),
            (
                "only the head and arms are above the water",
                "the body is in the water",
                "an arm reaches out of the water",
            ),
            hides=True,
            also=("bathing",),
        ),
        Action(
            "rowing a boat",
            ("lake",),
            (
                "the hands hold an oar",
                "the person sits in a boat with an oar",
                "an oar dips into the water",
            ),
            "boat",
            VIVID,
            hides=True,
            tall=True,
            also=("rowing", "boating"),
        ),
        Action(
            "fishing",
            ("lake",),
            (
                "a rod is held over the water",
                "a line hangs from a rod",
                "the hands hold a long rod",
            ),
            "fishing rod",
            also=("catching fish",),
        ),
        Action(
            "cooking",
            ("kitchen",),
            (
                "a pan is on the stove",
                "the hand stirs a pan with steam",
                "steam rises from a pan",
            ),
            "pan",
            VIVID,
            hides=True,
            also=("making food", "frying"),
        ),
        Action(
            "drinking",
            ("kitchen",),
            (
                "a cup is at the mouth",
                "the hand lifts a cup to the face",
                "the cup is held up to drink",
            ),
            "cup",
            BRIGHT,
            hides=True,
            also=("having a drink",),
        ),
        Action(
            "talking on the phone",
            ("kitchen", "living room", "street"),
            (
                "a phone is at the ear",
                "the hand holds a phone to the head",
                "one arm is bent up to the ear with a phone",
            ),
            "phone",
            turned=False,
            also=("calling", "phoning"),
        ),
        Action(
            "painting",
            ("living room", "park"),
            (
                "a brush is held to a canvas",
                "there is an easel with a canvas",
                "the hand moves a brush over a canvas",
            ),
            "easel",
            also=("drawing",),
        ),
        Action(
            "sweeping",
            ("living room", "street"),
            (
                "both hands hold a broom",
                "a broom is on the floor",
                "the broom is pushed over the floor",
            ),
            "broom",
            VIVID,
            also=("cleaning",),
        ),
        Action(
            "lifting weights",
            ("living room", "park"),
            (
                "a bar with weights is held over the head",
                "both arms push up a heavy bar",
                "there are weights on both ends of a bar",
            ),
            "barbell",
            turned=False,
            tall=True,
            also=("exercising", "working out"),
        ),
        Action(
            "playing tennis",
            ("park", "street"),
            (
                "a racket is in the hand",
                "the arm swings a racket",
                "a racket is held up",
            ),
            "racket",
            VIVID,
            also=("playing",),
        ),
        Action(
            "watering flowers",
            ("park", "field"),
            (
                "water falls from a watering can onto a flower",
                "the hand holds a watering can",
                "a watering can is tipped over a flower",
            ),
            "watering can",
            VIVID,
            also=("gardening",),
        ),
    )
}
AFLOAT = frozenset({"swimming", "rowing a boat"})

PROP_KINDS = {"watering flowers": ("watering can", "flower"), "reading a book": ("book", "chair")}
"""Actions that bring more than their prop."""

_STANDING = (
    "waving",
    "holding an umbrella",
    "playing the guitar",
    "flying a kite",
    "skateboarding",
    "skiing",
    "fishing",
    "cooking",
    "drinking",
    "talking on the phone",
    "painting",
    "sweeping",
    "lifting weights",
    "watering flowers",
)
IMPLIES: dict[str, frozenset[str]] = {
    **dict.fromkeys(_STANDING, frozenset({"standing"})),
    "walking a dog": frozenset({"walking"}),
    "running": frozenset({"walking"}),
    "reading a book": frozenset({"sitting on a chair"}),
    "playing tennis": frozenset({"standing", "walking", "running"}),
    "kicking a ball": frozenset({"standing", "running"}),
}
"""What somebody who does one thing may be said to do as well; nobody is asked about that, and nothing is denied."""


MAYBE = {"kicking a ball": frozenset({"walking"}), "sweeping": frozenset({"walking"})}
"""What goes with it in life though not in the drawing; a strict eye does not deny it."""


def denied(action: str, place: str | None = None, *, strict: bool = False) -> list[str]:
    """What somebody (at that place) could do and, doing this, clearly does not; `strict` leaves out what may be doubted."""
    maybe = IMPLIES.get(action, frozenset()) | {action} | (MAYBE.get(action, frozenset()) if strict else frozenset())
    return [other.name for other in ACTIONS.values() if place in (None, *other.places) and other.name not in maybe]


def brings(action: str) -> tuple[str, ...]:
    """The kinds of things that are in view because somebody does this.

    >>> brings("riding a bicycle"), brings("jumping")
    (('bicycle',), ())
    """
    prop = ACTIONS[action].prop
    return PROP_KINDS.get(action, (prop,) if prop else ())
