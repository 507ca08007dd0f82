"""Sentences that are true of a scene. Nothing here looks at pixels; `Fact` is the smallest thing that can be said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from snellen.synthetic.scenes.catalog import PLACES, WEATHER
from snellen.synthetic.scenes.model import Person, Scene, Thing

NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}
SIDES = {"left": "on the left", "centre": "in the middle", "right": "on the right"}
TOP_SIDES = {"left": "at the top left", "centre": "at the top in the middle", "right": "at the top right"}


class Fact(NamedTuple):
    """A true sentence. `about` is a kind, a who, or "scene"; `aspect` is what it says of it."""

    about: str
    aspect: str
    text: str


def a(words: str) -> str:
    """The words with the indefinite article.

    >>> a("red ball"), a("orange ball"), a("open box")
    ('a red ball', 'an orange ball', 'an open box')
    """
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def joined(parts: Iterable[str]) -> str:
    """A list in words.

    >>> joined(["a dog", "a cat", "two balls"])
    'a dog, a cat and two balls'
    """
    items = list(parts)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else "nothing"


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def noun(thing: Thing) -> str:
    """The kind, in the plural where there are several."""
    return thing.kind if thing.count == 1 else thing.sort.plural


def some(thing: Thing, *, details: bool = True) -> str:
    """A thing as it is first spoken of: "a small red ball", "three red balls"."""
    if thing.kind == "window" and details:
        return f"a window with {thing.colour} curtains"
    words = " ".join(word for word in (thing.size, thing.colour) if word and details)
    if thing.count == 1:
        return a(f"{words} {thing.kind}".strip())
    return " ".join((NUMBERS[thing.count], f"{words} {thing.sort.plural}".strip()))


def verb(thing: Thing) -> str:
    """is or are."""
    return "is" if thing.count == 1 else "are"


def where(item: Person | Thing) -> str:
    """Where it is in the scene."""
    top = isinstance(item, Thing) and item.sort.level == "top"
    return (TOP_SIDES if top else SIDES)[item.column]


def name_of(item: Person | Thing) -> str:
    """man, ball, balls."""
    return item.who if isinstance(item, Person) else noun(item)


def be_of(item: Person | Thing) -> str:
    """is or are."""
    return "is" if isinstance(item, Person) else verb(item)


def stateful(thing: Thing) -> tuple[str, str]:
    """What is in the state, and its is or are: ("the sail of the boat", "is")."""
    part = thing.sort.part
    subject = f"the {part} of the {noun(thing)}" if part else f"the {noun(thing)}"
    return subject, "are" if thing.count > 1 or (part or "").endswith("s") else "is"


def coloured(thing: Thing) -> tuple[str, str]:
    """What has the colour, and its is or are: a window's colour is that of its curtains."""
    return ("the curtains of the window", "are") if thing.kind == "window" else (f"the {noun(thing)}", verb(thing))


def state(thing: Thing) -> str:
    """The state as a clause: "the box is open", "the sail of the boat is up"."""
    subject, be = stateful(thing)
    return f"{subject} {be} {thing.state}"


def state_cue(thing: Thing) -> str:
    """Return the sign by which the state of a thing is known.

    >>> state_cue(Thing(kind="dog", column="left", state="standing", count=2))
    'they are on all four legs'
    """
    they, their = ("it is", "its") if thing.count == 1 else ("they are", "their")
    return thing.sort.states[thing.state or ""].format(they=they, their=their)


def doing(person: Person, *, details: bool = True) -> str:
    """What somebody does: "riding a red bicycle", or without details "riding a bicycle"."""
    form = person.act.details
    if form is None or person.prop is None or not details:
        return person.action
    return form.format(person.prop if person.action == "skiing" else a(person.prop))


def somebody(person: Person, *, details: bool = True) -> str:
    """A person as first spoken of: "a man in a red shirt and blue trousers with a green hat"."""
    if not details:
        return a(person.who)
    trousers = f" and {person.trousers} trousers" if person.trousers else ""
    hat = f" with {a(person.hat)} hat" if person.hat else ""
    return f"{a(person.who)} in {a(person.shirt)} shirt{trousers}{hat}"


def hair_seen(person: Person) -> bool:
    """Whether the colour of the hair can be told: short hair goes under a hat."""
    return person.hat is None or person.who in ("woman", "girl")


