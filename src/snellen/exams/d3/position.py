"""Position bias: the same pictures in the other order.

With one order, `left` minus `right` mixes the position with the pictures: those on the left may be easier. With both orders, every picture
has been in both positions, so only the position remains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from snellen.core.records import PositionRow
from snellen.core.types import Mark, Metrics
from snellen.exams.d3.names import names_in
from snellen.stats.paired import paired_difference


def position_bias(given: Iterable[Mark], swapped: Iterable[Mark]) -> PositionRow | None:
    """Return the effect of the order, over the pairs with captions in both orders; None if there are none.

    `slot`: hits in the first position minus hits in the last, with every picture in both. `order`: `both` in the swapped order minus `both`
    in the given one. `flipped`: pairs that are right in one order only.
    """
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
    return PositionRow(
        protocol="",
        slot=paired_difference(slots),
        order=paired_difference(orders),
        flipped=sum(count for (a, b), count in orders.items() if a != b),
        n=orders.total(),
    )


def _has_captions(mark: Mark) -> bool:
    return mark.metrics.get("words") is not None


def _number(metrics: Metrics, name: str) -> float:
    value = metrics.get(name)
    return value if isinstance(value, float) else 0.0


def _ends(metrics: Metrics) -> tuple[float, float]:
    """Return the hits in the first and in the last slot."""
    names = names_in(metrics) or ()
    return (_number(metrics, names[0]), _number(metrics, names[-1])) if names else (0.0, 0.0)
