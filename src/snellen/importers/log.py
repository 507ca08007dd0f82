"""The output of all readers: the rows of a log with the tool's own scores, and the figures that it reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np

LONGEST = 1 << 20
"""The most characters of a reply. A longer one is not an answer to a question, and is kept as a failure."""

How = Literal["sum", "numpy", "stderr", ""]
"""The computation of a figure from its values: plain summation, numpy's mean, numpy's standard error, or another way."""


class LogRow(msgspec.Struct, frozen=True, kw_only=True):
    """One sample of a log. `where` is its name in messages. `part` is the task or split that it belongs to.

    `number` is its place in that part, from 0, if the log has one. `asked` is the text as sent. `pictures` are SHA-256 digests. `read` is
    the answer that the tool parsed. `fields` are other facts that may identify the sample and its truth.
    """

    where: str
    id: str | None = None
    number: int | None = None
    numbered: bool = False
    """True if the log itself has the number. If not, it is the place of the row in its file."""
    part: str = ""
    text: str = ""
    thinking: str = ""
    finish_reason: str | None = None
    refused: bool = False
    error: str = ""
    asked: str | None = None
    pictures: tuple[str, ...] = ()
    target: str | None = None
    read: str | None = None
    scores: dict[str, float] = {}
    fields: dict[str, Any] = {}


class LogScore(msgspec.Struct, frozen=True, kw_only=True):
    """A score as the log reports it, with the values of single samples behind it, if the log has them.

    `score` is the name of these values in the rows. `value` is None if the log has no total.
    """

    name: str
    value: float | None
    part: str = ""
    score: str = ""
    how: How = ""
    values: tuple[float, ...] = ()

    @property
    def again(self) -> float | None:
        """Return the figure computed from the samples' values by the tool's own rule, or None if that rule or the values are not known."""
        return _computed(self.how, self.values, self.value)

    @property
    def agrees(self) -> bool | None:
        """Return whether the log's total equals what its samples give, to the last digit. Return None if one of the two is missing."""
        if self.value is None or self.again is None or not math.isfinite(self.value):
            return None
        return self.again == self.value


class Log(msgspec.Struct, frozen=True, kw_only=True):
    """A log that was read. `headline` names the score that tells whether the tool counts a sample as right. `files` lists all files read.

    `again` are the rows of each further repeat of the questions (Inspect's epochs).
    """

    tool: str
    model: str
    files: tuple[str, ...]
    rows: tuple[LogRow, ...]
    version: str = ""
    made: str = ""
    task: str = ""
    headline: str = ""
    figures: tuple[LogScore, ...] = ()
    settings: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    again: tuple[tuple[LogRow, ...], ...] = ()


def _computed(how: How, values: Sequence[float], logged: float | None = None) -> float | None:
    """Compute a figure from single values.

    From Python 3.12 on, `sum` keeps the digits that adding one by one loses. A log does not say which Python wrote it, so both count.

    >>> _computed("sum", [1.0, 0.0, 1.0]), _computed("stderr", [1.0]), _computed("", [1.0])
    (0.6666666666666666, 0.0, None)
    """
    if not how or not values:
        return None
    if how == "numpy":
        return float(np.mean(values))
    if how == "stderr":
        return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
    total = 0.0
    for value in values:
        total += value
    plain, kept = total / len(values), sum(values) / len(values)
    return kept if kept == logged else plain


def to_number(value: float) -> float:
    """Return a number of a JSON file. Return NaN, as for a sample without a score, if it is infinite or too large for a float."""
    try:
        return float(value) if math.isfinite(value) else math.nan
    except OverflowError:
        return math.nan


def replied(text: str, **facts: Any) -> dict[str, Any]:
    """Return a reply as fields of a row. One that is too long is a failure."""
    if len(text) <= LONGEST:
        return {"text": text, **facts}
    return {**facts, "error": f"the reply has {len(text):,} characters, more than {LONGEST:,}: not kept"}
