"""Samples of a run as lists: those that a protocol marks wrong, and those on which protocols disagree. Data first, then the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from snellen.core.text import for_terminal, one_line
from snellen.core.types import Outcome
from snellen.engine.mark.flips import compare, prompts_of
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.formatting import plain
from snellen.present.terminal.tables import say, show_rows

FEW = 3
LONG = 60
SHORT_ID = 34


class _WrongSample(NamedTuple):
    """A sample that is not correct under a protocol."""

    id: str
    outcome: Outcome
    truth: Any
    reading: Any


class _FlippedSample(NamedTuple):
    """A sample that is correct under some protocols but not under others: each one's reading, and where they disagree."""

    id: str
    truth: Any
    correct: dict[str, Any]
    not_correct: dict[str, Any]
    stages: tuple[str, ...]


def wrong(run: Run, protocol: str) -> Iterator[_WrongSample]:
    """Yield samples that are wrong under a protocol or have no answer, in the order of the marks."""
    for sample, marks in run.folder.marked([(protocol, 1)]):
        (mark,) = marks.values()
        if mark.outcome not in (Outcome.CORRECT, Outcome.UNMARKED):
            yield _WrongSample(sample.id, mark.outcome, sample.truth, mark.reading)


def flipped(run: Run, protocols: tuple[str, ...] = ()) -> Iterator[_FlippedSample]:
    """Yield samples that protocols mark differently, each once."""
    found: dict[str, _FlippedSample] = {}
    for flip in compare(run, protocols).flips:
        one = found.setdefault(flip.id, _FlippedSample(flip.id, None, {}, {}, ()))
        for side in (flip.first, flip.second):
            (one.correct if side.outcome is Outcome.CORRECT else one.not_correct)[side.protocol] = side.reading
        found[flip.id] = one._replace(stages=tuple(dict.fromkeys((*one.stages, flip.stage))))
    truths = {s.id: s.truth for s in run.samples() if s.id in found}
    yield from (one._replace(truth=truths.get(one.id)) for one in found.values())


# ---------------------------------------------------------------- the terminal


def print_wrong(run: Run, protocol: str, limit: int) -> None:
    """Print id, outcome, truth and reading, a row for each sample."""
    every = list(wrong(run, protocol))
    rows = [
        [one_line(text, LONG) for text in (one.id, one.outcome.value, _brief(one.truth), _brief(one.reading))]
        for one in every[:limit]
    ]
    title = f"not correct under {protocol}: {formatting.counted(len(every), 'sample')}"
    _print(run, title, ("sample", "outcome", "truth", "read"), rows, [one.id for one in every])


def print_flips(run: Run, protocols: tuple[str, ...], limit: int) -> None:
    """Print id, truth, and each side's reading, a row for each sample."""
    every = list(flipped(run, protocols))
    rows = [
        [
            *(one_line(text, LONG) for text in (one.id, _brief(one.truth))),
            *(_sides(one.correct), _sides(one.not_correct), "\n".join(one.stages)),
        ]
        for one in every[:limit]
    ]
    title = f"marked differently: {formatting.counted(len(every), 'sample')}"
    columns = ("sample", "truth", "correct under", "not under", "stage")
    _print(run, title, columns, rows, [one.id for one in every])


def _sides(side: dict[str, Any]) -> str:
    """Return 'paper, robust: color', grouping protocols with the same reading."""
    read = formatting.together((name, one_line(_brief(reading), LONG)) for name, reading in side.items())
    return "\n".join(f"{names}: {reading}" for names, reading in read)


def _brief(value: Any) -> str:
    """Return the answer alone, if a truth or a reading has more than that. Answers of several people appear once each.

    >>> _brief({"answer": "yes", "explanation": "it is lit"}), _brief({"answers": ["no", "yes", "no"]}), _brief(["size"])
    ('yes', 'no, yes', 'size')
    """
    if isinstance(value, dict):
        value = value.get("answer", value.get("answers", value))
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        value = list(dict.fromkeys(value))
    return plain(value)


def _print(run: Run, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], ids: Sequence[str]) -> None:
    """Print a list. Ids are meant to be copied: they are not broken if that leaves room for the rest."""
    synthetic = " · SYNTHETIC" * run.summary.synthetic
    say(f"{formatting.title(run.manifest)} · {title}{synthetic}", "bold")
    first_only = formatting.first_only(run.summary.plain)
    if first_only:
        say(f"{first_only} 'snellen show RUN ID' has all of them.")
    if rows:
        whole = ["sample"] if all(len(name) <= SHORT_ID for name in ids[: len(rows)]) else []
        show_rows(*columns, rows=rows, kept=("outcome", "stage", *whole))
        if len(ids) > len(rows):
            say(f"and {len(ids) - len(rows):,} more; --limit N shows more.")
    next_step = _next(run, ids[0]) if rows else f"Next: snellen report {run.path}"
    say(next_step, soft_wrap=True)


def print_some(run: Run) -> None:
    """Print a few samples to look at, below a run's summary."""
    main = next(iter(prompts_of(run)), "")
    if not main:
        return
    few = [one.id for one in islice(wrong(run, main), FEW)]
    ids = few or [sample.id for sample in islice(run.samples(), FEW)]
    if ids:
        which = "not correct" if few else "samples"
        say(f"Look at ({which}): {', '.join(one_line(name, LONG) for name in ids)}", soft_wrap=True)
        say("More of them: --wrong, --flips.")
        say(_next(run, ids[0]), soft_wrap=True)


def _next(run: Run, sample: str) -> str:
    return f"Next: snellen show {run.path} {shlex.quote(for_terminal(sample))}"
