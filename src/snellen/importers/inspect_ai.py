"""Inspect AI's logs: `.eval`, a zip file of JSON members, and `.json`, a single document. Both hold the same records."""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
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


class _InspectPart(msgspec.Struct, frozen=True):
    """The part of a log that is used."""


class _Score(_InspectPart, frozen=True):
    """A scorer's result for a sample."""

    value: Any = None
    answer: str | None = None


class _Choice(_InspectPart, frozen=True):
    """One reply of a model."""

    message: dict[str, Any] = {}
    stop_reason: str = ""


class _Output(_InspectPart, frozen=True):
    """The output of a model call."""

    choices: tuple[_Choice, ...] = ()
    completion: str | None = None
    error: str | None = None


class _InspectSample(_InspectPart, frozen=True):
    """The part of a sample's record that is used. The transcript of events, by far the largest, is skipped."""

    id: str | int
    epoch: int = 1
    target: str | list[str] = ""
    messages: list[dict[str, Any]] = []
    output: _Output = _Output()
    scores: dict[str, _Score] | None = None
    metadata: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    attachments: dict[str, str] = {}


class _Scorer(_InspectPart, frozen=True):
    """A scorer with its totals."""

    name: str
    scorer: str = ""
    metrics: dict[str, dict[str, Any]] = {}


class _InspectResults(_InspectPart, frozen=True):
    """The totals of an evaluation. `headline` names the score that the log itself puts first."""

    completed_samples: int = 0
    scores: tuple[_Scorer, ...] = ()
    headline: dict[str, Any] | None = None


class _Reduced(_InspectPart, frozen=True):
    """A scorer's scores of all samples, over all epochs."""

    scorer: str
    samples: tuple[_Score, ...] = ()


class _DataSet(_InspectPart, frozen=True):
    """The data set of the evaluation, with its samples in order."""

    sample_ids: list[str | int] | None = None


class _Spec(_InspectPart, frozen=True):
    """The settings of the evaluation: task, model and parameters."""

    task: str = ""
    model: str = ""
    created: str = ""
    dataset: _DataSet = _DataSet()
    model_generate_config: dict[str, Any] = {}
    packages: dict[str, str] = {}


class _Header(_InspectPart, frozen=True):
    """header.json. A `.json` log also has samples and reductions."""

    eval: _Spec
    status: str = ""
    results: _InspectResults | None = None
    samples: list[_InspectSample] | None = None
    reductions: tuple[_Reduced, ...] | None = None


def read(paths: Sequence[Path], epoch: int | None = None) -> Log:
    """Read a log of either form. If there are several epochs, all are used as repeats, or only the named one."""
    if len(paths) > 1:
        raise SnellenError("a log of Inspect is one evaluation: import one at a time")
    path = paths[0]
    with checked(path).open("rb") as file:
        zipped = file.read(4) == b"PK\x03\x04"
    if not zipped and path.suffix.lower() not in (".json", ".eval"):
        raise SnellenError(
            f"{path}: not a log of Inspect, which is LOG.eval or LOG.json; 'snellen import csv' reads tables"
        )
    header = _from_archive(Archive(path)) if zipped else decoded(path.read_bytes(), _Header, str(path))
    spec, samples, results = header.eval, header.samples or [], header.results or _InspectResults()
    if not samples:
        raise SnellenError(f"{path}: the log has no samples (was it written with --no-log-samples?)")
    epochs = sorted({s.epoch for s in samples})
    if epoch is not None and epoch not in epochs:
        raise SnellenError(f"--epoch {epoch}: {path} has {', '.join(map(str, epochs))}")
    if results.completed_samples > len(samples):
        raise SnellenError(
            f"{path}: its results are of {results.completed_samples} samples, and it holds {len(samples)}"
        )
    notes = []
    if len(epochs) > 1:
        notes.append(
            f"the log has {len(epochs)} epochs, which are kept as repeats: scores are over all of them, and n counts replies"
            if epoch is None
            else f"the log has {len(epochs)} epochs: the replies of epoch {epoch} are imported; Inspect's score is over all of them"
        )
    if header.status != "success":
        notes.append(f"Inspect says of this log: {header.status or 'no status'}")
    every = [_row(i, s) for i, s in enumerate(samples)]
    times = [[s for s in samples if s.epoch == one] for one in (epochs if epoch is None else [epoch])]
    rows, *again = [tuple(_row(i, s) for i, s in enumerate(some)) for some in times]
    reduced = {one.scorer: one.samples for one in header.reductions or ()}
    # texts and records are left out, because headers with keys may be among them
    config = {k: v for k, v in spec.model_generate_config.items() if isinstance(v, bool | int | float)}
    first = str((results.headline or {}).get("score") or "")
    return Log(
        tool=TOOL,
        version=spec.packages.get("inspect_ai", ""),
        model=spec.model,
        files=(str(path),),
        made=spec.created,
        task=spec.task,
        rows=rows,
        again=tuple(again),
        headline=first or next((name for r in rows for name in r.scores), ""),
        figures=tuple(_figures(results.scores, reduced, every if len(epochs) == 1 else [])),
        settings={"generate": config, "epochs": len(epochs)},
        notes=tuple(notes),
    )


