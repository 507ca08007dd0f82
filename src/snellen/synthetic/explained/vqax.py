"""Synthetic VQA-X records: questions whose answers are dealt evenly, ten annotators, three explanations."""

from __future__ import annotations

from random import Random
from typing import Any

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.explained.records import MadeRecord, picture, picture_name, plain
from snellen.synthetic.scenes.catalog import ACTIONS, COLUMNS, KINDS, PLACES, WEATHER, WORLD, alike, denied
from snellen.synthetic.scenes.model import Scene
from snellen.synthetic.scenes.questions import (
    QA,
    ask_action,
    ask_colour,
    ask_count,
    ask_place,
    ask_position,
    ask_presence,
    ask_shirt,
    ask_state,
    ask_weather,
    ask_whether_colour,
    ask_whether_doing,
    ask_whether_state,
    questions,
)
from snellen.synthetic.scenes.sampling import SceneRequest, draw_scene

_CASES = (
    *(("presence", "yes"), ("presence", "no")) * 3,
    ("is-colour", "yes"), ("is-colour", "no"), ("is-state", "yes"), ("is-state", "no"), ("is-action", "yes"), ("is-action", "no"),
    ("count", ""), ("count", ""), ("colour", ""), ("colour", ""), ("colour", ""), ("shirt", ""),
    ("position", ""), ("position", ""), ("action", ""), ("action", ""), ("state", ""), ("setting", ""),
)  # fmt: skip
"""What is asked, and for half of all questions whether the answer is yes or no."""
_SHARED = 5
"""Every fifth question is a second one about the picture before it, as the real set has."""


def made(split: str, seed: int, index: int) -> MadeRecord:
    """Record `index` of a split in nlxgpt's form, under its question id."""
    second = index % _SHARED == _SHARED - 1
    first = index - 1 if second else index
    scene, asked = _asked(split, seed, first)
    if second:
        rng = generator("vqax", split, seed, "second", index)
        asked = _another(scene, asked, dealt(("yes", "no"), index // _SHARED, "vqax", split, seed), rng)
    folder = "train2014" if split == "train" else "val2014"
    ident, name = f"snellen-{split}-{first}", picture_name("vqax", split, first)
    key = f"{ident}-{2 if second else 1}"
    record = {
        "question": asked.question,
        "answers": annotators(asked, generator("vqax", split, seed, "annotators", index)),
        "image_id": ident,
        "image_name": name,
        "explanation": [plain(text) for text in asked.explanations],
    }
    shown = None if second else (f"{folder}/{name}", picture(scene)[0])
    return MadeRecord(key, shown, record)


def annotators(asked: QA, rng: Random) -> list[dict[str, Any]]:
    """Ten answers: most people agree, a few see or say it otherwise and are less sure."""
    dissent = rng.choice((0, 0, 1, 1, 2, 3)) if asked.minority else 0
    said = [rng.choice(asked.minority) for _ in range(dissent)] + [asked.answer] * (10 - dissent)
    rng.shuffle(said)
    sure = {True: ("yes", "yes", "yes", "maybe"), False: ("maybe", "maybe", "no", "yes")}
    return [
        {"answer": answer, "answer_confidence": rng.choice(sure[answer == asked.answer]), "answer_id": place + 1}
        for place, answer in enumerate(said)
    ]


def _another(scene: Scene, first: QA, answer: str, rng: Random) -> QA:
    """A second question about the same scene: in two of three cases one with the dealt yes or no."""
    others = [asked for asked in questions(scene, rng) if asked.question != first.question]
    wanted = [asked for asked in others if asked.answer == answer and asked.kind != "hat"]
    free = [asked for asked in others if asked.answer not in ("yes", "no")]
    return rng.choice(wanted if wanted and rng.random() < 0.6 else free)


def _asked(split: str, seed: int, index: int) -> tuple[Scene, QA]:
    """A scene and a question about it, chosen so that every answer to that question is equally likely."""
    kind, answer = dealt(_CASES, index, "vqax", split, seed)
    rng = generator("vqax", split, seed, index)
    if kind in ("presence", "is-colour", "is-state", "is-action"):
        return _yes_no(kind, answer == "yes", rng)
    if kind == "count":
        name = rng.choice([sort.name for sort in KINDS.values() if sort.most == 4])
        scene = draw_scene(rng, SceneRequest(thing=name, thing_is={"count": rng.randint(1, 4)}))
        return scene, ask_count(scene.thing(name))
    if kind == "colour":
        name = rng.choice([sort.name for sort in KINDS.values() if len(sort.colours) > 3])
        scene = draw_scene(rng, SceneRequest(thing=name, thing_is={"colour": rng.choice(KINDS[name].colours)}))
        return scene, ask_colour(scene.thing(name))
    if kind == "state":
        name = rng.choice([sort.name for sort in KINDS.values() if sort.states])
        scene = draw_scene(rng, SceneRequest(thing=name))
        return scene, ask_state(scene.thing(name))
    if kind == "position":
        name = rng.choice([sort.name for sort in KINDS.values() if sort.level != "top"])
        scene = draw_scene(rng, SceneRequest(thing=name, thing_is={"column": rng.choice(COLUMNS)}))
        return scene, ask_position(scene, scene.thing(name))
    if kind == "setting":
        place = rng.choice(list(PLACES))
        if rng.random() < 0.5:
            return (scene := draw_scene(rng, SceneRequest(place=place))), ask_place(scene)
        weather = rng.choice(tuple(WEATHER))
        place = rng.choice([name for name, p in PLACES.items() if p.outdoors and weather in p.weathers])
        return (scene := draw_scene(rng, SceneRequest(place=place, weather=weather))), ask_weather(scene)
    scene = draw_scene(
        rng, SceneRequest(action=rng.choice(list(ACTIONS)), person_is={"shirt": rng.choice(WORLD.clothes)})
    )
    return scene, ask_shirt(scene.people[0]) if kind == "shirt" else ask_action(scene.people[0])


def _yes_no(kind: str, yes: bool, rng: Random) -> tuple[Scene, QA]:
    if kind == "presence":
        name = rng.choice(list(KINDS))
        place = rng.choice(KINDS[name].places)
        want = SceneRequest(place=place, thing=name) if yes else SceneRequest(place=place, without=alike(name))
        scene = draw_scene(rng, want)
        return scene, ask_presence(scene, name)
    if kind == "is-action":
        action = rng.choice(list(ACTIONS))
        scene = draw_scene(rng, SceneRequest(action=action))
        person = scene.people[0]
        return scene, ask_whether_doing(person, action if yes else rng.choice(denied(action, scene.place, strict=True)))
    if kind == "is-state":
        name = rng.choice([sort.name for sort in KINDS.values() if sort.states])
        scene = draw_scene(rng, SceneRequest(thing=name))
        thing = scene.thing(name)
        return scene, ask_whether_state(thing, next(s for s in thing.sort.states if (s == thing.state) == yes))
    name = rng.choice([sort.name for sort in KINDS.values() if len(sort.colours) > 3])
    scene = draw_scene(rng, SceneRequest(thing=name))
    thing = scene.thing(name)
    own = [c for c in thing.sort.colours if c == thing.colour]
    return scene, ask_whether_colour(thing, rng.choice(own if yes else thing.other_colours))
