"""Sentences that are true of a scene. Nothing here looks at pixels; a fact is the smallest possible statement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from snellen.synthetic.drawings import read_table
from snellen.synthetic.scenes.catalog import PLACES, WEATHER
from snellen.synthetic.scenes.model import Person, Scene, Thing

PHRASES = read_table("scenes/phrases.toml")
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}
SIDES = {"left": "on the left", "centre": "in the middle", "right": "on the right"}
TOP_SIDES = {"left": "at the top left", "centre": "at the top in the middle", "right": "at the top right"}
_MACHINES = frozenset({"car", "bus", "bicycle", "boat", "plane", "chair"})


class _Fact(NamedTuple):
    """A true sentence. `about` is a kind, a who, or "scene"; `aspect` is its topic."""

    about: str
    aspect: str
    text: str


def a(words: str) -> str:
    """Return the words with the indefinite article.

    >>> a("red ball"), a("orange ball"), a("open box")
    ('a red ball', 'an orange ball', 'an open box')
    """
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def joined(parts: Iterable[str]) -> str:
    """Return a list in words.

    >>> joined(["a dog", "a cat", "two balls"])
    'a dog, a cat and two balls'
    """
    items = list(parts)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else "nothing"


def sentence(text: str) -> str:
    """Return the text with a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def filled(phrase: str, words: dict[str, Any]) -> str:
    """Return a phrase filled with words; a name after `a_` gives that word with its article.

    >>> filled("there {be} {a_colour} ball", {"be": "is", "colour": "orange"})
    'there is an orange ball'
    """
    return phrase.format_map(_WithArticles(words))


class _WithArticles(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return a(self[name.removeprefix("a_")])


def terms(item: Person | Thing) -> dict[str, str]:
    """Return the words for a person or a thing, by their names in phrases; those that do not apply are empty."""
    return _person_terms(item) if isinstance(item, Person) else _thing_terms(item)


def _person_terms(person: Person) -> dict[str, str]:
    trousers = f" and {person.trousers} trousers" if person.trousers else ""
    hat = f" with {a(person.hat)} hat" if person.hat else ""
    cue, cue2, cue3 = person.act.cues
    return {
        "name": person.who,
        "the": f"the {person.who}",
        "be": "is",
        "where": SIDES[person.column],
        "plain": a(person.who),
        "some": f"{a(person.who)} in {a(person.shirt)} shirt{trousers}{hat}",
        "action": person.action,
        "doing": doing(person),
        "shirt": person.shirt,
        "trousers": person.trousers or "",
        "hair": person.hair if person.hair_seen else "",
        "hat_colour": person.hat or "",
        "wearing_hat": f"wearing {a(person.hat)} hat" if person.hat else "not wearing a hat",
        "facing": person.facing or "",
        "front": "face",
        "cue": cue,
        "cue2": cue2,
        "cue3": cue3,
    }


def _thing_terms(thing: Thing) -> dict[str, str]:
    kind, colour, one, own_part = thing.kind, thing.colour or "", thing.count == 1, thing.sort.part or ""
    number, name, be = NUMBERS[thing.count], kind if one else thing.sort.plural, "is" if one else "are"
    described = " ".join(filter(None, (thing.size, colour, name)))
    some = a(described) if one else f"{number} {described}"
    coloured, coloured_be = ("the curtains of the window", "are") if kind == "window" else (f"the {name}", be)
    part_be = "are" if not one or own_part.endswith("s") else "is"
    holds = f"there is {a(thing.inside)} ball in the box" if thing.inside else "the box is empty"
    return {
        "kind": kind,
        "plural": thing.sort.plural,
        "number": number,
        "name": name,
        "the": f"the {name}",
        "be": be,
        "where": (TOP_SIDES if thing.above else SIDES)[thing.column],
        "plain": a(name) if one else f"{number} {name}",
        "some": f"a window with {colour} curtains" if kind == "window" else some,
        "colour": colour,
        "colour_name": f"{colour} {name}".strip(),
        "coloured": coloured,
        "coloured_be": coloured_be,
        "size": thing.size or "",
        "state": thing.state or "",
        "part": f"the {own_part} of the {name}" if own_part else f"the {name}",
        "part_be": part_be,
        "seem": "seems" if part_be == "is" else "seem",
        "cue": _state_cue(thing) if thing.state else "",
        "inside": holds if kind == "box" and thing.state == "open" and one else "",
        "ball": thing.inside or "",
        "facing": thing.facing or "",
        "front": "front" if kind in _MACHINES else "face",
    }


def _state_cue(thing: Thing) -> str:
    """Return the sign by which the state of a thing is known.

    >>> _state_cue(Thing(kind="dog", column="left", state="standing", count=2))
    'they are on all four legs'
    """
    they, their = ("it is", "its") if thing.count == 1 else ("they are", "their")
    return thing.sort.states[thing.state or ""].format(they=they, their=their)


def doing(person: Person) -> str:
    """Return a person's activity: "riding a red bicycle"."""
    form = person.act.details
    if form is None or person.prop is None:
        return person.action
    return form.format(person.prop if person.action == "skiing" else a(person.prop))


def item_facts(item: Person | Thing) -> list[_Fact]:
    """Return all facts about a person or a thing."""
    words = terms(item)
    phrases = PHRASES["facts"]["person" if isinstance(item, Person) else "thing"]
    return [
        _Fact(item.name, aspect, filled(phrase, words)) for aspect, phrase in phrases.items() if words.get(aspect, True)
    ]


def facts(scene: Scene) -> list[_Fact]:
    """Return all facts about a scene, a clause each."""
    out = [_Fact("scene", "place", f"it is {PLACES[scene.place].phrase}")]
    if scene.weather_seen:
        out.append(_Fact("scene", "weather", WEATHER[scene.weather].phrase))
    return out + [fact for item in scene.items() for fact in item_facts(item)]


def setting(scene: Scene) -> str:
    """Return the place with its weather: "a rainy street"."""
    noun = PLACES[scene.place].noun
    return a(f"{scene.weather} {noun}" if scene.outdoors else noun)


def listing(scene: Scene) -> str:
    """Return all people and things in words."""
    return joined(terms(item)["plain"] for item in scene.items())


def brief(scene: Scene) -> str:
    """Return one sentence: the place, the people and the things."""
    return sentence(f"{setting(scene)} with {listing(scene)}")
