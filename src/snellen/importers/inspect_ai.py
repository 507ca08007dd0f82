"""Inspect AI's logs: `.eval`, a zip file of JSON members, and `.json`, all in one. Both hold the same records."""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.importers.files import Archive, checked, decoded
from snellen.importers.log import How, Log, LogRow, LogScore, replied, to_number

TOOL = "inspect"
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's letters for correct, incorrect, partial and no answer."""
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
HOW: dict[str, How] = {"accuracy": "sum", "mean": "numpy", "stderr": "stderr"}
STOPS = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}
ATTACHED = "attachment://"


class InspectScore(msgspec.Struct, frozen=True, kw_only=True):
    """What a scorer said of a sample."""

    value: Any = None
    answer: str | None = None


class InspectChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One reply of a model."""

    message: dict[str, Any] = {}
    stop_reason: str = ""


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """What a model's call gave."""

    choices: tuple[InspectChoice, ...] = ()
    completion: str | None = None
    error: str | None = None


class InspectSample(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a sample's record that is used; the transcript of events, by far the largest, is skipped."""

    id: str | int
    epoch: int = 1
    target: str | list[str] = ""
    messages: list[dict[str, Any]] = []
    output: Output = Output()
    scores: dict[str, InspectScore] | None = None
    metadata: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    attachments: dict[str, str] = {}


class ReportedScorer(msgspec.Struct, frozen=True, kw_only=True):
    """A scorer with its totals."""

    name: str
    scorer: str = ""
    metrics: dict[str, dict[str, Any]] = {}


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """The score that the log itself puts first."""

    score: str = ""


class InspectResults(msgspec.Struct, frozen=True, kw_only=True):
    """The totals of an evaluation."""

    completed_samples: int = 0
    scores: tuple[ReportedScorer, ...] = ()
    headline: Headline | None = None


class ReducedScore(InspectScore, frozen=True, kw_only=True):
    """A sample's score over all epochs."""

    sample_id: str | int | None = None


class ReducedScores(msgspec.Struct, frozen=True, kw_only=True):
    """All of these, for one scorer."""

    scorer: str
    samples: tuple[ReducedScore, ...] = ()


class DataSet(msgspec.Struct, frozen=True, kw_only=True):
    """The data set that was asked, with its samples in their order."""

    sample_ids: list[str | int] | None = None


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """What was evaluated, by whom and how."""

    task: str = ""
    model: str = ""
    created: str = ""
    dataset: DataSet = DataSet()
    model_generate_config: dict[str, Any] = {}
    packages: dict[str, str] = {}


class InspectHeader(msgspec.Struct, frozen=True, kw_only=True):
    """header.json; a `.json` log has samples and reductions beside it."""

    eval: Spec
    status: str = ""
    results: InspectResults | None = None
    samples: list[InspectSample] | None = None
    reductions: tuple[ReducedScores, ...] | None = None


def read(path: Path, epoch: int | None = None) -> Log:
    """A log of either form. Of several epochs all are taken, as repeats, or the one that is named."""
    with checked(path).open("rb") as file:
        zipped = file.read(4) == b"PK\x03\x04"
    if not zipped and path.suffix.lower() not in (".json", ".eval"):
        raise SnellenError(
            f"{path}: not a log of Inspect, which is LOG.eval or LOG.json; 'snellen import csv' reads tables"
        )
    if zipped:
        header, samples, reduced = _from_archive(Archive(path))
    else:
        header = decoded(path.read_bytes(), InspectHeader, str(path))
        samples, reduced = header.samples or [], header.reductions or ()
    if not samples:
        raise SnellenError(f"{path}: the log has no samples (was it written with --no-log-samples?)")
    return _log(path, header, samples, reduced, epoch)


def _from_archive(archive: Archive) -> tuple[InspectHeader, list[InspectSample], tuple[ReducedScores, ...]]:
    names = archive.names()
    if "header.json" not in names and any(n.startswith("_journal/") for n in names):
        raise SnellenError(
            f"{archive.path}: the evaluation did not come to its end; 'inspect log recover' makes a whole log of it"
        )
    header = archive.read("header.json", InspectHeader)
    samples = [archive.read(n, InspectSample) for n in names if n.startswith("samples/") and n.endswith(".json")]
    reduced = archive.read("reductions.json", tuple[ReducedScores, ...]) if "reductions.json" in names else ()
    order = {str(one): i for i, one in enumerate(header.eval.dataset.sample_ids or ())}
    samples.sort(key=lambda s: (order.get(str(s.id), len(order)), s.epoch))
    return header, samples, reduced


def _log(
    path: Path,
    header: InspectHeader,
    samples: Sequence[InspectSample],
    reduced: Iterable[ReducedScores],
    epoch: int | None,
) -> Log:
    spec, notes = header.eval, []
    epochs = sorted({s.epoch for s in samples})
    if epoch is not None and epoch not in epochs:
        raise SnellenError(f"--epoch {epoch}: {path} has {', '.join(map(str, epochs))}")
    if len(epochs) > 1:
        notes.append(
            f"the log has {len(epochs)} epochs, which are kept as repeats: scores are over all of them, and n counts replies"
            if epoch is None
            else f"the log has {len(epochs)} epochs: the replies of epoch {epoch} are imported; Inspect's score is over all of them"
        )
    if header.status != "success":
        notes.append(f"Inspect says of this log: {header.status or 'no status'}")
    completed = header.results.completed_samples if header.results else len(samples)
    if completed > len(samples):
        raise SnellenError(f"{path}: its results are of {completed} samples, and it holds {len(samples)}")
    every = [_row(i, s) for i, s in enumerate(samples)]
    times = [[s for s in samples if s.epoch == one] for one in (epochs if epoch is None else [epoch])]
    rows, *again = [tuple(_row(i, s) for i, s in enumerate(some)) for some in times]
    first = header.results.headline.score if header.results and header.results.headline else ""
    return Log(
        tool=TOOL,
        version=str(spec.packages.get("inspect_ai", "")),
        model=spec.model,
        files=(str(path),),
        made=spec.created,
        task=spec.task,
        rows=rows,
        again=tuple(again),
        headline=first or next((name for r in rows for name in r.scores), ""),
        figures=tuple(_figures(header.results, {r.scorer: r for r in reduced}, every, len(epochs) > 1)),
        settings={"generate": _numbers(spec.model_generate_config), "epochs": len(epochs)},
        notes=tuple(notes),
    )


def _numbers(config: dict[str, Any]) -> dict[str, Any]:
    """How replies were made, in numbers; texts and records are left out, as headers with keys may be among them."""
    return {name: value for name, value in config.items() if isinstance(value, bool | int | float)}


def _row(number: int, sample: InspectSample) -> LogRow:
    said, thought = _said(sample)
    stop = sample.output.choices[0].stop_reason if sample.output.choices else ""
    failed = str(sample.error.get("message", "error")) if sample.error else sample.output.error or ""
    shown = [part for message in _before(sample) for part in _parts(message)]
    scores: dict[str, float] = {}
    for name, score in (sample.scores or {}).items():
        inner = score.value if isinstance(score.value, dict) else {"": score.value}
        numbers = {f"{name}/{k}" if k else name: to_float(v) for k, v in inner.items()}
        scores |= {k: v for k, v in numbers.items() if not math.isnan(v)}  # JSON, and so the record, has no NaN
    target = sample.target if isinstance(sample.target, str) else ", ".join(sample.target)
    facts = replied(
        said,
        thinking=thought,
        finish_reason=STOPS.get(stop, stop) or None,
        refused=stop == "content_filter",
        error=failed[:2000],
    )
    return LogRow(
        where=f"sample {sample.id}",
        id=str(sample.id),
        number=number,
        asked="\n".join(_attached(p["text"], sample) for p in shown if isinstance(p.get("text"), str)),
        pictures=tuple(d for p in shown if (d := _picture(p, sample))),
        target=target,
        read=next((s.answer for s in (sample.scores or {}).values() if s.answer is not None), None),
        scores=scores,
        fields=sample.metadata,
        **facts,
    )


def to_float(value: Any) -> float:
    """Inspect's own rule for what a score is worth as a number; what it cannot read is 0.

    >>> to_float("C"), to_float("P"), to_float(True), to_float("0.25"), to_float([1])
    (1.0, 0.5, 1.0, 0.25, 0.0)
    """
    if isinstance(value, bool | int | float):
        return to_number(value)
    if not isinstance(value, str):
        return 0.0
    if (known := LETTERS.get(value, WORDS.get(value.lower()))) is not None:
        return known
    try:
        return number if math.isfinite(number := float(value)) else 0.0
    except ValueError:
        return 0.0


def _said(sample: InspectSample) -> tuple[str, str]:
    """The reply, and what was thought before it."""
    if not sample.output.choices:
        return sample.output.completion or "", ""
    parts = _parts(sample.output.choices[0].message)
    said = "\n".join(_attached(str(p["text"]), sample) for p in parts if isinstance(p.get("text"), str))
    thought = "\n".join(_attached(str(p["reasoning"]), sample) for p in parts if isinstance(p.get("reasoning"), str))
    return said, thought


def _before(sample: InspectSample) -> list[dict[str, Any]]:
    """The messages that the reply answers."""
    said = [i for i, m in enumerate(sample.messages) if m.get("role") == "assistant"]
    return sample.messages[: said[-1]] if said else sample.messages


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [p for p in content if isinstance(p, dict)] if isinstance(content, list) else []


def _attached(text: str, sample: InspectSample) -> str:
    """A text that is long is kept apart, under its digest."""
    return sample.attachments.get(text.removeprefix(ATTACHED), text) if text.startswith(ATTACHED) else text


def _picture(part: dict[str, Any], sample: InspectSample) -> str:
    """The digest of a picture that the log has; nothing where it was left out."""
    image = part.get("image")
    if part.get("type") != "image" or not isinstance(image, str):
        return ""
    head, _, data = _attached(image, sample).partition(";base64,")
    try:
        return hashlib.sha256(base64.b64decode(data, validate=True)).hexdigest() if head[:5] == "data:" else ""
    except (binascii.Error, ValueError):
        return ""


def _figures(
    results: InspectResults | None, reduced: dict[str, ReducedScores], rows: Sequence[LogRow], several: bool
) -> list[LogScore]:
    """What the log reports, each with the values that it was made of: one a sample, epochs brought together."""
    found = []
    for one in results.scores if results else ():
        score = one.name if one.scorer in ("", one.name) else f"{one.scorer}/{one.name}"
        kept = reduced.get(one.scorer or one.name)
        if kept is not None:
            inner = [s.value.get(one.name) if isinstance(s.value, dict) else s.value for s in kept.samples]
            every = [to_float(v) for v in inner]
        else:
            every = [] if several else [r.scores[score] for r in rows if score in r.scores]
        values = tuple(v for v in every if not math.isnan(v))  # a sample that was not scored is no zero
        for name, metric in one.metrics.items():
            value = metric.get("value")
            if isinstance(value, int | float):
                how = HOW.get(name, "") if not metric.get("params") else ""
                found.append(
                    LogScore(name=f"{one.name}: {name}", value=to_number(value), score=score, how=how, values=values)
                )
    return found
