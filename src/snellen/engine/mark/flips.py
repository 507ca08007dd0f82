"""Disagreements between the protocols of a run: the agreement of each pair, and every sample that only one of them marks correct.

The stage that flipped a sample is the first in which the two differ:

`prompt`   they ask with different prompts, and the replies differ
`reading`  the reply is the same, but they read different answers out of it
`marking`  the answer read is the same, but they mark it differently
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.grouping import batched
from snellen.core.types import Outcome
from snellen.engine.runs.run import Run
from snellen.engine.runs.sample_index import CODES, NONE, SampleRecord
from snellen.stats.agreement import Agreement

STAGES = ("prompt", "reading", "marking")
_BATCH = 256
"""The number of flipped samples that are read at a time."""
_NOTHING = [NONE, CODES[Outcome.ERROR], CODES[Outcome.UNMARKED]]
"""Outcomes without evidence about a protocol."""
Verdicts = NDArray[np.int8]
"""For each sample 1 if it is correct, 0 if it is not, -1 if that is unknown."""


class ProtocolSide(NamedTuple):
    """One protocol's view of a flipped sample. `reply` is None if the call failed."""

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
        """The names of the two protocols."""
        return self.first.protocol, self.second.protocol


def agreements(verdicts: Mapping[str, Verdicts]) -> dict[tuple[str, str], Agreement]:
    """Return the agreement of each pair of protocols over the samples that both have marked."""
    found = {}
    for (first, a), (second, b) in combinations(verdicts.items(), 2):
        known = (a >= 0) & (b >= 0)
        cells = Counter(zip(a[known].tolist(), b[known].tolist(), strict=True))
        found[first, second] = Agreement(cells[1, 1], cells[1, 0], cells[0, 1], cells[0, 0])
    return found


def _comparable(reading: Any) -> Any:
    """Return a reading in a form that is comparable across protocols: lists as sets, one item as itself, ignoring case.

    >>> _comparable(["Color"]) == _comparable("color ") and _comparable(["a", "b"]) == _comparable(["b", "a"])
    True
    """
    if isinstance(reading, list | tuple | set | frozenset):
        items = {_comparable(item) for item in reading}
        return next(iter(items)) if len(items) == 1 else frozenset(items)
    if isinstance(reading, dict):
        return frozenset((key, _comparable(value)) for key, value in reading.items())
    return reading.strip().casefold() if isinstance(reading, str) else reading


def stage_of(first: ProtocolSide, second: ProtocolSide) -> str:
    """Return the first stage in which two views of a sample differ."""
    if first.prompt != second.prompt and first.reply != second.reply:
        return "prompt"
    return "reading" if _comparable(_answer_of(first.reading)) != _comparable(_answer_of(second.reading)) else "marking"


def _answer_of(reading: Any) -> Any:
    """Return the answer alone, if a reading has more than that (an explanation, for example)."""
    return reading["answer"] if isinstance(reading, dict) and "answer" in reading else reading


def flips(sides: Iterable[tuple[str, Sequence[ProtocolSide]]]) -> Iterator[ProtocolFlip]:
    """Yield the flips of each sample, pair by pair, from its sides under all protocols."""
    for sample_id, views in sides:
        for first, second in combinations(views, 2):
            if (first.outcome is Outcome.CORRECT) != (second.outcome is Outcome.CORRECT):
                yield ProtocolFlip(sample_id, stage_of(first, second), first, second)


# ---------------------------------------------------------------- of a run on disk


class ProtocolComparison(NamedTuple):
    """The comparison of all protocols of one run.

    `stages` gives the number of samples that each stage flipped, for each pair that has any. `counts` is the same for all pairs together,
    with each sample counted once per stage. `samples` is the number of flipped samples. `flips` are all flips, or the few that were asked
    for.
    """

    agreements: dict[tuple[str, str], Agreement]
    stages: dict[tuple[str, str], dict[str, int]]
    counts: dict[str, int]
    samples: int
    flips: list[ProtocolFlip]


def compare(run: Run, protocols: Sequence[str] = (), few: int | None = None) -> ProtocolComparison:
    """Return agreement and flips of a run, under all of its protocols or those named. Holds a few samples at a time, and the flips.

    With `few`, at most that many flips are held for each pair and stage: the first ones by a seeded rank of their samples.
    """
    prompts = prompts_of(run, protocols)
    verdicts = {name: _verdicts(run.index.times(name)[0].outcome) for name in prompts}
    table = np.stack(list(verdicts.values()))
    parting = np.flatnonzero((table == 1).any(axis=0) & (table == 0).any(axis=0)).tolist()
    kept: dict[tuple[tuple[str, str], str], list[ProtocolFlip]] = {}
    every: list[ProtocolFlip] = []
    found = ProtocolComparison(agreements(verdicts), {}, dict.fromkeys(STAGES, 0), 0, every)
    samples = 0
    for record in (record for rows in batched(parting, _BATCH) for record in run.index.read(rows)):
        some = list(flips([(record.sample.id, _sides(record, prompts))]))
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
    return found._replace(samples=samples)


def prompts_of(run: Run, protocols: Sequence[str] = ()) -> dict[str, str]:
    """Return the protocols of a run, each with its prompt. A named protocol without marks is an error."""
    if not run.folder.has("summary.json"):
        raise SnellenError(f"{run.path} has no marks yet; 'snellen mark {run.path}' makes them")
    there = {p.protocol: p.prompt for p in run.protocols}
    for name in protocols:
        if name not in there:
            raise SnellenError(f"{run.path} has no marks of protocol '{name}' (it has {', '.join(there)})")
    return {name: there[name] for name in protocols or there}


def _verdicts(outcomes: NDArray[np.uint8]) -> Verdicts:
    """Return which samples are correct, by the codes of their outcomes."""
    found = np.where(np.isin(outcomes, _NOTHING), -1, outcomes == CODES[Outcome.CORRECT])
    return found.astype(np.int8)


def _sides(record: SampleRecord, prompts: Mapping[str, str]) -> list[ProtocolSide]:
    """Return the views of a sample, with the replies."""
    views = []
    for name, prompt in prompts.items():
        mark, answer = record.marks.get(name), record.answers.get(prompt)
        if mark is not None and mark.outcome is not Outcome.ERROR:
            reply = answer.text if answer is not None and answer.failure is None else None
            views.append(ProtocolSide(name, prompt, mark.outcome, mark.reading, reply))
    return views
