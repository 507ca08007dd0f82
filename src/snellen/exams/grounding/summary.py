"""What is grounding's own in a summary: by what targets are grouped, what never looking gets, and the scores that are no means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from snellen.core.protocol import Group, Key, Seen
from snellen.core.results import GroupSummary, Metric, Score
from snellen.core.types import Mark, Sample
from snellen.exams.grounding.marking.marks import truth_of
from snellen.exams.grounding.marking.metrics import ACC_IOU, CELLS, CLICK, IMAGE_QUANTILES, QUANTILES
from snellen.exams.grounding.marking.screenspot import CELLS as SIX

if TYPE_CHECKING:
    from collections.abc import Callable

ALL = "all"
ORACLE = "ORACLE (looks at the answer)"
PEEKED = "oracle"
"""Marks of a subject that looks at the answer say so under this name; so does, until the last word, their mean."""
GROUPINGS: tuple[tuple[str, ...], ...] = (
    ("split",),
    ("difficulty",),
    ("type",),
    ("kind",),
    ("size",),
    ("area",),
    ("platform",),
    ("application",),
    ("theme",),
    ("split", "kind"),
    ("difficulty", "kind"),
    ("difficulty", "type"),
)
_RANK = {
    name: i
    for i, name in enumerate(("easy", "medium", "hard", "small", "large", "mobile", "desktop", "web", "text", "icon"))
}
_SIZES = {"small": 0, "medium": 1, "large": 2}


class Target(NamedTuple):
    """What floors and own scores need of a sample: whether the middle of the screen is right, the share of the screen that is,
    whether the target is not there at all, and ScreenSpot's cell.
    """

    centred: bool
    share: float
    absent: bool
    cell: tuple[str, str]


def seen(sample: Sample, mark: Mark, metrics: Sequence[Metric]) -> Seen:
    """What is kept of a mark. Targets of one screenshot stand or fall together.

    A target that is there and got no box was not found at any overlap; `finished` takes that back where no target got one.
    """
    truth = truth_of(sample)
    width, height = truth.space.size
    means = (m.name for m in metrics if m.kind == "mean")
    values = {name: float(v) for name in means if isinstance(v := mark.metrics.get(name), int | float)}
    if not truth.absent:
        values |= {name: 0.0 for name in ACC_IOU if name not in values}
    if mark.metrics.get("oracle") == "yes":
        values[PEEKED] = 1.0
    target = Target(
        centred=any(box.x1 <= width / 2 <= box.x2 and box.y1 <= height / 2 <= box.y2 for box in truth.boxes),
        share=min(1.0, sum(box.area for box in truth.boxes) / (width * height)),
        absent=truth.absent,
        cell=(sample.tags.get("split", ""), sample.tags.get("kind", "")),
    )
    return Seen(values, mark.outcome, str(sample.facts.get("image", sample.id)), target)


def groups(sample: Sample) -> Iterator[Key]:
    """The whole, then each grouping whose tags the sample has."""
    whole = (("part", ALL),)
    yield whole
    for names in GROUPINGS:
        values = [sample.tags.get(name, "") for name in names]
        if all(values):
            yield (*whole, *zip(names, values, strict=True))


def order(key: Key) -> Any:
    """Groups as GROUPINGS lists them; values from easy to hard, small to large."""
    names, values = tuple(name for name, _ in key[1:]), [value for _, value in key[1:]]
    sizes = all(v in _SIZES for v in values)
    place = GROUPINGS.index(names) if names else -1
    return place, tuple((_SIZES[v] if sizes else _RANK.get(v, 99), v) for v in values)


def floors(group: Group) -> Mapping[str, tuple[float, str]]:
    """The best that a subject gets who never looks: the middle, a random point on average, or always refusing."""
    options = (
        (_share(group, lambda target: float(target.centred)), "the middle"),
        (_share(group, lambda target: target.share), "a random point"),
        (_share(group, lambda target: float(target.absent)), "always refuse"),
    )
    return {CLICK.name: max(options, key=lambda option: option[0])}


def _share(group: Group, of: Callable[[Target], float]) -> float:
    return sum(of(_target(row)) * count for row, count in group.rows()) / group.n


def _target(row: Seen) -> Target:
    if not isinstance(row.own, Target):
        raise TypeError("a row of another exam")
    return row.own


# ---------------------------------------------------------------- scores that are no means


def quantiles(group: Group) -> dict[str, Score]:
    """Medians and 95th percentiles; time also for a whole screenshot (the sum over its targets)."""
    found: dict[str, Score] = {}
    for name, level in QUANTILES:
        known = list(group.values(name).elements())
        if known:
            unit = "s" if name == "seconds" else "px"
            found[f"{name}_p{round(100 * level)}"] = _quantile(known, level, unit)
    images: dict[str, float] = {}
    for row, count in group.rows():
        if "seconds" in row.values:
            images[row.cluster] = images.get(row.cluster, 0.0) + count * row.values["seconds"]
    for level in IMAGE_QUANTILES if images else ():
        found[f"seconds_image_p{round(100 * level)}"] = _quantile(list(images.values()), level, "s")
    return found


def _quantile(values: list[float], level: float, unit: str) -> Score:
    import numpy as np

    return Score(value=float(np.quantile(values, level)), n=len(values), unit=unit)


def six_cells(group: Group) -> dict[str, Score]:
    """The plain mean of ScreenSpot's six cells, beside the average over samples; nothing where not all six were run."""
    right: dict[tuple[str, str], float] = {}
    total: dict[tuple[str, str], int] = {}
    for row, count in group.rows():
        cell = _target(row).cell
        right[cell] = right.get(cell, 0.0) + count * row.values[CLICK.name]
        total[cell] = total.get(cell, 0) + count
    if not group.whole or not all(cell in total for cell in SIX):
        return {}
    return {CELLS.name: Score(value=sum(right[c] / total[c] for c in SIX) / len(SIX), n=group.n)}


# ---------------------------------------------------------------- the last word


def finished(found: Sequence[GroupSummary]) -> tuple[GroupSummary, ...]:
    """The groups as they are shown, where that depends on the whole: no overlaps where nobody gave a box, an oracle is called
    so, and splits that are the difficulties are shown once.
    """
    if not found:
        return ()
    whole = found[0]
    left_out = {PEEKED, *(() if "iou" in whole.metrics else ACC_IOU)}
    twice = _splits_are_difficulties(found)
    kept = [g for g in found if not (twice and "split" in g.by)]
    plain = tuple(
        msgspec.structs.replace(g, metrics={k: v for k, v in g.metrics.items() if k not in left_out}) for g in kept
    )
    return named(plain, PEEKED in whole.metrics)


def named(found: Iterable[GroupSummary], oracle: bool) -> tuple[GroupSummary, ...]:
    """Groups whose whole says that the subject is an oracle."""
    if not oracle:
        return tuple(found)
    return tuple(msgspec.structs.replace(g, by=g.by | {"part": ORACLE}) for g in found)


def _splits_are_difficulties(found: Sequence[GroupSummary]) -> bool:
    splits, difficulties = (
        {g.by[name]: (g.n, g.outcomes, g.metrics) for g in found if set(g.by) == {"part", name}}
        for name in ("split", "difficulty")
    )
    return splits == difficulties
