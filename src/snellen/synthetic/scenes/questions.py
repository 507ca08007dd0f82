"""Questions about a scene with answers and explanations that follow from it, in the manner of VQA-X."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, NamedTuple

from snellen.synthetic.scenes.catalog import COLUMNS, KINDS, PLACES, WEATHER, WORLD, alike, denied
from snellen.synthetic.scenes.model import Person, Scene, Thing
from snellen.synthetic.scenes.words import PHRASES, filled, joined, listing, terms

POSITION = {"left": "left", "centre": "middle", "right": "right"}


class QA(NamedTuple):
    """A question with its answer, the best explanation first; `minority` are possible answers of a few annotators."""

    question: str
    answer: str
    kind: str
    explanations: tuple[str, ...]
    minority: tuple[str, ...]


def _asked(name: str, answer: str | bool, minority: Iterable[str] = (), /, **words: Any) -> QA:
    """Return a question of phrases.toml filled with these words; for a yes or no answer, the minority gives the other."""
    row = PHRASES["questions"][name]
    if isinstance(answer, bool):
        answer, minority = ("yes", ("no",)) if answer else ("no", ("yes",))
    question = filled(row["question"], words)
    because = tuple(filled(phrase, words) for phrase in row["because"])
    return QA(f"{question[0].upper()}{question[1:]}", answer, row["kind"], because, tuple(minority))


def ask_presence(scene: Scene, kind: str) -> QA:
    """Ask whether there is such a thing."""
    if kind not in scene.kinds():
        return _asked("absent", False, kind=kind, seen=listing(scene))
    for thing in scene.things:
        if thing.kind == kind:
            return _asked("present", True, **terms(thing))
    for person in scene.people:
        if kind in person.act.brings:
            return _asked("used", True, used=kind, **terms(person))
    return _asked("boxed", True, **terms(next(thing for thing in scene.things if thing.inside is not None)))


def _ask_hat(person: Person) -> QA:
    """Ask whether a person is wearing a hat."""
    return _asked("hat" if person.hat else "no-hat", person.hat is not None, **terms(person))


def ask_count(thing: Thing) -> QA:
    """Ask how many there are."""
    wrong = (str(n) for n in (thing.count + 1, thing.count - 1) if n > 0)
    return _asked("one" if thing.count == 1 else "several", str(thing.count), wrong, **terms(thing))


def _ask_people(scene: Scene) -> QA:
    """Ask how many people there are."""
    number = len(scene.people)
    people = joined(f"a {person.who} {terms(person)['where']}" for person in scene.people)
    be = "is" if number < 2 else "are"
    return _asked("people" if number else "no-people", str(number), (str(number + 1),), people=people, be=be)


def ask_colour(thing: Thing) -> QA:
    """Ask for the colour of a thing."""
    return _asked("colour", thing.colour or "", WORLD.near_colours[thing.colour or ""], **terms(thing))


def ask_shirt(person: Person) -> QA:
    """Ask for the colour of the shirt."""
    return _asked("shirt", person.shirt, WORLD.near_colours[person.shirt], **terms(person))


def ask_position(scene: Scene, item: Person | Thing) -> QA:
    """Ask on which side a person or thing is."""
    answer = POSITION[item.column]
    wrong = "center" if answer == "middle" else f"{answer} side"
    beside = next((other for other in scene.items() if other.column != item.column), None)
    if beside is None:
        return _asked("position-alone", answer, (wrong,), **terms(item))
    side = "left" if COLUMNS.index(item.column) < COLUMNS.index(beside.column) else "right"
    return _asked("position", answer, (wrong,), side=side, beside=terms(beside)["the"], **terms(item))


def ask_action(person: Person) -> QA:
    """Ask what a person is doing."""
    return _asked("action", person.action, person.act.also or ("waiting",), **terms(person))


def ask_state(thing: Thing) -> QA:
    """Ask which of its states a thing is in."""
    one, other = thing.sort.states
    wrong = other if thing.state == one else one
    return _asked("state", thing.state or "", (wrong,), one=one, other=other, **terms(thing))


def ask_whether(aspect: str, item: Person | Thing, asked: str) -> QA:
    """Ask whether a person or thing has this colour, action or state."""
    words = terms(item)
    return _asked(f"is-{aspect}", asked == words[aspect], asked=asked, **words)


def _ask_facing(item: Person | Thing) -> QA:
    """Ask which way a person or thing looks."""
    side = item.facing or ""
    return _asked("facing", side, ("right" if side == "left" else "left",), **terms(item))


def ask_place(scene: Scene) -> QA:
    """Ask where the scene is."""
    place = PLACES[scene.place]
    return _asked("place", scene.place, place.also, cue=place.cue, noun=place.noun, seen=listing(scene))


def ask_weather(scene: Scene) -> QA:
    """Ask what the weather is like."""
    weather = WEATHER[scene.weather]
    words = {"cue": weather.cue, "phrase": weather.phrase, "weather": scene.weather}
    return _asked("weather", scene.weather, weather.also, **words)


def questions(scene: Scene, rng: Random) -> list[QA]:
    """Return all kinds of questions about a scene.

    The yes/no questions about presence, colour and action are balanced; about the state of a thing both are asked. Every "no" is certain.
    """
    out = [ask_place(scene), _ask_people(scene)]
    if scene.weather_seen:
        out.append(ask_weather(scene))
    for thing in scene.things:
        out += _about_thing(scene, thing, rng)
    for person in scene.people:
        out += _about_person(scene, person, rng)
    absent = could_be(scene)
    rng.shuffle(absent)
    for there, missing in zip(sorted(scene.kinds() & KINDS.keys()), absent, strict=False):
        out += [ask_presence(scene, there), ask_presence(scene, missing)]
    return out


def could_be(scene: Scene) -> list[str]:
    """Return kinds that could be at the place, are absent, and cannot be mistaken for one that is present."""
    seen = {other for kind in scene.kinds() for other in alike(kind)}
    return [kind.name for kind in KINDS.values() if scene.place in kind.places and kind.name not in seen]


def _about_thing(scene: Scene, thing: Thing, rng: Random) -> list[QA]:
    out = [ask_position(scene, thing)] if not thing.above else []
    if thing.sort.most > 1:
        out.append(ask_count(thing))
    if thing.colour is not None:
        wrong = rng.choice(thing.other_colours)
        out += [ask_colour(thing), *(ask_whether("colour", thing, asked) for asked in (thing.colour, wrong))]
    if thing.state is not None:
        out += [ask_state(thing), *(ask_whether("state", thing, asked) for asked in thing.sort.states)]
    if thing.facing is not None:
        out.append(_ask_facing(thing))
    return out


def _about_person(scene: Scene, person: Person, rng: Random) -> list[QA]:
    wrong = rng.choice(denied(person.action, scene.place, strict=True))
    out = [ask_action(person), *(ask_whether("action", person, asked) for asked in (person.action, wrong))]
    out += [ask_position(scene, person), ask_shirt(person), _ask_hat(person)]
    if person.facing is not None:
        out.append(_ask_facing(person))
    return out
