"""Synthetic e-SNLI-VE records: three hypotheses a picture, one entailed, one contradicted, one that the picture leaves open.

The picture hides what is left open: the weather behind drawn curtains, hair under a hat, legs behind a worktop, the contents
of a closed box or a cup. The same sentences are true or false of other pictures, so the words alone give away little.

Only clear cases count as contradictions: a rainy sky is cloudy, a clock has a white face.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.drawings import read_table
from snellen.synthetic.explained.records import MadeRecord, picture, picture_name, plain
from snellen.synthetic.scenes.catalog import KINDS, WEATHER, WORLD, actions_at, denied, hair_of
from snellen.synthetic.scenes.model import Person, Scene, Thing
from snellen.synthetic.scenes.questions import could_be
from snellen.synthetic.scenes.sampling import SceneRequest, draw_scene
from snellen.synthetic.scenes.words import PHRASES, filled, listing, sentence, terms

LABELS = ("entailment", "neutral", "contradiction")
_SCENES: dict[str, tuple[list[str], list[str]]] = read_table("explained/cases.toml")["esnlive"]
_PLAIN = 0.3
"""The share of entailed or contradicted hypotheses about something that no picture hides."""
_SHORT_HAIRED = ("man", "boy")


class _Claim(NamedTuple):
    """A hypothesis about a scene, with the reason for its label. `family` is its topic."""

    label: str
    text: str
    why: str
    family: str


def made(split: str, seed: int, index: int) -> MadeRecord:
    """Make record `index`: the row of the CSV and, shorter, of the JSON."""
    group, place = divmod(index, 3)
    rng = generator("esnlive", split, seed, group)
    template = dealt(tuple(_SCENES), group, "esnlive", split, seed)
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


def _picture(template: str, rng: Random) -> tuple[Scene, list[_Claim]]:
    """Return a scene of this template with a claim of every label, each about another feature."""
    places, features = _SCENES[template]
    labels = list(LABELS)
    rng.shuffle(labels)
    if features[-1] == "plain" and labels[-1] == "neutral":  # plain claims are never left open
        other = rng.randrange(2)
        labels[-1], labels[other] = labels[other], labels[-1]
    wanted = dict(zip(features, labels, strict=True))
    scene = draw_scene(rng, _wish(rng.choice(places), wanted, rng))
    out = [_choose(scene, family, label, rng) for family, label in wanted.items()]
    rng.shuffle(out)
    return scene, out


def _wish(place: str, wanted: dict[str, str], rng: Random) -> SceneRequest:
    """Return a request for a scene in which each feature is hidden or visible, as its label needs."""
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
        action = rng.choice([act.name for act in actions_at(place, ["ball"]) if act.hides == hidden])
    if action is None:
        action = rng.choice([act.name for act in actions_at(place, [*things, "cup", "ball"])])
    return SceneRequest(
        place=place, things=things, action=action, person_is=person, people=1, without=frozenset(without - {*things})
    )


def _choose(scene: Scene, family: str, label: str, rng: Random) -> _Claim:
    """Return a claim with this label about this feature, or now and then about something else where the label allows it."""
    fits = [claim for claim in hidden_claims(scene) if (claim.family, claim.label) == (family, label)]
    if label == "neutral" or (fits and rng.random() > _PLAIN):
        return rng.choice(fits)
    weather = _weather(scene) if scene.outdoors else []
    easy = [claim for claim in [*plain_claims(scene, rng), *weather] if claim.label == label]
    kind = rng.choice(sorted({claim.family for claim in easy}))
    return rng.choice([claim for claim in easy if claim.family == kind])


def hidden_claims(scene: Scene) -> list[_Claim]:
    """Return claims about what some pictures hide, of each label that this scene allows."""
    out = [*_weather(scene), *_drink(scene)]
    for person in scene.people:
        out += [*_trousers(person), *_hair(person)]
    for thing in scene.things:
        out += _box(thing)
    return out


def plain_claims(scene: Scene, rng: Random) -> list[_Claim]:
    """Return claims about what every picture shows: true ones and false ones."""
    out = _presence(scene, rng)
    for person in scene.people:
        out += _doings(scene, person, rng)
    for thing in scene.things:
        out += _looks(thing, rng)
    return out


def _claim(name: str, true: bool | None, /, **words: Any) -> _Claim:
    """Return a claim of phrases.toml filled with these words; `true` is None where the picture leaves it open."""
    row = PHRASES["claims"][name]
    label = LABELS[1] if true is None else LABELS[0] if true else LABELS[2]
    why = row["unknown"] if true is None else row.get("why_not", row.get("why")) if not true else row["why"]
    return _Claim(label, filled(row["text"], words), filled(why, words), row.get("family", name))


def _weather(scene: Scene) -> list[_Claim]:
    seen, cue = scene.weather_seen, WEATHER[scene.weather].cue
    doubtful = "cloudy" if seen and scene.weather == "rainy" else ""  # rain falls from clouds
    return [
        _claim("weather", asked == scene.weather if seen else None, phrase=weather.phrase, cue=cue)
        for asked, weather in WEATHER.items()
        if asked != doubtful
    ]


def _trousers(person: Person) -> list[_Claim]:
    words, worn = terms(person), person.trousers
    return [
        _claim("trousers", None if worn is None else asked == worn, asked=asked, **words) for asked in WORLD.trousers
    ]


def _hair(person: Person) -> list[_Claim]:
    words, seen = terms(person), person.hair_seen
    return [
        _claim("hair", asked == person.hair if seen else None, asked=asked, **words) for asked in hair_of(person.who)
    ]


def _box(thing: Thing) -> list[_Claim]:
    if thing.kind != "box" or thing.count > 1:
        return []
    if thing.state == "closed":
        return [_claim("box", None), _claim("empty-box", None)]
    return [_claim("box", thing.inside is not None), _claim("empty-box", thing.inside is None)]


def _drink(scene: Scene) -> list[_Claim]:
    held = {thing.kind: thing for thing in scene.things}
    full = "glass" in held and held["glass"].state == "full"
    if "glass" in held and (full or not held.keys() & {"cup", "bottle"}):
        return [_claim("drink", full)]
    return [_claim("drink", None)] if "cup" in held and "glass" not in held else []


def _doings(scene: Scene, person: Person, rng: Random) -> list[_Claim]:
    words = terms(person)
    other = rng.choice(denied(person.action, scene.place, strict=True))
    shirt = rng.choice([colour for colour in WORLD.clothes if colour != person.shirt])
    return [
        _claim("action", True, **words),
        _claim("not-action", False, asked=other, **words),
        _claim("shirt", True, **words),
        _claim("not-shirt", False, asked=shirt, **words),
    ]


def _looks(thing: Thing, rng: Random) -> list[_Claim]:
    words = terms(thing)
    out: list[_Claim] = []
    if thing.colour is not None:
        other = rng.choice(thing.other_colours)
        out += [_claim("colour", True, **words), _claim("not-colour", False, asked=other, **words)]
    if thing.state is not None:
        other = next(state for state in thing.sort.states if state != thing.state)
        out += [_claim("state", True, **words), _claim("not-state", False, asked=other, **words)]
    return out


def _presence(scene: Scene, rng: Random) -> list[_Claim]:
    missing, out = could_be(scene), []
    if scene.things:
        out.append(_claim("presence", True, **terms(rng.choice(scene.things))))
    if missing:
        kind = KINDS[rng.choice(missing)]
        absent = Thing(kind=kind.name, column="left", count=rng.randint(1, kind.most))
        out.append(_claim("presence", False, seen=listing(scene), **terms(absent)))
    return out
