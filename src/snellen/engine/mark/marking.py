"""Marks are derived: read the stored answers, judge them under each protocol, write marks, summary and exports.

Each answer is judged, its mark written, and then counted in the summary, in that order. Nothing here calls anyone, and a run
folder is all it needs.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError, Stopped, plugin_failed
from snellen.core.exam import Exam, RunFacts
from snellen.core.outcomes import mark_reply
from snellen.core.records import LAYOUT, PositionRow, PublishedRow, ScorerSummary, Summary
from snellen.core.results import GroupSummary, ProtocolSummary
from snellen.core.scorer import Evidence
from snellen.core.types import Answer, Mark, Outcome, Sample
from snellen.engine.mark import control_comparison, scoring
from snellen.engine.plan.plan import Target
from snellen.engine.runs.folder import UNREADABLE, AnswerText, AnswerTokens, Key, RunFolder, Scan
from snellen.engine.runs.marks import read_marks
from snellen.stats.tally import Tally

_ENCODER = msgspec.json.Encoder()
_MARKS = msgspec.json.Decoder(Mark)
Look = Callable[[Key], Evidence | None]


class Change(NamedTuple):
    """A sample whose mark is not what it was."""

    protocol: str
    id: str
    before: Mark
    after: Mark


class Remarked(NamedTuple):
    """What marking again gave: for each protocol how many marks there are, and how many changed."""

    counts: dict[str, tuple[int, int]]
    changes: list[Change]


def is_current(folder: RunFolder, targets: tuple[Target, ...]) -> bool:
    """Whether summary and marks are of these protocols and of all the answers there are."""
    if not folder.has("summary.json"):
        return False
    summary, scorers = folder.summary(), folder.manifest().scorers
    marked = {m.name: m for m in summary.marked}
    return (
        summary.layout == LAYOUT
        and summary.answers_bytes == _size(folder.answers_path)
        and [(s.name, s.identity) for s in summary.scorers] == [(s.name, s.identity) for s in scorers]
        and summary.evidence_bytes == scoring.size(folder, scorers)
        and all(marked.get(t.name) == t.entry and folder.marks_path(t.name).is_file() for t in targets)
    )


def mark_run(
    folder: RunFolder,
    exam: Exam,
    targets: tuple[Target, ...],
    *,
    scan: Scan | None = None,
    concurrency: dict[str, Any] | None = None,
) -> Remarked:
    """Mark all answers under these protocols; write marks/, summary.json and exports/."""
    scan = scan or folder.scan()
    samples = {s.id: s for s in folder.samples()}
    remarked = Remarked({}, [])
    results = [_marked(folder, exam, scan, samples, target, remarked) for target in targets]
    summary = _summary(folder, exam, targets, scan, samples, results, concurrency)
    _export(folder, exam, targets, scan, samples, results, summary)
    folder.write_record(summary)
    return remarked


# ---------------------------------------------------------------- one protocol


def _marked(
    folder: RunFolder, exam: Exam, scan: Scan, samples: dict[str, Sample], target: Target, remarked: Remarked
) -> ProtocolSummary:
    """All marks of one protocol, written, and their summary."""
    protocol = target.protocol
    tally, broken = Tally(protocol), None
    for sample, mark in _written(folder, target, _judged(folder, scan, samples, target), remarked):
        if broken is None:
            try:
                tally.add(sample, mark)
            except Exception as error:  # the marks are written to the end all the same
                broken = error
    try:
        if broken is not None:
            raise broken
        groups = exam.named_groups(tally.groups(), msgspec.to_builtins(folder.manifest().subject))
    except SnellenError:
        raise
    except Exception as error:
        if not protocol.origin:
            raise
        raise plugin_failed(f"protocol {protocol.name}: the summary of its marks", error) from error
    return _protocol_summary(target, groups)


def _protocol_summary(target: Target, groups: tuple[GroupSummary, ...]) -> ProtocolSummary:
    protocol = target.protocol
    return ProtocolSummary(
        protocol=target.name,
        version=protocol.version,
        prompt=target.arm.text,
        headline=protocol.headline,
        groups=groups,
        metrics=protocol.metrics,
        bounded=protocol.bounded or protocol.headline,
        breakdown=protocol.breakdown or protocol.headline,
    )


def _judged(folder: RunFolder, scan: Scan, samples: dict[str, Sample], target: Target) -> Iterator[tuple[Sample, Mark]]:
    """Judge answer by answer."""
    look = scoring.gather(folder, folder.manifest().scorers) if target.protocol.needs_evidence else None
    for answer in _answers(folder, scan, target):
        if answer.prompt == target.arm.text:
            sample = samples.get(answer.id)
            if sample is None:
                raise SnellenError(f"{folder.answers_path}: an answer for the unknown sample '{answer.id}'")
            yield sample, _judge(target, sample, answer, look)


def _judge(target: Target, sample: Sample, answer: AnswerText, look: Look | None) -> Mark:
    protocol = target.protocol
    if answer.failure is not None:
        return Mark(id=sample.id, outcome=Outcome.ERROR, metrics=protocol.blank(sample))
    tokens = answer.tokens if isinstance(answer, AnswerTokens) else ()
    evidence = look((answer.id, answer.prompt)) if look is not None else None
    mark = mark_reply(protocol, sample, answer.text, answer.finish_reason, answer.refused, tokens, evidence)
    if look is not None and evidence is None and mark.outcome in (Outcome.CORRECT, Outcome.WRONG, Outcome.UNMARKED):
        return Mark(id=sample.id, outcome=Outcome.ERROR, reading=mark.reading, metrics=protocol.blank(sample))
    return mark


def _answers(folder: RunFolder, scan: Scan, target: Target) -> Iterator[AnswerText]:
    """The latest answers, with tokens only for a protocol that looks at them."""
    return folder.tokens(scan) if target.protocol.reads_tokens else folder.texts(scan)


def _written(
    folder: RunFolder, target: Target, judged: Iterator[tuple[Sample, Mark]], remarked: Remarked
) -> Iterator[tuple[Sample, Mark]]:
    """Write each mark as it comes and hand it on; the file takes its place when all are there."""
    path = folder.marks_path(target.name)
    part = path.with_name(path.name + ".part")
    old = _old_marks(path)
    marks, changed = 0, 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb", buffering=1 << 20) as out:
            for sample, mark in judged:
                line = _ENCODER.encode(mark) + b"\n"
                out.write(line)
                marks += 1
                before = old.get(mark.id)
                if before is not None and before != line:
                    changed += 1
                    remarked.changes.append(Change(target.name, mark.id, _MARKS.decode(before), mark))
                yield sample, mark
        part.replace(path)
    except OSError as error:
        raise Stopped(
            f"cannot write {path} ({error.strerror}): free some space; 'snellen remark {folder.path}' goes on"
        ) from None
    finally:  # nothing half done stays behind, whatever a protocol does
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    remarked.counts[target.name] = (marks, changed)


def _old_marks(path: Path) -> dict[str, bytes]:
    if not path.is_file():
        return {}
    found = {}
    with path.open("rb") as file:
        for line in file:
            with contextlib.suppress(*UNREADABLE):  # a damaged mark is made again like a missing one
                found[_MARKS.decode(line).id] = line
    return found


# ---------------------------------------------------------------- the whole run


def _summary(
    folder: RunFolder,
    exam: Exam,
    targets: tuple[Target, ...],
    scan: Scan,
    samples: dict[str, Sample],
    results: list[ProtocolSummary],
    concurrency: dict[str, Any] | None,
) -> Summary:
    manifest = folder.manifest()
    arms = dict.fromkeys(t.arm.text for t in targets)
    asked = {arm: sum(1 for k in scan.last if k[1] == arm) for arm in arms}
    expected = {arm: manifest.questions.get(arm, manifest.data.samples) for arm in asked}
    scorers = _scorers(folder, exam, scan)
    unscored = bool(scorers and scorers[0].unscored)
    return Summary(
        layout=LAYOUT,
        benchmark=exam.name,
        subject=manifest.subject.spec,
        synthetic=manifest.data.synthetic,
        complete=asked == expected and not scan.failed and not unscored,
        asked=asked,
        questions=sum(expected.values()),
        expected=expected,
        samples=manifest.data.samples,
        failed=len(scan.failed),
        failures=failure_reasons(folder, scan) if scan.failed else {},
        totals=scan.totals,
        concurrency=concurrency,
        scorers=scorers,
        evidence_bytes=scoring.size(folder, manifest.scorers),
        controls=control_comparison.compare(folder, exam, targets, samples, results),
        position=_position(folder, exam, targets),
        published=() if manifest.data.synthetic else _published(exam, targets, results),
        not_available=dict(exam.unavailable_metrics([t.arm.prompt for t in targets])),
        marked=tuple(t.entry for t in targets),
        answers_bytes=_size(folder.answers_path),
        protocols=tuple(results),
    )


def _scorers(folder: RunFolder, exam: Exam, scan: Scan) -> tuple[ScorerSummary, ...]:
    """The run's scorers, the main one first, with the number of answers that each has not scored."""
    entries = folder.manifest().scorers
    if not entries:
        return ()
    open_ = scoring.unscored(folder, exam, entries, scan)
    return tuple(ScorerSummary(name=e.name, identity=e.identity, unscored=open_[e.name]) for e in entries)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _position(folder: RunFolder, exam: Exam, targets: tuple[Target, ...]) -> tuple[PositionRow, ...]:
    """What the order of the pictures does, for each protocol that has both orders."""
    found = []
    for one in (t for t in targets if not t.arm.control):
        other = next((t for t in targets if t == Target(one.protocol, one.arm.under("swapped"))), None)
        if other is not None:
            bias = exam.position_bias(read_marks(folder, one.name), read_marks(folder, other.name))
            found += [msgspec.convert({"protocol": one.name, **bias}, PositionRow)] if bias is not None else []
    return tuple(found)


