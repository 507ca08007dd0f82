"""One tidy schema for every exam: a row for each score, a row for each sample under each protocol. docs/reporting.md has the table.

The rows are typed records, made of a run's records: nothing is computed anew. `table_of` turns them into flat columns for file formats
without nested values: a nested value becomes JSON text, and each metric of a sample is a column of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from snellen.core.arm import Arm
from snellen.core.figures import part_name
from snellen.core.model_names import model_name
from snellen.core.records import Manifest, Record, Summary
from snellen.core.results import GroupSummary, ProtocolSummary, declared
from snellen.core.types import NON_ANSWERS, Answer
from snellen.core.unanswered import LOUD, MOST, lost_parts
from snellen.engine.runs.folder import RunFolder

SCHEMA = 1
"""The version of the schema. It changes when a column is renamed, removed or redefined, not when one is added at the end."""
Kind = Literal["text", "integer", "number", "yes or no"]
Silence = Literal["", "some", "many", "most"]


class ScoreRow(Record, frozen=True):
    """One metric of one group of samples under one protocol and arm, or a paper's figure (`published`).

    `repeats` is how often each question was asked. `n` and `part_n` count samples. `outcomes` and `non_answers` count every answer. The
    spread is that of the repeats' own scores: lowest, highest, standard deviation.
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
        """The number of answers in the outcomes: the samples of the part, unless questions were asked several times."""
        return max(self.part_n or 0, sum(self.outcomes.values()))


class SampleRow(Record, frozen=True):
    """The result of one sample under one protocol and arm, in one repeat (`repeat`)."""

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
    """A column of a flat table. Any value may be missing, except in the first columns, which identify the row."""

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
    """Return the columns that a table has for every exam."""
    return tuple(
        _TidyColumn(name, _KINDS.get(str(kind).removesuffix(" | None"), "text"))
        for name, kind in row.__annotations__.items()
        if name != METRICS
    )


def table_of(name: str, kind: type[ScoreRow | SampleRow], rows: Sequence[ScoreRow | SampleRow]) -> TidyTable:
    """Turn rows into a flat table. The metrics of samples follow as `metrics.NAME`, in the order of their first occurrence."""
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
    """Return the warnings of several rows together. Missing answers in only some of them are marked as such.

    >>> statuses(["SYNTHETIC, MOSTLY SILENT", "SYNTHETIC"]), statuses(["MOSTLY SILENT", "MOSTLY SILENT"])
    ('SYNTHETIC, PARTLY SILENT', 'MOSTLY SILENT')
    """
    every = [said.split(", ") for said in rows]
    found = dict.fromkeys(word for said in every for word in said if word)
    if any(MOSTLY_SILENT not in said and PUBLISHED not in said for said in every):
        found = dict.fromkeys(PARTLY_SILENT if word == MOSTLY_SILENT else word for word in found)
    return ", ".join(found)


# ---------------------------------------------------------------- the rows of a run

_SEVERAL = 5
"""The most returned names that are listed. An endpoint may return a new one each time."""


def score_rows(folder: RunFolder, manifest: Manifest, summary: Summary) -> list[ScoreRow]:
    """Return every score of a run: all metrics, protocols, groups and control arms."""
    shared = _of_run(folder.path, manifest, summary)
    stale = _is_stale(folder, summary)
    return [
        ScoreRow(
            **shared,
            part=part_name(group.by),
            by=group.by,
            whole=group.whole,
            part_n=group.n,
            non_answers=_missing(group),
            outcomes=group.outcomes,
            silence=_silence(group),
            **_of_protocol(protocol),
            **_of_metric(protocol, key) | {"unit": score.unit},
            value=score.value,
            low=score.low,
            high=score.high,
            interval=score.interval or "",
            n=score.n,
            floor=score.floor,
            floor_answer=score.floor_answer or "",
            status=_status(manifest, summary, stale, group),
            repeats=protocol.repeats,
            **(
                {}
                if score.spread is None
                else {f"spread_{name}": getattr(score.spread, name) for name in ("low", "high", "sd")}
            ),
        )
        for protocol in summary.protocols
        for group in protocol.groups
        for key, score in group.metrics.items()
    ]


