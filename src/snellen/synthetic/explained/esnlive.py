"""Synthetic e-SNLI-VE records: three hypotheses a picture, one entailed, one contradicted, one that the picture leaves open.

What is left open is what the picture hides: the weather behind drawn curtains, hair under a hat, legs behind a worktop, what is
in a closed box or in a cup. The same sentences are true or false of other pictures, so the words alone tell little.

Nothing is called a contradiction that may be doubted: a rainy sky is cloudy, a clock has a white face.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.explained.records import MadeRecord, picture, picture_name, plain
from snellen.synthetic.scenes.catalog import ACTIONS, CHILDREN, KINDS, WEATHER, WORLD, denied
from snellen.synthetic.scenes.model import Person, Scene, Thing
from snellen.synthetic.scenes.questions import could_be
from snellen.synthetic.scenes.sampling import SceneRequest, draw_scene
from snellen.synthetic.scenes.words import (
    a,
    coloured,
    doing,
    hair_seen,
    listing,
    sentence,
    some,
    state_cue,
    stateful,
    verb,
    weather_seen,
    where,
)

LABELS = ("entailment", "neutral", "contradiction")
_TEMPLATES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "living room": (("living room",), ("weather", "hair", "box")),
    "kitchen": (("kitchen",), ("weather", "hair", "drink")),
    "water": (("lake", "beach"), ("trousers", "hair", "box")),
    "open": (("street", "park", "field", "snow"), ("hair", "box", "plain")),
}
"""For each sort of scene: its places, and what its three hypotheses are about."""
_PLAIN = 0.3
"""How often an entailed or contradicted hypothesis is about something that no picture hides."""
_SHORT_HAIRED = ("man", "boy")


class Claim(NamedTuple):
    """A hypothesis about a scene, with why its label holds. `family` is what it is about."""

    label: str
    text: str
    why: str
    family: str


def made(split: str, seed: int, index: int) -> MadeRecord:
    """Record `index`: the row of the CSV and, shorter, of the JSON."""
    group, place = divmod(index, 3)
    rng = generator("esnlive", split, seed, group)
    template = dealt(tuple(_TEMPLATES), group, "esnlive", split, seed)
    scene, chosen = _picture(template, rng)
    claim = chosen[place]
    name = picture_name("esnlive", split, group)
    row: dict[str, Any] = {
        "": str(index),
        "pairID": f"{name}#{place}r1{claim.label[0]}",
        "Flickr30kID": name,
        "hypothesis": sentence(claim.text),
        "gold_label": claim.label,
        "explanation": sentence(claim.why),
    }
    short = {
        "hypothesis": row["hypothesis"],
        "answers": claim.label,
        "image_name": name,
        "explanation": plain(row["explanation"]),
    }
    shown = (f"flickr30k/{name}", picture(scene)[0]) if place == 0 else None
    return MadeRecord(str(index), shown, short, row)


def _picture(template: str, rng: Random) -> tuple[Scene, list[Claim]]:
    """A scene of that sort with a claim of every label, each about another feature."""
    places, features = _TEMPLATES[template]
    labels = list(LABELS)
    rng.shuffle(labels)
    if features[-1] == "plain" and labels[-1] == "neutral":  # nothing plain is left open
        other = rng.randrange(2)
        labels[-1], labels[other] = labels[other], labels[-1]
    wanted = dict(zip(features, labels, strict=True))
    scene = draw_scene(rng, _wish(rng.choice(places), wanted, rng))
    out = [_choose(scene, family, label, rng) for family, label in wanted.items()]
    rng.shuffle(out)
    return scene, out


def _wish(place: str, wanted: dict[str, str], rng: Random) -> SceneRequest:
    """A scene in which each feature is hidden, or seen, as its label needs."""
    things: dict[str, dict[str, Any]] = {}
    person: dict[str, Any] = {"who": rng.choice(_SHORT_HAIRED)}
    without, action = {"window"}, None
    if "weather" in wanted and (wanted["weather"] != "neutral" or rng.random() < 0.5):
        things["window"] = {"state": "closed" if wanted["weather"] == "neutral" else "open"}
    if "box" in wanted:
        ball = rng.choice(WORLD.vivid) if rng.random() < 0.5 else None
        things["box"] = (
            {"state": "closed", "count": 1}
            if wanted["box"] == "neutral"
            else {"state": "open", "count": 1, "inside": ball}
        )
    if "drink" in wanted:
        without |= {"glass", "cup", "bottle"}
        full = "full" if wanted["drink"] == "entailment" else "empty"
        things |= {"cup": {}} if wanted["drink"] == "neutral" else {"glass": {"state": full}}
    if "hair" in wanted:
        person["hat"] = rng.choice(WORLD.vivid) if wanted["hair"] == "neutral" else None
    if "trousers" in wanted:
        hidden = wanted["trousers"] == "neutral"
        action = rng.choice(
            [
                act.name
                for act in ACTIONS.values()
                if place in act.places and act.hides == hidden and "ball" not in act.brings
            ]
        )
    if action is None:
        action = rng.choice(
            [
                act.name
                for act in ACTIONS.values()
                if place in act.places and not {*act.brings} & {*things, "cup", "ball"}
            ]
        )
    return SceneRequest(
        place=place, more=things, action=action, person_is=person, people=1, without=frozenset(without - {*things})
    )


def _choose(scene: Scene, family: str, label: str, rng: Random) -> Claim:
    """A claim with that label about that feature; now and then about something else where the label allows it."""
    fits = [claim for claim in hidden_claims(scene) if (claim.family, claim.label) == (family, label)]
    if label == "neutral" or (fits and rng.random() > _PLAIN):
        return rng.choice(fits)
    weather = _weather(scene) if scene.outdoors else []
    easy = [claim for claim in [*plain_claims(scene, rng), *weather] if claim.label == label]
    kind = rng.choice(sorted({claim.family for claim in easy}))
    return rng.choice([claim for claim in easy if claim.family == kind])


def hidden_claims(scene: Scene) -> list[Claim]:
    """Claims about what some pictures hide: of each label that this scene gives them."""
    out = [*_weather(scene), *_drink(scene)]
    for person in scene.people:
        out += [*_trousers(person), *_hair(person)]
    for thing in scene.things:
        out += _box(thing)
    return out


def plain_claims(scene: Scene, rng: Random) -> list[Claim]:
    """Claims about what every picture shows: true ones and false ones."""
    out = _absent(scene, rng)
    for person in scene.people:
        out += _doings(scene, person, rng)
    for thing in scene.things:
        out += _things(thing, rng)
    return out


def _open(label_if_seen: bool | None) -> str:
    return LABELS[1] if label_if_seen is None else LABELS[0] if label_if_seen else LABELS[2]


def _weather(scene: Scene) -> list[Claim]:
    seen = weather_seen(scene)
    why = (
        WEATHER[scene.weather].cue
        if seen
        else "nothing can be seen of the sky from inside, so the weather is not known"
    )
    doubtful = "cloudy" if seen and scene.weather == "rainy" else ""  # rain falls from clouds
    return [
        Claim(_open(asked == scene.weather if seen else None), WEATHER[asked].phrase, why, "weather")
        for asked in WEATHER
        if asked != doubtful
    ]


def _trousers(person: Person) -> list[Claim]:
    why = f"the trousers of the {person.who} are {person.trousers}"
    if person.trousers is None:
        why = f"the legs of the {person.who} are hidden, so the trousers may have any color"
    return [
        Claim(
            _open(None if person.trousers is None else asked == person.trousers),
            f"the {person.who} is wearing {asked} trousers",
            why,
            "trousers",
        )
        for asked in WORLD.trousers
    ]


def _hair(person: Person) -> list[Claim]:
    seen = hair_seen(person)
    why = (
        f"the hair of the {person.who} is {person.hair}"
        if seen
        else f"the hair of the {person.who} is under a hat and may have any color"
    )
    colours = [hair for hair in WORLD.hair if hair != "grey" or person.who not in CHILDREN]
    return [
        Claim(_open(asked == person.hair if seen else None), f"the {person.who} has {asked} hair", why, "hair")
        for asked in colours
    ]


def _box(thing: Thing) -> list[Claim]:
    if thing.kind != "box" or thing.count > 1:
        return []
    ball = None if thing.state == "closed" else thing.inside is not None
    why = {
        None: "the box is closed, so nobody can tell what is inside",
        True: "a ball can be seen in the open box",
        False: "the box is open and nothing is in it",
    }[ball]
    return [
        Claim(_open(ball), "there is a ball in the box", why, "box"),
        Claim(_open(None if ball is None else not ball), "the box is empty", why, "box"),
    ]


def _drink(scene: Scene) -> list[Claim]:
    held = {thing.kind: thing for thing in scene.things}
    if "glass" in held:
        full = held["glass"].state == "full"
        why = "orange juice can be seen in the glass" if full else "only an empty glass is on the worktop"
        if not full and ("cup" in held or "bottle" in held):
            return []
        return [Claim(_open(full), "there is juice on the worktop", why, "drink")]
    if "cup" in held:
        return [Claim(_open(None), "there is juice on the worktop", "one cannot see what is in the cup", "drink")]
    return []


def _doings(scene: Scene, person: Person, rng: Random) -> list[Claim]:
    the, true = f"the {person.who}", f"{person.act.cues[0]}, so the {person.who} is {person.action}"
    false = rng.choice(denied(person.action, scene.place, strict=True))
    shirt = rng.choice([colour for colour in WORLD.clothes if colour != person.shirt])
    said = f"{the} is wearing {a(person.shirt)} shirt"
    return [
        Claim("entailment", f"{the} is {doing(person, details=False)}", true, "action"),
        Claim("contradiction", f"{the} is {false}", f"somebody who is {person.action} is not {false}", "action"),
        Claim("entailment", said, said, "shirt"),
        Claim(
            "contradiction",
            f"{the} is wearing {a(shirt)} shirt",
            f"the shirt is {person.shirt} and not {shirt}",
            "shirt",
        ),
    ]


def _things(thing: Thing, rng: Random) -> list[Claim]:
    out: list[Claim] = []
    if thing.colour is not None:
        (named, be), false = coloured(thing), rng.choice(thing.other_colours)
        out.append(
            Claim("entailment", f"{named} {be} {thing.colour}", f"{named} {where(thing)} {be} {thing.colour}", "colour")
        )
        out.append(
            Claim("contradiction", f"{named} {be} {false}", f"{named} {be} {thing.colour} and not {false}", "colour")
        )
    if thing.state is not None:
        (named, be), false = stateful(thing), next(state for state in thing.sort.states if state != thing.state)
        out.append(Claim("entailment", f"{named} {be} {thing.state}", state_cue(thing), "state"))
        out.append(Claim("contradiction", f"{named} {be} {false}", state_cue(thing), "state"))
    return out


def _absent(scene: Scene, rng: Random) -> list[Claim]:
    missing, out = could_be(scene), []
    if scene.things:
        thing = rng.choice(scene.things)
        out.append(
            Claim(
                "entailment",
                f"there {verb(thing)} {some(thing, details=False)}",
                f"{some(thing)} can be seen {where(thing)}",
                "presence",
            )
        )
    if missing:
        kind = KINDS[rng.choice(missing)]
        number_ = rng.randint(1, kind.most)
        false = Thing(kind=kind.name, column="left", count=number_)
        out.append(
            Claim(
                "contradiction",
                f"there {verb(false)} {some(false, details=False)}",
                f"only {listing(scene)} can be seen",
                "presence",
            )
        )
    return out
