"""Marks are derived: read the stored answers, judge them under each protocol, write marks, summary and exports.

Nothing here calls anyone, and a run folder is all it needs.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError, Stopped
from snellen.core.exam import (
    Collects,
    Exam,
    HasFiles,
    Lacks,
    NamesGroups,
    ReadsEvidence,
    ReadsTokens,
    RunFacts,
    Scored,
    SeesOrder,
    pick_protocol,
)
from snellen.core.outcomes import mark_reply
from snellen.core.results import ProtocolSummary
from snellen.core.types import Answer, Mark, Outcome, Sample
from snellen.engine.mark import control_comparison as arms
from snellen.engine.mark import scoring
from snellen.engine.plan.plan import Chosen, protocol_entry
from snellen.engine.runs.folder import UNREADABLE, AnswerText, AnswerTokens, Key, RunFolder, Scan
from snellen.engine.runs.marks import read_marks

_ENCODER = msgspec.json.Encoder()
_MARKS = msgspec.json.Decoder(Mark)
_SUMMARIES = msgspec.json.Decoder(list[ProtocolSummary])
LAYOUT = 2


class Change(NamedTuple):
    """A sample whose mark is not what it was."""

    protocol: str
    id: str
    before: Mark
    after: Mark


class Remarked(NamedTuple):
    """What marking again gave: for each protocol how many marks there are, were new, and changed."""

    counts: dict[str, tuple[int, int]]
    changes: list[Change]


def is_current(folder: RunFolder, chosen: tuple[Chosen, ...]) -> bool:
    """Whether summary and marks are of these protocols and of all the answers there are."""
    if not folder.has("summary.json"):
        return False
    summary, scorers = folder.summary(), folder.manifest().get("scorers", [])
    marked = {m["name"]: m for m in summary.get("marked", ())}
    return (
        summary.get("layout") == LAYOUT
        and summary.get("answers_bytes") == _size(folder.answers_path)
        and [_entry(s) for s in summary.get("scorers", ())] == scorers
        and summary.get("evidence_bytes", 0) == scoring.size(folder, scorers)
        and all(marked.get(c.name) == protocol_entry(c) and folder.marks_path(c.name).is_file() for c in chosen)
    )


def _entry(scorer: Mapping[str, Any]) -> dict[str, Any]:
    """A scorer of the summary as the manifest has it."""
    return {"name": scorer["name"], "identity": scorer["identity"]}


def _scorers(folder: RunFolder, benchmark: Exam, scan: Scan) -> list[dict[str, Any]]:
    """The run's scorers, the main one first, with the number of answers that each has not scored."""
    entries = folder.manifest().get("scorers", [])
    if not entries or not isinstance(benchmark, Scored):
        return []
    open_ = scoring.unscored(folder, benchmark, entries, scan)
    return [{**entry, "unscored": open_[entry["name"]]} for entry in entries]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def mark_run(
    folder: RunFolder,
    benchmark: Exam,
    chosen: tuple[Chosen, ...],
    *,
    scan: Scan | None = None,
    extra: dict[str, Any] | None = None,
) -> Remarked:
    """Mark all answers under these protocols; write marks/, summary.json and exports/."""
    scan = scan or folder.scan()
    manifest = folder.manifest()
    samples = {s.id: s for s in folder.samples()}
    summaries: list[ProtocolSummary] = []
    remarked = Remarked({}, [])
    for one in chosen:
        old = _old_marks(folder.marks_path(one.name))
        groups = one.protocol.summarise(_judged(folder, scan, samples, one, old, remarked))
        if isinstance(benchmark, NamesGroups):
            groups = benchmark.named_groups(groups, manifest["subject"])
        summaries.append(
            ProtocolSummary(
                protocol=one.name,
                version=one.protocol.version,
                prompt=one.prompt,
                headline=one.protocol.headline,
                groups=groups,
            )
        )
    asked = {prompt: sum(1 for k in scan.last if k[1] == prompt) for prompt in dict.fromkeys(c.prompt for c in chosen)}
    samples_in_all = manifest["data"]["samples"]
    expected = {prompt: manifest.get("questions", {}).get(prompt, samples_in_all) for prompt in asked}
    totals = msgspec.to_builtins(scan.totals)
    scorers = _scorers(folder, benchmark, scan)
    unscored = bool(scorers and scorers[0]["unscored"])
    summary = {
        "layout": LAYOUT,
        "benchmark": benchmark.name,
        "subject": manifest["subject"]["spec"],
        "synthetic": manifest["data"]["synthetic"],
        "complete": asked == expected and not scan.failed and not unscored,
        "asked": asked,
        "questions": sum(expected.values()),
        "expected": expected,
        "samples": samples_in_all,
        "failed": len(scan.failed),
        "failures": failure_reasons(folder, scan) if scan.failed else {},
        "totals": totals,
        **(extra or {}),
        **({"scorers": scorers, "evidence_bytes": scoring.size(folder, scorers)} if scorers else {}),
        "controls": arms.compare(folder, benchmark, chosen, samples, summaries),
        "position": _position(folder, benchmark, chosen),
        "published": [] if manifest["data"]["synthetic"] else _published(benchmark, chosen, summaries),
        "not_available": dict(benchmark.lacks([c.prompt for c in chosen])) if isinstance(benchmark, Lacks) else {},
        "marked": [protocol_entry(c) for c in chosen],
        "answers_bytes": _size(folder.answers_path),
        "protocols": msgspec.to_builtins(summaries),
    }
    folder.clear("exports")
    for i, (one, result) in enumerate(zip(chosen, summaries, strict=True)):
        own = isinstance(one.protocol, HasFiles) and one.protocol.own_files
        wanted = i == 0 or own or isinstance(benchmark, Collects)
        records = _records(folder, scan, samples, one) if wanted else None
        facts = RunFacts(manifest, one.protocol, one.prompt, result.groups, totals, records)
        for name, content in benchmark.exports(facts):
            folder.write(f"exports/{name}" if i == 0 else f"exports/{one.name}/{name}", content)
    folder.write_json("summary.json", summary)
    return remarked


