"""The four rationales of a synthetic VCR record: which one is right cannot be told from the answer alone.

A rationale is a sign of an answer and something else that can be seen of the person. In one half of the records the signs are those
of two answers and the rest is true or false, two by two: the answer rules out two, the picture one of the others. In the other half
all give the right sign and two more details, two by two: the picture alone decides. So text gives away 37.5 % at most, where chance
is 25 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from snellen.synthetic.scenes.catalog import CHILDREN, PLACES, WORLD
from snellen.synthetic.scenes.model import Person, Scene
from snellen.synthetic.scenes.words import SIDES


class _Detail(NamedTuple):
    """Something to be seen of a person: what it is about, a true clause and a false one."""

    aspect: str
    true: str
    false: str


def reasons(
    rng: Random, scene: Scene, signs: tuple[str, ...], *, known: Iterable[str], by_sign: bool
) -> tuple[str, ...]:
    """Return four rationales about the first person, the first of them the right one, from the signs of the four answers (the right one
    first). Details that the question or the answer tells are `known` and not used; the place is named only where there are too few.
    """
    some = [d for d in details(rng, scene.people[0]) if d.aspect not in known]
    if len(some) < 2:
        phrases = [place.phrase for place in PLACES.values()]
        some.append(_detail(rng, "place", "{{0}} is {}", PLACES[scene.place].phrase, phrases))
    first, second = rng.sample(some, 2)
    if by_sign:
        other = rng.choice(signs[1:])
        return tuple(_joined(sign, clause) for sign in (signs[0], other) for clause in (first.true, first.false))
    return tuple(_joined(signs[0], a, b) for a in (first.true, first.false) for b in (second.true, second.false))


def details(rng: Random, person: Person) -> Iterator[_Detail]:
    """Yield all details of a person that are in sight."""
    yield _detail(rng, "shirt", "the top of {{0}} is {}", person.shirt, WORLD.clothes)
    yield _detail(rng, "position", "{{0}} is {}", SIDES[person.column], SIDES.values())
    if person.trousers is not None:
        yield _detail(rng, "trousers", "the trousers of {{0}} are {}", person.trousers, WORLD.trousers)
    if person.hair_seen:
        hair = [colour for colour in WORLD.hair if colour != "grey" or person.who not in CHILDREN]
        yield _detail(rng, "hair", "the hair of {{0}} is {}", person.hair, hair)
    if person.facing is not None:
        yield _detail(rng, "facing", "{{0}} looks to the {}", person.facing, ("left", "right"))


def _detail(rng: Random, aspect: str, form: str, true: str, every: Iterable[str]) -> _Detail:
    return _Detail(aspect, form.format(true), form.format(rng.choice([v for v in every if v != true])))


def _joined(sign: str, *clauses: str) -> str:
    return f"{' , '.join((sign.removesuffix(' .'), *clauses[:-1]))} and {clauses[-1]} ."