def published_rows(manifest: Manifest, summary: Summary) -> list[ScoreRow]:
    """Return papers' figures for the parts and protocols of the run. Empty if the data is synthetic or unknown."""
    if summary.synthetic or manifest.data.synthetic or manifest.truth_from_log:
        return []
    protocols = {p.protocol: p for p in summary.plain}
    return [
        ScoreRow(
            run="",
            exam=manifest.exam,
            subject=row.model,
            model_returned="",
            part=part_name(row.by),
            by=row.by,
            whole=any(g.whole for g in protocol.groups if g.by == row.by),
            **_of_protocol(protocol),
            **_of_metric(protocol, row.metric),
            value=row.value,
            low=None,
            high=None,
            interval="",
            n=None,
            floor=None,
            floor_answer="",
            part_n=None,
            non_answers=None,
            outcomes={},
            silence="",
            complete=None,
            synthetic=False,
            oracle=False,
            published=True,
            source=row.source,
            status=PUBLISHED,
            options={"shots": row.shots} if row.shots else {},
            run_cost=None,
            run_cost_unknown=None,
            data_fingerprint="",
            data_origin={},
            created="",
            snellen="",
        )
        for row in summary.published
        if (protocol := protocols.get(row.protocol)) is not None
    ]


def sample_rows(folder: RunFolder, manifest: Manifest, summary: Summary) -> Iterator[SampleRow]:
    """Yield every mark of a run beside its sample and answer, protocol by protocol, in the order in which they were marked."""
    scan = folder.scan()
    of_run = _of_run(folder.path, manifest, summary)
    shared: dict[str, Any] = {
        **{name: of_run[name] for name in SampleRow.__struct_fields__ if name in of_run and name != "model_returned"},
        "status": _status(manifest, summary, _is_stale(folder, summary)),
    }
    for protocol, repeat in ((p, r) for p in summary.protocols for r in range(1, p.repeats + 1)):
        column = (protocol.protocol, repeat)
        prompt = Arm.parse(protocol.prompt)._replace(repeat=repeat).text
        named = _of_protocol(protocol)
        answers = folder.answers(scan, ((sample.id, prompt) for sample, _marks in folder.marked([column])))
        answer = next(answers, None)
        for sample, marks in folder.marked([column]):
            mark = marks[column]
            own = answer if answer is not None and answer.id == sample.id else None
            yield SampleRow(
                **shared,
                **named,
                id=sample.id,
                tags=sample.tags,
                truth=sample.truth,
                outcome=str(mark.outcome),
                reading=mark.reading,
                metrics=mark.metrics,
                **_of_answer(own or Answer(id=sample.id, prompt=prompt)),
                repeat=repeat,
            )
            if own is not None:
                answer = next(answers, None)


def _is_stale(folder: RunFolder, summary: Summary) -> bool:
    """Tell whether answers came after the run was marked."""
    return summary.answers_bytes != folder.answers_bytes


def _status(manifest: Manifest, summary: Summary, stale: bool, group: GroupSummary | None = None) -> str:
    """Return the warnings of a run, in capitals ('SYNTHETIC, INCOMPLETE, STALE, ORACLE, MOSTLY SILENT'), or an empty string."""
    found = (
        ("SYNTHETIC", _synthetic(manifest, summary)),
        ("INCOMPLETE", not summary.complete),
        ("STALE", stale),
        ("ORACLE", bool(manifest.oracle)),
        (_lost(summary) if group is None else MOSTLY_SILENT * (_silence(group) == "most"), True),
    )
    return ", ".join(word for word, is_so in found if is_so and word)


