"""From run folders to a comparison: pair what can be paired, compare, rank, and write sentences. Reads runs, writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import NamedTuple

from snellen.comparison.differences import PairedSample, PairedTest, paired, rows
from snellen.comparison.leads import leads_of
from snellen.comparison.pairing import Common, OpenedRun, common, opened
from snellen.comparison.ranking import ranking
from snellen.comparison.results import Comparison, ComparisonRow, Flip, FlipSide, RunSide
from snellen.comparison.thresholds import ExamThresholds, examined_again, thresholds_of
from snellen.comparison.verdict import verdict
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError, unknown
from snellen.core.figures import part_name
from snellen.core.grouping import grouped
from snellen.core.model_names import model_name
from snellen.core.protocol import JoinedItems, Key, Protocol, Seen, joined
from snellen.core.records import Manifest
from snellen.core.types import Mark, Outcome, Sample
from snellen.engine.runs.listing import NO_RUN, listing
from snellen.engine.runs.run import Run
from snellen.stats.repeats import usual_outcome
from snellen.stats.tally import group_of


def compare_runs(
    paths: Sequence[str | Path | Run],
    *,
    protocols: Sequence[str] = (),
    metric: str = "",
    power: float | None = None,
    flips: bool = True,
    explain: bool = False,
) -> Comparison:
    """Compare runs of one exam, sample by sample.

    Two runs are compared under every protocol that both have. More runs are ranked under the first protocol, and each pair of them is
    compared. The verdict says where another protocol that reads the same replies gives another order. `metric` is compared in place of the
    headline. `power` is a difference (0.05 for 5 points): each row then says how many samples would show it. `explain` reads the answers of
    two runs in every defensible way.
    """
    runs = opened(paths)
    shared = common(runs, protocols)
    if metric:
        shared = _with_metric(runs, shared, metric)
        if explain:
            raise SnellenError("--explain reads answers in every way, whatever the metric: leave out --metric")
    leads = leads_of(runs, shared) if explain else None
    sides = tuple(_side(one, shared) for one in runs)
    main, (_protocol, main_arm) = next(iter(shared.protocols.items()))
    many = len(runs) > 2
    found: list[ComparisonRow] = []
    others: list[ComparisonRow] = []  # with many runs: rows that only show whether another protocol gives another order
    flipped: list[Flip] = []
    samples: set[str] = set()
    for name, (protocol, arm) in shared.protocols.items():
        if many and arm.text != main_arm.text:
            continue
        marks = [_marks(one, name, protocol) for one in runs]
        parts = {
            i: next(iter(protocol.groups(sample)))
            for i, sample in shared.samples.items()
            if all(i in own for own in marks)
        }
        kept = others if many and name != main else found
        if kept is found:
            samples.update(parts)
        for (one, first), (other, second) in combinations(zip(runs, marks, strict=True), 2):
            asked = PairedTest(protocol, name, arm.text, one.letter, other.letter, power, metric)
            sides_of = [{i: tuple(seen for _mark, seen in own[i].values()) for i in parts} for own in (first, second)]
            pairs = [paired(i, part, *(own[i] for own in sides_of)) for i, part in parts.items()]
            kept += rows(asked, [*pairs, *_joined(protocol, shared.samples, sides_of)])
        if flips and not many:
            flipped += _flips(asked, runs, marks, parts)
    if metric and not found:
        raise SnellenError(f"--metric {metric}: it is measured in a unit, or of whole groups, and cannot be compared")
    ranks = ranking(main, found, sides, others) if many else None
    return Comparison(
        exam=shared.exam,
        synthetic=runs[0].manifest.data.synthetic,
        sides=sides,
        protocols=(main,) if many else tuple(shared.protocols),
        samples=len(samples),
        notes=shared.notes,
        rows=tuple(found),
        verdict=(*verdict(found, ranks), *(leads.verdict if leads is not None else ())),
        ranking=ranks,
        flips=tuple(flipped),
        power=power,
        leads=leads,
    )


class _ExamComparison(NamedTuple):
    """The runs of one exam on one data set: their comparison, or why there is none."""

    exam: str
    runs: tuple[Path, ...]
    found: Comparison | None = None
    why: str = ""
    thresholds: ExamThresholds | None = None
    """Replaces the comparison if the exam finds thresholds."""


class ExamComparisons(NamedTuple):
    """The runs of a folder, exam by exam. `passed` are the entries that are not marked runs, with the reason."""

    folder: Path
    exams: tuple[_ExamComparison, ...]
    passed: tuple[str, ...]


def compare_folder(
    folder: Path, *, protocols: Sequence[str] = (), metric: str = "", power: float | None = None
) -> ExamComparisons:
    """Compare the runs of a folder. Runs of one exam on one data set are compared with each other."""
    there = listing(folder)

    def data_of(known: Manifest) -> str:
        """Return an identifier of the data set. Thresholds are compared across all sheets."""
        return known.data.fingerprint if thresholds_of(known) is None else ""

    runs = sorted(there.runs, key=lambda one: one.path.name)
    groups = grouped(((run.manifest.exam, data_of(run.manifest)), run.path) for run in runs)
    found = []
    for (exam, _data), paths in groups.items():
        one = _ExamComparison(exam, tuple(paths), why="only one run on this data: nothing to compare it with")
        try:
            if len(paths) > 1:
                thresholds = examined_again(paths)
                compared = None
                if thresholds is None:
                    compared = compare_runs(paths, protocols=protocols, metric=metric, power=power, flips=False)
                one = one._replace(found=compared, why="", thresholds=thresholds)
        except SnellenError as error:
            one = one._replace(why=str(error))
        found.append(one)
    passed = tuple(f"{one.path.name} ({one.kind}): {one.why}" for one in there.passed if one.kind != NO_RUN)
    return ExamComparisons(folder, tuple(found), passed)


def _with_metric(runs: Sequence[OpenedRun], shared: Common, metric: str) -> Common:
    """Leave out the protocols that lack this metric. If none has it, the error lists the metrics."""
    names: dict[str, set[str]] = {name: set() for name in shared.protocols}
    for one in runs:
        for result in one.summary.protocols:
            if result.protocol in names:
                names[result.protocol].update(key for group in result.groups for key in group.metrics)
    if not any(metric in some for some in names.values()):
        raise unknown("metric", metric, sorted(set().union(*names.values())), of="these runs")
    notes = [
        f"Protocol '{name}' is left out: it has no metric '{metric}'." for name in names if metric not in names[name]
    ]
    kept = {name: target for name, target in shared.protocols.items() if metric in names[name]}
    return shared._replace(protocols=kept, notes=(*shared.notes, *notes))


Marks = Mapping[str, Mapping[int, tuple[Mark, Seen]]]
"""A run's marks by sample, with their value and cluster: one for each repeat (from 1)."""


