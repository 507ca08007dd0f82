"""What an annotator points at: the signs by which a state, a weather or a colour is known, and what a hasty eye says instead."""

from __future__ import annotations

from snellen.synthetic.scenes.model import Thing

NEAR_COLOURS = {
    "red": ("orange", "pink"),
    "orange": ("yellow", "red"),
    "yellow": ("orange", "gold"),
    "green": ("dark green", "blue"),
    "blue": ("dark blue", "purple"),
    "purple": ("blue", "violet"),
    "black": ("dark gray", "gray"),
    "white": ("gray", "silver"),
    "brown": ("tan", "dark red"),
    "grey": ("gray", "white"),
}
WEATHER_CUES = {
    "sunny": "the sun is in a blue sky",
    "cloudy": "white clouds are in a grey sky",
    "rainy": "drops fall from dark clouds",
}
WEATHER_ALSO = {"sunny": ("clear", "nice"), "cloudy": ("overcast", "gray"), "rainy": ("raining", "wet")}
_STATES = {
    ("dog", "standing"): "{they} on all four legs",
    ("dog", "sitting"): "{their} back end is on the ground",
    ("cat", "sitting"): "{their} head is up and {their} front legs are straight",
    ("cat", "lying down"): "{their} belly is on the ground",
    ("box", "open"): "{their} flaps are up and the inside can be seen",
    ("box", "closed"): "{their} lid is down with tape over it",
    ("umbrella", "open"): "{their} roof is spread wide",
    ("umbrella", "closed"): "{they} folded around {their} stick",
    ("boat", "up"): "the white sail is spread on the mast",
    ("boat", "down"): "the mast is bare",
    ("flag", "up"): "the cloth is at the top of the pole",
    ("flag", "down"): "the cloth is at the foot of the pole",
    ("traffic light", "red"): "the lamp at the top is bright",
    ("traffic light", "green"): "the lamp at the bottom is bright",
    ("house", "open"): "there is a dark gap beside the door",
    ("house", "closed"): "the door fills its frame",
    ("bucket", "full"): "sand is heaped above the rim",
    ("bucket", "empty"): "only the dark inside can be seen",
    ("suitcase", "open"): "{their} lid is up and clothes can be seen",
    ("suitcase", "closed"): "{they} upright with the lid shut",
    ("lamp", "on"): "yellow light falls on the floor",
    ("lamp", "off"): "no light comes from under the shade",
    ("television", "on"): "there is a landscape on the screen",
    ("television", "off"): "the screen is black",
    ("door", "open"): "a dark corridor can be seen behind it",
    ("door", "closed"): "the door fills its frame",
    ("glass", "full"): "there is orange juice inside",
    ("glass", "empty"): "there is no juice inside",
    ("candle", "lit"): "there is a flame on the wick",
    ("candle", "unlit"): "there is no flame on the wick",
    ("book", "open"): "two pages can be seen",
    ("book", "closed"): "only the cover can be seen",
    ("laptop", "open"): "{their} screen is up and bright",
    ("laptop", "closed"): "{their} screen is folded down",
    ("window", "open"): "the sky can be seen between them",
    ("window", "closed"): "nothing can be seen of the sky",
}


_ALSO = {
    ("bicycle", None): {"black"},
    ("book", "open"): {"white"},
    ("box", "open"): {"black"},
    ("candle", "lit"): {"orange", "yellow"},
    ("car", None): {"black"},
    ("clock", None): {"white", "black"},
    ("door", "open"): {"black", "white"},
    ("door", "closed"): {"white"},
    ("flower", None): {"yellow", "orange"},
    ("house", "closed"): {"red", "orange"},
    ("house", "open"): {"red", "orange"},
    ("lamp", "on"): {"yellow"},
    ("suitcase", "open"): {"white", "orange", "blue"},
}
"""Colours that a thing shows beside its own: the face of a clock is white, the roof of every house is red."""


def other_colours(thing: Thing) -> list[str]:
    """The colours that such a thing can have, without those that can be seen on this one."""
    also = {*_ALSO.get((thing.kind, thing.state), ()), thing.inside}
    return [colour for colour in thing.sort.colours if colour != thing.colour and colour not in also]


def state_cue(thing: Thing) -> str:
    """The sign by which the state of a thing is known.

    >>> state_cue(Thing(kind="dog", column="left", state="standing", count=2))
    'they are on all four legs'
    """
    one = thing.count == 1
    return _STATES[thing.kind, thing.state or ""].format(
        they="it is" if one else "they are", their="its" if one else "their"
    )
