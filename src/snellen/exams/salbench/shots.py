"""The choice of examples for SalBench's few-shot prompts. prompts.py writes them."""

from __future__ import annotations

from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.exams.salbench.names import labels_of


def draw_support(pool: list[Sample], shots: int, seed: int) -> list[list[Sample]]:
    """Return `shots` slots, each with candidates in seeded order. The first candidate that is not the query's image is shown.

    P3 takes the classes in turn (3 shots: one of each); O3 takes them in shuffled order. Slots never share an image.
    """
    order = sorted(pool, key=lambda s: rank(seed, "shots/" + s.id.partition("/")[2]))
    if pool and pool[0].tags["split"] == "P3":
        classes = [[s for s in order if s.truth == label] for label in labels_of("P3")]
        classes = [c for c in classes if c]
    else:
        classes = [order]
    turns = [0] * len(classes)
    slots: list[list[Sample]] = []
    for i in range(shots):
        which = i % len(classes) if classes else 0
        have = classes[which][turns[which] : turns[which] + 2] if classes else []
        if len(have) < 2:
            raise SnellenError(
                f"--shots {shots} needs more samples than the {len(pool)} there are to draw examples from"
            )
        slots.append(have)
        turns[which] += 2
    return slots
