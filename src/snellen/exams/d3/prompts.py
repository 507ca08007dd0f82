"""The ask stage: all pictures of a pair in one question, left then right, followed by the words of the D3 script."""

from __future__ import annotations

from snellen.core.prompt import Prompt, by_name
from snellen.core.types import Sample
from snellen.exams.d3.names import PAIR, asked_keys, names_of, task_of

TEXT = (
    "Identify finegrained visual differences between both images and use them to generate a discriminant caption for each "
    "image. Each caption should uniquely describe the image and highlight the distinct features that set the image apart "
    "from the other. Output JSON format with 'left_image' and 'right_image' as keys, and their captions as string values."
)
"""The words of the D3 script, verbatim."""

SET_TEXT = (
    "Identify finegrained visual differences between all {count} images and use them to generate a discriminant caption for "
    "each image. Each caption should uniquely describe the image and highlight the distinct features that set the image "
    "apart from the others. Output JSON format with {keys} as keys, and their captions as string values."
)
"""Ours, for sets: the same words with the number of images and their keys."""


def text_of(names: tuple[str, ...]) -> str:
    """Return the prompt for these slots."""
    if names == PAIR:
        return TEXT
    quoted = [f"'{key}'" for key in asked_keys(names)]
    return SET_TEXT.format(count=len(names), keys=f"{', '.join(quoted[:-1])} and {quoted[-1]}")


PROMPTS = by_name(
    Prompt(
        "pair",
        "both images, left then right, and the words of the D3 script; a larger set gets the same words for its number of images",
        lambda sample, _shots: text_of(names_of(sample)),
    )
)


def probes() -> list[Sample]:
    """Return a pair without pictures. There is one truth: every caption belongs to its own picture."""
    return [probe(PAIR)]


def probe(names: tuple[str, ...]) -> Sample:
    """Return a pair or set without pictures."""
    uid = f"probe-{len(names)}"
    return Sample(
        id=f"d3/{uid}",
        tags={"split": "all", "task": task_of(names)},
        truth={"uid": uid},
        facts={"uid": uid} | {name: f"images/{name}.jpg" for name in names},
    )
