"""The summarise stage: every metric of a run as a whole and by what its targets are, with intervals clustered by screenshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from snellen.core.results import GroupSummary, Score
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.exams.grounding.marking.marks import IOUS, TOLERANCES, truth_of
from snellen.exams.grounding.marking.screenspot import CELLS
from snellen.stats.cluster import ClusteredMeans, Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from snellen.exams.grounding.protocols import GroundingProtocol

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]

ALL = "all"
ORACLE = "ORACLE (looks at the answer)"
# columns that are shares between 0 and 1, in the order in which tables show them
SHARES = (
    "click_accuracy",
    "present_accuracy",
    "refusal_accuracy",
    "false_refusal",
    "detection_rate",
    "wrong_format",
    *(f"within_{t}_px" for t in TOLERANCES),
    "iou",
    *(f"acc_iou_{t}" for t in IOUS),
    "detector_recall",
    "detector_recall_iou_50",
    "match_score",
)
# columns that count something else, with their units: whoever prints them must not print percents
UNITS = {
    "distance_px": "px",
    "distance_px_p50": "px",
    "distance_box_px": "px",
    "distance_box_px_p50": "px",
    "attempts": "looks",
    "calls": "calls",
    "seconds": "s",
    "seconds_p50": "s",
    "seconds_p95": "s",
    "seconds_image_p50": "s",
    "seconds_image_p95": "s",
}
MEANS = ("distance_px", "distance_box_px", "attempts", "calls", "seconds")
QUANTILES = (("distance_px", 0.5), ("distance_box_px", 0.5), ("seconds", 0.5), ("seconds", 0.95))
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


class _Row(NamedTuple):
    """What is kept of one sample and its mark."""

    tags: dict[str, str]
    image: str
    outcome: Outcome
    values: tuple[float, ...]
    oracle: bool
    centred: bool
    share: float
    absent: bool


def summarise(protocol: GroundingProtocol, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
    """The whole first, then its breakdowns. An oracle's whole is named as such."""
    rows = [_row(sample, mark) for sample, mark in marked]
    if not rows:
        return ()
    table = _Table(protocol, rows)
    whole = ORACLE if any(row.oracle for row in rows) else ALL
    groups = [table.group({"part": whole}, np.arange(len(rows)))]
    same = all(row.tags.get("split") == row.tags.get("difficulty") for row in rows)
    for names in GROUPINGS:
        if same and "split" in names:
            continue  # the splits of a seed set are its difficulties
        members = _members(rows, names)
        for key in sorted(members, key=_order):
            by = {"part": whole} | dict(zip(names, key, strict=True))
            groups.append(table.group(by, np.array(members[key], dtype=np.int64)))
    return tuple(groups)


def named(groups: Sequence[GroupSummary], oracle: bool) -> tuple[GroupSummary, ...]:
    """Groups whose whole says that the subject is an oracle, also where it never answered."""
    if not oracle:
        return tuple(groups)
    return tuple(msgspec.structs.replace(g, by=g.by | {"part": ORACLE}) for g in groups)


def _row(sample: Sample, mark: Mark) -> _Row:
    truth = truth_of(sample)
    width, height = truth.space.size
    middle = any(box.x1 <= width / 2 <= box.x2 and box.y1 <= height / 2 <= box.y2 for box in truth.boxes)
    values = (mark.metrics.get(name) for name in (*SHARES, *MEANS))
    return _Row(
        tags=sample.tags,
        image=str(sample.facts.get("image", sample.id)),
        outcome=mark.outcome,
        values=tuple(float(v) if isinstance(v, int | float) else float("nan") for v in values),
        oracle=mark.metrics.get("oracle") == "yes",
        centred=middle,
        share=min(1.0, sum(box.area for box in truth.boxes) / (width * height)),
        absent=truth.absent,
    )


def _members(rows: Sequence[_Row], names: tuple[str, ...]) -> dict[tuple[str, ...], list[int]]:
    members: dict[tuple[str, ...], list[int]] = {}
    for i, row in enumerate(rows):
        key = tuple(row.tags.get(name, "") for name in names)
        if all(key):
            members.setdefault(key, []).append(i)
    return members


_RANK = {
    name: i
    for i, name in enumerate(("easy", "medium", "hard", "small", "large", "mobile", "desktop", "web", "text", "icon"))
}
_SIZES = {"small": 0, "medium": 1, "large": 2}


