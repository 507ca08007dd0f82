"""One tidy schema for every exam: a row for each score, a row for each sample under each protocol. docs/reporting.md has the table.

The rows are typed records; `table_of` lays them out as flat columns for files that know no nested values: what is nested there is JSON
in a text, and each metric of a sample is a column of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from snellen.core.records import Record

SCHEMA = 1
"""Changes when a column is renamed, removed or means something else; not when one is added at the end."""
Kind = Literal["text", "integer", "number", "yes or no"]
Silence = Literal["", "some", "many", "most"]


class ScoreRow(Record, frozen=True):
    """One metric of one group of samples under one protocol and arm; or a paper's figure (`published`).

    `repeats` is how often each question was asked; `n` and `part_n` count samples, `outcomes` and `non_answers` every answer. The spread is
    that of the repeats' own scores: lowest, highest, standard deviation.
    """

    run: str
    exam: str
    subject: str
    status: str
    model_returned: str
    part: str
    by: dict[str, str]
    whole: bool
    protocol: str
    version: str
    prompt: str
    control: str
    metric: str
    label: str
    unit: str
    better: str
    headline: bool
    value: float | None
    low: float | None
    high: float | None
    interval: str
    n: int | None
    floor: float | None
    floor_answer: str
    part_n: int | None
    non_answers: int | None
    outcomes: dict[str, int]
    silence: Silence
    complete: bool | None
    synthetic: bool
    oracle: bool
    published: bool
    source: str
    options: dict[str, Any]
    run_cost: float | None
    run_cost_unknown: int | None
    data_fingerprint: str
    data_origin: dict[str, Any]
    created: str
    snellen: str
    repeats: int | None = None
    spread_low: float | None = None
    spread_high: float | None = None
    spread_sd: float | None = None

    @property
    def answers(self) -> int:
        """How many answers the outcomes count: as many as samples of the part, unless questions were asked several times."""
        return max(self.part_n or 0, sum(self.outcomes.values()))


class SampleRow(Record, frozen=True):
    """What became of one sample under one protocol and arm, the `repeat`-th time that it was asked."""

    run: str
    exam: str
    subject: str
    status: str
    id: str
    tags: dict[str, str]
    truth: Any
    protocol: str
    version: str
    prompt: str
    control: str
    reply: str
    thinking: str
    failure: str
    outcome: str
    reading: Any
    finish_reason: str
    input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost: float | None
    latency: float | None
    calls: int
    stored: int
    model_returned: str
    provider: str
    complete: bool
    synthetic: bool
    oracle: bool
    data_fingerprint: str
    metrics: dict[str, float | str | None]
    repeat: int = 1


class _TidyColumn(NamedTuple):
    """A column of a flat table. Any value may be missing but those of the first ones that say what a row is."""

    name: str
    kind: Kind


class TidyTable(NamedTuple):
    """A flat table: texts, whole numbers, numbers, True and False, None."""

    name: str
    columns: tuple[_TidyColumn, ...]
    rows: list[tuple[Any, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)


METRICS = "metrics"
MOSTLY_SILENT, PARTLY_SILENT, PUBLISHED = "MOSTLY SILENT", "PARTLY SILENT", "PUBLISHED"
_KINDS: dict[str, Kind] = {"str": "text", "int": "integer", "float": "number", "bool": "yes or no"}


def fixed_columns(row: type[ScoreRow | SampleRow]) -> tuple[_TidyColumn, ...]:
    """Return the columns that a table has whatever the exam."""
    return tuple(
        _TidyColumn(name, _KINDS.get(str(kind).removesuffix(" | None"), "text"))
        for name, kind in row.__annotations__.items()
        if name != METRICS
    )


def table_of(name: str, kind: type[ScoreRow | SampleRow], rows: Sequence[ScoreRow | SampleRow]) -> TidyTable:
    """Lay rows out as a flat table. The metrics of samples follow as `metrics.NAME`, in the order in which they first occur."""
    fixed = fixed_columns(kind)
    found: dict[str, bool] = {}
    for row in rows:
        for key, value in _metrics(row).items():
            found[key] = found.get(key, False) or isinstance(value, str)
    measured = [_TidyColumn(f"{METRICS}.{key}", "text" if texts else "number") for key, texts in found.items()]
    return TidyTable(
        name,
        (*fixed, *measured),
        [
            (
                *(_flat(getattr(row, c.name), c.kind) for c in fixed),
                *(_flat(_metrics(row).get(key), c.kind) for key, c in zip(found, measured, strict=True)),
            )
            for row in rows
        ],
    )


def _metrics(row: ScoreRow | SampleRow) -> dict[str, float | str | None]:
    return row.metrics if isinstance(row, SampleRow) else {}


def _flat(value: Any, kind: Kind) -> Any:
    if value is None:
        return None
    if kind == "number":
        return float(value)
    if kind == "text" and not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    return value


def statuses(rows: Iterable[str]) -> str:
    """Return the warnings of rows together; silence that only some of them have is named as such.

    >>> statuses(["SYNTHETIC, MOSTLY SILENT", "SYNTHETIC"]), statuses(["MOSTLY SILENT", "MOSTLY SILENT"])
    ('SYNTHETIC, PARTLY SILENT', 'MOSTLY SILENT')
    """
    every = [said.split(", ") for said in rows]
    found = dict.fromkeys(word for said in every for word in said if word)
    if any(MOSTLY_SILENT not in said and PUBLISHED not in said for said in every):
        found = dict.fromkeys(PARTLY_SILENT if word == MOSTLY_SILENT else word for word in found)
    return ", ".join(found)
