"""Controls: the same question without its image, with a blank one, with another sample's, or with its options shuffled.

A control is half of an Arm, so it is asked, stored, resumed and marked like any prompt. Everything here is pure except `partners`, which
reads the data set's light samples.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

import msgspec

from snellen.core.arm import CONTROLS, Arm
from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError, unknown
from snellen.core.exam import Exam
from snellen.core.extras import SampleOptions
from snellen.core.images import sniff
from snellen.core.pixels import BadPicture, too_large
from snellen.core.types import Part, Picture, Question, Sample, Text


def known_control(name: str) -> str:
    """Return a control by name. The error for an unknown name lists the known ones."""
    if name not in CONTROLS:
        raise unknown("control", name, CONTROLS)
    return name


def altered(question: Question, control: str, seed: int) -> Question:
    """Return a question under a control. The control 'shuffled' is applied earlier, by giving the sample another sample's images."""
    if control == "options":
        return _other_order(question, seed)
    if control == "swapped":
        return _swapped(question)
    change = {"none": lambda _picture: (), "blank": _grey}.get(control)
    return _query(question, change) if change is not None else question


def partners(data: Dataset, seed: int) -> Iterator[tuple[Sample, str]]:
    """Yield every sample with the id of the sample whose image it gets. This is a seeded permutation of images in which none keeps its
    place.
    """
    groups: dict[tuple[str | None, str | None], list[Sample]] = {}
    for sample in data.light():
        groups.setdefault((sample.tags.get("split"), sample.tags.get("task")), []).append(sample)
    for samples in groups.values():
        order = list(samples)
        random.Random(f"shuffled/{seed}").shuffle(order)  # noqa: S311 (a permutation, not a secret)
        donors: dict[str, str] = {}  # images in drawn order, each with a sample that has it
        for sample in order:
            donors.setdefault(_image_of(sample), sample.id)
        if len(donors) < 2:
            raise SnellenError("the control 'shuffled' needs at least two images of each split and task")
        names = list(donors)
        after = dict(zip(names, names[1:] + names[:1], strict=True))
        yield from ((sample, donors[after[_image_of(sample)]]) for sample in order)


def _image_of(sample: Sample) -> str:
    """Return an identifier of a sample's image: the data set's name for it, else the sample's own."""
    return str(sample.facts.get("image_name") or sample.facts.get("image") or sample.id)


def _query(question: Question, change: Callable[[Picture], tuple[Part, ...]]) -> Question:
    """Change the images that the question is about. If examples come before it, that is the last image."""
    at = [i for i, p in enumerate(question.parts) if isinstance(p, Picture)][-1 if question.shots else 0 :]
    parts: list[Part] = []
    for i, part in enumerate(question.parts):
        parts += change(part) if i in at and isinstance(part, Picture) else (part,)
    return msgspec.structs.replace(question, parts=tuple(parts))


def _swapped(question: Question) -> Question:
    """Return the question with all images in reverse order and the text unchanged."""
    if len(question.pictures) < 2 or question.shots:
        raise SnellenError(f"the control 'swapped' needs questions with several pictures; '{question.prompt}' has one")
    backwards = iter(question.pictures[::-1])
    return msgspec.structs.replace(
        question, parts=tuple(next(backwards) if isinstance(p, Picture) else p for p in question.parts)
    )


def _grey(picture: Picture) -> tuple[Part, ...]:
    head = sniff(picture.data)
    problem = too_large(head.width, head.height)
    if problem:
        raise BadPicture(f"{picture.name}: {problem}")
    made = grey_png(head.width or 512, head.height or 512)
    return (Picture(data=made, name=picture.name, transforms=("blank image of the same size",)),)


@lru_cache(maxsize=64)
def grey_png(width: int, height: int) -> bytes:
    """Return a uniform grey image."""
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new("L", (width, height), 128).save(out, "PNG")
    return out.getvalue()


def as_asked(exam: Exam, arm: Arm, sample: Sample, seed: int) -> Sample:
    """Return the sample as an arm asks and marks it.

    Under 'options' its labelled options are moved, so that the letter of a reply is read in the order in which it was shown.
    """
    return (_moved(exam, sample, seed) or sample) if arm.control == "options" else sample


def _moved(exam: Exam, sample: Sample, seed: int) -> Sample | None:
    own = exam.extra(SampleOptions)
    if own is None:
        return None
    return own.reordered(sample, random.Random(f"options/{seed}/{sample.id}"))  # noqa: S311 (a permutation, not a secret)


def why_not_moved(exam: Exam, prompt: str, sample: Sample) -> str:
    """Return why the options of a sample's question cannot be reordered, after the prompt's name. Empty if they can."""
    return "" if _moved(exam, sample, 0) is not None else why_not_shuffled(exam.ask(prompt, sample))


def _other_order(question: Question, seed: int) -> Question:
    """Return the prompt's option list in another order, with its separators in place."""
    found = _option_list(question)
    if isinstance(found, str):
        raise SnellenError(f"the prompt '{question.prompt}' {found}")
    at, text, (start, stop, words, separators) = found
    random.Random(f"options/{seed}/{question.id}").shuffle(words)  # noqa: S311 (a permutation, not a secret)
    again = "".join(w + s for w, s in zip(words, [*separators, ""], strict=True))
    parts = (*question.parts[:at], Text(text=text[:start] + again + text[stop:]), *question.parts[at + 1 :])
    return msgspec.structs.replace(question, parts=parts, options=tuple(words))


def why_not_shuffled(question: Question) -> str:
    """Return why the options of a question cannot be reordered, as text that follows the prompt's name. Empty if they can."""
    found = _option_list(question)
    return found if isinstance(found, str) else ""


def _option_list(question: Question) -> tuple[int, str, _Printed] | str:
    """Return the part that lists the options, its text and the list's place in it, or the reason why there is none."""
    if len(question.options) < 2:
        return "offers no options to shuffle"
    label = rf"(?m)^\W?(?:{_any_of(question.options)})[).:]\s"
    if len(re.findall(label, question.text)) >= len(question.options):
        return f"labels its choices {', '.join(question.options)}: so shuffling is not supported"
    for at, part in enumerate(question.parts):
        found = _printed(question.options, part.text) if isinstance(part, Text) else None
        if found is not None and isinstance(part, Text):
            return at, part.text, found
    return "does not print its options in a list that can be shuffled"


_Printed = tuple[int, int, list[str], list[str]]


def _any_of(options: tuple[str, ...]) -> str:
    return "|".join(re.escape(o) for o in sorted(options, key=len, reverse=True))


def _printed(options: tuple[str, ...], text: str) -> _Printed | None:
    """Return where a text lists all options, in any order: start, stop, the words as printed, and the separators between them."""
    one = _any_of(options)
    between = r"\W{1,2}(?:and\W|or\W)?"
    listed = re.compile(rf"\b(?:{one})(?:{between}(?:{one})){{{len(options) - 1}}}\b", re.IGNORECASE)
    for found in listed.finditer(text):
        words = re.findall(one, found.group(), re.IGNORECASE)
        if sorted(w.lower() for w in words) == sorted(o.lower() for o in options):
            return found.start(), found.end(), words, re.split(one, found.group(), flags=re.IGNORECASE)[1:-1]
    return None
