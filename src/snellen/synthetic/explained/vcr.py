"""Synthetic VCR records in the official form: token lists with indices into the objects, four answers, four rationales.

Texts are written with `{0}` for object 0 and turned into the three forms of the files: tokens, the 1-based original, and tags.

A rationale is a sign of an answer and another visible detail of the person. In one half of the records the signs are those
of two answers and the rest is true or false, two by two: the answer rules out two, the picture one of the others. In the other half
all give the right sign and two more details, two by two: the picture alone decides. So text gives away 37.5% at most, where chance
is 25%.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import NamedTuple

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.drawings import read_table
from snellen.synthetic.explained.records import MadeRecord, picture
from snellen.synthetic.scenes.canvas import CanvasBox
from snellen.synthetic.scenes.catalog import ACTIONS, KINDS, PLACES, WORLD, actions_at, alike, denied, hair_of
from snellen.synthetic.scenes.model import Person, Scene
from snellen.synthetic.scenes.sampling import SceneRequest, draw_scene
from snellen.synthetic.scenes.words import SIDES, a

_TAG = re.compile(r"\{(\d+)\}")
_PER_MOVIE = 40
_TABLE = read_table("explained/vcr.toml")


class _VcrQuestion(NamedTuple):
    """A question about the objects of a scene. The first answer and the first rationale are the right ones.

    `known` are the details of the person that the question or its answer states.
    """

    question: str
    answers: tuple[str, ...]
    rationales: tuple[str, ...]
    known: tuple[str, ...] = ()


def made(split: str, seed: int, index: int) -> MadeRecord:
    """Make record `index`: the official line, and in `extra` the e-ViL item and the metadata file."""
    rng = generator("vcr", split, seed, index)
    scene, asked = dealt(_QUESTIONS, index, "vcr", split, seed)(rng)
    by_sign = dealt((True, False), index, "vcr by sign", split, seed)
    chance = generator("vcr reasons", split, seed, index)
    asked = asked._replace(rationales=_reasons(chance, scene, asked.rationales, known=asked.known, by_sign=by_sign))
    answer_order = _order(rng, dealt(range(4), index, "vcr answers", split, seed))
    rationale_order = _order(rng, dealt(range(4), index, "vcr rationales", split, seed))
    data, boxes = picture(scene)
    names, kept = _objects(scene, boxes)
    movie, stem = _names(split, index)
    fold = f"snellen-{split}"
    ident = f"{fold}-{index}"
    answers = [asked.answers[place] for place in answer_order]
    rationales = [asked.rationales[place] for place in rationale_order]
    line = {
        "movie": movie,
        "objects": names,
        "interesting_scores": [1],
        "answer_likelihood": "likely",
        "img_fn": f"{stem}.jpg",
        "metadata_fn": f"{stem}.json",
        "answer_orig": _original(asked.answers[0]),
        "question_orig": _original(asked.question),
        "rationale_orig": _original(asked.rationales[0]),
        "question": _tokens(asked.question),
        "answer_choices": [_tokens(text) for text in answers],
        "answer_label": answer_order.index(0),
        "rationale_choices": [_tokens(text) for text in rationales],
        "rationale_label": rationale_order.index(0),
        "img_id": ident,
        "question_number": 0,
        "annot_id": ident,
        "match_fold": f"{fold}-0",
        "match_index": index,
    }
    item = {
        "img_id": f"vcr_{split}_{stem.split('/')[1]}.npz",
        "raw_img_id": f"{stem}.jpg",
        "sent": _tagged(asked.question),
        "answer_choices": [_tagged(text) for text in answers],
        "label": answer_order.index(0),
        "explanation": _tagged(asked.rationales[0]),
        "objects": names,
        "question_id": ident,
        "movie": movie,
    }
    metadata = {
        "boxes": [[*(round(edge, 2) for edge in box), 1.0] for box in kept],
        "segms": [[[[b.left, b.top], [b.right, b.top], [b.right, b.bottom], [b.left, b.bottom]]] for b in kept],
        "names": names,
        "width": 320,
        "height": 240,
    }
    extra = {"item": item, "metadata": (f"vcr1images/{stem}.json", metadata)}
    return MadeRecord(ident, (f"vcr1images/{stem}.jpg", data), line, extra)


def _objects(scene: Scene, boxes: tuple[CanvasBox, ...]) -> tuple[list[str], list[CanvasBox]]:
    """Return the objects with a tag: every person, then every thing that occurs once, in the order of the scene."""
    kept = [
        (item, box)
        for item, box in zip(scene.items(), boxes, strict=True)
        if isinstance(item, Person) or item.count == 1
    ]
    return ["person" if isinstance(item, Person) else item.kind for item, _ in kept], [box for _, box in kept]


def _tokens(text: str) -> list[str | list[int]]:
    """Return the official form: words and punctuation apart, references as lists of indices.

    >>> _tokens("What is {0} doing ?")
    ['What', 'is', [0], 'doing', '?']
    """
    found = ((word, _TAG.fullmatch(word)) for word in text.split())
    return [[int(match[1])] if match else word for word, match in found]


def _original(text: str) -> str:
    """Return the annotators' form: numbers from 1, punctuation attached to the words.

    >>> _original("What is {0} doing ?")
    'What is 1 doing?'
    """
    return re.sub(r" ([?.,])", r"\1", _TAG.sub(lambda match: str(int(match[1]) + 1), text))


def _tagged(text: str) -> str:
    """Return the e-ViL form.

    >>> _tagged("What is {0} doing ?")
    'What is <|det0|> doing ?'
    """
    return _TAG.sub(r"<|det\1|>", text)


def _order(rng: Random, label: int) -> list[int]:
    """Return the order of the four texts: the right one at `label`, the others shuffled."""
    rest = [1, 2, 3]
    rng.shuffle(rest)
    return [*rest[:label], 0, *rest[label:]]


def _names(split: str, index: int) -> tuple[str, str]:
    """Return the film's name and the path of its frame without an ending."""
    reel, frame = divmod(index, _PER_MOVIE)
    movie = f"SNELLEN_SCENES_{split}_{reel:04d}"
    return movie, f"{movie}/{movie}_{frame:02d}"


