"""The paper's table: the share of pairs in which both captions find their picture, overall, by kind of difference, and by picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.core.layout import PAPER, By, Column, Layout


def tables(protocol: str, parts: Sequence[By]) -> Iterator[Layout]:
    """Yield one table for pairs and one for larger sets. The published set does not give the kind of difference; others may."""
    for split, task in dict.fromkeys((by["split"], by["task"]) for by in parts if {"split", "task"} <= set(by)):
        whole = {"split": split, "task": task}
        kinds = [by["kind"] for by in parts if by == whole | {"kind": by.get("kind", "")}]
        columns = [
            Column("all", whole, "both", "both found"),
            *(Column(kind, whole | {"kind": kind}, "both", "both found") for kind in kinds),
            Column("any", whole, "recall", "single captions"),
            Column("left", whole, "left", "single captions"),
            Column("right", whole, "right", "single captions"),
        ]
        yield Layout(PAPER, f"recall of {task}s by their captions", columns)
