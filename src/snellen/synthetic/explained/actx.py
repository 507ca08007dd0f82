"""Synthetic ACT-X records: one person, one activity, a label of our own in the manner of the real ones, three explanations."""

from __future__ import annotations

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.explained.records import MadeRecord, picture, picture_name, plain
from snellen.synthetic.scenes.actions import ACTIONS, AFLOAT
from snellen.synthetic.scenes.catalog import PLACES
from snellen.synthetic.scenes.model import Person, Scene
from snellen.synthetic.scenes.sampling import SceneRequest, draw_scene
from snellen.synthetic.scenes.words import doing, somebody

_BY_PLACE = {
    "walking": ({"street": "walking, pavement", "beach": "walking, sand", "snow": "walking, snow"}, "walking, trail"),
    "running": (
        {"street": "running, road", "beach": "running, sand", "snow": "running, snow"},
        "running, cross country",
    ),
    "riding a bicycle": ({"street": "bicycling, road", "beach": "bicycling, sand"}, "bicycling, off road"),
    "sitting on a chair": ({"living room": "sitting, indoors"}, "sitting, outdoors"),
    "reading a book": ({"living room": "reading, indoors"}, "reading, outdoors"),
    "swimming": ({"lake": "swimming, lake"}, "swimming, sea"),
    "playing the guitar": ({"living room": "guitar playing, indoors"}, "guitar playing, outdoors"),
}
_ALWAYS = {
    "standing": "standing, still",
    "waving": "standing, waving",
    "jumping": "jumping, star jump",
    "riding a horse": "horseback riding, general",
    "holding an umbrella": "standing, under umbrella",
    "walking a dog": "walking, with dog",
    "flying a kite": "kite flying",
    "kicking a ball": "football, kicking",
    "skateboarding": "skateboarding, general",
    "skiing": "skiing, downhill",
    "rowing a boat": "boating, rowing",
    "fishing": "fishing, from shore",
    "cooking": "cooking, at stove",
    "drinking": "drinking, from cup",
    "talking on the phone": "talking, on phone",
    "painting": "painting, at easel",
    "sweeping": "cleaning, sweeping",
    "lifting weights": "weight lifting, barbell",
    "playing tennis": "tennis, general",
    "watering flowers": "gardening, watering",
}
LABELS = tuple(sorted({*_ALWAYS.values(), *(x for named, rest in _BY_PLACE.values() for x in (*named.values(), rest))}))
"""All labels that a made set can hold."""


def label(action: str, place: str) -> str:
    """The label of an action at a place.

    >>> label("running", "beach"), label("running", "park")
    ('running, sand', 'running, cross country')
    """
    if action in _ALWAYS:
        return _ALWAYS[action]
    named, rest = _BY_PLACE[action]
    return named.get(place, rest)


def made(split: str, seed: int, index: int) -> MadeRecord:
    """Record `index` of a split in nlxgpt's form."""
    action = dealt(tuple(ACTIONS), index, "actx", split, seed)
    scene = draw_scene(generator("actx", split, seed, index), SceneRequest(action=action, people=1))
    name = picture_name("actx", split, index)
    record = {
        "answers": label(action, scene.place),
        "image_id": name.removesuffix(".jpg"),
        "image_name": name,
        "explanation": [plain(text) for text in explanations(scene, scene.people[0])],
    }
    return MadeRecord(str(index), (f"mpi/{name}", picture(scene)[0]), record)


def explanations(scene: Scene, person: Person) -> tuple[str, str, str]:
    """Why one knows what the person does: a sign of it, two signs, and the scene as a whole."""
    one, two, three = person.act.cues
    place = "on the water" if person.action in AFLOAT else PLACES[scene.place].phrase
    whole = f"{somebody(person, details=False)} is {doing(person)} {place}"
    return one, f"{two} and {three}", f"{whole} and {one}"
