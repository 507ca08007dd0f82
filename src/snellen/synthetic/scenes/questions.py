"""Questions about a scene with answers and explanations that follow from it, in the manner of VQA-X."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from snellen.synthetic.scenes.catalog import COLUMNS, KINDS, PLACES, WEATHER, WORLD, alike, denied
from snellen.synthetic.scenes.model import Person, Scene, Thing
from snellen.synthetic.scenes.words import (
    NUMBERS,
    a,
    be_of,
    coloured,
    doing,
    joined,
    listing,
    name_of,
    noun,
    some,
    state,
    state_cue,
    stateful,
    verb,
    weather_seen,
    where,
)

POSITION = {"left": "left", "centre": "middle", "right": "right"}
_MACHINES = frozenset({"car", "bus", "bicycle", "boat", "plane", "chair"})


class QA(NamedTuple):
    """A question with its answer. `others` are further explanations; `minority` what a few annotators may say instead."""

    question: str
    answer: str
    explanation: str
    kind: str
    others: tuple[str, ...] = ()
    minority: tuple[str, ...] = ()

    @property
    def explanations(self) -> tuple[str, ...]:
        """All explanations, the best first."""
        return (self.explanation, *self.others)


def _yes_no(truth: bool) -> tuple[str, tuple[str, ...]]:
    return ("yes", ("no",)) if truth else ("no", ("yes",))


def ask_presence(scene: Scene, kind: str) -> QA:
    """Is there such a thing?"""
    there = kind in scene.kinds()
    answer, wrong = _yes_no(there)
    question = f"Is there {a(kind)} in this picture?"
    if not there:
        seen = listing(scene)
        also = (f"there is no {kind} next to {seen}", f"nothing here looks like {a(kind)}")
        return QA(question, answer, f"only {seen} can be seen", "presence", also, wrong)
    for thing in scene.things:
        if thing.kind == kind:
            also = (f"{some(thing)} {verb(thing)} {where(thing)}", f"{some(thing)} can be seen {where(thing)}")
            return QA(question, answer, f"there {verb(thing)} {some(thing)} {where(thing)}", "presence", also, wrong)
    for user in scene.people:
        if kind in user.act.brings:
            text = f"the {user.who} {where(user)} is {doing(user)}"
            return QA(question, answer, text, "presence", user.act.cues[:2], wrong)
    box = next(thing for thing in scene.things if thing.inside is not None)
    also = (f"{a(box.inside or '')} ball is in the open box", f"the box {where(box)} has a ball in it")
    return QA(question, answer, f"there is {a(box.inside or '')} ball in the box", "presence", also, wrong)


def ask_hat(person: Person) -> QA:
    """Is somebody wearing a hat?"""
    who = person.who
    answer, wrong = _yes_no(person.hat is not None)
    text, also = (
        f"there is only {person.hair} hair on the head",
        (f"the head of the {who} is bare", "the whole hair can be seen"),
    )
    if person.hat is not None:
        text, also = (
            f"there is {a(person.hat)} hat on the head",
            (f"the {who} has {a(person.hat)} hat on", f"the head of the {who} is covered"),
        )
    return QA(f"Is the {who} wearing a hat?", answer, text, "hat", also, wrong)


def ask_count(thing: Thing) -> QA:
    """How many are there?"""
    number, named = NUMBERS[thing.count], f"{thing.colour + ' ' if thing.colour else ''}{noun(thing)}"
    last = (
        f"a single {thing.kind} is {where(thing)}" if thing.count == 1 else f"{number} {named} are next to each other"
    )
    wrong = tuple(str(n) for n in (thing.count + 1, thing.count - 1) if n > 0)
    text = f"there {verb(thing)} {number} {noun(thing)} {where(thing)}"
    return QA(
        f"How many {thing.sort.plural} are there?",
        str(thing.count),
        text,
        "count",
        (f"i can count {number} {named}", last),
        wrong,
    )


def ask_people(scene: Scene) -> QA:
    """How many people are there?"""
    number = len(scene.people)
    names = joined(f"a {person.who} {where(person)}" for person in scene.people) if number else "nobody"
    be = "is" if number < 2 else "are"
    also = (f"{names} can be seen", f"there {be} {names}" if number else "there are only things")
    return QA("How many people are there?", str(number), f"{names} {be} in view", "count", also, (str(number + 1),))


def ask_colour(thing: Thing) -> QA:
    """What colour is it?"""
    colour, (named, be) = thing.colour or "", coloured(thing)
    also = (f"{colour} is the main color of {named}", f"{named} {where(thing)} {be} {colour} all over")
    return QA(
        f"What color {be} {named}?",
        colour,
        f"{named} {where(thing)} {be} {colour}",
        "colour",
        also,
        WORLD.near_colours[colour],
    )


def ask_shirt(person: Person) -> QA:
    """What colour is the shirt?"""
    who, shirt = person.who, person.shirt
    also = (f"the {who} {where(person)} is dressed in {shirt}", f"the top of the {who} is {shirt}")
    text = f"the {who} is wearing {a(shirt)} shirt"
    return QA(f"What color is the {who}'s shirt?", shirt, text, "colour", also, WORLD.near_colours[shirt])


def ask_position(scene: Scene, item: Person | Thing) -> QA:
    """On which side is it?"""
    named, be, answer = name_of(item), be_of(item), POSITION[item.column]
    also = [f"the {named} {be} {where(item)} of the scene", f"one has to look {where(item)} to see the {named}"]
    beside = [other for other in scene.items() if other.column != item.column]
    if beside:
        side = "left" if COLUMNS.index(item.column) < COLUMNS.index(beside[0].column) else "right"
        also[0] = f"the {named} {be} to the {side} of the {name_of(beside[0])}"
    wrong = ("center",) if answer == "middle" else (f"{answer} side",)
    question = f"Where {be} the {named}, left, middle or right?"
    return QA(question, answer, f"the {named} {be} {where(item)}", "position", tuple(also), wrong)


def ask_action(person: Person) -> QA:
    """What is somebody doing?"""
    act = person.act
    return QA(
        f"What is the {person.who} doing?", act.name, act.cues[0], "action", act.cues[1:], act.also or ("waiting",)
    )


def ask_whether_doing(person: Person, asked: str) -> QA:
    """Is somebody doing this?"""
    answer, wrong = _yes_no(asked == person.action)
    also = (f"the {person.who} is {doing(person)}", person.act.cues[1])
    return QA(f"Is the {person.who} {asked}?", answer, person.act.cues[0], "is-action", also, wrong)


def ask_state(thing: Thing) -> QA:
    """Which of its states is it in?"""
    (subject, be), (one, other) = stateful(thing), thing.sort.states
    question = f"{be.capitalize()} {subject} {one} or {other}?"
    return QA(
        question, thing.state or "", state_cue(thing), "state", _looks(thing), (other if thing.state == one else one,)
    )


def ask_whether_state(thing: Thing, asked: str) -> QA:
    """Is it in this state?"""
    subject, be = stateful(thing)
    answer, wrong = _yes_no(asked == thing.state)
    return QA(f"{be.capitalize()} {subject} {asked}?", answer, state_cue(thing), "is-state", _looks(thing), wrong)


def _looks(thing: Thing) -> tuple[str, str]:
    subject, be = stateful(thing)
    return state(thing), f"{subject} {where(thing)} {'seems' if be == 'is' else 'seem'} to be {thing.state}"


def ask_whether_colour(thing: Thing, asked: str) -> QA:
    """Is it of this colour?"""
    base, (named, be) = ask_colour(thing), coloured(thing)
    answer, wrong = _yes_no(asked == thing.colour)
    return QA(f"{be.capitalize()} {named} {asked}?", answer, base.explanation, "is-colour", base.others, wrong)


def ask_facing(item: Person | Thing) -> QA:
    """Which way does it look?"""
    named, be, side = name_of(item), be_of(item), item.facing or ""
    part = "front" if isinstance(item, Thing) and item.kind in _MACHINES else "face"
    also = (f"the {part} of the {named} points {side}", f"the back of the {named} is on the other side")
    wrong = ("right" if side == "left" else "left",)
    return QA(
        f"Which way {be} the {named} facing?", side, f"the {named} {be} turned to the {side}", "facing", also, wrong
    )


def ask_place(scene: Scene) -> QA:
    """Where is it?"""
    place = PLACES[scene.place]
    also = (f"the background shows {a(place.noun)}", f"it looks like {a(place.noun)} with {listing(scene)}")
    return QA("Where is this scene?", scene.place, place.cue, "place", also, place.also)


def ask_weather(scene: Scene) -> QA:
    """What is the weather like?"""
    weather = scene.weather
    also = (WEATHER[weather].phrase, f"it looks like a {weather} day")
    return QA("What is the weather like?", weather, WEATHER[weather].cue, "weather", also, WEATHER[weather].also)


def questions(scene: Scene, rng: Random) -> list[QA]:
    """All kinds of questions about a scene. Of the yes/no questions about presence, colour and action as many have the one
    answer as the other; about the state of a thing both are asked. No "no" may be doubted.
    """
    out = [ask_place(scene), ask_people(scene)]
    if weather_seen(scene):
        out.append(ask_weather(scene))
    for thing in scene.things:
        out += about_thing(scene, thing, rng)
    for person in scene.people:
        out += about_person(scene, person, rng)
    absent = could_be(scene)
    rng.shuffle(absent)
    for there, missing in zip(sorted(scene.kinds() & KINDS.keys()), absent, strict=False):
        out += [ask_presence(scene, there), ask_presence(scene, missing)]
    return out


def could_be(scene: Scene) -> list[str]:
    """Kinds that could be at the place, are not, and cannot be mistaken for one that is."""
    seen = {other for kind in scene.kinds() for other in alike(kind)}
    return [kind.name for kind in KINDS.values() if scene.place in kind.places and kind.name not in seen]


def about_thing(scene: Scene, thing: Thing, rng: Random) -> list[QA]:
    """The questions that one thing gives."""
    out = [ask_position(scene, thing)] if thing.sort.level != "top" else []
    if thing.sort.most > 1:
        out.append(ask_count(thing))
    if thing.colour is not None:
        wrong = rng.choice(thing.other_colours)
        out += [ask_colour(thing), ask_whether_colour(thing, thing.colour), ask_whether_colour(thing, wrong)]
    if thing.state is not None:
        out += [ask_state(thing), *(ask_whether_state(thing, asked) for asked in thing.sort.states)]
    if thing.facing is not None:
        out.append(ask_facing(thing))
    return out


def about_person(scene: Scene, person: Person, rng: Random) -> list[QA]:
    """The questions that one person gives."""
    wrong = rng.choice(denied(person.action, scene.place, strict=True))
    out = [ask_action(person), ask_whether_doing(person, person.action), ask_whether_doing(person, wrong)]
    out += [ask_position(scene, person), ask_shirt(person), ask_hat(person)]
    if person.facing is not None:
        out.append(ask_facing(person))
    return out
