"""Where the protocols of a run part ways: agreement of each pair, and every sample that only one of them calls correct.

The stage that flipped a sample is the first in which the two differ:

`prompt`   they ask with different prompts, and the replies differ
`reading`  the reply is the same, but they read different answers out of it
`marking`  the answer read is the same, but they mark it differently
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.types import Mark, Outcome
from snellen.data.line_offsets import NOWHERE, Places
from snellen.stats.agreement import Agreement

if TYPE_CHECKING:
    from snellen.engine.runs.run import Run

STAGES = ("prompt", "reading", "marking")
BATCH = 256
"""So many flipped samples' replies are read at a time."""
T = TypeVar("T")
Verdict = tuple[bool | None, ...]
Row = tuple[str, Mapping[str, Mark]]
"""A sample's id, and its marks by protocol."""


class ProtocolSide(NamedTuple):
    """One protocol's view of a flipped sample. `reply` is None where the call failed."""

    protocol: str
    prompt: str
    outcome: Outcome
    reading: Any
    reply: str | None


class ProtocolFlip(NamedTuple):
    """A sample that is correct under one protocol of a pair and not under the other."""

    id: str
    stage: str
    first: ProtocolSide
    second: ProtocolSide

    @property
    def pair(self) -> tuple[str, str]:
        """Return the names of the two protocols."""
        return self.first.protocol, self.second.protocol


def agreements(protocols: Sequence[str], tally: Mapping[Verdict, int]) -> dict[tuple[str, str], Agreement]:
    """Return the agreement of each pair of protocols over the samples that both have marked.

    `tally` counts samples by what each protocol says of them: correct, not correct, or None where it says nothing.
    """
    found = {}
    for (a, first), (b, second) in combinations(enumerate(protocols), 2):
        cells: Counter[tuple[bool | None, bool | None]] = Counter()
        for verdict, n in tally.items():
            cells[verdict[a], verdict[b]] += n
        found[first, second] = Agreement(cells[True, True], cells[True, False], cells[False, True], cells[False, False])
    return found


def comparable(reading: Any) -> Any:
    """Return a reading in a form in which two protocols' readings can be compared: lists as sets, one item as itself, no case.

    >>> comparable(["Color"]) == comparable("color ") and comparable(["a", "b"]) == comparable(["b", "a"])
    True
    """
    if isinstance(reading, list | tuple | set | frozenset):
        items = {comparable(item) for item in reading}
        return next(iter(items)) if len(items) == 1 else frozenset(items)
    if isinstance(reading, dict):
        return frozenset((key, comparable(value)) for key, value in reading.items())
    return reading.strip().casefold() if isinstance(reading, str) else reading


def stage_of(first: ProtocolSide, second: ProtocolSide) -> str:
    """Return the first stage in which two views of a sample differ."""
    if first.prompt != second.prompt and first.reply != second.reply:
        return "prompt"
    return "reading" if comparable(answer_of(first.reading)) != comparable(answer_of(second.reading)) else "marking"


def answer_of(reading: Any) -> Any:
    """Return the answer alone, where a reading has more than that (an explanation, say)."""
    return reading["answer"] if isinstance(reading, dict) and "answer" in reading else reading


def flips(sides: Iterable[tuple[str, Sequence[ProtocolSide]]]) -> Iterator[ProtocolFlip]:
    """Yield the flips of each sample, pair by pair, given its sides under all protocols."""
    for sample_id, views in sides:
        for first, second in combinations(views, 2):
            if (first.outcome is Outcome.CORRECT) != (second.outcome is Outcome.CORRECT):
                yield ProtocolFlip(sample_id, stage_of(first, second), first, second)


# ---------------------------------------------------------------- of a run on disk


class ProtocolComparison(NamedTuple):
    """All that the protocols of one run say of each other.

    `stages` says how many samples each stage flipped, for each pair that has any; `counts` is that for all pairs together, each sample
    once a stage; `samples` is how many samples flipped at all. `flips` are all flips, or the few that were asked for.
    """

    agreements: dict[tuple[str, str], Agreement]
    stages: dict[tuple[str, str], dict[str, int]]
    counts: dict[str, int]
    samples: int
    flips: list[ProtocolFlip]