def _marks(one: OpenedRun, name: str, protocol: Protocol) -> Marks:
    """Return a run's marks of one protocol."""
    marks: dict[str, dict[int, tuple[Mark, Seen]]] = {}
    for repeat in range(1, 1 + _repeats(one, name)):
        for mark in one.run.marks(name, repeat):
            marks.setdefault(mark.id, {})[repeat] = mark, protocol.seen(one.samples[mark.id], mark)
    return marks


def _repeats(one: OpenedRun, name: str) -> int:
    return next((p.repeats for p in one.summary.protocols if p.protocol == name), 1)


def _joined(
    protocol: Protocol, samples: Mapping[str, Sample], sides: Sequence[Mapping[str, tuple[Seen, ...]]]
) -> list[PairedSample]:
    """Return items made of several samples (VCR's answer and reason) as both runs have them. Empty if they do not match."""
    if protocol.extra(JoinedItems) is None:
        return []
    members = grouped((key, i) for i in sides[0] for key in protocol.groups(samples[i]))
    found: list[PairedSample] = []
    for key, ids in members.items():
        first, second = (_items(protocol, key, [side[i] for i in ids]) for side in sides)
        clusters = [[seen.cluster for seen in some] for some in (*first, *second)]
        if clusters and all(some == clusters[0] for some in clusters):
            pairs = enumerate(zip(zip(*first, strict=True), zip(*second, strict=True), strict=True))
            found += [paired(f"{at:09}", key, a, b, joined=True) for at, (a, b) in pairs]
    return found


