"""IllusionBench's `robust`: one name of a mixed list of shapes and scenes."""

from __future__ import annotations

import random

from snellen.exams.illusionbench.names import SCENES, SHAPES, WORDS
from snellen.exams.illusionbench.reading import answer_robust
from tests.support.readers import Reader
from tests.support.wrapping import Topic

BECAUSE = (
    "the outline can be made out when one squints",
    "the dark parts together form that outline",
    "it stands out from everything else in the picture",
)


def reader_of(subset: str, task: str) -> Reader:
    """Return the reader of a subset's question."""
    names = SHAPES[subset] if task == "shape" else SCENES
    printed = WORDS.subsets[subset].offered if task == "shape" else SCENES
    name_of = dict(zip(printed, names, strict=True))

    def topic(rng: random.Random) -> Topic:
        answer, *others = rng.sample(printed, 4)
        plain = answer.replace("_", " ")
        spellings = (plain, plain.replace(" ", "-"), plain.replace(" ", ""), f"a {plain}", f"the {plain}")
        return Topic((answer,), tuple(others), rng.choice(BECAUSE), spellings, about=name_of[answer])

    def read(reply: str, topic: Topic) -> str | None:
        return answer_robust(reply, subset, task)

    def meant(topic: Topic) -> object:
        return topic.about

    return Reader(f"illusionbench robust {subset.removeprefix('Illusion_')} {task}", topic, read, meant)


READERS = (*(reader_of(subset, "shape") for subset in SHAPES), reader_of("Illusion_IN", "scene"))