def _order(key: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    sizes = all(k in _SIZES for k in key)
    return tuple((_SIZES[k] if sizes else _RANK.get(k, 99), k) for k in key)


class _Table:
    """All rows as arrays, with one set of draws for every group."""

    def __init__(self, protocol: GroundingProtocol, rows: Sequence[_Row]) -> None:
        self.protocol, self.rows = protocol, rows
        self.names = (*SHARES, *MEANS)
        self.values: Floats = np.array([row.values for row in rows], dtype=np.float64)
        self._without_a_box()
        self.means = ClusteredMeans(self.values, [row.image for row in rows])
        self.bounded = [name in SHARES for name in self.names]

    def _without_a_box(self) -> None:
        """In a run with boxes, a target that is there and got none was not found at any overlap; its overlap is undefined."""
        if np.isnan(self.values[:, self.names.index("iou")]).all():
            return
        present = np.array([not row.absent for row in self.rows])
        for name in (f"acc_iou_{t}" for t in IOUS):
            column = self.values[:, self.names.index(name)]
            column[present & np.isnan(column)] = 0.0

    def group(self, by: dict[str, str], chosen: Rows) -> GroupSummary:
        rows = [self.rows[i] for i in chosen]
        n = len(rows)
        outcomes = Counter(row.outcome.value for row in rows)
        metrics = {
            name: _metric(name, estimate)
            for name, estimate in zip(self.names, self.means.estimates(chosen, self.bounded), strict=True)
            if estimate.n
        }
        if "click_accuracy" in metrics:
            value, answer = _floor(rows)
            metrics["click_accuracy"] = _with_floor(metrics["click_accuracy"], value, answer)
        metrics |= self._quantiles(chosen, rows)
        if self.protocol.name == "screenspot" and set(by) == {"part"}:
            metrics |= self._cells(rows, chosen)
        missing = sum(outcomes[o.value] for o in NON_ANSWERS)
        right = outcomes[Outcome.CORRECT.value]
        return GroupSummary(
            by=by,
            n=n,
            outcomes={o.value: outcomes[o.value] for o in Outcome if outcomes[o.value]},
            metrics={name: metrics[name] for name in _shown(metrics, self.protocol.headline)},
            bounds=(right / n, (right + missing) / n) if missing else None,
        )

    def _quantiles(self, chosen: Rows, rows: Sequence[_Row]) -> dict[str, Score]:
        """Medians and 95th percentiles; time also for a whole screenshot (the sum over its targets)."""
        found: dict[str, Score] = {}
        for name, level in QUANTILES:
            column = self.values[chosen, self.names.index(name)]
            known = column[~np.isnan(column)]
            if len(known):
                found[f"{name}_p{round(100 * level)}"] = Score(
                    value=float(np.quantile(known, level)), n=len(known), unit=UNITS.get(name, "")
                )
        seconds = self.values[chosen, self.names.index("seconds")]
        images: dict[str, float] = {}
        for row, spent in zip(rows, seconds, strict=True):
            if not np.isnan(spent):
                images[row.image] = images.get(row.image, 0.0) + float(spent)
        for level in (0.5, 0.95) if images else ():
            value = float(np.quantile(list(images.values()), level))
            found[f"seconds_image_p{round(100 * level)}"] = Score(value=value, n=len(images), unit="s")
        return found

    def _cells(self, rows: Sequence[_Row], chosen: Rows) -> dict[str, Score]:
        """The plain mean of ScreenSpot's six cells beside the average over samples, each under its own name."""
        column = self.values[chosen, self.names.index("click_accuracy")]
        sums: dict[tuple[str, str], list[float]] = {}
        for row, value in zip(rows, column, strict=True):
            sums.setdefault((row.tags.get("split", ""), row.tags.get("kind", "")), []).append(float(value))
        cells = [float(np.mean(sums[c])) for c in CELLS if c in sums]
        if len(cells) != len(CELLS):
            return {}
        return {"mean_of_six_cells": Score(value=float(np.mean(cells)), n=len(rows))}


def _metric(name: str, estimate: Estimate) -> Score:
    return Score(
        value=estimate.value,
        n=estimate.n,
        low=estimate.low,
        high=estimate.high,
        interval=estimate.interval,
        unit=UNITS.get(name, ""),
    )


def _with_floor(metric: Score, value: float, answer: str) -> Score:
    return msgspec.structs.replace(metric, floor=value, floor_answer=answer)


def _floor(rows: Sequence[_Row]) -> tuple[float, str]:
    """The best that a subject gets who never looks: the middle, a random point on average, or always refusing."""
    n = len(rows)
    options = (
        (sum(row.centred for row in rows) / n, "the middle"),
        (sum(row.share for row in rows) / n, "a random point"),
        (sum(row.absent for row in rows) / n, "always refuse"),
    )
    return max(options, key=lambda option: option[0])


def _shown(metrics: dict[str, Score], headline: str) -> list[str]:
    """The headline first, then shares, then what counts something else."""
    order = dict.fromkeys((headline, *SHARES[:1], "mean_of_six_cells", *SHARES, *UNITS))
    return [name for name in order if name in metrics]
