"""The summarise stage: per config, difficulty and category, every metric with interval and floor.

Marks are tallied by what they say, not kept, so memory does not grow with the number of samples.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from snellen.core.results import GroupSummary, Score
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.exams.salbench.names import BY_NAME, labels_of
from snellen.stats.bootstrap import percentile_interval, resampled_counts
from snellen.stats.intervals import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from snellen.exams.salbench.protocols import SalBenchProtocol

    Floats = NDArray[np.float64]

SAMPLE_METRICS = ("exact_match", "precision", "recall", "f1")
DIFFICULTIES = ("easy", "medium", "hard")
EPSILON = 1e-8


class Row(NamedTuple):
    """All marks that are alike in everything a summary uses."""

    difficulty: str
    truth: str
    outcome: Outcome
    predicted: tuple[str, ...]
    scores: tuple[float, ...]


def summarise(protocol: SalBenchProtocol, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
    """Groups of one protocol: each config, then its difficulties and categories."""
    tallies: dict[str, Counter[Row]] = {}
    for sample, mark in marked:
        row = Row(
            sample.tags.get("difficulty", ""),
            str(sample.truth),
            mark.outcome,
            tuple(mark.reading or ()),
            tuple(mark.metrics.values()),  # type: ignore[arg-type]
        )
        tallies.setdefault(sample.tags["config"], Counter())[row] += 1
    groups: list[GroupSummary] = []
    for name in sorted(tallies, key=list(BY_NAME).index):
        groups += _config_groups(protocol, name, tallies[name])
    return tuple(groups)


def _config_groups(protocol: SalBenchProtocol, name: str, tally: Counter[Row]) -> list[GroupSummary]:
    split = BY_NAME[name].split
    table = _Table(protocol, split, name, tally)
    everything = np.ones(len(table.rows), dtype=bool)
    groups = [table.group({"config": name}, everything)]
    present = {row.difficulty for row in table.rows}
    for difficulty in (d for d in (*DIFFICULTIES, *sorted(present - {*DIFFICULTIES, ""})) if d in present):
        chosen = np.array([row.difficulty == difficulty for row in table.rows])
        groups.append(table.group({"config": name, "difficulty": difficulty}, chosen))
    for label in labels_of(split):
        chosen = table.truth_of(label)
        if chosen.any():
            groups.append(table.group({"config": name, "category": label}, chosen, floors=False))
    return groups


class _Table:
    """The distinct rows of one config as arrays, with one set of bootstrap counts for all its groups."""

    def __init__(self, protocol: SalBenchProtocol, split: str, config: str, tally: Counter[Row]) -> None:
        self.protocol, self.split = protocol, split
        self.labels = labels_of(split)
        self.macro = protocol.macro_labels(split)
        # vocabulary only: what a literal reader finds beside it counts in the scores, not in the categories
        vocabulary = frozenset(self.labels)
        merged: Counter[Row] = Counter()
        for row, count in tally.items():
            merged[row._replace(predicted=tuple(x for x in row.predicted if x in vocabulary))] += count
        self.rows = sorted(merged)
        self.counts = np.array([merged[row] for row in self.rows], dtype=np.int64)
        self.scores = np.array([row.scores for row in self.rows], dtype=np.float64)
        by_text = {row.truth: protocol.true_labels(row.truth, split) for row in self.rows}
        self.truth = np.array([[c in by_text[r.truth] for c in self.labels] for r in self.rows], dtype=bool)
        self.predicted = np.array([[c in r.predicted for c in self.labels] for r in self.rows], dtype=bool)
        counted = np.array([protocol.errors_in_categories or r.outcome is not Outcome.ERROR for r in self.rows])
        self.cells = {
            "tp": (self.truth & self.predicted & counted[:, None]).astype(np.float64),
            "fp": (~self.truth & self.predicted & counted[:, None]).astype(np.float64),
            "fn": (self.truth & ~self.predicted & counted[:, None]).astype(np.float64),
        }
        self.draws = resampled_counts(self.counts, seed=zlib.crc32(config.encode()))

    def truth_of(self, label: str) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_] = self.truth[:, self.labels.index(label)]
        return chosen

    def group(self, by: dict[str, str], chosen: NDArray[np.bool_], floors: bool = True) -> GroupSummary:
        weights = self.draws[:, chosen]
        weights = weights[weights.sum(axis=1) > 0]  # a draw without any member of a small group says nothing of it
        counts = self.counts[chosen]
        rows = [row for row, keep in zip(self.rows, chosen, strict=True) if keep]
        n = int(counts.sum())
        outcomes: Counter[str] = Counter()
        for row, count in zip(rows, counts, strict=True):
            outcomes[row.outcome.value] += int(count)
        values = self._values(weights, self.scores[chosen], {k: v[chosen] for k, v in self.cells.items()})
        floor = self._floors(rows, counts) if floors else {}
        metrics = {name: _metric(name, draws, n, floor.get(name)) for name, draws in values.items()}
        missing = sum(outcomes[o.value] for o in NON_ANSWERS)
        right = sum(int(c) for r, c in zip(rows, counts, strict=True) if r.scores[0] == 1.0)
        unclear = sum(
            int(c) for r, c in zip(rows, counts, strict=True) if r.outcome in NON_ANSWERS and r.scores[0] != 1.0
        )
        bounds = (right / n, (right + unclear) / n) if missing else None
        ordered = {o.value: outcomes[o.value] for o in Outcome if outcomes[o.value]}
        return GroupSummary(by=by, n=n, outcomes=ordered, metrics=metrics, bounds=bounds)

    def _values(self, weights: Floats, scores: Floats, cells: Mapping[str, Floats]) -> dict[str, Floats]:
        """Every metric for the sample (row 0) and for each bootstrap draw."""
        size = np.maximum(weights.sum(axis=1), EPSILON)
        means = weights @ scores / size[:, None]
        values = {name: means[:, i] for i, name in enumerate(SAMPLE_METRICS)}
        per_label = category_scores(*(weights @ cells[k] for k in ("tp", "fp", "fn")))
        macro = [self.labels.index(label) for label in self.macro]
        for name, table in per_label.items():
            values[f"macro_{name}"] = table[:, macro].mean(axis=1)
        for label in self.macro:
            for name, table in per_label.items():
                values[f"{name}.{label}"] = table[:, self.labels.index(label)]
        return values

    def _floors(self, rows: list[Row], counts: NDArray[np.int64]) -> dict[str, tuple[float, str]]:
        """For each metric, the best that one constant answer gets, over all sets of labels."""
        truths: Counter[str] = Counter()
        for row, count in zip(rows, counts, strict=True):
            truths[row.truth] += int(count)
        texts = list(truths)
        weight = np.array([[truths[t] for t in texts]], dtype=np.float64)
        truth = np.array([[c in self.protocol.true_labels(t, self.split) for c in self.labels] for t in texts])
        best: dict[str, tuple[float, str]] = {}
        for answer in constant_answers(self.labels):
            predicted = np.array([c in answer for c in self.labels])
            reply = ", ".join(answer)
            judged = [self.protocol.judge_text(reply, t, self.split).metrics for t in texts]
            scores = np.array([[j[m] for m in SAMPLE_METRICS] for j in judged], dtype=np.float64)
            cells = {"tp": truth & predicted, "fp": ~truth & predicted, "fn": truth & ~predicted}
            values = self._values(weight, scores, {k: v.astype(np.float64) for k, v in cells.items()})
            for name, value in values.items():
                if name not in best or value[0] > best[name][0] + 1e-12:
                    best[name] = (float(value[0]), reply)
        return best


def category_scores(tp: Floats, fp: Floats, fn: Floats) -> dict[str, Floats]:
    """Precision, recall and F1 of each label from summed counts, with lmms-eval's 1e-8."""
    precision = tp / (tp + fp + EPSILON)
    recall = tp / (tp + fn + EPSILON)
    return {"f1": 2 * precision * recall / (precision + recall + EPSILON), "precision": precision, "recall": recall}


def constant_answers(labels: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """All non-empty sets of labels, small ones first: what a subject that never looks could always say."""
    return chain.from_iterable(combinations(labels, size) for size in range(1, len(labels) + 1))


def _metric(name: str, draws: Floats, n: int, floor: tuple[float, str] | None) -> Score:
    value = float(draws[0])
    if name == "exact_match":
        kind, (low, high) = "wilson", wilson(value * n, n)
    else:
        kind, (low, high) = "bootstrap", percentile_interval(draws)
        if high - low < 1e-6:
            # every resample is alike (all right, all wrong): the bootstrap sees no doubt, a small sample has some
            kind, (low, high) = "wilson", wilson(min(1.0, round(value, 6)) * n, n)
    return Score(
        value=value,
        n=n,
        low=low,
        high=high,
        interval=kind,
        floor=None if floor is None else floor[0],
        floor_answer=None if floor is None else floor[1],
    )
