"""Grounding's own parts of a summary: the groups of targets, the floors, and the scores that are not means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen.core.protocol import FinishedGroups, Group, Key, MetricRoles, Protocol, Seen
from snellen.core.results import Floor, GroupSummary, Score
from snellen.core.types import Mark, Sample
from snellen.exams.grounding.floors import Area, area_of, floor, widened
from snellen.exams.grounding.marking.marks import truth_of
from snellen.exams.grounding.marking.metrics import ACC_IOU, CELLS, CLICK, DETECTION, IMAGE_QUANTILES, QUANTILES
from snellen.exams.grounding.marking.screenspot import mean_of_cells
from snellen.exams.grounding.names import CAPABILITIES
from snellen.stats.jackknife import jackknifed, quantile_interval
from snellen.stats.means import score

ALL = "all"
ORACLE = "ORACLE (looks at the answer)"
_PEEKED = "oracle"
"""The name under which marks of a subject that looks at the answer say so. Their mean has this name too, until the summary is finished."""
GROUPINGS: tuple[tuple[str, ...], ...] = (
    *((name,) for name in ("split", "difficulty", "type", "kind", "size", "area", "platform", "application", "theme")),
    ("split", "kind"),
    ("difficulty", "kind"),
    ("difficulty", "type"),
    ("capability",),
    ("phrasing",),
    ("phrasing", "kind"),
)
_RANKS = (
    *("text_matching", "element_recognition", "layout_understanding", "fine_grained_manipulation", "refusal"),
    *("easy", "medium", "hard", "small", "large", "mobile", "desktop", "web", "text", "icon"),
    *("plain", "natural"),
)
_SIZES = ("small", "medium", "large")


class _TargetArea(NamedTuple):
    """A sample's data for floors and own scores: the area in which a click is right, and ScreenSpot's cell."""

    area: Area
    cell: tuple[str, str]


def _finished(groups: Sequence[GroupSummary]) -> tuple[GroupSummary, ...]:
    """Return the groups as they are shown, where that depends on the whole.

    Overlaps are left out where no box was given, an oracle is called so, and splits that are the difficulties are shown once.
    """
    if not groups:
        return ()
    whole = groups[0].metrics
    left_out = {_PEEKED, *(() if "iou" in whole else ACC_IOU)}
    splits, difficulties = (
        {g.by[name]: (g.n, g.outcomes, g.metrics) for g in groups if set(g.by) == {"part", name}}
        for name in ("split", "difficulty")
    )
    plain = (
        msgspec.structs.replace(g, metrics={k: v for k, v in g.metrics.items() if k not in left_out})
        for g in groups
        if splits != difficulties or "split" not in g.by
    )
    return _named(plain) if _PEEKED in whole else tuple(plain)


class GroundingSummary(Protocol):
    """The common part of grounding's protocols once there are marks."""

    cluster = "screenshot"
    extras = (
        MetricRoles(reported=(CLICK.name, DETECTION.name, "present_accuracy")),
        FinishedGroups(_finished),
    )

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        """Return the kept part of a mark. Targets of one screenshot stand or fall together.

        A target that is there and got no box was not found at any overlap; `_finished` takes that back where no target got one.
        """
        truth = truth_of(sample)
        means = (m.name for m in self.metrics if m.kind == "mean")
        values = {name: float(v) for name in means if isinstance(v := mark.metrics.get(name), int | float)}
        if not truth.absent:
            values |= {name: 0.0 for name in ACC_IOU if name not in values}
        if mark.metrics.get("oracle") == "yes":
            values[_PEEKED] = 1.0
        image = str(sample.facts.get("image", sample.id))
        target = _TargetArea(area_of(truth, image), (sample.tags.get("split", ""), sample.tags.get("kind", "")))
        return Seen(values, mark.outcome, image, target)

    def groups(self, sample: Sample) -> Iterator[Key]:
        """Yield the whole, then each grouping whose tags the sample has, and each capability that it needs."""
        whole = (("part", ALL),)
        yield whole
        for names in GROUPINGS:
            values = [sample.tags.get(name, "") for name in names]
            if all(values):
                yield (*whole, *zip(names, values, strict=True))
        for name in sample.facts.get(CAPABILITIES) or ():
            yield (*whole, ("capability", str(name)))

    def order(self, key: Key) -> Any:
        """Return the sort key of groups: as GROUPINGS lists them, values from easy to hard, small to large."""
        names, values = tuple(name for name, _ in key[1:]), [value for _, value in key[1:]]
        ranks = _SIZES if all(v in _SIZES for v in values) else _RANKS
        place = GROUPINGS.index(names) if names else -1
        return place, tuple((ranks.index(v) if v in ranks else 99, v) for v in values)

    def floors(self, group: Group) -> Mapping[str, Floor]:
        """Return the best score without looking: one point for all targets, the middle or a random one, or a refusal."""
        areas = tuple(_target(row).area for row, count in group.rows() for _ in range(count))
        if len({(area.boxes, area.polygons) for area in areas}) < 2:
            return {}  # one truth: no data at all, or one place
        found = {CLICK.name: floor(areas)}
        if DETECTION in self.metrics:
            found[DETECTION.name] = floor(tuple(map(widened, areas)), refusals=False)
        return found

    def own_scores(self, group: Group) -> Mapping[str, Score]:
        """Return the scores that are not means."""
        return _quantiles(group) | (_six_cells(group) if CELLS in self.metrics and group.whole else {})


