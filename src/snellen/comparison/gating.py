"""The gate for a build: a comparison with a baseline, judged so that noise does not fail it. Reads runs, writes nothing.

A part fails if its score dropped by more than is allowed and the drop could not be chance. The test is the one-sided test of the same
paired signs that `compare` counts. A model that did not change fails in at most ALARM of its re-runs, however many parts there are. If all
samples are tested both together and by part, the first test has WHOLE of that and the parts share the rest by Holm's correction.

Samples of one image change sides together, so on few images no drop can be told from chance. Such a part is not judged, and if all parts
are such, the gate gives no verdict. It gives none either if the whole dropped by more than is allowed and the test could not have detected
it. That is so if the interval excludes 0 while p does not, or if more than half of the score is gone, which only a test that ignored images
would show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import NormalDist

from msgspec.structs import replace

from snellen.comparison.comparing import compare_runs
from snellen.comparison.pairing import OpenedRun, opened
from snellen.comparison.results import Comparison, ComparisonRow
from snellen.comparison.verdict import amount, chance, unread
from snellen.core.errors import SnellenError, unknown
from snellen.core.figures import between, counted, every, listed, on_clusters, part_name
from snellen.core.records import Record
from snellen.core.unanswered import lost_parts
from snellen.stats.intervals import Z
from snellen.stats.power import BETA, SURE
from snellen.stats.significance import clusters_needed, holm, least_p, mcnemar

ALARM = 0.05
"""The share of builds that may fail although nothing changed."""
WHOLE = 0.8
"""The part of ALARM for all samples together. A drop that is everywhere shows there first, and one part's drop has to be large anyway."""


_MOST_NAMED = 4
"""The most parts that are named for having too few images."""


class GateCheck(Record, frozen=True):
    """One part under one protocol. `part` is 'all' for all parts together. Scores, drops and their intervals are shares.

    `drop` is above 0 if the run is worse. `p` is the one-sided chance of such a drop, adjusted for the number of checks: below ALARM it is
    more than chance. `least_p` is the smallest p that this number of clusters could give. If it is ALARM or more, the part is not `judged`.
    `undecided` is a whole that neither passes nor fails. `shows` is the drop that would fail four times in five. `needed` is the number of
    samples that would tell a drop of exactly the allowed size from chance. Both are None if unknown.
    """

    protocol: str
    part: str
    label: str
    n: int
    clusters: int
    cluster: str
    baseline: float
    score: float
    drop: float
    low: float | None
    high: float | None
    p: float
    least_p: float
    failed: bool
    said: str
    undecided: bool = False
    shows: float | None = None
    needed: int | None = None

    @property
    def judged(self) -> bool:
        """True if a drop on so few clusters could have failed."""
        return self.least_p < ALARM


class Gate(Record, frozen=True):
    """The decision on a run, and the reasons. `said` is the verdict in one line. `notes` are what a reader has to know beside it.

    `repeats` is how often each question was asked: a sample then counts with its mean over these.
    """

    exam: str
    synthetic: bool
    run: str
    baseline: str
    subject: str
    baseline_subject: str
    samples: int
    max_drop: float
    passed: bool
    said: str
    checks: tuple[GateCheck, ...]
    notes: tuple[str, ...] = ()
    repeats: int = 1
    baseline_repeats: int = 1

    @property
    def failed(self) -> tuple[GateCheck, ...]:
        """The checks that did not pass, the largest drop first."""
        return tuple(sorted((c for c in self.checks if c.failed), key=lambda c: -c.drop))


def gate_runs(
    run: str | Path,
    baseline: str | Path,
    *,
    max_drop: float,
    protocols: Sequence[str] = (),
    parts: Sequence[str] = (),
) -> Gate:
    """Judge a run by a baseline of the same exam. `max_drop` is a share (0.02 for 2 points).

    The baseline's first protocol is judged, or those that are named. Unlike in `compare`, none of them is ever left out.
    """
    both = opened([baseline, run])
    for one in both:
        _refuse(one)
    wanted = tuple(protocols) or tuple(both[0].entries)[:1]
    found = compare_runs([baseline, run], protocols=wanted, flips=False)
    left = [name for name in wanted if name not in found.protocols]
    if left:
        why = next((note for note in found.notes if f"'{left[0]}' is left out" in note), f"'{left[0]}' is not shared")
        raise SnellenError(f"the baseline cannot judge this run (A is the baseline, B the run). {why}")
    return gated(found, max_drop, parts)


