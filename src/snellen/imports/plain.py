"""Anybody's replies: a table or JSON lines with an id and a reply in each row, and a score, a target, a model where there are any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError
from snellen.imports import tables
from snellen.imports.log import Figure, Log, Row, replied

TOOL = "csv"
IDS = ("id", "sample_id", "question_id", "image_id", "index")
REPLIES = ("response", "reply", "prediction", "raw_response", "output", "text")
SCORES = ("score", "correct", "hit", "is_correct", "accuracy")
PARTS = ("config", "part", "task", "split")
TARGETS = ("target", "answer", "truth", "label", "ground_truth")
ASKED = ("prompt", "question", "input")
FAILED = ("error", "failure")


def read(paths: Sequence[Path]) -> Log:
    """One file, or several with the same columns."""
    found: list[Row] = []
    models: dict[str, None] = {}
    for path in paths:
        for where, cells in tables.rows(path):
            found.append(_row(where, len(found), cells))
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


def mean_of_all(rows: Sequence[Row], score: str, name: str) -> list[Figure]:
    """The mean of a score that every row has, where no file says what the tool itself made of it."""
    if not rows or any(score not in row.scores for row in rows):
        return []
    return [Figure(name=name, value=None, score=score, how="sum", values=tuple(row.scores[score] for row in rows))]


def _row(where: str, number: int, cells: dict[str, Any]) -> Row:
    failed = tables.text_of(tables.first(cells, FAILED))
    if not failed and not any(name in cells for name in REPLIES):
        raise SnellenError(
            f"{where}: no column with the reply ({', '.join(REPLIES)}); it has {', '.join(map(str, cells))}"
        )
    name, score = tables.first(cells, IDS), tables.number_of(tables.first(cells, SCORES))
    target, asked = tables.first(cells, TARGETS), tables.first(cells, ASKED)
    return Row(
        where=where,
        id=None if name is None else tables.text_of(name),
        number=number,
        part=tables.text_of(tables.first(cells, PARTS)),
        asked=None if asked is None else tables.text_of(asked),
        target=None if target is None else tables.text_of(target),
        scores={} if score is None else {"score": score},
        fields={str(k): v for k, v in cells.items() if k not in REPLIES},
        **replied(
            tables.text_of(tables.first(cells, REPLIES)),
            error=failed[:2000],
            finish_reason=tables.text_of(cells.get("finish_reason")) or None,
        ),
    )
