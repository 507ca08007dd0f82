"""Marks are derived: read the stored answers, judge them under each protocol, write marks, summary and exports.

Each answer is judged, its mark written, and then counted in the summary, in that order. Nothing here makes a call, and a run folder is all
it needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.core.arm import Arm
from snellen.core.errors import SnellenError, Stopped, plugin_failed
from snellen.core.exam import Exam
from snellen.core.extras import Exports, GroupLabels, PaperTables, Remarks, RunFacts, SwappedPictures
from snellen.core.outcomes import mark_answer
from snellen.core.protocol import roles
from snellen.core.records import PositionRow, PublishedRow, ScorerSummary, Summary
from snellen.core.results import GroupSummary, ProtocolSummary
from snellen.core.types import NON_ANSWERS, Answer, Mark, Outcome, Sample
from snellen.core.unanswered import lost_parts, silent_parts
from snellen.engine.ask.controls import as_asked
from snellen.engine.mark import control_comparison, scoring
from snellen.engine.mark.advice import advice
from snellen.engine.mark.plain_floors import has_own_floors, with_floors
from snellen.engine.plan.plan import ProtocolRun
from snellen.engine.runs.backends import mixed_notes
from snellen.engine.runs.folder import MARKS, UNREADABLE, RunFolder, Scan, raw_lines
from snellen.engine.runs.sample_index import SampleIndex
from snellen.engine.runs.writing import replacing
from snellen.stats.repeats import RepeatTally
from snellen.stats.tally import Tally, summarised

_ENCODER = msgspec.json.Encoder()


class MarkChange(NamedTuple):
    """A sample whose mark changed."""

    protocol: str
    id: str
    before: Mark
    after: Mark


class RemarkResult(NamedTuple):
    """The result of marking again: for each protocol the number of marks, and how many changed."""

    counts: dict[str, tuple[int, int]]
    changes: list[MarkChange]
    notes: tuple[str, ...] = ()


def is_current(folder: RunFolder, targets: tuple[ProtocolRun, ...]) -> bool:
    """Tell whether summary and marks are of these protocols and of all answers."""
    if not folder.has("summary.json"):
        return False
    summary, scorers = folder.summary(), folder.manifest().scorers
    marked = {m.name: m for m in summary.marked}
    return (
        summary.answers_bytes == folder.answers_bytes
        and [(s.name, s.identity) for s in summary.scorers] == [(s.name, s.identity) for s in scorers]
        and summary.evidence_bytes == scoring.size(folder, scorers)
        and all(marked.get(t.name) == t.entry for t in targets)
        and all(folder.marks_path(p.protocol, r).is_file() for p in summary.protocols for r in range(1, p.repeats + 1))
    )


def mark_run(
    folder: RunFolder,
    exam: Exam,
    targets: tuple[ProtocolRun, ...],
    *,
    scan: Scan | None = None,
    concurrency: dict[str, Any] | None = None,
    exports: bool = True,
) -> RemarkResult:
    """Mark all answers under these protocols. Write marks/, summary.json and, unless they are switched off, exports/."""
    marking = _Marking(folder, exam, scan or folder.scan())
    results = [marking.marked(target) for target in targets]
    summary = marking.summary(targets, results, concurrency)
    if exports:
        marking.export(targets, results)
    folder.write_record(summary)
    return marking.remarked


def judging(folder: RunFolder, exam: Exam, scan: Scan) -> Callable[[ProtocolRun, int], Iterator[tuple[Sample, Mark]]]:
    """Return a function that marks a run's stored answers of one repeat (from 1) under any protocol. It writes nothing."""
    return _Marking(folder, exam, scan)._judged


def run_facts(folder: RunFolder, exam: Exam) -> Iterator[RunFacts]:
    """Yield the first protocol of each prompt of a marked run, with its records. Control arms are left out."""
    marking, seen = _Marking(folder, exam, folder.scan()), set()
    for result in folder.summary().plain:
        target = ProtocolRun(*exam.protocol(f"{result.protocol.partition('@')[0]}@{result.prompt}"))
        if target.arm not in seen:
            seen.add(target.arm)
            yield marking.facts(target, result)