def _refuse(one: OpenedRun) -> None:
    """Refuse a run that is not evidence about its subject."""
    path, summary = one.run.path, one.summary
    if not summary.complete:
        cure = "'snellen run' with the same options goes on with it"
        if one.manifest.imported:
            cure = "the log that it was imported from has no answer to the rest"
        raise SnellenError(f"{path} is not finished, so nothing can be judged by it: {cure}")
    lost = lost_parts(summary.plain)
    if lost:
        part, missing = part_name(lost[0].by), f"{lost[0].missing:,} of {lost[0].n:,}"
        raise SnellenError(
            f"{path} gave no answer to {missing} questions in {part}, so its score says nothing: 'snellen show {path} --wrong' lists them"
        )


def gated(found: Comparison, max_drop: float, parts: Sequence[str] = ()) -> Gate:
    """Judge the second of two compared runs by the first. `parts` are those that count (none: all, and all together)."""
    shares = [row for row in found.rows if not row.unit]
    if not shares:
        raise SnellenError(
            f"{found.exam} has no score in points under {', '.join(found.protocols)}: --max-drop is in points; name another --protocol"
        )
    there = dict.fromkeys(row.part for row in shares if row.part)
    for name in parts:
        if name not in there:
            raise unknown("part", name, there, of="these runs")
    rows = [row for row in shares if not parts or row.part in parts]
    checks = tuple(_checks(rows, max_drop))
    if not any(check.judged for check in checks):
        raise SnellenError(_too_few(rows))
    old, new = found.sides[:2]
    passed = not any(check.failed for check in checks)
    undecided = next((check for check in checks if check.undecided), None)
    if passed and undecided is not None:
        raise SnellenError(
            f"cannot tell: {_named(undecided, checks)} {undecided.said}, and a larger drop might have passed as well; it takes more "
            f"{undecided.cluster}s{', with more equal numbers of questions' if undecided.clusters < undecided.n else ''}"
        )
    measured = (row for row in found.rows if row.unit)
    notes = [f"{row.part or 'all'} is not judged: {row.label} is in {row.unit}, not in points." for row in measured]
    return Gate(
        exam=found.exam,
        synthetic=found.synthetic,
        run=new.run,
        baseline=old.run,
        subject=new.subject,
        baseline_subject=old.subject,
        samples=found.samples,
        max_drop=max_drop,
        passed=passed,
        said=_verdict(checks),
        checks=checks,
        notes=(*notes, *_not_judged(checks), *found.notes, *(_blind(checks, max_drop) if passed else ())),
        repeats=new.repeats,
        baseline_repeats=old.repeats,
    )


# ---------------------------------------------------------------- the rule


def _checks(rows: Sequence[ComparisonRow], max_drop: float) -> Iterator[GateCheck]:
    """Check all samples together first, then the parts."""
    wholes, parts = _wholes_and_parts(rows)
    for some, budget in ((wholes, WHOLE if parts else 1.0), (parts, 1 - WHOLE)):
        strictest = ALARM * budget / max(1, len(some))
        adjusted = holm([worse(row) for row in some])
        least = holm([least_p(row.clusters) / 2 for row in some])
        for row, p, possible in zip(some, adjusted, least, strict=True):
            check = _check(row, min(1.0, p / budget), min(1.0, possible / budget), strictest, max_drop)
            yield check if some is wholes else replace(check, undecided=False)


def _wholes_and_parts(rows: Sequence[ComparisonRow]) -> tuple[list[ComparisonRow], list[ComparisonRow]]:
    """Return all samples together, and the parts. A protocol's only part counts as all samples."""
    several = {row.protocol for row in rows if not row.part}
    parts = [row for row in rows if row.protocol in several and row.part]
    return [row for row in rows if row not in parts], parts


def worse(row: ComparisonRow) -> float:
    """Return the chance of at least such a drop if the runs were equal: half the two-sided one, since signs flip either way alike."""
    return row.p / 2 if row.gain < 0 else 1.0


def _check(row: ComparisonRow, p: float, least: float, level: float, max_drop: float) -> GateCheck:
    drop = -row.gain
    large = drop > max_drop + 1e-9  # 10 of 500 are 2 points, whatever the last digit is
    low, high = row.low, row.high
    if low is not None and high is not None and row.better != "lower":
        low, high = -high, -low
    shows = needed = None
    if (
        low is not None and high is not None and 2 * least < SURE * ALARM
    ):  # by the interval, which accounts for clusters and grades
        error = (high - low) / (2 * Z)
        sure = NormalDist().inv_cdf(1 - level)
        shows = max(max_drop, sure * error) + BETA * error
        needed = round(row.n * ((sure + BETA) * error / max_drop) ** 2) if max_drop > 0 else None
    contradicted = low is not None and low > 0 and worse(row) >= ALARM
    # by single samples the drop would show, so only the images keep it from being detected
    hidden = row.clusters < row.n and mcnemar(row.only_first, row.only_second) / 2 < ALARM
    return GateCheck(
        protocol=row.protocol,
        part=row.part or "all",
        label=row.label,
        n=row.n,
        clusters=row.clusters,
        cluster=row.cluster,
        baseline=row.first,
        score=row.second,
        drop=drop,
        low=low,
        high=high,
        p=p,
        least_p=least,
        failed=large and p < ALARM,
        said=_said(row, drop, between(low, high), p, max_drop),
        undecided=large and p >= ALARM and (contradicted or (hidden and drop > row.first / 2)),
        shows=shows,
        needed=needed,
    )


