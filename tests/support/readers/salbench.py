"""SalBench's `robust`: one label on P3, one to three on O3."""

from __future__ import annotations

import random

from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.reading import read_robust
from tests.support.readers import Reader
from tests.support.wrapping import Topic

BECAUSE = (
    "it stands out from everything else in the picture",
    "one of the objects is unlike the rest",
    "the odd one catches the eye at once",
)


def topic_of(split: str, most: int) -> Reader:
    """Return the reader of a split."""
    labels = labels_of(split)

    def topic(rng: random.Random) -> Topic:
        chosen = set(rng.sample(labels, rng.randint(1, most)))
        said = tuple(x.capitalize() for x in labels if x in chosen)
        others = tuple(x.capitalize() for x in labels if x not in chosen)
        spellings = (
            " and ".join(said),
            " & ".join(said),
            "/".join(said),
            ", ".join(x.replace("or", "our") if x == "Color" else x for x in said),
        )
        return Topic(said, others, rng.choice(BECAUSE), spellings, about=labels)

    def read(reply: str, topic: Topic) -> frozenset[str] | None:
        return read_robust(reply, labels) or None

    def meant(topic: Topic) -> frozenset[str]:
        return frozenset(x.lower() for x in topic.answers)

    return Reader(f"salbench robust {split}", topic, read, meant)


READERS = (topic_of("P3", 1), topic_of("O3", 3))
