"""Entropy against correctness: one row per sample, and for each split and kind of entropy its AUROC and a calibration curve.

Entropies are in nats. The AUROC uses the negative entropy: how often a right answer has a lower entropy than a wrong one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from snellen.core.cells import Cell, csv_bytes
from snellen.core.extras import RunFacts
from snellen.core.types import Mark, Sample
from snellen.exams.vqa_nle.entropy.spans import KINDS, metric_name
from snellen.exams.vqa_nle.names import RATIONALE, image_of
from snellen.stats.calibration import Bin, auroc, auroc_interval, curve


def exports(run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """Yield `entropy.csv` and `entropy_curve.csv`, if there are entropies. A sample is right if its accuracy is above one half."""
    rows: list[list[Cell]] = [["id", "split", "correct", *KINDS, "bounded"]]
    parts: dict[tuple[str, bool], list[tuple[Sample, Mark]]] = defaultdict(list)
    for sample, _answer, mark in run.records() if run.records else ():
        bounded = any(metric_name(kind, True) in mark.metrics for kind in KINDS)
        values = [mark.metrics.get(metric_name(kind, bounded)) for kind in KINDS]
        if sample.tags["task"] == RATIONALE or not any(isinstance(v, float) for v in values):  # its reply is one letter
            continue
        split = sample.tags["split"]
        rows.append([sample.id, split, mark.metrics.get("accuracy"), *values, int(bounded)])
        parts[split, bounded].append((sample, mark))
    if not parts:
        return
    yield "entropy.csv", csv_bytes(marked_synthetic(rows, run))
    columns = ("split", "entropy", "bounded", "auroc", "auroc_low", "auroc_high", "n")
    curves: list[list[Cell]] = [[*columns, *(f"bin_{field}" for field in Bin._fields)]]
    for (split, bounded), part in parts.items():
        for kind in KINDS:
            curves += [[split, kind, int(bounded), *row] for row in _curve(part, metric_name(kind, bounded))]
    yield "entropy_curve.csv", csv_bytes(marked_synthetic(curves, run))


def _curve(part: list[tuple[Sample, Mark]], metric: str) -> Iterator[list[Cell]]:
    """Yield the bins of one kind of entropy, each with the overall AUROC and the number of samples."""
    known = [(m.metrics.get(metric), m.metrics.get("accuracy"), image_of(s)) for s, m in part]
    both = [(e, correct > 0.5, i) for e, correct, i in known if isinstance(e, float) and isinstance(correct, float)]
    entropies, right, images = [e for e, _, _ in both], [r for _, r, _ in both], [i for _, _, i in both]
    surest = [-e for e in entropies]
    ends = auroc_interval(surest, right, images)
    ranked = [auroc(surest, right), ends and ends.low, ends and ends.high]
    for found in curve(entropies, right, clusters=images):
        yield [*ranked, len(both), *found]


def marked_synthetic(rows: list[list[Cell]], run: RunFacts) -> list[list[Cell]]:
    """Return a table of a run, with one more column if its data are synthetic."""
    if not run.manifest.data.synthetic:
        return rows
    return [[*row, 1 if number else "synthetic_data"] for number, row in enumerate(rows)]
