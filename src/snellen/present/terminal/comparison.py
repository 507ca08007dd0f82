"""A comparison on one screen of the terminal: who is who, the differences, and in words what they mean."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.comparison.results import Comparison, Flip, FlipSide, Ranking, RunSide
from snellen.core.text import for_terminal, one_line
from snellen.present.model import formatting, repeats
from snellen.present.model.comparison_view import ComparedTable, compared_tables
from snellen.present.terminal.leads import print_leads
from snellen.present.terminal.tables import console, first_that_fits, longest_word, plain_table, say, shown

REPLY = 120
"""The most characters that are shown of a reply."""


def print_comparison(found: Comparison, *, flips: int = 0, verbose: bool = False) -> None:
    """Everything that fits one screen; `verbose` shows the parts under every protocol, `flips` so many samples of each side."""
    out = console()
    marks = " · SYNTHETIC" if found.synthetic else ""
    said = f"{found.exam} · {formatting.counted(found.samples, 'common sample')}{marks}"
    say(out, said, "bold", 300)
    out.print(sides_table(found.sides))
    for note in found.notes:
        say(out, f"Note: {for_terminal(note, 600)}", "yellow")
    if found.ranking is not None:
        _print_ranking(out, found.ranking)
        if verbose or found.power is not None:
            said = "-v and --power are for two runs at a time (--json has what each pair shows)."
            say(out, said, "yellow")
    else:
        print_differences(out, found, verbose=verbose)
    if found.leads is not None:
        print_leads(out, found.leads, verbose=verbose)
    if flips:
        _print_flips(out, found, flips)
    out.print()
    for sentence in found.verdict:
        say(out, sentence, "bold", 1000)
    say(out, "Next:", "dim")
    for command in _next(found, flips):
        say(out, f"  {command}", "dim", 2000, soft_wrap=True)


def sides_table(sides: Sequence[RunSide]) -> Table:
    """Who the letters stand for, with cost and time where they are known; the folder where subjects have one name."""
    costs, times = (any(getattr(s, name) is not None for s in sides) for name in ("cost", "seconds"))
    table = plain_table()
    table.add_column("run", no_wrap=True)
    table.add_column("subject", overflow="fold")
    same = len({s.subject for s in sides}) < len(sides)
    if same:
        table.add_column("folder", overflow="fold")
    if costs:
        table.add_column("USD for 1,000", justify="right", no_wrap=True)
    if times:
        table.add_column("median time", justify="right", no_wrap=True)
    for side in sides:
        shots = f" · {side.shots} shots" if side.shots else ""
        again = repeats.times(side.repeats)
        row = [Text(side.letter, style="bold"), shown(f"{side.subject}{shots}{again}", 140)]
        row += [shown(side.run.rstrip("/").rpartition("/")[2], 120)] if same else []
        row += [Text("unknown" if side.cost is None else f"{side.cost:.2f}")] if costs else []
        row += [Text("unknown" if side.seconds is None else f"{side.seconds:.2f} s")] if times else []
        table.add_row(*row)
    return table


# ---------------------------------------------------------------- two runs


def print_differences(out: Console, found: Comparison, *, verbose: bool = False) -> None:
    """Print the parts under the main protocol (`verbose`: under every one), and all samples by protocol."""
    for table in compared_tables(found, every=verbose):
        say(out, f"\n{table.title}:", limit=200)
        out.print(fitting(out, table))
        for note in table.notes:
            say(out, note, "dim", 1000)


def fitting(out: Console, table: ComparedTable) -> Table:
    """Return the table with as many columns as there is room for: names of parts and protocols are never broken."""
    kinds = ((True, True), (False, True), (False, False))
    return first_that_fits(out, [_differences(table, only=only, silent=silent) for only, silent in kinds])


def _differences(found: ComparedTable, *, only: bool, silent: bool) -> Table:
    a, b = found.first, found.second
    silent = silent and found.has_silent
    table = plain_table()
    table.add_column(found.head, overflow="fold", min_width=longest_word(r.name for r in found.rows))
    table.add_column("n", justify="right", min_width=longest_word(r.size for r in found.rows))
    for name in (a, b):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(f"{b} - {a} [95 %]", no_wrap=True)
    more = [found.p, *([f"only {a}/{b}"] if only else []), *([f"silent {a}/{b}"] if silent else [])]
    for name in more:
        table.add_column(name, justify="right", no_wrap=True)
    for r in found.rows:
        style = "bold" if r.clear else ""
        last = [*([Text(r.only)] if only else []), *([Text(r.silent)] if silent else [])]
        told = [Text(r.difference, style=style), Text(r.p, style=style)]
        table.add_row(shown(r.name, 80), Text(r.size), Text(r.first), Text(r.second), *told, *last)
    return table


# ---------------------------------------------------------------- many runs


def _print_ranking(out: Console, ranking: Ranking) -> None:
    labels = list(dict.fromkeys(row.label for row in ranking.rows))
    one = len(labels) == 1 and all(row.headline is None for row in ranking.rows)
    by = f", by {labels[0]}" if one else ""
    say(out, f"\nUnder '{ranking.protocol}'{by}, the best first:", limit=200)
    table = plain_table()
    table.add_column("part", overflow="fold")
    table.add_column("n", justify="right")
    table.add_column("runs", overflow="fold")
    for part in dict.fromkeys(row.part for row in ranking.rows):
        own = [row for row in ranking.rows if row.part == part]
        size = formatting.on_clusters(own[0].n, own[0].clusters, own[0].cluster)
        heads = sorted(((r.headline, r.run) for r in own if r.headline is not None), reverse=True)
        if heads:
            places = "   ".join(f"{run} {formatting.percent(score)}" for score, run in heads)
            table.add_row(shown(f"{part or 'all'} ({own[0].headline_label})", 80), size, Text(places))
        label = "" if one else f" ({own[0].label})"
        places = "   ".join(f"{r.run} {formatting.number(r.score, r.unit)} {r.groups}" for r in own)
        table.add_row(shown(f"{part or 'all'}{label}", 80), size, Text(places))
    out.print(table)
    said = (
        "Runs that share a small letter cannot be told apart (p by pairs, Holm's correction over all pairs of a part)."
    )
    say(out, said, "dim")


# ---------------------------------------------------------------- flips


def _print_flips(out: Console, found: Comparison, most: int) -> None:
    """Samples under the main protocol that only one side got right, grouped by who did."""
    main = [flip for flip in found.flips if flip.protocol == found.protocols[0]]
    if found.ranking is not None:
        say(out, "\nFlips are listed for two runs at a time.")
    for letter in dict.fromkeys(flip.only for flip in main):
        own = [flip for flip in main if flip.only == letter]
        more = f" (the first {most})" if len(own) > most else ""
        say(
            out,
            f"\nOnly {letter} right under '{found.protocols[0]}': {formatting.counted(len(own), 'sample')}{more}",
            "bold",
        )
        for flip in own[:most]:
            _print_flip(out, flip)


def _print_flip(out: Console, flip: Flip) -> None:
    out.print(shown(f"{flip.id} · {flip.part}", 160))
    for letter, side in ((flip.first_run, flip.first), (flip.second_run, flip.second)):
        times = f" ({side.right} of {side.times} right)" if side.times > 1 else ""
        say(out, f"  {letter} {side.outcome}{times}: {_reply(side)}")


def _reply(side: FlipSide) -> str:
    return "no reply" if side.reply is None else repr(one_line(side.reply, REPLY))


def _next(found: Comparison, flips: int) -> list[str]:
    runs = [shlex.quote(side.run) for side in found.sides]
    if found.ranking is not None:
        first = [r.run for r in found.ranking.rows][:2]
        two = " ".join(run for run, side in zip(runs, found.sides, strict=True) if side.letter in first)
        commands = [f"snellen compare {two}  # two of them, under every protocol"]
    else:
        commands = [] if flips else [f"snellen compare {' '.join(runs)} --flips 5"]
    return [*commands, f"snellen report {' '.join(runs)}"]
