"""Entropy against correctness: one row a sample, and for each split and kind of entropy its AUROC and a calibration curve.

Entropies are in nats. AUROC is that of minus the entropy: how often a right answer was given with less entropy than a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from snellen.core.cells import Cell, csv_bytes
from snellen.core.extras import RunFacts
from snellen.exams.vqa_nle.entropy.spans import KINDS, metric_name
from snellen.exams.vqa_nle.names import RATIONALE, image_of
from snellen.stats.calibration import Bin, auroc, auroc_interval, curve


class _EntropySample(NamedTuple):
    """A sample that has entropies."""

    id: str
    split: str
    correct: float | None
    entropies: dict[str, float]
    bounded: bool
    image: str


def _measured(run: RunFacts) -> Iterator[_EntropySample]:
    """Yield the samples of a run whose replies have entropies: those of the marks, as the summary has them."""
    for sample, _answer, mark in run.records() if run.records else ():
        if sample.tags["task"] == RATIONALE:  # its reply is one letter
            continue
        bounded = any(metric_name(kind, True) in mark.metrics for kind in KINDS)
        values = {kind: mark.metrics.get(metric_name(kind, bounded)) for kind in KINDS}
        entropies = {kind: value for kind, value in values.items() if isinstance(value, float)}
        correct = mark.metrics.get("accuracy")
        number = float(correct) if isinstance(correct, int | float) else None
        if entropies:
            yield _EntropySample(sample.id, sample.tags["split"], number, entropies, bounded, image_of(sample))


def exports(run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """Yield `entropy.csv` and `entropy_curve.csv`, where there are entropies. A sample is right where its accuracy is above one half."""
    samples = list(_measured(run))
    if not samples:
        return
    rows: list[list[Cell]] = [["id", "split", "correct", *KINDS, "bounded"]]
    rows += [[m.id, m.split, m.correct, *map(m.entropies.get, KINDS), int(m.bounded)] for m in samples]
    yield "entropy.csv", csv_bytes(marked_synthetic(rows, run))
    columns = ("split", "entropy", "bounded", "auroc", "auroc_low", "auroc_high", "n")
    curves: list[list[Cell]] = [[*columns, *(f"bin_{field}" for field in Bin._fields)]]
    for split, bounded in dict.fromkeys((m.split, m.bounded) for m in samples):
        part = [m for m in samples if (m.split, m.bounded) == (split, bounded)]
        for kind in KINDS:
            both = [m for m in part if m.correct is not None and kind in m.entropies]
            entropies = [m.entropies[kind] for m in both]
            right = [m.correct is not None and m.correct > 0.5 for m in both]
            images = [m.image for m in both]
            surest = [-e for e in entropies]
            ends = auroc_interval(surest, right, images)
            ranked = [auroc(surest, right), ends and ends.low, ends and ends.high]
            found = curve(entropies, right, clusters=images)
            curves += [[split, kind, int(bounded), *ranked, len(both), *b] for b in found]
    yield "entropy_curve.csv", csv_bytes(marked_synthetic(curves, run))


def marked_synthetic(rows: list[list[Cell]], run: RunFacts) -> list[list[Cell]]:
    """Return a table of a run, with one more column where its data are synthetic."""
    if not run.manifest.data.synthetic:
        return rows
    return [[*row, 1 if number else "synthetic_data"] for number, row in enumerate(rows)]
