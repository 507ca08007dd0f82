"""Synthetic ACT-X records: one person, one activity, a label of our own in the manner of the real ones, three explanations."""

from __future__ import annotations

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.explained.records import MadeRecord, picture, picture_name, plain
from snellen.synthetic.scenes.catalog import ACTIONS, PLACES
from snellen.synthetic.scenes.model import Person, Scene
from snellen.synthetic.scenes.sampling import SceneRequest, draw_scene
from snellen.synthetic.scenes.words import a, doing

LABELS = tuple(sorted({label for act in ACTIONS.values() for label in (act.label, *act.labels.values())}))
"""All labels that a made set can have."""


def made(split: str, seed: int, index: int) -> MadeRecord:
    """Make record `index` of a split in nlxgpt's form."""
    action = dealt(tuple(ACTIONS), index, "actx", split, seed)
    scene = draw_scene(generator("actx", split, seed, index), SceneRequest(action=action, people=1))
    name = picture_name("actx", split, index)
    record = {
        "answers": ACTIONS[action].label_at(scene.place),
        "image_id": name.removesuffix(".jpg"),
        "image_name": name,
        "explanation": [plain(text) for text in explanations(scene, scene.people[0])],
    }
    return MadeRecord(str(index), (f"mpi/{name}", picture(scene)[0]), record)


def explanations(scene: Scene, person: Person) -> tuple[str, str, str]:
    """Return three explanations of the person's activity: from one sign, from two signs, and from the scene as a whole."""
    one, two, three = person.act.cues
    place = "on the water" if person.act.afloat else PLACES[scene.place].phrase
    whole = f"{a(person.who)} is {doing(person)} {place}"
    return one, f"{two} and {three}", f"{whole} and {one}"
