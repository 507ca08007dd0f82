"""Samples of a run as lists: those that a protocol marks wrong, and those on which protocols disagree. Data first, then the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from rich.text import Text

from snellen.core.text import for_terminal, one_line
from snellen.core.types import Outcome
from snellen.engine.mark.flips import compare, prompts_of
from snellen.engine.runs.run import Run
from snellen.present.model import formatting, repeats
from snellen.present.model.formatting import plain
from snellen.present.terminal.tables import console, plain_table, say

FEW = 3
LONG = 60
SHORT_ID = 34


class WrongSample(NamedTuple):
    """A sample that is not correct under a protocol."""

    id: str
    outcome: Outcome
    truth: Any
    reading: Any


class FlippedSample(NamedTuple):
    """A sample that is correct under some protocols and not under others: what each of these read, and where they part."""

    id: str
    truth: Any
    correct: dict[str, Any]
    not_correct: dict[str, Any]
    stages: tuple[str, ...]


def main_protocol(run: Run) -> str:
    """The first protocol of a run."""
    return next(iter(prompts_of(run)), "")


def wrong(run: Run, protocol: str) -> Iterator[WrongSample]:
    """Samples that are wrong under a protocol or have no answer, in the order of the marks."""
    truths = {s.id: s.truth for s in run.samples()}
    for mark in run.marks(protocol):
        if mark.outcome not in (Outcome.CORRECT, Outcome.UNMARKED):
            yield WrongSample(mark.id, mark.outcome, truths.get(mark.id), mark.reading)


def flipped(run: Run, protocols: tuple[str, ...] = ()) -> Iterator[FlippedSample]:
    """Samples that protocols mark differently, each once."""
    found: dict[str, FlippedSample] = {}
    for flip in compare(run, protocols).flips:
        one = found.setdefault(flip.id, FlippedSample(flip.id, None, {}, {}, ()))
        for side in (flip.first, flip.second):
            (one.correct if side.outcome is Outcome.CORRECT else one.not_correct)[side.protocol] = side.reading
        found[flip.id] = one._replace(stages=tuple(dict.fromkeys((*one.stages, flip.stage))))
    truths = {s.id: s.truth for s in run.samples() if s.id in found}
    yield from (one._replace(truth=truths.get(one.id)) for one in found.values())


# ---------------------------------------------------------------- the terminal


def print_wrong(run: Run, protocol: str, limit: int) -> None:
    """Id, outcome, truth and reading, a row a sample."""
    every = list(wrong(run, protocol))
    table = plain_table("sample", "outcome", "truth", "read", kept=("outcome", *_whole(every[:limit])))
    for one in every[:limit]:
        table.add_row(_cell(one.id), one.outcome.value, _cell(_brief(one.truth)), _cell(_brief(one.reading)))
    _print(
        run,
        f"not correct under {protocol}: {formatting.counted(len(every), 'sample')}",
        table,
        every[:limit],
        len(every),
    )


def print_flips(run: Run, protocols: tuple[str, ...], limit: int) -> None:
    """Id, truth, and what each side read, a row a sample."""
    every = list(flipped(run, protocols))
    table = plain_table(
        "sample", "truth", "correct under", "not under", "stage", kept=("stage", *_whole(every[:limit]))
    )
    for one in every[:limit]:
        sides = (_cell(_sides(side), None) for side in (one.correct, one.not_correct))
        table.add_row(_cell(one.id), _cell(_brief(one.truth)), *sides, Text("\n".join(one.stages)))
    _print(run, f"marked differently: {formatting.counted(len(every), 'sample')}", table, every[:limit], len(every))


def _sides(side: dict[str, Any]) -> str:
    """'paper, robust: color', protocols that read the same together."""
    read = formatting.together((name, one_line(_brief(reading), LONG)) for name, reading in side.items())
    return "\n".join(f"{names}: {reading}" for names, reading in read)


def _whole(shown: Sequence[WrongSample | FlippedSample]) -> tuple[str, ...]:
    """Ids are there to be copied: they are not broken where that leaves room for the rest."""
    return ("sample",) if all(len(one.id) <= SHORT_ID for one in shown) else ()


def _brief(value: Any) -> str:
    """The answer alone, where a truth or a reading has more than that; answers of several people each once.

    >>> _brief({"answer": "yes", "explanation": "it is lit"}), _brief({"answers": ["no", "yes", "no"]}), _brief(["size"])
    ('yes', 'no, yes', 'size')
    """
    if isinstance(value, dict):
        value = value.get("answer", value.get("answers", value))
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        value = list(dict.fromkeys(value))
    return plain(value)


def _cell(text: str, limit: int | None = LONG) -> Text:
    return Text(one_line(text, limit) if limit else for_terminal(text))


def _print(run: Run, title: str, table: Any, shown: Iterable[WrongSample | FlippedSample], total: int) -> None:
    out = console()
    synthetic = " · SYNTHETIC" * run.summary.synthetic
    say(out, f"{for_terminal(formatting.title(run.manifest), 300)} · {for_terminal(title)}{synthetic}", "bold")
    first_only = repeats.first_only(run.summary.plain)
    if first_only:
        say(out, f"{first_only} 'snellen show RUN ID' has all of them.")
    some = list(shown)
    if some:
        out.print(table)
        if total > len(some):
            say(out, f"and {total - len(some):,} more; --limit N shows more.")
    next_step = _next(run.path, some[0].id) if some else f"Next: snellen report {for_terminal(str(run.path))}"
    say(out, next_step, soft_wrap=True)


def print_some(run: Run) -> None:
    """A few samples to look at, below a run's summary."""
    out = console()
    main = main_protocol(run)
    if not main:
        return
    few = [one.id for one in islice(wrong(run, main), FEW)]
    ids = few or [sample.id for sample in islice(run.samples(), FEW)]
    if ids:
        which = "not correct" if few else "samples"
        say(out, _as_many(f"Look at ({which}): ", [one_line(i, LONG) for i in ids], out.width), soft_wrap=True)
        say(out, "More of them: --wrong, --flips.")
        say(out, _next(run.path, ids[0]), soft_wrap=True)


def _as_many(before: str, ids: Sequence[str], width: int) -> str:
    """A line with as many ids as fit, one at least: they are there to be copied.

    >>> _as_many("See ", ["P3/1", "P3/2", "P3/3"], 14)
    'See P3/1, P3/2'
    """
    lines = [before + ", ".join(ids[:n]) for n in range(len(ids), 0, -1)]
    return next((line for line in lines if len(line) <= width), lines[-1])


def _next(path: Path, sample: str) -> str:
    return f"Next: snellen show {for_terminal(str(path))} {quoted(sample)}"


def quoted(text: str) -> str:
    """A sample's id as a shell takes it, made harmless."""
    import shlex

    return shlex.quote(for_terminal(text))
