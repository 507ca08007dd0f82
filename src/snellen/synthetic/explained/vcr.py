"""Synthetic VCR records in the official form: token lists with indices into the objects, four answers, four rationales.

Texts are written with `{0}` for object 0 and turned into the three forms of the files: tokens, the 1-based original, and tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.explained.reasons import reasons
from snellen.synthetic.explained.records import MadeRecord, picture
from snellen.synthetic.scenes.canvas import CanvasBox
from snellen.synthetic.scenes.catalog import ACTIONS, KINDS, PLACES, WORLD, alike, denied
from snellen.synthetic.scenes.model import Person, Scene
from snellen.synthetic.scenes.sampling import SceneRequest, draw_scene
from snellen.synthetic.scenes.words import a, doing

_TAG = re.compile(r"\{(\d+)\}")
_PER_MOVIE = 40
_WET = ("rain", "umbrella", "indoors", "dry")
_TOLD = {
    "What is {0} wearing": ("shirt",),
    "What is to the": ("position",),
}  # what a question or its answer says of the person


class VcrQuestion(NamedTuple):
    """A question about the objects of a scene; the first answer and the first rationale are the right ones."""

    question: str
    answers: tuple[str, str, str, str]
    rationales: tuple[str, str, str, str]


def made(split: str, seed: int, index: int) -> MadeRecord:
    """Record `index`: the official line, and in `extra` the e-ViL item and the metadata file."""
    rng = generator("vcr", split, seed, index)
    scene, asked = dealt(_QUESTIONS, index, "vcr", split, seed)(rng)
    asked = asked._replace(rationales=_reasons(split, seed, index, scene, asked))
    answer_order = _order(rng, dealt(range(4), index, "vcr answers", split, seed))
    rationale_order = _order(rng, dealt(range(4), index, "vcr rationales", split, seed))
    data, boxes = picture(scene)
    names, kept = objects(scene, boxes)
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
        "answer_orig": original(asked.answers[0]),
        "question_orig": original(asked.question),
        "rationale_orig": original(asked.rationales[0]),
        "question": tokens(asked.question),
        "answer_choices": [tokens(text) for text in answers],
        "answer_label": answer_order.index(0),
        "rationale_choices": [tokens(text) for text in rationales],
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
        "sent": tagged(asked.question),
        "answer_choices": [tagged(text) for text in answers],
        "label": answer_order.index(0),
        "explanation": tagged(asked.rationales[0]),
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


def _reasons(split: str, seed: int, index: int, scene: Scene, asked: VcrQuestion) -> tuple[str, str, str, str]:
    """Draw rationales of which the picture says which is right."""
    known = next((aspects for start, aspects in _TOLD.items() if asked.question.startswith(start)), ())
    return reasons(
        generator("vcr reasons", split, seed, index),
        scene,
        asked.rationales,
        known=known,
        by_sign=dealt((True, False), index, "vcr by sign", split, seed),
    )


def objects(scene: Scene, boxes: tuple[CanvasBox, ...]) -> tuple[list[str], list[CanvasBox]]:
    """What has a tag: every person, then every thing that is there once, in the order of the scene."""
    kept = [
        (item, box)
        for item, box in zip(scene.items(), boxes, strict=True)
        if isinstance(item, Person) or item.count == 1
    ]
    return ["person" if isinstance(item, Person) else item.kind for item, _ in kept], [box for _, box in kept]


def tokens(text: str) -> list[str | list[int]]:
    """The official form: words and punctuation apart, references as lists of indices.

    >>> tokens("What is {0} doing ?")
    ['What', 'is', [0], 'doing', '?']
    """
    found = ((word, _TAG.fullmatch(word)) for word in text.split())
    return [[int(match[1])] if match else word for word, match in found]


def original(text: str) -> str:
    """The form that annotators wrote: numbers from 1, punctuation at the words.

    >>> original("What is {0} doing ?")
    'What is 1 doing?'
    """
    return re.sub(r" ([?.,])", r"\1", _TAG.sub(lambda match: str(int(match[1]) + 1), text))


def tagged(text: str) -> str:
    """The e-ViL form.

    >>> tagged("What is {0} doing ?")
    'What is <|det0|> doing ?'
    """
    return _TAG.sub(r"<|det\1|>", text)


def _order(rng: Random, label: int) -> list[int]:
    """Which of the four texts is shown where: the right one at `label`, the others shuffled."""
    rest = [1, 2, 3]
    rng.shuffle(rest)
    return [*rest[:label], 0, *rest[label:]]


def _names(split: str, index: int) -> tuple[str, str]:
    """Return the film's name and the path of its frame without an ending."""
    reel, frame = divmod(index, _PER_MOVIE)
    movie = f"SNELLEN_SCENES_{split}_{reel:04d}"
    return movie, f"{movie}/{movie}_{frame:02d}"