# ---------------------------------------------------------------- as text


def _said(row: ComparisonRow, drop: float, interval: str, p: float, max_drop: float) -> str:
    """Describe a check in one sentence, without its verdict."""
    on = on_clusters(row.n, row.clusters, row.cluster)
    if drop <= 0:
        return f"did not drop ({row.label} {100 * row.first:.1f} before, {100 * row.second:.1f} now, n = {on})"
    why = ""
    silent = min(unread(row), drop)
    if p >= ALARM:
        why = ", which could be chance"
    elif 10 * silent >= drop and sum(row.silence.second.values()) > sum(row.silence.first.values()):
        why = f", of which {100 * silent:.1f} are questions without an answer"
    size = " ".join(filter(None, [amount(drop, ""), interval]))
    return f"dropped by {size} in {row.label}{why} ({chance(p)}, n = {on}; {100 * max_drop:g} allowed)"


def _verdict(checks: Sequence[GateCheck]) -> str:
    """Return the verdict in one line: of the failure of all samples together or of the worst part, else of the part nearest to failing."""
    failed = sorted((c for c in checks if c.failed), key=lambda c: (c.part != "all", -c.drop))
    if failed:
        more = f"; {len(failed)} of {len(checks)} checks failed" if len(checks) > 1 else ""
        return f"FAIL: {_named(failed[0], checks)} {failed[0].said}{more}"
    judged = [c for c in checks if c.judged]
    nearest = min([c for c in judged if c.part == "all"] or judged, key=lambda c: (c.p, -c.drop))
    more = f"; {every(len(judged), 'check')} passed" if len(judged) > 1 else ""
    return f"PASS: {_named(nearest, checks)} {nearest.said}{more}"


def _named(check: GateCheck, checks: Sequence[GateCheck]) -> str:
    part = "all samples" if check.part == "all" else check.part
    return part if len({c.protocol for c in checks}) == 1 else f"{part} under '{check.protocol}'"


def _too_few(rows: Sequence[ComparisonRow]) -> str:
    """Explain why nothing can be judged, and how much data it would take."""
    wholes, parts = _wholes_and_parts(rows)
    first = max(wholes, key=lambda row: row.clusters)
    needed = clusters_needed(2 * ALARM * (WHOLE if parts else 1.0) / len(wholes))
    return (
        f"nothing can be judged by {counted(first.clusters, first.cluster)}: no drop on so few could be told from chance, however large "
        f"(n {on_clusters(first.n, first.clusters, first.cluster)}); it takes at least {counted(needed, first.cluster)}"
    )


def _not_judged(checks: Sequence[GateCheck]) -> list[str]:
    """Name the parts that could not have failed."""
    few = [c for c in checks if not c.judged]
    if not few:
        return []
    names = listed((f"{_named(c, checks)} ({counted(c.clusters, c.cluster)})" for c in few), _MOST_NAMED)
    return [f"Not judged, as no drop on so few could be told from chance: {names}."]


def _blind(checks: Sequence[GateCheck], max_drop: float) -> list[str]:
    """Describe what the gate could not have detected, wherever a drop of exactly the allowed size would pass for chance."""
    checks = [c for c in checks if c.judged]
    first = checks[0]
    if 2 * first.least_p >= SURE * ALARM:
        few = counted(first.clusters, first.cluster)
        return [f"This gate could hardly fail: on {few} a drop shows only where nearly all of them fall."]
    if first.shows is None or first.needed is None:
        return []
    if all(c.shows is None or c.shows > c.baseline for c in checks):
        return [
            f"This gate could hardly fail: {first.n:,} samples show a drop of {amount(first.shows, '')}, and the baseline has "
            f"{100 * first.baseline:.1f}."
        ]
    if first.needed <= first.n or (first.high is not None and first.high < max_drop):
        return []  # if even the interval's worst end is allowed, there was no drop to detect
    return [
        f"{first.n:,} samples show drops of {amount(first.shows, '')} or more, four times in five. A drop of {100 * max_drop:g} could "
        f"not have been seen: it takes about {first.needed:,} samples."
    ]