def _published(exam: Exam, targets: tuple[Target, ...], results: list[ProtocolSummary]) -> tuple[PublishedRow, ...]:
    """The paper's figures for the parts that this run has."""
    return tuple(
        PublishedRow(**row._asdict(), protocol=target.name)
        for target, result in zip(targets, results, strict=True)
        for row in exam.published(target.protocol.name, target.arm.text)
        if any(g.by == row.by for g in result.groups)
    )


def failure_reasons(folder: RunFolder, scan: Scan) -> dict[str, int]:
    """Why answers are missing: reasons and how often, the commonest ten."""
    reasons: Counter[str] = Counter()
    for answer in folder.texts(scan):
        if answer.failure is not None:
            reasons[f"{answer.failure.kind}: {answer.failure.reason}"] += 1
    return dict(reasons.most_common(10))


# ---------------------------------------------------------------- exports


def _export(
    folder: RunFolder,
    exam: Exam,
    targets: tuple[Target, ...],
    scan: Scan,
    samples: dict[str, Sample],
    results: list[ProtocolSummary],
    summary: Summary,
) -> None:
    """The exam's own files; those of further protocols in folders of their own."""
    folder.clear("exports")
    manifest = folder.manifest()
    for i, (target, result) in enumerate(zip(targets, results, strict=True)):
        wanted = i == 0 or target.protocol.own_files
        records = _records(folder, scan, samples, target) if wanted else None
        facts = RunFacts(manifest, target.protocol, target.arm.text, result.groups, summary.totals, records)
        for name, content in exam.exports(facts):
            folder.write(f"exports/{name}" if i == 0 else f"exports/{target.name}/{name}", content)


