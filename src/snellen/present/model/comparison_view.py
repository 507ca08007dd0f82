"""A comparison as tables: rows by the names that people see, under one protocol or over all of them."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.comparison.results import Comparison, Row, with_headlines
from snellen.comparison.verdict import together, whole


def named_rows(rows: Sequence[Row]) -> tuple[str, list[tuple[str, Row]]]:
    """Return ', by exact match' and the rows with their parts; the metric stands behind each part where there are several."""
    every = with_headlines(rows)
    return _by_metric([(row.part or "all", row) for row in every])


def whole_rows(found: Comparison) -> tuple[str, list[tuple[str, Row]]]:
    """Return the same of all samples, protocol by protocol."""
    wholes = together([row for name in found.protocols if (row := whole(found.rows, name)) is not None])
    by, named = _by_metric([(", ".join(one.names), one.row) for one in wholes])
    return by.replace(", by", " and", 1), named


def _by_metric(rows: list[tuple[str, Row]]) -> tuple[str, list[tuple[str, Row]]]:
    labels = list(dict.fromkeys(row.label for _name, row in rows))
    if len(labels) == 1:
        return f", by {labels[0]}", rows
    return "", [(f"{name} ({row.label})", row) for name, row in rows]