def _four(right: str, wrong: list[str]) -> tuple[str, str, str, str]:
    return right, wrong[0], wrong[1], wrong[2]


def _doing(rng: Random) -> tuple[Scene, VcrQuestion]:
    action = rng.choice(list(ACTIONS))
    scene = draw_scene(rng, SceneRequest(action=action))
    person = scene.people[0]
    others = [ACTIONS[name] for name in rng.sample(denied(action), 3)]
    return scene, VcrQuestion(
        "What is {0} doing ?",
        _four(f"{{0}} is {action} .", [f"{{0}} is {act.name} ." for act in others]),
        _four(_said(rng.choice(person.act.cues)), [_said(rng.choice(act.cues)) for act in others]),
    )


def _said(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:].replace(',', ' ,')} ."


def _umbrella(rng: Random) -> tuple[Scene, VcrQuestion]:
    weather = rng.choice(("rainy", "sunny", "cloudy"))
    scene = draw_scene(rng, SceneRequest(action="holding an umbrella", weather=weather))
    answers = {
        "rainy": "{0} does not want to get wet in the rain .",
        "sunny": "{0} wants some shade on a bright day .",
        "cloudy": "{0} thinks that the clouds may bring rain later .",
        "": "{0} has found the umbrella in a shop and is trying it .",
    }
    signs = {
        "rainy": "Drops fall from dark clouds all around {0} .",
        "sunny": "The sun is in a blue sky over {0} .",
        "cloudy": "The sky over {0} is full of white clouds but no drop falls .",
        "": "There are shelves with umbrellas behind {0} .",
    }
    rest = [other for other in answers if other != weather]
    return scene, VcrQuestion(
        "Why is {0} holding an umbrella ?",
        _four(answers[weather], [answers[other] for other in rest]),
        _four(signs[weather], [signs[other] for other in rest]),
    )


def _wearing(rng: Random) -> tuple[Scene, VcrQuestion]:
    """Two shirts by two hats: no choice has anything that speaks for it but the picture."""
    shirts, hats = rng.sample(WORLD.clothes, 2), rng.sample((None, *WORLD.vivid), 2)
    action = rng.choice(list(ACTIONS))
    scene = draw_scene(rng, SceneRequest(action=action, person_is={"shirt": shirts[0], "hat": hats[0]}))
    worn = [(shirt, hat) for shirt in shirts for hat in hats]
    texts = [f"{{0}} is wearing {a(shirt)} shirt and {a(hat) if hat else 'no'} hat ." for shirt, hat in worn]
    heads = [f"under {a(hat)} hat" if hat else "bare" for _, hat in worn]
    signs = [
        f"The top of {{0}} is {shirt} and the head is {head} ." for (shirt, _), head in zip(worn, heads, strict=True)
    ]
    return scene, VcrQuestion("What is {0} wearing ?", _four(texts[0], texts[1:]), _four(signs[0], signs[1:]))


