"""Replies from any source: a table or JSON lines with an id and a reply in each row, and optionally a score, a target, a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError
from snellen.importers import tables
from snellen.importers.log import Log, LogRow, LogScore, replied

TOOL = "csv"
IDS = ("id", "sample_id", "question_id", "image_id", "index")
REPLIES = ("response", "reply", "prediction", "raw_response", "output", "text")
SCORES = ("score", "correct", "hit", "is_correct", "accuracy")
PARTS = ("config", "part", "task", "split")
TARGETS = ("target", "answer", "truth", "label", "ground_truth")
ASKED = ("prompt", "question", "input")
FAILED = ("error", "failure")
NO_ERROR = ("", "false", "none", "null", "no", "0", "0.0", "nan", "n/a", "[]")
"""Cells of such a column that mean that nothing failed."""


_COLUMNS = (IDS, REPLIES, SCORES, PARTS, TARGETS, ASKED, FAILED)


def read(paths: Sequence[Path]) -> Log:
    """Read one file, or several with the same columns."""
    found: list[LogRow] = []
    models: dict[str, None] = {}
    for path in paths:
        read_rows = tables.rows(path)
        cells_of_all = [cells for _where, cells in read_rows]
        # each column is chosen once for all rows; "" if it is missing
        columns = [tables.first_column(cells_of_all, names) for names in _COLUMNS]
        for where, cells in read_rows:
            found.append(_row(where, len(found), cells, columns))
            models |= {tables.text_of(cells["model"]): None} if cells.get("model") else {}
    if len(models) > 1:
        raise SnellenError(
            f"{paths[0]}: the column model names {', '.join(models)}; a run has one: write a file for each"
        )
    return Log(
        tool=TOOL,
        model=next(iter(models), paths[0].stem),
        files=tuple(map(str, paths)),
        task=", ".join(path.name for path in paths),
        rows=tuple(found),
        headline="score" if any(row.scores for row in found) else "",
        figures=tuple(mean_of_all(found, "score", "mean score")),
    )


def mean_of_all(rows: Sequence[LogRow], score: str, name: str) -> list[LogScore]:
    """Return the mean of a score that every row has, if no file gives the tool's own total."""
    if not rows or any(score not in row.scores for row in rows):
        return []
    return [LogScore(name=name, value=None, score=score, how="sum", values=tuple(row.scores[score] for row in rows))]


def _row(where: str, number: int, cells: dict[str, Any], columns: Sequence[str]) -> LogRow:
    name, reply, score, part, target, asked, failed = (cells.get(column) for column in columns)
    said = tables.text_of(failed).strip()
    if not said and not columns[1]:
        raise SnellenError(
            f"{where}: no column with the reply ({', '.join(REPLIES)}); it has {', '.join(map(str, cells))}"
        )
    value = tables.number_of(score, where)
    return LogRow(
        where=where,
        id=tables.text_of(name) or None,
        number=number,
        part=tables.text_of(part),
        asked=tables.text_of(asked) or None,
        target=tables.text_of(target) or None,
        scores={} if value is None else {"score": value},
        fields={str(k): v for k, v in cells.items() if k not in REPLIES},
        **replied(
            tables.text_of(reply),
            error="" if said.lower() in NO_ERROR else said[:2000],
            finish_reason=tables.text_of(cells.get("finish_reason")) or None,
        ),
    )
