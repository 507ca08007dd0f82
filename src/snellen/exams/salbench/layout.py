"""The paper's tables: Table 1 (tasks by photographs and patterns), and one for each config with matching and the F1 of every label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.core.layout import DETAILS, PAPER, By, Column, Layout
from snellen.exams.salbench.names import CONFIGS, labels_of
from snellen.exams.salbench.protocols import PROTOCOLS

TASKS = {"D": "Detection", "R": "Referring", "VR": "VisualRef"}
SPLITS = {"O3": "NAT", "P3": "SYN"}
ORDERED = sorted(CONFIGS, key=lambda c: (list(TASKS).index(c.task), list(SPLITS).index(c.split)))
"""The configs in the order of Table 1."""


def tables(protocol: str, parts: Sequence[By]) -> Iterator[Layout]:
    """Yield the tables. Table 1 has the protocol's headline metric: the macro F1 that the paper calls F1 under `paper`, the mean of F1
    under `plan-v2`.
    """
    headline = PROTOCOLS[protocol].headline if protocol in PROTOCOLS else "macro_f1"
    columns = [Column(SPLITS[c.split], {"config": c.name}, headline, TASKS[c.task]) for c in ORDERED]
    about = f"{'macro F1' if headline == 'macro_f1' else 'F1 (sample)'} (columns of the paper's Table 1)"
    yield Layout(PAPER, about, columns, whole=True)
    for config in CONFIGS:
        by = {"config": config.name}
        labels = [Column(label, by, f"f1.{label}", "F1") for label in labels_of(config.split)]
        overall = [Column("matching", by, "exact_match"), Column("overall", by, "macro_f1", "F1")]
        about = f"{TASKS[config.task]}, {SPLITS[config.split]} ({config.name}): overall matching and F1"
        yield Layout(DETAILS, about, [*overall, *labels])