def run_facts(folder: RunFolder, benchmark: Exam) -> Iterator[RunFacts]:
    """The first protocol of each prompt of a marked run, with its records; control arms are left out."""
    manifest, scan, seen = folder.manifest(), folder.scan(), set()
    samples = {s.id: s for s in folder.samples()}
    totals = msgspec.to_builtins(scan.totals)
    for summary in read_summaries(folder):
        protocol, prompt = pick_protocol(benchmark, f"{summary.protocol.partition('@')[0]}@{summary.prompt}")
        if "+" not in prompt and prompt not in seen:
            seen.add(prompt)
            records = _records(folder, scan, samples, Chosen(protocol, prompt))
            yield RunFacts(manifest, protocol, prompt, summary.groups, totals, records)


def _position(folder: RunFolder, benchmark: Exam, chosen: tuple[Chosen, ...]) -> list[dict[str, Any]]:
    """What the order of the pictures does, for each protocol that has both orders."""
    if not isinstance(benchmark, SeesOrder):
        return []
    found = []
    for one in (c for c in chosen if "+" not in c.prompt):
        other = next((c for c in chosen if c.protocol is one.protocol and c.prompt == f"{one.prompt}+swapped"), None)
        if other is not None:
            bias = benchmark.position_bias(read_marks(folder, one.name), read_marks(folder, other.name))
            found += [{"protocol": one.name, **bias}] if bias is not None else []
    return found


def _published(benchmark: Exam, chosen: tuple[Chosen, ...], summaries: list[ProtocolSummary]) -> list[dict[str, Any]]:
    """The paper's figures for the parts that this run has."""
    return [
        row._asdict() | {"protocol": one.name}
        for one, summary in zip(chosen, summaries, strict=True)
        for row in benchmark.published(one.protocol.name, one.prompt)
        if any(g.by == row.by for g in summary.groups)
    ]


