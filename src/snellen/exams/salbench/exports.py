"""The files that the SalBench Evaluation Plan v2 defines: `leaderboard_row.csv`, `metrics.json`, `raw_responses.json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from snellen.core.cells import csv_bytes
from snellen.core.extras import Content, RunFacts
from snellen.core.results import GroupSummary
from snellen.core.types import Answer, Mark, Outcome, Sample
from snellen.exams.salbench.layout import ORDERED, SPLITS, TASKS
from snellen.exams.salbench.names import BY_NAME
from snellen.exams.salbench.rows import WORDS

COLUMNS = {f"{TASKS[c.task]}_{SPLITS[c.split]}": c.name for c in ORDERED}
SPLIT_WORDS = {split: word for word, split in WORDS.items()}


def exports(run: RunFacts) -> Iterator[tuple[str, Content]]:
    """Yield all files of one protocol."""
    whole = {g.by["config"]: g for g in run.groups if g.whole and "config" in g.by}
    row = _leaderboard_row(run, whole)
    yield "leaderboard_row.csv", csv_bytes([list(row), list(row.values())])
    yield "metrics.json", msgspec.json.format(msgspec.json.encode(_metrics(run, whole, row)), indent=2)
    if run.records is not None:
        yield "raw_responses.json", _list(_records(run.records(), run.manifest.data.synthetic))


def _list(records: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a JSON list, one record per line."""
    yield b"[\n" + next(records, b"")
    for record in records:
        yield b",\n" + record
    yield b"\n]\n"


def _leaderboard_row(run: RunFacts, whole: dict[str, GroupSummary]) -> dict[str, Any]:
    """Return one row in the plan's columns: the protocol's headline metric in percent, empty if a task was not run."""
    manifest = run.manifest
    row: dict[str, Any] = {"Model": f"{manifest.subject.spec}{manifest.data.note}", "Shot": manifest.options.shots}
    for column, config in COLUMNS.items():
        group = whole.get(config)
        row[column] = "" if group is None else _percent(group.metrics[run.protocol.headline].value)
    return row


def _percent(value: float | None) -> float | str:
    return "" if value is None else round(100 * value, 1)


def _metrics(run: RunFacts, whole: dict[str, GroupSummary], row: dict[str, Any]) -> dict[str, Any]:
    manifest = run.manifest
    detailed: dict[str, dict[str, Any]] = {}
    for name, group in whole.items():
        config = BY_NAME[name]
        answered = group.n - group.outcomes.get(Outcome.ERROR.value, 0)
        detailed.setdefault(SPLIT_WORDS[config.split], {})[config.task] = {
            "total_samples": group.n,
            "successful_samples": answered,
            "success_rate": _percent(answered / group.n),
            **{m: _percent(group.metrics[m].value) for m in ("exact_match", "precision", "recall", "f1", "macro_f1")},
        }
    options = manifest.options
    return {
        "config": {
            "model": manifest.subject.spec,
            "backend": manifest.subject.identity.get("kind"),
            "dataset": manifest.data.source,
            "synthetic_data": manifest.data.synthetic,
            "splits": options.splits,
            "tasks": options.tasks,
            "num_shots": options.shots,
            "num_samples": options.limit,
            "protocol": run.protocol.name,
            "protocol_version": run.protocol.version,
            "prompt": run.prompt,
        },
        "usage": msgspec.structs.asdict(run.totals),
        "leaderboard_row": row,
        "detailed_metrics": detailed,
        "timestamp": manifest.created,
    }


def _records(records: Iterator[tuple[Sample, Answer, Mark]], synthetic: bool) -> Iterator[bytes]:
    said = {"synthetic_data": True} if synthetic else {}
    encode = msgspec.json.Encoder().encode
    truths: dict[str, list[str]] = {}  # few values, each shared by many samples
    for sample, answer, mark in records:
        truth = str(sample.truth)
        if truth not in truths:
            truths[truth] = sorted(x.strip().lower() for x in truth.split(","))
        yield encode(
            {
                "sample_id": sample.id,
                "split": SPLIT_WORDS[sample.tags["split"]],
                "task": sample.tags.get("task"),  # a log may lack this
                "predicted": mark.reading,
                "ground_truth": truths[truth],
                **mark.metrics,
                "outcome": mark.outcome,
                "raw_response": answer.text,
                "error": answer.failure.reason if answer.failure else None,
                **said,
            }
        )
