"""From replies to thresholds: one protocol, since each faculty has one question and one way to be right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from snellen.choice.reading import read_choice
from snellen.core.prescription import CREDIBLE, Range, Threshold
from snellen.core.protocol import TEXT_ALONE, Group, Key, MetricRoles, Protocol, ReplyContext, Seen, Verdict
from snellen.core.reply import finished
from snellen.core.results import Metric, Score
from snellen.core.types import Mark, Metrics, Sample
from snellen.data.declared import declared
from snellen.exams.eye.faculties import FACULTIES
from snellen.exams.eye.prescription import SheetResult, answered, threshold
from snellen.exams.eye.reading import read_point

ORDER = tuple(FACULTIES)
MOST_WORDS = 4
"""The most words of a bare answer, such as "row 1, column 2"."""


class _EyeProtocol(Protocol):
    """Right or wrong for each trial; a threshold for each course."""

    name = "threshold"
    about = "the one option or point that a reply chooses; a threshold from all trials of a faculty (Bayes, on a grid)"
    headline = "threshold"
    extras = (MetricRoles("right", breakdown="right", reported=("threshold",)),)
    metrics = declared("snellen.exams.eye", "metrics.toml", dict[str, tuple[Metric, ...]])["metrics"]

    def __init__(self) -> None:
        super().__init__(self.name, self.about, version="4")

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        options = FACULTIES[sample.tags["faculty"]].options

        def read_in(text: str) -> Any:
            return read_choice(text, options, lettered=False) if options else read_point(text)

        def is_bare(text: str) -> bool:
            return len(text.split()) <= MOST_WORDS and read_in(text) is not None

        read = read_in(finished(reply, is_bare, closed=True) if context.cut else reply)
        right = read is not None and (read == sample.truth if options else _inside(read, sample.truth))
        return Verdict(read, read is not None, right, {"right": float(right)})

    def blank(self, sample: Sample) -> Metrics:
        return {"right": 0.0}

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        values = {"right": value} if isinstance(value := mark.metrics.get("right"), float) else {}
        return Seen(values, mark.outcome, own=answered(sample, mark))

    def groups(self, sample: Sample) -> Iterable[Key]:
        yield tuple((k, v) for k, v in sample.tags.items() if k != "sheet")

    def order(self, key: Key) -> Any:
        by = dict(key)
        name = by.get("faculty", "")
        return ORDER.index(name) if name in ORDER else len(ORDER), by.get("sent as", "").zfill(24)

    def own_scores(self, group: Group) -> Mapping[str, Score]:
        name = group.by.get("faculty", "")
        if name not in FACULTIES:
            return {}
        every = [seen.own for seen, count in group.rows() for _ in range(count) if isinstance(seen.own, SheetResult)]
        found = threshold(FACULTIES[name], group.by.get("sent as", ""), every, drawn=False)
        return {
            "threshold": _threshold(found),
            "slope": _score(found.slope, found.questions, "x"),
            "lapse": _score(found.lapse, found.questions, ""),
            "catch": Score(value=_of(found.catch), n=found.catch.n),
            "blank": Score(value=_of(found.blank), n=found.blank.n),
        }


def _inside(point: tuple[float, float], truth: Any) -> bool:
    """Return whether a point is in the target box, including its edges."""
    left, top, right, bottom = (float(n) for n in str(truth).split(","))
    return all(map(math.isfinite, point)) and left <= point[0] <= right and top <= point[1] <= bottom


def _threshold(found: Threshold) -> Score:
    score = _score(found.threshold, found.questions, found.unit)
    if not found.bound:
        return score
    low, high = (None, score.high) if found.bound == "at most" else (score.low, None)
    return msgspec.structs.replace(score, low=low, high=high, interval=found.bound)


def _score(found: Range | None, n: int, unit: str) -> Score:
    if found is None:
        return Score(value=None, n=n, unit=unit)
    return Score(value=found.value, n=n, low=found.low, high=found.high, interval=CREDIBLE, unit=unit)


def _of(share: Any) -> float | None:
    return share.right / share.n if share.n else None


PROTOCOLS = {"threshold": _EyeProtocol()}