def _target(row: Seen) -> _TargetArea:
    if not isinstance(row.own, _TargetArea):
        raise TypeError("a row of another exam")
    return row.own


def _quantiles(group: Group) -> dict[str, Score]:
    """Return medians and 95th percentiles; time also for a whole screenshot (the sum over its targets)."""
    rows = [(row.values, row.cluster) for row, count in group.rows() for _ in range(count)]
    values = {name: [(seen[name], cluster) for seen, cluster in rows if name in seen] for name, _level in QUANTILES}
    images: dict[str, float] = {}
    for seconds, cluster in values["seconds"]:
        images[cluster] = images.get(cluster, 0.0) + seconds
    values["seconds_image"] = [(seconds, "") for seconds in images.values()]
    wanted = [*QUANTILES, *(("seconds_image", level) for level in IMAGE_QUANTILES)]
    return {
        f"{name}_p{round(100 * level)}": _quantile(name, values[name], level) for name, level in wanted if values[name]
    }


def _quantile(name: str, found: list[tuple[float, str]], level: float) -> Score:
    import numpy as np

    unit = "s" if name.startswith("seconds") else "px"
    values, screens = [value for value, _screen in found], [screen for _value, screen in found]
    value = float(np.quantile(values, level))
    return score(value, len(values), quantile_interval(values, level, screens), unit)


def _six_cells(group: Group) -> dict[str, Score]:
    """Return the plain mean of ScreenSpot's six cells, beside the average over samples; nothing unless all six were run."""
    hits = [
        (row.values[CLICK.name], _target(row).cell, row.cluster) for row, count in group.rows() for _ in range(count)
    ]

    def mean(weights: Iterable[float]) -> float | None:
        cells: dict[tuple[str, str], tuple[float, int]] = {}
        for (hit, cell, _screen), weight in zip(hits, weights, strict=True):
            if weight:
                right, total = cells.get(cell, (0.0, 0))
                cells[cell] = right + hit, total + 1
        return mean_of_cells(cells)

    value = mean([1.0] * len(hits))
    if value is None:
        return {}
    sizes = Counter(cell for _hit, cell, _screen in hits)
    made_of = len(sizes) ** 2 / sum(1 / size for size in sizes.values())
    interval = jackknifed(mean, [screen for *_, screen in hits], made_of=made_of)
    return {CELLS.name: score(value, group.n, interval)}


def labelled(found: Iterable[GroupSummary], subject: Mapping[str, Any]) -> tuple[GroupSummary, ...]:
    """Return groups whose whole is marked as an oracle's, where the subject is an oracle."""
    return _named(found) if "oracle" in subject.get("identity", {}) else tuple(found)


def _named(found: Iterable[GroupSummary]) -> tuple[GroupSummary, ...]:
    return tuple(msgspec.structs.replace(g, by=g.by | {"part": ORACLE}) for g in found)