def failure_reasons(folder: RunFolder, scan: Scan) -> dict[str, int]:
    """Return the reasons for missing answers with their counts: the ten most common ones."""
    failures = (a.failure for a in folder.answers(scan) if a.failure is not None)
    counts = Counter(f"{f.kind}: {f.reason}" for f in failures)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10])


class _Marking:
    """The answers of one run folder, on their way to marks, summary and exports."""

    def __init__(self, folder: RunFolder, exam: Exam, scan: Scan) -> None:
        self.folder, self.exam, self.scan = folder, exam, scan
        self.manifest = folder.manifest()
        self.remarked = RemarkResult({}, [])
        self.asked = Counter(scan.last.counts)
        self.cut: Counter[str] = Counter()

    @cached_property
    def index(self) -> SampleIndex:
        """The places of the samples and their answers."""
        return SampleIndex(self.folder, self.scan)

    def _places_of(self, arm: str) -> NDArray[np.int64]:
        """Return the offsets of the answers to an arm, in the order of the samples. An answer without a sample is an error."""
        found = self.index.arm(arm)
        if found.unknown:
            known = {sample.id for sample in self.folder.samples()}
            every = self.folder.answers(self.scan)
            name = next(one.id for one in every if one.prompt == arm and one.id not in known)
            raise SnellenError(f"{self.folder.answers_path}: an answer for the unknown sample '{name}'")
        return found.place

    def repeats(self, target: ProtocolRun) -> int:
        """Return how often the questions of a protocol's arm were asked, or were to be asked."""
        every = map(Arm.parse, {*self.asked, *self.manifest.questions})
        return max((arm.repeat for arm in every if arm.first == target.arm), default=1)

    # ------------------------------------------------------------ one protocol

    def marked(self, target: ProtocolRun) -> ProtocolSummary:
        """Write all marks of one protocol, and return their summary."""
        protocol = target.protocol
        repeats = self.repeats(target)
        tally = Tally(protocol) if repeats == 1 else RepeatTally(protocol, repeats)
        broken = None
        tried = not has_own_floors(protocol)
        samples: dict[str, Sample] = {}
        for repeat in range(1, repeats + 1):
            for sample, mark in self._written(target, repeat):
                if tried:
                    samples[sample.id] = sample
                if broken is None:
                    try:
                        tally.add(sample, mark, repeat)
                    except Exception as error:  # the marks are written to the end all the same
                        broken = error
        try:
            if broken is not None:
                raise broken
            groups = self._finished(target, tally.groups(), list(samples.values()))
        except SnellenError:
            raise
        except Exception as error:
            if not protocol.origin:
                raise
            raise plugin_failed(f"protocol {protocol.name}: the summary of its marks", error) from error
        return ProtocolSummary(
            protocol=target.name,
            version=protocol.version,
            prompt=target.arm.text,
            headline=protocol.headline,
            groups=groups,
            metrics=protocol.metrics,
            bounded=roles(protocol).bounded,
            breakdown=roles(protocol).breakdown,
            repeats=repeats,
            cluster=protocol.cluster,
        )

    def _answered(self, target: ProtocolRun, repeat: int = 1) -> Iterator[tuple[Sample, Answer]]:
        """Read samples as the arm asked them, in their order, with the latest answers."""
        places = self._places_of(target.arm._replace(repeat=repeat).text)
        seed = self.manifest.options.seed
        for sample, answer in zip(self.folder.samples(), self.folder.answers_at(places.data), strict=False):
            if answer is not None:
                if answer.id != sample.id:
                    raise SnellenError(
                        f"{answer.id} and {sample.id} have the same hash by chance; the same command goes on"
                    )
                yield as_asked(self.exam, target.arm, sample, seed), answer

    def _judged(self, target: ProtocolRun, repeat: int) -> Iterator[tuple[Sample, Mark]]:
        """Judge the answers one by one."""
        look = scoring.gather(self.folder, self.manifest.scorers) if "evidence" in target.protocol.needs else None
        for sample, answer in self._answered(target, repeat):
            evidence = look((answer.id, answer.prompt)) if look is not None else None
            mark = mark_answer(target.protocol, sample, answer, evidence)
            if look is not None and evidence is None and mark.outcome not in NON_ANSWERS:  # it was not scored
                blank = target.protocol.blank(sample)
                mark = Mark(id=sample.id, outcome=Outcome.ERROR, reading=mark.reading, metrics=blank)
            self.cut[target.name] += answer.finish_reason == "length" and mark.outcome not in NON_ANSWERS
            yield sample, mark

    def _written(self, target: ProtocolRun, repeat: int) -> Iterator[tuple[Sample, Mark]]:
        """Write each mark as it comes and yield it. The file is replaced when all marks are there.

        Most marks come out unchanged, and then the old ones are not parsed.
        """
        path = self.folder.marks_path(target.name, repeat)
        name = path.relative_to(self.folder.derived).as_posix()
        marks, changed = self.remarked.counts.get(target.name, (0, 0))
        try:
            with replacing(self.folder.derived, name) as out, closing(raw_lines(path)) as lines:
                old = next(lines, b"")
                for sample, mark in self._judged(target, repeat):
                    line = _ENCODER.encode(mark) + b"\n"
                    out.write(line)
                    marks += 1
                    before = None if line == old or not old else _mark_in(old)
                    if before is None or before.id == mark.id:
                        old = next(lines, b"")
                        if before is not None:
                            changed += 1
                            self.remarked.changes.append(MarkChange(target.name, mark.id, before, mark))
                    yield sample, mark
        except OSError as error:
            again = f"'snellen mark {self.folder.path}' goes on"
            raise Stopped(f"cannot write {path} ({error.strerror}): free some space; {again}") from None
        self.remarked.counts[target.name] = marks, changed

    # ------------------------------------------------------------ the whole run

    def summary(
        self, targets: tuple[ProtocolRun, ...], results: list[ProtocolSummary], concurrency: dict[str, Any] | None
    ) -> Summary:
        """Return the summary of all protocols."""
        folder, manifest, scan = self.folder, self.manifest, self.scan
        remarks = self.exam.extra(Remarks) or Remarks()
        arms = [arm.text for target in targets for arm in target.arm.times(self.repeats(target))]
        asked = {arm: self.asked[arm] for arm in arms}
        expected = {arm: manifest.questions.get(arm, manifest.data.samples) for arm in asked}
        scorers = self._scorers()
        position = self._position(targets)
        plain = [r for t, r in zip(targets, results, strict=True) if not t.arm.control]
        silent = silent_parts(plain)
        backends = scan.backends.rows()
        return Summary(
            exam=self.exam.name,
            subject=manifest.subject.spec,
            synthetic=manifest.data.synthetic,
            complete=asked == expected and not scan.failed and not any(s.unscored for s in scorers[:1]),
            asked=asked,
            questions=sum(expected.values()),
            expected=expected,
            samples=manifest.data.samples,
            failed=scan.failed,
            failures=failure_reasons(folder, scan) if scan.failed else {},
            totals=scan.totals,
            backends=backends,
            concurrency=concurrency,
            scorers=scorers,
            evidence_bytes=scoring.size(folder, manifest.scorers),
            controls=control_comparison.compare(
                folder, self.exam, targets, results, {row.protocol for row in position}
            ),
            position=position,
            published=() if manifest.data.synthetic or manifest.truth_from_log else self._published(targets, results),
            notes=(
                *mixed_notes(backends),
                *self._notes(targets, results),
                *control_comparison.unanswered(targets, results),
            ),
            silent=silent,
            lost=lost_parts(plain),
            advice=advice(folder, scan, manifest, self.exam, silent, plain) if silent else (),
            not_available=dict(remarks.unavailable([t.arm.prompt for t in targets])),
            marked=tuple(t.entry for t in targets),
            answers_bytes=folder.answers_bytes,
            protocols=tuple(results),
        )

    def _scorers(self) -> tuple[ScorerSummary, ...]:
        """Return the run's scorers, the main one first, with the number of answers that each has not scored."""
        entries = self.manifest.scorers
        open_ = scoring.unscored(self.folder, self.exam, entries, self.scan) if entries else {}
        return tuple(ScorerSummary(name=e.name, identity=e.identity, unscored=open_[e.name]) for e in entries)

    def _position(self, targets: tuple[ProtocolRun, ...]) -> tuple[PositionRow, ...]:
        """Return the effect of the order of images, for each protocol that has both orders."""
        found: list[PositionRow] = []
        own = self.exam.extra(SwappedPictures)
        if own is None:
            return ()
        for one in targets:
            other = ProtocolRun(one.protocol, one.arm.under("swapped"))
            if not one.arm.control and other in targets:
                bias = own.bias(self.folder.marks(one.name), self.folder.marks(other.name))
                found += [msgspec.structs.replace(bias, protocol=one.name)] if bias is not None else []
        return tuple(found)

    def _published(self, targets: tuple[ProtocolRun, ...], results: list[ProtocolSummary]) -> tuple[PublishedRow, ...]:
        """Return the paper's figures for the parts that this run has, with the same number of examples before the question."""
        shots, tables = self.manifest.options.shots, self.exam.extra(PaperTables)
        return tuple(
            PublishedRow(**row._asdict(), protocol=target.name)
            for target, result in zip(targets, results, strict=True)
            for row in (tables.published(target.protocol.name, target.arm.text) if tables is not None else ())
            if row.shots == shots and any(g.by == row.by for g in result.groups)
        )

    def _notes(self, targets: tuple[ProtocolRun, ...], results: list[ProtocolSummary]) -> tuple[str, ...]:
        """Return the exam's notes on the results, each sentence once. Control arms are left out, because they are not meant to score."""
        plain = [(t, r) for t, r in zip(targets, results, strict=True) if not t.arm.control]
        remarks = self.exam.extra(Remarks) or Remarks()
        said = [note for t, r in plain for note in remarks.notes(self.facts(t, r))]
        for cut in [self.cut[t.name] for t, _r in plain[:1] if self.cut[t.name]]:
            replies, count = ("reply was", "it counts") if cut == 1 else ("replies were", "they count")
            said.append(f"{cut} {replies} cut off at the token limit after a readable answer; {count} as that answer")
        return tuple(dict.fromkeys(said))

    # ------------------------------------------------------------ exports

    def export(self, targets: tuple[ProtocolRun, ...], results: list[ProtocolSummary]) -> None:
        """Write the exam's own files. Those of further protocols go into folders of their own."""
        self.folder.clear("exports")
        exports = self.exam.extra(Exports)
        if exports is None:
            return
        for i, (target, result) in enumerate(zip(targets, results, strict=True)):
            facts = self.facts(target, result)
            if i and "records" not in target.protocol.needs:
                facts = facts._replace(records=None)
            for name, content in exports.files(facts):
                pieces = [content] if isinstance(content, bytes) else content
                self.folder.write_chunks(f"exports/{name}" if i == 0 else f"exports/{target.name}/{name}", pieces)

    def facts(self, target: ProtocolRun, result: ProtocolSummary) -> RunFacts:
        """Yield a protocol's results, with sample, answer and mark side by side, streamed.

        For questions that were asked several times, only the first time counts: the papers' files have one answer per sample.
        """
        groups = self._first_groups(target) if result.repeats > 1 else result.groups

        def records() -> Iterator[tuple[Sample, Answer, Mark]]:
            for (sample, answer), mark in zip(self._answered(target), self.folder.marks(target.name), strict=True):
                if answer.id != mark.id:
                    raise SnellenError(
                        f"{self.folder.path}: marks of '{target.name}' are out of order; 'snellen mark' makes them again"
                    )
                yield sample, answer, mark

        return RunFacts(self.manifest, target.protocol, target.arm.text, groups, self.scan.totals, records)

    def _first_groups(self, target: ProtocolRun) -> tuple[GroupSummary, ...]:
        """Return the scores of the first time that each question was asked."""
        column = (target.name, 1)
        groups = summarised(target.protocol, ((s, marks[column]) for s, marks in self.folder.marked([column])))
        return self._finished(target, groups, [sample for sample, _marks in self.folder.marked([column])])

    def _finished(
        self, target: ProtocolRun, groups: tuple[GroupSummary, ...], samples: list[Sample]
    ) -> tuple[GroupSummary, ...]:
        """Add floors if the protocol has none of its own, and the exam's labels for groups."""
        if not has_own_floors(target.protocol):
            groups = with_floors(self.exam, target, samples, groups)
        own = self.exam.extra(GroupLabels)
        return groups if own is None else own.labelled(groups, msgspec.to_builtins(self.manifest.subject))


def _mark_in(line: bytes) -> Mark | None:
    """Return the mark in a line. Return None if it cannot be read: then it is made again like a missing one."""
    try:
        return MARKS.decode(line)
    except UNREADABLE:
        return None