def _clause(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:].replace(',', ' ,')} ."


def _of_case(name: str, case: str) -> _VcrQuestion:
    """Return a question of vcr.toml, with the answer of a case as the right one."""
    row = _TABLE[name]
    order = sorted(row["answers"], key=lambda other: other != case)
    answers, signs = (tuple(row[part][other] for other in order) for part in ("answers", "signs"))
    return _VcrQuestion(row["question"], answers, signs)


def _doing(rng: Random) -> tuple[Scene, _VcrQuestion]:
    action = rng.choice(list(ACTIONS))
    scene = draw_scene(rng, SceneRequest(action=action))
    acts = [ACTIONS[name] for name in (action, *rng.sample(denied(action), 3))]
    answers = tuple(f"{{0}} is {act.name} ." for act in acts)
    return scene, _VcrQuestion("What is {0} doing ?", answers, tuple(_clause(rng.choice(act.cues)) for act in acts))


def _umbrella(rng: Random) -> tuple[Scene, _VcrQuestion]:
    weather = rng.choice(("rainy", "sunny", "cloudy"))
    scene = draw_scene(rng, SceneRequest(action="holding an umbrella", weather=weather))
    return scene, _of_case("umbrella", weather)


def _wearing(rng: Random) -> tuple[Scene, _VcrQuestion]:
    """Ask about two shirts by two hats: only the picture speaks for any choice."""
    shirts, hats = rng.sample(WORLD.clothes, 2), rng.sample((None, *WORLD.vivid), 2)
    action = rng.choice(list(ACTIONS))
    scene = draw_scene(rng, SceneRequest(action=action, person_is={"shirt": shirts[0], "hat": hats[0]}))
    worn = [(shirt, hat) for shirt in shirts for hat in hats]
    answers = tuple(f"{{0}} is wearing {a(shirt)} shirt and {a(hat) if hat else 'no'} hat ." for shirt, hat in worn)
    signs = tuple(
        f"The top of {{0}} is {shirt} and the head is {f'under {a(hat)} hat' if hat else 'bare'} ."
        for shirt, hat in worn
    )
    return scene, _VcrQuestion("What is {0} wearing ?", answers, signs, known=("shirt",))


def _wet(rng: Random) -> tuple[Scene, _VcrQuestion]:
    case = rng.choice(list(_TABLE["wet"]["answers"]))
    if case == "umbrella":
        want = SceneRequest(action="holding an umbrella", weather="rainy")
    elif case == "indoors":
        want = SceneRequest(place=rng.choice(("living room", "kitchen")), people=1, without=frozenset({"window"}))
    else:
        fits = [
            name for name, place in PLACES.items() if place.outdoors and (case == "dry" or "rainy" in place.weathers)
        ]
        place = rng.choice(fits)
        action = rng.choice([act.name for act in actions_at(place, ["umbrella"]) if act.name != "swimming"])
        weather = "rainy" if case == "rain" else rng.choice(("sunny", "cloudy"))
        want = SceneRequest(place=place, action=action, weather=weather)
    return draw_scene(rng, want), _of_case("wet", case)