def weather_seen(scene: Scene) -> bool:
    """Outdoors always; indoors through a window whose curtains are open."""
    return scene.outdoors or any(t.kind == "window" and t.state == "open" for t in scene.things)


def thing_facts(thing: Thing) -> list[Fact]:
    """All that can be said of a thing."""
    the, be, kind = f"the {noun(thing)}", verb(thing), thing.kind
    facts = [
        Fact(kind, "count", f"there {be} {some(thing, details=False)}"),
        Fact(kind, "position", f"{the} {be} {where(thing)}"),
    ]
    if thing.colour is not None:
        facts.append(Fact(kind, "colour", f"{' '.join(coloured(thing))} {thing.colour}"))
    if thing.size is not None:
        facts.append(Fact(kind, "size", f"{the} {be} {thing.size}"))
    if thing.facing is not None:
        facts.append(Fact(kind, "facing", f"{the} {be} facing {thing.facing}"))
    if thing.state is not None:
        facts.append(Fact(kind, "state", state(thing)))
    if kind == "box" and thing.state == "open" and thing.count == 1:
        facts.append(
            Fact(kind, "inside", f"there is {a(thing.inside)} ball in the box" if thing.inside else "the box is empty")
        )
    return facts


def person_facts(person: Person) -> list[Fact]:
    """All that can be said of somebody."""
    who = person.who
    the = f"the {who}"
    hat = f"{the} is wearing {a(person.hat)} hat" if person.hat else f"{the} is not wearing a hat"
    facts = [
        Fact(who, "action", f"{the} is {doing(person)}"),
        Fact(who, "shirt", f"{the} is wearing {a(person.shirt)} shirt"),
        Fact(who, "position", f"{the} is {where(person)}"),
        Fact(who, "hat", hat),
    ]
    if person.trousers is not None:
        facts.append(Fact(who, "trousers", f"{the} is wearing {person.trousers} trousers"))
    if hair_seen(person):
        facts.append(Fact(who, "hair", f"{the} has {person.hair} hair"))
    if person.facing is not None:
        facts.append(Fact(who, "facing", f"{the} is facing {person.facing}"))
    return facts


def facts(scene: Scene) -> list[Fact]:
    """All that can be said of a scene, a clause each."""
    out = [Fact("scene", "place", f"it is {PLACES[scene.place].phrase}")]
    if weather_seen(scene):
        out.append(Fact("scene", "weather", WEATHER[scene.weather].phrase))
    for item in scene.items():
        out += person_facts(item) if isinstance(item, Person) else thing_facts(item)
    return out


def setting(scene: Scene) -> str:
    """The place with its weather: "a rainy street"."""
    noun_ = PLACES[scene.place].noun
    return a(f"{scene.weather} {noun_}" if scene.outdoors else noun_)


def brief(scene: Scene) -> str:
    """One sentence: the place and who and what is there."""
    names = [
        somebody(item, details=False) if isinstance(item, Person) else some(item, details=False)
        for item in scene.items()
    ]
    return sentence(f"{setting(scene)} with {joined(names)}")


def about(item: Person | Thing) -> str:
    """One sentence with all that matters of a person or a thing."""
    if isinstance(item, Person):
        turned = f", facing {item.facing}" if item.facing else ""
        return sentence(f"{somebody(item)} is {doing(item)} {where(item)}{turned}")
    named = some(item)
    if item.inside is not None:
        named += f" with {a(item.inside)} ball inside"
    if item.sort.part is not None:
        whole = (
            f"{named} {where(item)} with its {item.sort.part} {item.state}" if item.facing else f"{named} {where(item)}"
        )
        return sentence(
            f"{whole} is facing {item.facing}" if item.facing else f"{whole} has its {item.sort.part} {item.state}"
        )
    said = [word for word in (item.state, f"facing {item.facing}" if item.facing else None) if word]
    if not said:
        return sentence(f"{named} {verb(item)} {where(item)}")
    return sentence(f"{named} {where(item)} {verb(item)} {' and '.join(said)}")


def caption(scene: Scene) -> str:
    """The full description: the place, then a sentence for everybody and everything."""
    return " ".join((sentence(setting(scene)), *(about(item) for item in scene.items())))


def listing(scene: Scene, without: str | None = None) -> str:
    """Everybody and everything in words, perhaps without one kind."""
    named = [
        somebody(item, details=False) if isinstance(item, Person) else some(item, details=False)
        for item in scene.items()
        if not (isinstance(item, Thing) and item.kind == without)
    ]
    return joined(named)