def _judged(
    folder: RunFolder, scan: Scan, samples: dict[str, Sample], one: Chosen, old: dict[str, bytes], remarked: Remarked
) -> Iterator[tuple[Sample, Mark]]:
    """Judge answer by answer, write each mark on the way, and pass it on to the summary."""
    path = folder.marks_path(one.name)
    part = path.with_name(path.name + ".part")
    marks, changed = 0, 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb", buffering=1 << 20) as out:
            for sample, mark in _marked(folder, scan, samples, one):
                line = _ENCODER.encode(mark) + b"\n"
                out.write(line)
                marks += 1
                before = old.get(mark.id)
                if before is not None and before != line:
                    changed += 1
                    remarked.changes.append(Change(one.name, mark.id, _MARKS.decode(before), mark))
                yield sample, mark
        part.replace(path)
    except OSError as error:
        raise Stopped(
            f"cannot write {path} ({error.strerror}): free some space; 'snellen remark {folder.path}' goes on"
        ) from None
    finally:  # nothing half done stays behind, whatever a protocol does
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    remarked.counts[one.name] = (marks, changed)


def _marked(folder: RunFolder, scan: Scan, samples: dict[str, Sample], one: Chosen) -> Iterator[tuple[Sample, Mark]]:
    evidence = _evidence(folder, one)
    for answer in _answers(folder, scan, one):
        if answer.prompt == one.prompt:
            sample = samples.get(answer.id)
            if sample is None:
                raise SnellenError(f"{folder.answers_path}: an answer for the unknown sample '{answer.id}'")
            yield sample, _mark(one, sample, answer, evidence)


Look = Callable[[Key], dict[str, Any] | None]


def _evidence(folder: RunFolder, one: Chosen) -> Look | None:
    """What scorers said, for a protocol that needs it."""
    if not isinstance(one.protocol, ReadsEvidence):
        return None
    return scoring.gather(folder, folder.manifest().get("scorers", ()))


def _mark(one: Chosen, sample: Sample, answer: AnswerText, look: Look | None) -> Mark:
    if answer.failure is not None:
        return Mark(id=sample.id, outcome=Outcome.ERROR, metrics=one.protocol.blank(sample))
    tokens = answer.tokens if isinstance(answer, AnswerTokens) else ()
    evidence = look((answer.id, answer.prompt)) if look is not None else None
    mark = mark_reply(one.protocol, sample, answer.text, answer.finish_reason, answer.refused, tokens, evidence)
    if look is not None and evidence is None and mark.outcome in (Outcome.CORRECT, Outcome.WRONG, Outcome.UNMARKED):
        return Mark(id=sample.id, outcome=Outcome.ERROR, reading=mark.reading, metrics=one.protocol.blank(sample))
    return mark


def _answers(folder: RunFolder, scan: Scan, one: Chosen) -> Iterator[AnswerText]:
    """The latest answers, with tokens only for a protocol that looks at them."""
    return folder.tokens(scan) if isinstance(one.protocol, ReadsTokens) else folder.texts(scan)


def _old_marks(path: Path) -> dict[str, bytes]:
    if not path.is_file():
        return {}
    found = {}
    with path.open("rb") as file:
        for line in file:
            with contextlib.suppress(*UNREADABLE):  # a damaged mark is made again like a missing one
                found[_MARKS.decode(line).id] = line
    return found


def read_summaries(folder: RunFolder) -> list[ProtocolSummary]:
    """The protocols' results as typed records."""
    return _SUMMARIES.decode(_ENCODER.encode(folder.summary()["protocols"]))


def _records(
    folder: RunFolder, scan: Scan, samples: dict[str, Sample], one: Chosen
) -> Callable[[], Iterator[tuple[Sample, Answer, Mark]]]:
    """Sample, answer (without its ledger) and mark side by side, streamed."""

    def stream() -> Iterator[tuple[Sample, Answer, Mark]]:
        answers = (_bare(a) for a in _answers(folder, scan, one) if a.prompt == one.prompt)
        for answer, mark in zip(answers, read_marks(folder, one.name), strict=True):
            yield samples[answer.id], answer, mark

    return stream


def _bare(text: AnswerText) -> Answer:
    tokens = text.tokens if isinstance(text, AnswerTokens) else ()
    return Answer(id=text.id, prompt=text.prompt, text=text.text, failure=text.failure, tokens=tokens)


def failure_reasons(folder: RunFolder, scan: Scan) -> dict[str, int]:
    """Why answers are missing: reasons and how often, the commonest ten."""
    reasons: Counter[str] = Counter()
    for answer in folder.texts(scan):
        if answer.failure is not None:
            reasons[f"{answer.failure.kind}: {answer.failure.reason}"] += 1
    return dict(reasons.most_common(10))
