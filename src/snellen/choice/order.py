"""Put options into another order, for `--controls options`: the letters stay, the options move. Pure."""

from __future__ import annotations

from random import Random

import msgspec

from snellen.choice.letters import letter_place
from snellen.core.types import Sample


def new_order(count: int, draw: Random) -> list[int]:
    """Return the numbers of `count` options (two at least) in another order than the given one."""
    order = list(range(count))
    while order == sorted(order):
        draw.shuffle(order)
    return order


def reordered(sample: Sample, draw: Random) -> Sample | None:
    """Return the sample with its options in another order; its truth is an option's text and moves along.

    None where it has no options, or where one is itself a letter, which could then not be told from a label.
    """
    given = sample.facts.get("options") or []
    if len(given) < 2 or any(letter_place(str(option), len(given)) is not None for option in given):
        return None
    moved = [given[i] for i in new_order(len(given), draw)]
    return msgspec.structs.replace(sample, facts={**sample.facts, "options": moved})
