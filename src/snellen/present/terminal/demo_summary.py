"""What a demo tells, on one screen: what was examined, what was seen, where protocols disagree, where to look next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from snellen.core.results import GroupSummary, ProtocolSummary, Score
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.terminal.tables import console, plain_table, say

NEVER_LOOK = ("baseline/chance", "baseline/constant", "method/center")
"""Subjects that say nothing of a picture; the floor stands for them."""
NOTHING = "–"


class DemoLine(NamedTuple):
    """A part of an exam in one line: what the shipped model scored, what another subject that looks did, and the floor."""

    exam: str
    part: str
    n: int
    model: str
    other: str
    floor: str


class Disagreement(NamedTuple):
    """The same replies under two protocols."""

    run: Run
    part: str
    high: tuple[str, Score]
    low: tuple[str, Score]

    @property
    def points(self) -> float:
        return 100 * ((self.high[1].value or 0.0) - (self.low[1].value or 0.0))


def lines_of(runs: Sequence[Run], model: str) -> list[DemoLine]:
    """A line for each exam: the first part under the first protocol."""
    found: dict[str, DemoLine] = {}
    for run in runs:
        main = next(iter(run.summary.plain), None)
        whole = [g for g in main.groups if g.whole] if main is not None else []
        if main is None or not whole:
            continue
        group = whole[0]
        score = group.metrics[main.headline]
        name = run.manifest.exam
        known = found.get(name) or DemoLine(name, _part(group, len(whole)), group.n, NOTHING, NOTHING, NOTHING)
        spec = run.manifest.subject.spec
        if spec == model:
            known = known._replace(model=_said(score))
        elif not spec.startswith(NEVER_LOOK) and known.other == NOTHING:
            known = known._replace(other=f"{formatting.value(score)} {_short(spec)}")
        if score.floor is not None:
            known = known._replace(floor=formatting.floor(score))
        found[name] = known
    return list(found.values())


def _part(group: GroupSummary, of: int) -> str:
    name = formatting.group_name(group)
    return f"{name}, 1 of {of} parts" if of > 1 else name


def _said(score: Score) -> str:
    return f"{formatting.value(score)} {formatting.interval(score)}".strip()


def _short(spec: str) -> str:
    """A subject's name in a word: 'pixels', 'ocr', 'reference'.

    >>> _short("baseline/pixels"), _short("method/ocr"), _short("replay/some/folder/reference.json")
    ('pixels', 'ocr', 'reference')
    """
    return Path(spec).stem if spec.startswith("replay/") else spec.rpartition("/")[2]


def disagreement(runs: Sequence[Run]) -> Disagreement | None:
    """Where two protocols that mark the same replies by the same name of metric are furthest apart."""
    every = [one for run in runs for one in _apart(run)]
    return max(every, key=lambda one: one.points, default=None)


def _apart(run: Run) -> Iterator[Disagreement]:
    by_prompt: dict[str, list[ProtocolSummary]] = {}
    for protocol in run.summary.plain:
        by_prompt.setdefault(protocol.prompt, []).append(protocol)
    for protocols in by_prompt.values():
        for part in formatting.side_by_side(protocols, whole=True):
            scores = [
                (p.protocol, score)
                for p in protocols
                if p.protocol in part and (score := part[p.protocol].metrics.get(p.headline)) is not None
                if score.value is not None and not score.unit
            ]
            if len(scores) > 1:
                ordered = sorted(scores, key=lambda one: one[1].value or 0.0)
                yield Disagreement(run, formatting.group_name(next(iter(part.values()))), ordered[-1], ordered[0])


def print_story(runs: Sequence[Run], model: str, sees: Sequence[str], after: Sequence[str]) -> None:
    """The demo's end. `sees` are sentences on what the model sees, `after` what to do next."""
    out = console()
    rows = lines_of(runs, model)
    say(
        out,
        f"{formatting.counted(len(rows), 'exam')}, {formatting.counted(len(runs), 'run')}, on SYNTHETIC data",
        "bold",
    )
    cells = [(row.exam, row.part, str(row.n), *row[3:]) for row in rows]
    columns = ("exam", "part", "n", _short(model), "another that looks", "floor")
    out.print(plain_table(*columns, kept=("exam", "floor"), rows=cells))
    say(
        out,
        "Percent [95 % interval], the first protocol of each exam. Floor: who never looks. "
        "Do not compare with published scores.",
        "dim",
    )
    for line in sees:
        say(out, line, limit=1000)
    found = disagreement(runs)
    if found is not None:
        (high, best), (low, worst) = found.high, found.low
        say(
            out,
            f"Where protocols disagree: {formatting.title(found.run.manifest)}, {found.part}: the same replies are "
            f"{formatting.value(best)} under {high} and {formatting.value(worst)} under {low}.",
        )
    say(out, "Next:", "bold")
    for line in after:
        say(out, f"  {line}", soft_wrap=True)