def compare(run: Run, protocols: Sequence[str] = (), few: int | None = None) -> ProtocolComparison:
    """Return agreement and flips of a run, under all of its protocols or those named. Holds one sample at a time, and the flips.

    With `few` only so many flips are held for each pair and stage: those that come first by a seeded rank of their samples.
    """
    prompts = prompts_of(run, protocols)
    columns = [(name, 1) for name in prompts]
    rows = ((sample.id, {name: marks[name, 1] for name, _ in marks}) for sample, marks in run.folder.marked(columns))
    tally: Counter[Verdict] = Counter()
    kept: dict[tuple[tuple[str, str], str], list[ProtocolFlip]] = {}
    every: list[ProtocolFlip] = []
    found = ProtocolComparison({}, {}, dict.fromkeys(STAGES, 0), 0, every)
    samples = 0
    for sample_id, views in _sides(run, prompts, _parting(rows, tuple(prompts), tally)):
        some = list(flips([(sample_id, views)]))
        samples += bool(some)
        for stage in {flip.stage for flip in some}:
            found.counts[stage] += 1
        for flip in some:
            found.stages.setdefault(flip.pair, dict.fromkeys(STAGES, 0))[flip.stage] += 1
            if few is None:
                every.append(flip)
                continue
            held = kept.setdefault((flip.pair, flip.stage), [])
            held.append(flip)
            if len(held) > 2 * few:
                held[:] = sorted(held, key=lambda one: rank(0, one.id))[:few]
    every += (flip for held in kept.values() for flip in sorted(held, key=lambda one: rank(0, one.id))[:few])
    return found._replace(agreements=agreements(tuple(prompts), tally), samples=samples)


def prompts_of(run: Run, protocols: Sequence[str] = ()) -> dict[str, str]:
    """Return the protocols of a run, each with its prompt; an error where one that is named has no marks."""
    if not run.folder.has("summary.json"):
        raise SnellenError(f"{run.path} has no marks yet; 'snellen mark {run.path}' makes them")
    there = {p.protocol: p.prompt for p in run.protocols}
    for name in protocols:
        if name not in there:
            raise SnellenError(f"{run.path} has no marks of protocol '{name}' (it has {', '.join(there)})")
    return {name: there[name] for name in protocols or there}


def _parting(rows: Iterable[Row], names: Sequence[str], tally: Counter[Verdict]) -> Iterator[Row]:
    """Count what protocols say of samples; gives the samples on which two of them disagree."""
    for sample_id, marks in rows:
        verdict = tuple(_verdict(marks.get(name)) for name in names)
        tally[verdict] += 1
        if True in verdict and False in verdict:
            yield sample_id, marks


def _verdict(mark: Mark | None) -> bool | None:
    """Return whether a sample is correct; None where the call failed, which says nothing about a protocol."""
    return (
        None if mark is None or mark.outcome in (Outcome.ERROR, Outcome.UNMARKED) else mark.outcome is Outcome.CORRECT
    )


def _sides(run: Run, prompts: Mapping[str, str], rows: Iterable[Row]) -> Iterator[tuple[str, list[ProtocolSide]]]:
    """Yield the views of each sample, with the replies."""
    last: Places | None = None
    for some in batched(rows, BATCH):
        last = run.folder.scan().last if last is None else last
        keys = [(sample_id, prompts[name]) for sample_id, marks in some for name in marks]
        places = (NOWHERE if (place := last.get(key)) is None else place for key in keys)
        texts = iter([a.text if a is not None and a.failure is None else None for a in run.folder.answers_at(places)])
        for sample_id, marks in some:
            views = [
                ProtocolSide(name, prompts[name], m.outcome, m.reading, next(texts, None)) for name, m in marks.items()
            ]
            yield sample_id, [view for view in views if view.outcome is not Outcome.ERROR]


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield so many items at a time."""
    left = iter(items)
    while some := list(islice(left, size)):
        yield some
