"""Position bias: the same pictures in the other order.

With one order, `left` minus `right` mixes the place with the pictures: those on the left may be the easier ones. With both
orders every picture has stood in both places, so what remains is the place.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from snellen.core.types import Mark, Metrics, Sample
from snellen.exams.d3.slots import names_in, names_of
from snellen.stats.paired import Difference, paired_difference


def swap(sample: Sample) -> Sample:
    """The sample with its pictures in the reverse order; the slots keep their names. Twice gives the sample again.

    A reply to the swapped question speaks of the slots as shown, so `captions_of` and the protocols need no other rule for it,
    as long as the scorers' table has the pictures as shown, too.
    """
    names = names_of(sample)
    facts = _turned(sample.facts, names)
    if isinstance(facts.get("difference"), dict):
        facts["difference"] = _turned(facts["difference"], names)
    return msgspec.structs.replace(sample, facts=facts, pictures=sample.pictures[::-1])


def _turned(facts: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """What is said of a slot is said of the slot at the other end."""
    other = dict(zip(names, names[::-1], strict=True))
    return {key: facts.get(other[key], value) if key in other else value for key, value in facts.items()}


class PositionBias(NamedTuple):
    """What the order does, over the pairs that have captions in both orders.

    `slot`: hits in the first place minus hits in the last, every picture having been in both. `order`: `both` in the swapped
    order minus `both` in the given one. `flipped`: pairs that are right in one order only.
    """

    slot: Difference
    order: Difference
    flipped: int
    n: int


def position_bias(given: Iterable[Mark], swapped: Iterable[Mark]) -> PositionBias | None:
    """The bias from the marks of both orders; None where no pair has captions in both."""
    first = {m.id: m.metrics for m in given if _has_captions(m)}
    slots: Counter[tuple[float, float]] = Counter()
    orders: Counter[tuple[float, float]] = Counter()
    for mark in swapped:
        before = first.get(mark.id)
        if before is None or not _has_captions(mark):
            continue
        ends = [_ends(before), _ends(mark.metrics)]
        slots[sum(last for _first, last in ends) / 2, sum(head for head, _last in ends) / 2] += 1
        orders[_number(before, "both"), _number(mark.metrics, "both")] += 1
    if not orders:
        return None
    seed = zlib.crc32(b"d3/swapped")
    flipped = sum(count for (a, b), count in orders.items() if a != b)
    return PositionBias(paired_difference(slots, seed), paired_difference(orders, seed), flipped, sum(orders.values()))


def _has_captions(mark: Mark) -> bool:
    return mark.metrics.get("words") is not None


def _number(metrics: Metrics, name: str) -> float:
    value = metrics.get(name)
    return value if isinstance(value, float) else 0.0


def _ends(metrics: Metrics) -> tuple[float, float]:
    """The hits in the first and in the last slot."""
    names = names_in(metrics) or ()
    return (_number(metrics, names[0]), _number(metrics, names[-1])) if names else (0.0, 0.0)
