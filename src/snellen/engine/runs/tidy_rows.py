"""The tidy rows of one run, from its records. Nothing is computed anew: the scores are those of summary.json."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.arm import Arm
from snellen.core.figures import part_name
from snellen.core.model_names import model_name
from snellen.core.records import Manifest, Summary
from snellen.core.results import GroupSummary, ProtocolSummary, declared
from snellen.core.types import NON_ANSWERS, Answer
from snellen.core.unanswered import LOUD, MOST, lost_parts
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.tidy import MOSTLY_SILENT, PARTLY_SILENT, PUBLISHED, SampleRow, ScoreRow, Silence

SEVERAL = 5
"""So many returned names are told; an endpoint may return a new one each time."""


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
    """Return papers' figures for parts that the run has, under its protocols; none where the data is synthetic or unknown."""
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
    """Return the warnings of a run, in capitals: 'SYNTHETIC, INCOMPLETE, STALE, ORACLE, MOSTLY SILENT'; or nothing."""
    found = (
        ("SYNTHETIC", _synthetic(manifest, summary)),
        ("INCOMPLETE", not summary.complete),
        ("STALE", stale),
        ("ORACLE", bool(manifest.oracle)),
        (_lost(summary) if group is None else MOSTLY_SILENT * (_silence(group) == "most"), True),
    )
    return ", ".join(word for word, is_so in found if is_so and word)


def _lost(summary: Summary) -> str:
    """Tell whether most questions got no answer whatever the protocol, in all parts or in some."""
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
    """Return a path as a text that every file can hold: bytes that are not UTF-8 as escapes."""
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
    """Return the sum of what calls took; None where there were none, or one of them does not say."""
    return sum(values) if values and None not in values else None


def _names(found: Iterator[str | None]) -> str:
    return ", ".join(dict.fromkeys(name for name in found if name))


def _returned(summary: Summary) -> str:
    names = list(dict.fromkeys(row.model for row in summary.backends if row.model))
    more = f" and {len(names) - SEVERAL} more" if len(names) > SEVERAL else ""
    return ", ".join(names[:SEVERAL]) + more


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