def _items(protocol: Protocol, key: Key, marks: Sequence[tuple[Seen, ...]]) -> list[list[Seen]]:
    """Return the larger items of a group for each repeat, as often as all of its samples were asked."""
    times = (joined(protocol, group_of(dict(key), ((seen, 1) for seen in some))) for some in zip(*marks, strict=False))
    return [[seen for seen, count in items for _ in range(count)] for items in times if items is not None]


def _side(one: OpenedRun, shared: Common) -> RunSide:
    """Return a run with the cost and time of its answers to the main protocol's questions."""
    name, (_protocol, arm) = next(iter(shared.protocols.items()))
    repeats = _repeats(one, name)
    asked = [again.text for again in arm.times(repeats)]
    costs: list[float] = []
    unknown = False
    seconds: list[float] = []
    for head in one.run.folder.answers(keys=((i, text) for i in shared.samples for text in asked)):
        known = [call.cost for call in head.calls if call.cost is not None]
        unknown = unknown or not known or len(known) < len(head.calls)
        costs.append(sum(known))
        took = [call.latency for call in head.calls if call.latency is not None]
        if took and head.failure is None:
            seconds.append(sum(took))
    return RunSide(
        letter=one.letter,
        run=str(one.run.path),
        subject=model_name(one.manifest),
        shots=one.manifest.options.shots,
        complete=one.summary.complete,
        oracle=one.manifest.oracle,
        cost=1000 * sum(costs) / len(costs) if costs and not unknown else None,
        seconds=median(seconds) if seconds else None,
        repeats=repeats,
    )


# ---------------------------------------------------------------- flips


def _flips(
    asked: PairedTest, runs: Sequence[OpenedRun], marks: Sequence[Marks], parts: Mapping[str, Key]
) -> list[Flip]:
    """Return every sample that only one of two runs got right, with both replies. Those of the first run come before the second's."""
    right = [{i for i in parts if _usual(own[i]) is Outcome.CORRECT} for own in marks]
    wanted = sorted((i for i in parts if (i in right[0]) != (i in right[1])), key=lambda i: i not in right[0])
    first, second = (_views(one, own, wanted, asked.prompt) for one, own in zip(runs, marks, strict=True))
    return [
        Flip(
            id=i,
            part=part_name(dict(parts[i])),
            protocol=asked.name,
            only=asked.first if i in right[0] else asked.second,
            first_run=asked.first,
            second_run=asked.second,
            first=first[i],
            second=second[i],
        )
        for i in wanted
    ]


def _usual(marks: Mapping[int, tuple[Mark, Seen]]) -> Outcome:
    return usual_outcome([mark.outcome for mark, _seen in marks.values()])


def _views(one: OpenedRun, marks: Marks, ids: Sequence[str], prompt: str) -> dict[str, FlipSide]:
    """Return a run's replies to samples: the first repeat with the most common outcome."""
    usual = {i: next(at for at, (mark, _seen) in marks[i].items() if mark.outcome is _usual(marks[i])) for i in ids}
    keys = [(i, Arm.parse(prompt)._replace(repeat=at).text) for i, at in usual.items()]
    replies = {a.id: a.text if a.failure is None else None for a in one.run.folder.answers(keys=keys)} if keys else {}
    found = {}
    for i, at in usual.items():
        mark, _seen = marks[i][at]
        right = sum(mark.outcome is Outcome.CORRECT for mark, _seen in marks[i].values())
        found[i] = FlipSide(mark.outcome.value, mark.reading, replies.get(i), right, len(marks[i]))
    return found