def run_facts(folder: RunFolder, exam: Exam) -> Iterator[RunFacts]:
    """The first protocol of each prompt of a marked run, with its records; control arms are left out."""
    manifest, scan, seen = folder.manifest(), folder.scan(), set()
    samples = {s.id: s for s in folder.samples()}
    for result in folder.summary().plain:
        protocol, arm = exam.protocol(f"{result.protocol.partition('@')[0]}@{result.prompt}")
        if arm not in seen:
            seen.add(arm)
            records = _records(folder, scan, samples, Target(protocol, arm))
            yield RunFacts(manifest, protocol, arm.text, result.groups, scan.totals, records)


def _records(
    folder: RunFolder, scan: Scan, samples: dict[str, Sample], target: Target
) -> Callable[[], Iterator[tuple[Sample, Answer, Mark]]]:
    """Sample, answer (without its ledger) and mark side by side, streamed."""

    def stream() -> Iterator[tuple[Sample, Answer, Mark]]:
        answers = (_bare(a) for a in _answers(folder, scan, target) if a.prompt == target.arm.text)
        for answer, mark in zip(answers, read_marks(folder, target.name), strict=True):
            yield samples[answer.id], answer, mark

    return stream


def _bare(text: AnswerText) -> Answer:
    tokens = text.tokens if isinstance(text, AnswerTokens) else ()
    return Answer(id=text.id, prompt=text.prompt, text=text.text, failure=text.failure, tokens=tokens)
