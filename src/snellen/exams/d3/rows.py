"""Rows of `snellen mark d3`: a reply, and the similarities of its captions from the user's own scorer."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.scorer import Evidence, Similarities
from snellen.core.types import Sample
from snellen.exams.d3.names import MOST, PAIR, set_names, task_of
from snellen.exams.d3.recorded import sample_id

GIVEN = "given"
"""The scorer's name if the row does not give one."""


class _D3Row(msgspec.Struct):
    """The fields of a row. `similarities` has a row for each caption and a column for each picture, as they were shown."""

    similarities: list[list[float]] | None = None
    truncated: list[bool] | None = None
    scorer: str = GIVEN
    kind: str | None = None
    images: Annotated[int, msgspec.Meta(ge=2, le=MOST)] = 2


def _row(given: Mapping[str, Any]) -> _D3Row:
    try:
        row = msgspec.convert(
            {name: value for name, value in given.items() if name in _D3Row.__struct_fields__}, _D3Row
        )
    except msgspec.ValidationError as error:
        raise SnellenError(f"the row cannot be used: {error}") from None
    table = row.similarities
    if table is None:
        return row
    row.images = len(table)
    if not 2 <= len(table) <= MOST or any(len(line) != len(table) or not all(map(isfinite, line)) for line in table):
        raise SnellenError(f'field "similarities" must be a square of 2 to {MOST} rows of finite numbers')
    if row.truncated is not None and len(row.truncated) != len(table):
        raise SnellenError(f'field "truncated" must be a list of {len(table)} times true or false')
    return row


def sample_from_row(given: Mapping[str, Any]) -> Sample:
    """Return a light sample from `{"id", "response", "similarities"}`; `kind` is optional, and so is `images` if nothing was scored."""
    if "id" not in given:
        raise SnellenError('field "id" is missing')
    uid, row = str(given["id"]), _row(given)
    names = PAIR if row.images == 2 else set_names(row.images)
    return Sample(
        id=sample_id(uid),
        tags={"split": "all", "task": task_of(names)} | ({"kind": row.kind} if row.kind else {}),
        truth={"uid": uid},
        facts={"uid": uid} | ({} if names == PAIR else dict.fromkeys(names, "")),
    )


def evidence_from_row(given: Mapping[str, Any]) -> Evidence | None:
    """Return the evidence for the protocols; None if the row has no similarities."""
    row = _row(given)
    if row.similarities is None:
        return None
    table = tuple(map(tuple, row.similarities))
    return (Similarities(row.scorer or GIVEN, table, tuple(row.truncated or [False] * len(table))),)
