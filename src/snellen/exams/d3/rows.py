"""Rows of `snellen mark d3`: a reply and the similarities that a scorer of the user's gave for its captions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.scorer import Evidence, Similarities
from snellen.core.types import Sample
from snellen.exams.d3.names import MOST, PAIR, set_names, task_of
from snellen.exams.d3.recorded import sample_id

LARGEST = 1e30
GIVEN = "given"
"""The scorer's name where the row does not say."""


def sample_from_row(row: Mapping[str, Any]) -> Sample:
    """Return a light sample from `{"id", "response", "similarities"}`; `kind` may be added, and `images` where nothing was scored."""
    if "id" not in row:
        raise SnellenError('field "id" is missing')
    uid = str(row["id"])
    names = _names(row)
    kind = row.get("kind")
    if kind is not None and not isinstance(kind, str):
        raise SnellenError(f'field "kind" must be a text, not {type(kind).__name__}')
    return Sample(
        id=sample_id(uid),
        tags={"split": "all", "task": task_of(names)} | ({"kind": kind} if kind else {}),
        truth={"uid": uid},
        facts={"uid": uid} | ({} if names == PAIR else dict.fromkeys(names, "")),
    )


def evidence_from_row(row: Mapping[str, Any]) -> Evidence | None:
    """Return what protocols are given as evidence; None where the row has no similarities.

    `similarities` has a row for each caption and a column for each picture, in the order in which they were shown;
    `truncated` (a list of true and false) may be added, and the scorer's name as `scorer`.
    """
    table = row.get("similarities")
    if table is None:
        return None
    _check_table(table)
    truncated = row.get("truncated", [False] * len(table))
    if (
        not isinstance(truncated, list)
        or len(truncated) != len(table)
        or not all(isinstance(t, bool) for t in truncated)
    ):
        raise SnellenError(f'field "truncated" must be a list of {len(table)} times true or false')
    numbers = tuple(tuple(float(x) for x in line) for line in table)
    return (Similarities(str(row.get("scorer") or GIVEN), numbers, tuple(truncated)),)


def _names(row: Mapping[str, Any]) -> tuple[str, ...]:
    table, count = row.get("similarities"), row.get("images", 2)
    if table is not None:
        _check_table(table)
        count = len(table)
    if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= MOST:
        raise SnellenError(f'field "images" must be a number from 2 to {MOST}')
    return PAIR if count == 2 else set_names(count)


def _check_table(table: Any) -> None:
    """Refuse what is not a square of numbers."""
    if not isinstance(table, list) or not 2 <= len(table) <= MOST:
        raise SnellenError(f'field "similarities" must be a list of 2 to {MOST} rows, one for each caption')
    for number, line in enumerate(table, 1):
        if not isinstance(line, list) or len(line) != len(table):
            raise SnellenError(f'field "similarities" row {number}: expected {len(table)} numbers, one for each image')
        if not all(isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < LARGEST for x in line):
            raise SnellenError(f'field "similarities" row {number}: every entry must be a finite number')