def _from_archive(archive: Archive) -> _Header:
    """Return the header with the samples of the other members, in the data set's order."""
    names = archive.names()
    if "header.json" not in names and any(n.startswith("_journal/") for n in names):
        raise SnellenError(
            f"{archive.path}: the evaluation did not come to its end; 'inspect log recover' makes a whole log of it"
        )
    header = archive.read("header.json", _Header)
    samples = [archive.read(n, _InspectSample) for n in names if n.startswith("samples/") and n.endswith(".json")]
    reduced = archive.read("reductions.json", tuple[_Reduced, ...]) if "reductions.json" in names else ()
    order = {str(one): i for i, one in enumerate(header.eval.dataset.sample_ids or ())}
    samples.sort(key=lambda s: (order.get(str(s.id), len(order)), s.epoch))
    return msgspec.structs.replace(header, samples=samples, reductions=reduced)


def _row(number: int, sample: _InspectSample) -> LogRow:
    choice = sample.output.choices[0] if sample.output.choices else None
    stop = choice.stop_reason if choice else ""
    said = _texts([choice.message], "text", sample) if choice else [sample.output.completion or ""]
    thought = _texts([choice.message], "reasoning", sample) if choice else []
    last = max((i for i, m in enumerate(sample.messages) if m.get("role") == "assistant"), default=None)
    before = sample.messages[:last]
    failed = str(sample.error.get("message", "error")) if sample.error else sample.output.error or ""
    scores: dict[str, float] = {}
    for name, score in (sample.scores or {}).items():
        inner = score.value if isinstance(score.value, dict) else {"": score.value}
        numbers = {f"{name}/{k}" if k else name: _number(v) for k, v in inner.items()}
        scores |= {k: v for k, v in numbers.items() if not math.isnan(v)}  # JSON, and so the record, has no NaN
    return LogRow(
        where=f"sample {sample.id}",
        id=str(sample.id),
        number=number,
        asked="\n".join(_texts(before, "text", sample)),
        pictures=tuple(d for text in _texts(before, "image", sample) if (d := _digest(text))),
        target=sample.target if isinstance(sample.target, str) else ", ".join(sample.target),
        read=next((s.answer for s in (sample.scores or {}).values() if s.answer is not None), None),
        scores=scores,
        fields=sample.metadata,
        **replied(
            "\n".join(said),
            thinking="\n".join(thought),
            finish_reason=STOPS.get(stop, stop) or None,
            refused=stop == "content_filter",
            error=failed[:2000],
        ),
    )


def _texts(messages: Iterable[dict[str, Any]], field: str, sample: _InspectSample) -> list[str]:
    """Return a field of every message part that has it as a text. Long ones are stored separately, under their digest."""
    found = []
    for message in messages:
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        values = [part.get(field) for part in parts if isinstance(part, dict)]
        texts = [value for value in values if isinstance(value, str)]
        found += [sample.attachments.get(t.removeprefix(ATTACHED), t) if t.startswith(ATTACHED) else t for t in texts]
    return found


def _digest(image: str) -> str:
    """Return the digest of an image in the log, or an empty text if it was left out."""
    head, _, data = image.partition(";base64,")
    try:
        return hashlib.sha256(base64.b64decode(data, validate=True)).hexdigest() if head.startswith("data:") else ""
    except (binascii.Error, ValueError):
        return ""


def _number(value: Any) -> float:
    """Return a score as a number by Inspect's own rule. Values that it cannot read are 0.

    >>> _number("C"), _number("P"), _number(True), _number("0.25"), _number([1])
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


def _figures(
    scorers: Sequence[_Scorer], reduced: Mapping[str, Sequence[_Score]], rows: Sequence[LogRow]
) -> Iterator[LogScore]:
    """Yield the figures that the log reports, each with its values: one for each sample, with epochs combined."""
    for one in scorers:
        score = one.name if one.scorer in ("", one.name) else f"{one.scorer}/{one.name}"
        kept = reduced.get(one.scorer or one.name)
        if kept is None:
            every = [r.scores[score] for r in rows if score in r.scores]
        else:
            every = [_number(s.value.get(one.name) if isinstance(s.value, dict) else s.value) for s in kept]
        values = tuple(v for v in every if not math.isnan(v))  # a sample that was not scored is not a zero
        for name, metric in one.metrics.items():
            value = metric.get("value")
            if isinstance(value, int | float):
                how = HOW.get(name, "") if not metric.get("params") else ""
                named = f"{one.name}: {name}"
                yield LogScore(name=named, value=to_number(value), score=score, how=how, values=values)
