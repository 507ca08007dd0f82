"""Runs on disk that are made up: summaries as told, or those of a small exam's replies. No engine, no exam of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from tests.support.sets import png

from snellen.core.exam import Exam
from snellen.core.outcomes import mark_reply
from snellen.core.prompt import Prompt, by_name
from snellen.core.protocol import TEXT_ALONE, Protocol, ReplyContext
from snellen.core.records import LAYOUT, DataEntry, Manifest, ProtocolEntry, SubjectEntry, Summary
from snellen.core.results import GroupSummary, Metric, ProtocolSummary, Score
from snellen.core.types import Answer, Mark, Picture, Sample
from snellen.engine.runs.run import Run, open_run
from snellen.stats.tally import summarised


def score(value: float | None, n: int = 24, floor: float | None = None, **more: Any) -> Score:
    return Score(value=value, n=n, low=0.101, high=0.9, interval="wilson", floor=floor, **more)


def group(by: dict[str, str], n: int = 24, whole: bool = True, **metrics: Score) -> GroupSummary:
    return GroupSummary(by=by, n=n, outcomes={"correct": n}, metrics=metrics, whole=whole)


def protocol(name: str, *groups: GroupSummary, metrics: Sequence[Metric] = (), **more: Any) -> ProtocolSummary:
    named = {"version": "1", "prompt": "question", "headline": "accuracy"} | more
    return ProtocolSummary(protocol=name, groups=groups, metrics=tuple(metrics), **named)


def made_run(path: Path, *protocols: ProtocolSummary, subject: str = "baseline/pixels", **summary: Any) -> Run:
    """A run of which only the records exist."""
    run = _folder(path, "made-up", subject, 144, **summary)
    _write_summary(run, path, protocols, **summary)
    return run


def _folder(path: Path, exam: str, subject: str, samples: int, source: str = "set", **summary: Any) -> Run:
    path.mkdir(parents=True, exist_ok=True)
    data = DataEntry(source=source, fingerprint="", samples=samples, synthetic=summary.get("synthetic", False))
    manifest = Manifest(
        snellen="0", created="today", exam=exam, subject=SubjectEntry(spec=subject), data=data, format=2
    )
    (path / "run.json").write_bytes(msgspec.json.encode(manifest))
    return open_run(path)


def _write_summary(run: Run, path: Path, protocols: Sequence[ProtocolSummary], **more: Any) -> None:
    known = {"synthetic": False, "complete": True, "samples": run.manifest.data.samples, "layout": LAYOUT} | more
    made = Summary(exam=run.manifest.exam, subject=run.manifest.subject.spec, protocols=tuple(protocols), **known)
    (path / "summary.json").write_bytes(msgspec.json.encode(made))


# ---------------------------------------------------------------- a small exam


class Counting(Protocol):
    """Reads a number; says how far it is off, as a count."""

    metrics = (Metric(name="score", label="exact"), Metric(name="off_by", label="off by", unit="count", detail=True))

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Any:
        verdict = super().judge(reply, sample)
        off = abs(float(verdict.reading) - float(sample.truth)) if verdict.readable else 2.0
        return verdict._replace(metrics=verdict.metrics | {"off_by": off})


def counting(name: str) -> Counting:
    return Counting(
        name,
        "counts",
        read=lambda reply, _sample: reply.strip() if reply.strip().isdigit() else None,
        mark=lambda reading, sample: float(reading == sample.truth),
    )


class Dots(Exam):
    """How many dots?"""

    name = "dots"
    prompts = by_name(Prompt("question", "asks for the number", lambda _sample, _shots: "How many dots?"))

    def __init__(self, samples: Sequence[Sample], *protocols: Protocol) -> None:
        self._samples = samples
        self.protocols = {p.name: p for p in protocols}

    def samples(self, _where: Path) -> Any:
        return iter(self._samples)


def dots(*ids: str, tags: Mapping[str, str] | None = None) -> list[Sample]:
    """Samples whose truth is their place."""
    return [
        Sample(id=name, tags=dict(tags or {}), truth=str(i), pictures=(Picture(data=png(i), name=f"{i}.png"),))
        for i, name in enumerate(ids, 1)
    ]


def answered_run(path: Path, exam: Dots, replies: Mapping[str, str], **summary: Any) -> Run:
    """A run of `exam` with these replies, marked by its protocols."""
    from snellen.core.options import Selection

    where = path / "set"
    where.mkdir(parents=True)
    data = exam.open(where, Selection())
    run = _folder(path, exam.name, "replay/mine", len(data), source=str(where), **summary)
    manifest = msgspec.structs.replace(
        run.manifest,
        data=msgspec.structs.replace(run.manifest.data, fingerprint=data.fingerprint),
        protocols=tuple(
            ProtocolEntry(name=p.name, version=p.version, prompt="question") for p in exam.protocols.values()
        ),
    )
    (path / "run.json").write_bytes(msgspec.json.encode(manifest))
    light = list(data.light())
    run.folder.write_samples(light)
    answers = b"".join(
        msgspec.json.encode(Answer(id=s.id, prompt="question", text=replies[s.id])) + b"\n" for s in light
    )
    run.folder.answers_path.write_bytes(answers)
    results = []
    (path / "marks").mkdir()
    for p in exam.protocols.values():
        marks: list[Mark] = [mark_reply(p, s, replies[s.id]) for s in light]
        run.folder.marks_path(p.name).write_bytes(b"".join(msgspec.json.encode(m) + b"\n" for m in marks))
        groups = summarised(p, zip(light, marks, strict=True))
        results.append(protocol(p.name, *groups, metrics=p.metrics, headline=p.headline))
    asked = {"question": len(light)}
    _write_summary(run, path, results, asked=asked, expected=asked, answers_bytes=len(answers), **summary)
    return open_run(path)
