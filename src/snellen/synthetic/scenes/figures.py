"""Draws things and people after the lines of drawings.toml."""

from __future__ import annotations

from typing import Any

from snellen.synthetic.drawings import read_table
from snellen.synthetic.scenes.canvas import Pen
from snellen.synthetic.scenes.catalog import CHILDREN, COLOURS, LONG_HAIRED, WORLD
from snellen.synthetic.scenes.model import Person, Thing
from snellen.synthetic.scenes.shapes import DRAWINGS, Shades, draw_shapes

_POSES: dict[str, dict[str, Any]] = read_table("scenes/drawings.toml")["poses"]


def draw_thing(pen: Pen, thing: Thing, weather: str) -> None:
    """Draw one thing of a kind in its state; what is seen through an open window depends on the weather."""
    name = "-".join(filter(None, (thing.kind, thing.state))).replace(" ", "-")
    by_weather = f"{name}-{weather}"
    draw_shapes(pen, by_weather if by_weather in DRAWINGS else name, Shades(fill=thing.colour, inside=thing.inside))


def draw_person(pen: Pen, person: Person, name: str = "") -> None:
    """Draw somebody with all that belongs to the action, or another drawing in the same pose."""
    action = person.action.replace(" ", "-")
    for_child = f"{action}-child"
    hair = WORLD.hair[person.hair]
    shades = Shades(
        skin=WORLD.skin[person.skin],
        hair=hair,
        long=hair if person.who in LONG_HAIRED else None,
        short=hair if person.who not in LONG_HAIRED and not person.hat else None,
        fringe=hair if person.hair_seen else None,
        shirt=COLOURS[person.shirt],
        trousers=COLOURS[person.trousers or person.shirt],
        hat=person.hat,
        fill=person.prop or "dark",
    )
    drawing = for_child if person.who in CHILDREN and for_child in DRAWINGS else action
    draw_shapes(pen, name or drawing, shades, **_places(person))


def _places(person: Person) -> dict[str, float]:
    """Return the places of a body by the names that drawings have for them."""
    pose = {**_POSES.get(_POSES[person.action].get("like", ""), {}), **_POSES[person.action]}
    (x, y), (neck_x, neck_y), (hip_x, hip_y) = pose["head"], pose["neck"], pose["hip"]
    places = {"x": x, "y": y, "neckx": neck_x, "necky": neck_y, "hipx": hip_x, "hipy": hip_y}
    places |= {"r": 14.5 if person.who in CHILDREN else 13.0, "look": 4.0 if person.act.turned else 0.0}
    apart = pose["near_leg"][2] < 0 < pose["far_leg"][2]
    for side, step in (("near", -5), ("far", 5)):
        elbow_x, elbow_y, hand_x, hand_y = pose[f"{side}_arm"]
        knee_x, knee_y, foot_x, foot_y = pose[f"{side}_leg"]
        found = {
            "shoulder": neck_x + (9 if elbow_x > neck_x else -9),
            "elbowx": elbow_x,
            "elbowy": elbow_y,
            "wristx": elbow_x + (hand_x - elbow_x) * 0.72,
            "wristy": elbow_y + (hand_y - elbow_y) * 0.72,
            "handx": hand_x,
            "handy": hand_y,
            "hip": hip_x + (step if apart else 0),
            "kneex": knee_x,
            "kneey": knee_y,
            "footx": foot_x,
            "footy": foot_y,
            "toe": foot_x + (step if apart else 5),
        }
        places |= {f"{side}_{name}": value for name, value in found.items()}
    return places