def _wet(rng: Random) -> tuple[Scene, VcrQuestion]:
    case = rng.choice(_WET)
    outdoors = [act.name for act in ACTIONS.values() if "umbrella" not in act.brings and act.name != "swimming"]
    if case == "umbrella":
        want = SceneRequest(action="holding an umbrella", weather="rainy")
    elif case == "indoors":
        want = SceneRequest(place=rng.choice(("living room", "kitchen")), people=1, without=frozenset({"window"}))
    else:
        place = rng.choice(
            [name for name, place in PLACES.items() if place.outdoors and (case == "dry" or name != "snow")]
        )
        action = rng.choice([name for name in outdoors if place in ACTIONS[name].places])
        want = SceneRequest(
            place=place, action=action, weather="rainy" if case == "rain" else rng.choice(("sunny", "cloudy"))
        )
    scene = draw_scene(rng, want)
    answers = {
        "rain": "Yes , {0} is out in the rain without cover .",
        "umbrella": "No , {0} is under an umbrella in the rain .",
        "indoors": "No , {0} is inside a house .",
        "dry": "No , {0} is outside but no rain falls .",
    }
    signs = {
        "rain": "Drops fall on {0} from dark clouds .",
        "umbrella": "The umbrella of {0} keeps off the drops .",
        "indoors": "There is a wall behind {0} and no sky above .",
        "dry": "The sky above {0} is bright and there are no drops .",
    }
    rest = [other for other in _WET if other != case]
    return scene, VcrQuestion(
        "Is {0} getting wet from rain ?",
        _four(answers[case], [answers[other] for other in rest]),
        _four(signs[case], [signs[other] for other in rest]),
    )


def _where(rng: Random) -> tuple[Scene, VcrQuestion]:
    place = rng.choice(list(PLACES))
    scene = draw_scene(rng, SceneRequest(place=place, people=rng.choice((1, 2))))
    both = len(scene.people) > 1
    named, be = ("{0} and {1}", "are") if both else ("{0}", "is")
    rest = [PLACES[name] for name in rng.sample([name for name in PLACES if name != place], 3)]
    here = PLACES[place]
    return scene, VcrQuestion(
        f"Where {be} {named} ?",
        _four(f"{named} {be} {here.phrase} .", [f"{named} {be} {other.phrase} ." for other in rest]),
        _four(_said(here.cue), [_said(other.cue) for other in rest]),
    )


def _beside(rng: Random) -> tuple[Scene, VcrQuestion]:
    """What is on one side of somebody in the middle; a wrong answer may well be there, on the other side."""
    side, other_side = rng.choice((("left", "right"), ("right", "left")))
    place = rng.choice(list(PLACES))
    kinds = [kind.name for kind in KINDS.values() if place in kind.places and kind.level == "ground"]
    kind = rng.choice(kinds)
    action = rng.choice([act.name for act in ACTIONS.values() if place in act.places and not {*act.brings} & {kind}])
    wish = {"column": side, "count": 1}
    scene = draw_scene(
        rng,
        SceneRequest(place=place, thing=kind, thing_is=wish, action=action, people=1, person_is={"column": "centre"}),
    )
    there = [thing.kind for thing in scene.things if thing.sort.level == "ground" and thing.column == other_side]
    absent = [name for name in kinds if name not in scene.kinds() and name not in alike(kind)]
    wrong = [
        *there,
        *rng.sample(absent, len(absent)),
        *(name for name in KINDS if name not in (*kinds, *scene.kinds())),
    ][:3]
    now = doing(scene.people[0], details=False)
    signs = [f"There is {a(name)} on the {side} side and {{0}} is {now} next to it ." for name in (kind, *wrong)]
    texts = [f"{a(name).capitalize()} is to the {side} of {{0}} ." for name in (kind, *wrong)]
    return scene, VcrQuestion(
        f"What is to the {side} of {{0}} ?", _four(texts[0], texts[1:]), _four(signs[0], signs[1:])
    )


_QUESTIONS: tuple[Callable[[Random], tuple[Scene, VcrQuestion]], ...] = (
    _doing,
    _doing,
    _wearing,
    _where,
    _beside,
    _wet,
    _umbrella,
)