def _where(rng: Random) -> tuple[Scene, _VcrQuestion]:
    place = rng.choice(list(PLACES))
    scene = draw_scene(rng, SceneRequest(place=place, people=rng.choice((1, 2))))
    who = "{0} and {1} are" if len(scene.people) > 1 else "{0} is"
    named, be = who.rsplit(" ", 1)
    places = [PLACES[name] for name in (place, *rng.sample([name for name in PLACES if name != place], 3))]
    answers = tuple(f"{who} {there.phrase} ." for there in places)
    return scene, _VcrQuestion(f"Where {be} {named} ?", answers, tuple(_clause(there.cue) for there in places))


def _beside(rng: Random) -> tuple[Scene, _VcrQuestion]:
    """Ask for the thing on one side of the person in the middle; a wrong answer may well be there, on the other side."""
    side, other_side = rng.choice((("left", "right"), ("right", "left")))
    place = rng.choice(list(PLACES))
    kinds = [kind.name for kind in KINDS.values() if place in kind.places and kind.level == "ground"]
    kind = rng.choice(kinds)
    action = rng.choice([act.name for act in actions_at(place, [kind])])
    wish, middle = {"column": side, "count": 1}, {"column": "centre"}
    scene = draw_scene(rng, SceneRequest(place=place, things={kind: wish}, action=action, people=1, person_is=middle))
    there = [thing.kind for thing in scene.things if thing.sort.level == "ground" and thing.column == other_side]
    absent = [name for name in kinds if name not in scene.kinds() and name not in alike(kind)]
    elsewhere = [name for name in KINDS if name not in (*kinds, *scene.kinds())]
    names = (kind, *[*there, *rng.sample(absent, len(absent)), *elsewhere][:3])
    now = scene.people[0].action
    signs = tuple(f"There is {a(name)} on the {side} side and {{0}} is {now} next to it ." for name in names)
    answers = tuple(f"{a(name).capitalize()} is to the {side} of {{0}} ." for name in names)
    return scene, _VcrQuestion(f"What is to the {side} of {{0}} ?", answers, signs, known=("position",))


# ---------------------------------------------------------------- rationales


class _Detail(NamedTuple):
    """A visible detail of a person: its topic, a true clause and a false one."""

    aspect: str
    true: str
    false: str


def _reasons(
    rng: Random, scene: Scene, signs: tuple[str, ...], *, known: Iterable[str], by_sign: bool
) -> tuple[str, ...]:
    """Return four rationales about the first person, the right one first, from the signs of the four answers (the right one first).

    Details that the question or the answer states are `known` and not used. The place is named only where there are too few.
    """
    some = [d for d in _details(rng, scene.people[0]) if d.aspect not in known]
    if len(some) < 2:
        phrases = [place.phrase for place in PLACES.values()]
        some.append(_detail(rng, "place", "{{0}} is {}", PLACES[scene.place].phrase, phrases))
    first, second = rng.sample(some, 2)
    if by_sign:
        other = rng.choice(signs[1:])
        return tuple(_joined(sign, clause) for sign in (signs[0], other) for clause in (first.true, first.false))
    return tuple(_joined(signs[0], a, b) for a in (first.true, first.false) for b in (second.true, second.false))


def _details(rng: Random, person: Person) -> Iterator[_Detail]:
    """Yield all visible details of a person."""
    yield _detail(rng, "shirt", "the top of {{0}} is {}", person.shirt, WORLD.clothes)
    yield _detail(rng, "position", "{{0}} is {}", SIDES[person.column], SIDES.values())
    if person.trousers is not None:
        yield _detail(rng, "trousers", "the trousers of {{0}} are {}", person.trousers, WORLD.trousers)
    if person.hair_seen:
        yield _detail(rng, "hair", "the hair of {{0}} is {}", person.hair, hair_of(person.who))
    if person.facing is not None:
        yield _detail(rng, "facing", "{{0}} looks to the {}", person.facing, ("left", "right"))


def _detail(rng: Random, aspect: str, form: str, true: str, every: Iterable[str]) -> _Detail:
    return _Detail(aspect, form.format(true), form.format(rng.choice([v for v in every if v != true])))


def _joined(sign: str, *clauses: str) -> str:
    return f"{' , '.join((sign.removesuffix(' .'), *clauses[:-1]))} and {clauses[-1]} ."


_QUESTIONS: tuple[Callable[[Random], tuple[Scene, _VcrQuestion]], ...] = (
    _doing,
    _doing,
    _wearing,
    _where,
    _beside,
    _wet,
    _umbrella,
)
