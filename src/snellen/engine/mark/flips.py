"""Where the protocols of a run part ways: agreement of each pair, and every sample that only one of them calls correct.

The stage that flipped a sample is the first in which the two differ:

`prompt`   they ask with different prompts, and the replies differ
`reading`  the reply is the same, but they read different answers out of it
`marking`  the answer read is the same, but they mark it differently
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.types import Mark, Outcome
from snellen.stats.agreement import Agreement

if TYPE_CHECKING:
    from snellen.engine.runs.run import Run

STAGES = ("prompt", "reading", "marking")


class Side(NamedTuple):
    """One protocol's view of a flipped sample. `reply` is None where the call failed."""

    protocol: str
    prompt: str
    outcome: Outcome
    reading: Any
    reply: str | None


class Flip(NamedTuple):
    """A sample that is correct under one protocol of a pair and not under the other."""

    id: str
    stage: str
    first: Side
    second: Side

    @property
    def pair(self) -> tuple[str, str]:
        """The names of the two protocols."""
        return self.first.protocol, self.second.protocol


class Verdicts(NamedTuple):
    """Correct or not, for all samples: for each id, bit i of `seen` and of `correct` belongs to protocol i."""

    protocols: tuple[str, ...]
    seen: dict[str, int]
    correct: dict[str, int]


def gather(streams: Mapping[str, Iterable[Mark]]) -> Verdicts:
    """One pass over the marks of each protocol. Calls that failed are left out: they say nothing about a protocol."""
    seen: dict[str, int] = {}
    correct: dict[str, int] = {}
    for bit, marks in enumerate(streams.values()):
        for mark in marks:
            if mark.outcome not in (Outcome.ERROR, Outcome.UNMARKED):
                seen[mark.id] = seen.get(mark.id, 0) | 1 << bit
                correct[mark.id] = correct.get(mark.id, 0) | (mark.outcome is Outcome.CORRECT) << bit
    return Verdicts(tuple(streams), seen, correct)


def agreements(verdicts: Verdicts) -> dict[tuple[str, str], Agreement]:
    """For each pair of protocols, over the samples that both have marked, joined by id."""
    tally = Counter((seen, verdicts.correct[i]) for i, seen in verdicts.seen.items())
    found = {}
    for (a, first), (b, second) in combinations(enumerate(verdicts.protocols), 2):
        cells: Counter[tuple[bool, bool]] = Counter()
        for (seen, correct), n in tally.items():
            if seen >> a & 1 and seen >> b & 1:
                cells[bool(correct >> a & 1), bool(correct >> b & 1)] += n
        found[first, second] = Agreement(cells[True, True], cells[True, False], cells[False, True], cells[False, False])
    return found


def flipped_ids(verdicts: Verdicts) -> set[str]:
    """The samples on which at least two protocols disagree."""
    return {i for i, seen in verdicts.seen.items() if verdicts.correct[i] not in (0, seen)}


def comparable(reading: Any) -> Any:
    """A reading in a form in which two protocols' readings can be compared: lists as sets, one item as itself, no case.

    >>> comparable(["Color"]) == comparable("color ") and comparable(["a", "b"]) == comparable(["b", "a"])
    True
    """
    if isinstance(reading, list | tuple | set | frozenset):
        items = {comparable(item) for item in reading}
        return next(iter(items)) if len(items) == 1 else frozenset(items)
    if isinstance(reading, dict):
        return frozenset((key, comparable(value)) for key, value in reading.items())
    return reading.strip().casefold() if isinstance(reading, str) else reading


def stage_of(first: Side, second: Side) -> str:
    """The first stage in which two views of a sample differ."""
    if first.prompt != second.prompt and first.reply != second.reply:
        return "prompt"
    return "reading" if comparable(answer_of(first.reading)) != comparable(answer_of(second.reading)) else "marking"


def answer_of(reading: Any) -> Any:
    """The answer alone, where a reading has more than that (an explanation, say)."""
    return reading["answer"] if isinstance(reading, dict) and "answer" in reading else reading


def flips(sides: Iterable[tuple[str, Sequence[Side]]]) -> Iterator[Flip]:
    """The flips of each sample, pair by pair, given its sides under all protocols."""
    for sample_id, views in sides:
        for first, second in combinations(views, 2):
            if (first.outcome is Outcome.CORRECT) != (second.outcome is Outcome.CORRECT):
                yield Flip(sample_id, stage_of(first, second), first, second)


def by_stage(found: Iterable[Flip]) -> dict[tuple[str, str], dict[str, int]]:
    """How many samples each stage flipped, for each pair that has any."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for flip in found:
        counts.setdefault(flip.pair, dict.fromkeys(STAGES, 0))[flip.stage] += 1
    return counts


# ---------------------------------------------------------------- of a run on disk


class Compared(NamedTuple):
    """All that the protocols of one run say of each other."""

    agreements: dict[tuple[str, str], Agreement]
    flips: list[Flip]


def compare(run: Run, protocols: Sequence[str] = ()) -> Compared:
    """Agreement and flips of a run, under all of its protocols or those named. Keeps texts of flipped samples only."""
    prompts = prompts_of(run, protocols)
    verdicts = gather({name: run.marks(name) for name in prompts})
    wanted = flipped_ids(verdicts)
    return Compared(agreements(verdicts), list(flips(_sides(run, prompts, verdicts, wanted))) if wanted else [])


def prompts_of(run: Run, protocols: Sequence[str] = ()) -> dict[str, str]:
    """The protocols of a run, each with its prompt; an error where one that is named has no marks."""
    if not run.folder.has("summary.json"):
        raise SnellenError(f"{run.path} has no marks yet; 'snellen remark {run.path}' makes them")
    there = {p.protocol: p.prompt for p in run.protocols}
    for name in protocols:
        if name not in there:
            raise SnellenError(f"{run.path} has no marks of protocol '{name}' (it has {', '.join(there)})")
    return {name: there[name] for name in protocols or there}


def _sides(
    run: Run, prompts: Mapping[str, str], verdicts: Verdicts, wanted: set[str]
) -> Iterator[tuple[str, list[Side]]]:
    """The views of each wanted sample, in the order of the marks."""
    asked = frozenset(prompts.values())
    answers = (a for a in run.folder.texts() if a.id in wanted and a.prompt in asked)
    replies = {(a.id, a.prompt): a.text if a.failure is None else None for a in answers}
    views: dict[str, list[Side]] = {i: [] for i in verdicts.seen if i in wanted}
    for name, prompt in prompts.items():
        for mark in run.marks(name):
            if mark.id in wanted and mark.outcome is not Outcome.ERROR:
                reply = replies.get((mark.id, prompt))
                views[mark.id].append(Side(name, prompt, mark.outcome, mark.reading, reply))
    yield from views.items()
