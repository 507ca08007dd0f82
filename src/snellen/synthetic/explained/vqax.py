"""Synthetic VQA-X records: questions whose answers are dealt evenly, ten annotators, three explanations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.drawings import read_table
from snellen.synthetic.explained.records import MadeRecord, picture, picture_name, plain
from snellen.synthetic.scenes.catalog import ACTIONS, COLUMNS, KINDS, PLACES, WEATHER, WORLD, Kind, alike, denied
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
    ask_whether,
    questions,
)
from snellen.synthetic.scenes.sampling import SceneRequest, draw_scene

_CASES: list[tuple[str, str]] = read_table("explained/cases.toml")["vqax"]
_SHARED = 5
"""Every fifth question is a second one about the picture before it, as the real set has."""


def made(split: str, seed: int, index: int) -> MadeRecord:
    """Make record `index` of a split in nlxgpt's form, under its question id."""
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
        "answers": _annotators(asked, generator("vqax", split, seed, "annotators", index)),
        "image_id": ident,
        "image_name": name,
        "explanation": [plain(text) for text in asked.explanations],
    }
    shown = None if second else (f"{folder}/{name}", picture(scene)[0])
    return MadeRecord(key, shown, record)


def _annotators(asked: QA, rng: Random) -> list[dict[str, Any]]:
    """Return ten answers: most annotators agree, a few differ and are less sure."""
    dissent = rng.choice((0, 0, 1, 1, 2, 3)) if asked.minority else 0
    said = [rng.choice(asked.minority) for _ in range(dissent)] + [asked.answer] * (10 - dissent)
    rng.shuffle(said)
    sure = {True: ("yes", "yes", "yes", "maybe"), False: ("maybe", "maybe", "no", "yes")}
    return [
        {"answer": answer, "answer_confidence": rng.choice(sure[answer == asked.answer]), "answer_id": place + 1}
        for place, answer in enumerate(said)
    ]


def _another(scene: Scene, first: QA, answer: str, rng: Random) -> QA:
    """Return a second question about the same scene: in two of three cases one with the dealt yes or no."""
    others = [asked for asked in questions(scene, rng) if asked.question != first.question]
    wanted = [asked for asked in others if asked.answer == answer and asked.kind != "hat"]
    free = [asked for asked in others if asked.answer not in ("yes", "no")]
    return rng.choice(wanted if wanted and rng.random() < 0.6 else free)


def _asked(split: str, seed: int, index: int) -> tuple[Scene, QA]:
    """Return a scene and a question about it, chosen so that every answer to that question is equally likely."""
    case, answer = dealt(_CASES, index, "vqax", split, seed)
    rng = generator("vqax", split, seed, index)
    if case in _FITS:
        return _of_thing(case, answer == "yes", rng)
    if case == "presence":
        return _of_presence(answer == "yes", rng)
    if case == "setting":
        return _of_setting(rng)
    action = rng.choice(list(ACTIONS))
    shirt = {} if case == "is-action" else {"shirt": rng.choice(WORLD.clothes)}
    scene = draw_scene(rng, SceneRequest(action=action, person_is=shirt))
    person = scene.people[0]
    if case == "is-action":
        asked = action if answer == "yes" else rng.choice(denied(action, scene.place, strict=True))
        return scene, ask_whether("action", person, asked)
    return scene, ask_shirt(person) if case == "shirt" else ask_action(person)


_FITS: Mapping[str, Callable[[Kind], bool]] = {
    "count": lambda kind: kind.most == 4,
    "colour": lambda kind: len(kind.colours) > 3,
    "is-colour": lambda kind: len(kind.colours) > 3,
    "state": lambda kind: bool(kind.states),
    "is-state": lambda kind: bool(kind.states),
    "position": lambda kind: kind.level != "top",
}
"""The kinds of things that a question can be about."""


def _of_thing(case: str, yes: bool, rng: Random) -> tuple[Scene, QA]:
    kind = KINDS[rng.choice([kind.name for kind in KINDS.values() if _FITS[case](kind)])]
    wish: dict[str, Any] = {}
    if case == "count":
        wish["count"] = rng.randint(1, 4)
    elif case == "colour":
        wish["colour"] = rng.choice(kind.colours)
    elif case == "position":
        wish["column"] = rng.choice(COLUMNS)
    scene = draw_scene(rng, SceneRequest(things={kind.name: wish}))
    thing = scene.thing(kind.name)
    if case == "position":
        return scene, ask_position(scene, thing)
    if case == "is-state":
        return scene, ask_whether("state", thing, next(s for s in kind.states if (s == thing.state) == yes))
    if case == "is-colour":
        return scene, ask_whether("colour", thing, rng.choice([thing.colour or ""] if yes else thing.other_colours))
    return scene, {"count": ask_count, "colour": ask_colour, "state": ask_state}[case](thing)


def _of_presence(yes: bool, rng: Random) -> tuple[Scene, QA]:
    name = rng.choice(list(KINDS))
    place = rng.choice(KINDS[name].places)
    want = SceneRequest(place=place, things={name: {}}) if yes else SceneRequest(place=place, without=alike(name))
    scene = draw_scene(rng, want)
    return scene, ask_presence(scene, name)


def _of_setting(rng: Random) -> tuple[Scene, QA]:
    place = rng.choice(list(PLACES))
    if rng.random() < 0.5:
        scene = draw_scene(rng, SceneRequest(place=place))
        return scene, ask_place(scene)
    weather = rng.choice(list(WEATHER))
    place = rng.choice([name for name, there in PLACES.items() if there.outdoors and weather in there.weathers])
    scene = draw_scene(rng, SceneRequest(place=place, weather=weather))
    return scene, ask_weather(scene)