def _lost(summary: Summary) -> str:
    """Return a warning if most questions got no answer under any protocol, in all parts or in some."""
    lost = len(lost_parts(summary.plain))
    parts = len({tuple(g.by.items()) for p in summary.plain for g in p.groups if g.whole})
    return "" if not lost else MOSTLY_SILENT if lost == parts else PARTLY_SILENT


# ---------------------------------------------------------------- pieces of a row


def _of_run(path: Path, manifest: Manifest, summary: Summary) -> dict[str, Any]:
    totals = summary.totals
    unknown = bool(totals.cost_unknown) and not totals.cost
    return {
        "run": _shown(path),
        "exam": manifest.exam,
        "subject": model_name(manifest),
        "model_returned": _returned(summary),
        "complete": summary.complete,
        "synthetic": _synthetic(manifest, summary),
        "oracle": bool(manifest.oracle),
        "published": False,
        "source": "",
        "options": msgspec.to_builtins(manifest.options),
        "run_cost": None if unknown else totals.cost,
        "run_cost_unknown": totals.cost_unknown,
        "data_fingerprint": manifest.data.fingerprint,
        "data_origin": manifest.data.origin,
        "created": manifest.created,
        "snellen": manifest.snellen,
    }


def _shown(path: Path) -> str:
    """Return a path as text for any file format: bytes that are not UTF-8 become escapes."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _of_protocol(protocol: ProtocolSummary) -> dict[str, Any]:
    arm = Arm.parse(protocol.prompt)
    return {
        "protocol": protocol.protocol,
        "version": protocol.version,
        "prompt": arm.prompt,
        "control": arm.control,
    }


def _of_metric(protocol: ProtocolSummary, name: str) -> dict[str, Any]:
    about = declared(protocol.metrics, name)
    return {
        "metric": name,
        "label": about.label_of(name),
        "unit": about.unit,
        "better": about.better,
        "headline": name == protocol.headline,
    }


def _of_answer(answer: Answer) -> dict[str, Any]:
    calls = answer.calls
    return {
        "reply": answer.text,
        "thinking": answer.thinking,
        "failure": f"{answer.failure.kind}: {answer.failure.reason}" if answer.failure is not None else "",
        "finish_reason": answer.finish_reason or "",
        "input_tokens": _sum([c.usage.input_tokens for c in calls]),
        "output_tokens": _sum([c.usage.output_tokens for c in calls]),
        "reasoning_tokens": _sum([c.usage.reasoning_tokens for c in calls]),
        "cost": _sum([0.0 if c.stored else c.cost for c in calls]),
        "latency": _sum([c.latency for c in calls]),
        "calls": len(calls),
        "stored": sum(c.stored for c in calls),
        "model_returned": _names(c.model_returned for c in calls),
        "provider": _names(c.provider for c in calls),
    }


def _sum(values: list[Any]) -> Any:
    """Return the sum over calls, or None if there were none or one of them has no value."""
    return sum(values) if values and None not in values else None


def _names(found: Iterator[str | None]) -> str:
    return ", ".join(dict.fromkeys(name for name in found if name))


def _returned(summary: Summary) -> str:
    names = list(dict.fromkeys(row.model for row in summary.backends if row.model))
    more = f" and {len(names) - _SEVERAL} more" if len(names) > _SEVERAL else ""
    return ", ".join(names[:_SEVERAL]) + more


def _synthetic(manifest: Manifest, summary: Summary) -> bool:
    return summary.synthetic or manifest.data.synthetic


def _missing(group: GroupSummary) -> int:
    return sum(n for name, n in group.outcomes.items() if name in NON_ANSWERS)


def _silence(group: GroupSummary) -> Silence:
    """Return how many of a group's questions got no answer: some, many (more than one in twenty) or most."""
    missing = _missing(group)
    if not missing:
        return ""
    return "most" if missing > MOST * group.answers else "many" if missing > LOUD * group.answers else "some"
