"""A comparison on one screen of the terminal: who is who, the differences, and in words what they mean."""

from __future__ import annotations

import shlex

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.comparison.results import Comparison, Ranking
from snellen.core.text import for_terminal, one_line
from snellen.present.model import formatting, repeats
from snellen.present.model.comparison_view import ComparedTable, compared_tables
from snellen.present.terminal.leads import print_leads
from snellen.present.terminal.tables import console, first_that_fits, plain_table, say, shown

REPLY = 120
"""The most characters that are shown of a reply."""


def print_comparison(found: Comparison, *, flips: int = 0, verbose: bool = False) -> None:
    """Print what fits one screen; `verbose` shows the parts under every protocol, `flips` so many samples of each side."""
    out = console()
    print_sides(out, found)
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


def print_sides(out: Console, found: Comparison) -> None:
    """Print who the letters stand for, with cost and time where they are known; the folder where subjects have one name."""
    say(out, formatting.common_samples(found.exam, found.samples, synthetic=found.synthetic), "bold", 300)
    sides = found.sides
    columns: dict[str, list[str | Text]] = {
        "run": [Text(side.letter, style="bold") for side in sides],
        "subject": [
            f"{s.subject}{f' · {s.shots} shots' if s.shots else ''}{repeats.times(s.repeats)}"[:140] for s in sides
        ],
    }
    if len({side.subject for side in sides}) < len(sides):
        columns["folder"] = [side.run.rstrip("/").rpartition("/")[2][:120] for side in sides]
    if any(side.cost is not None for side in sides):
        columns["USD for 1,000"] = ["unknown" if s.cost is None else f"{s.cost:.2f}" for s in sides]
    if any(side.seconds is not None for side in sides):
        columns["median time"] = ["unknown" if s.seconds is None else f"{s.seconds:.2f} s" for s in sides]
    rows = list(zip(*columns.values(), strict=True))
    out.print(plain_table(*columns, rows=rows, kept=("run",), right=("USD for 1,000", "median time")))


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
    only, silent = f"only {table.first}/{table.second}", f"silent {table.first}/{table.second}"
    without = [] if table.has_silent else [silent]
    return first_that_fits(out, [_differences(table, [*without, *some]) for some in ([], [only], [only, silent])])


def _differences(found: ComparedTable, without: list[str]) -> Table:
    a, b = found.first, found.second
    difference = f"{b} - {a} [95 %]"
    names = (found.head, "n", a, b, difference, found.p, f"only {a}/{b}", f"silent {a}/{b}")
    kept = [at for at, name in enumerate(names) if name not in without]
    rows = []
    for r in found.rows:
        style = "bold" if r.clear else ""
        clear = (Text(text, style=style) for text in (r.difference, r.p))
        cells = (shown(r.name, 80), r.size, r.first, r.second, *clear, r.only, r.silent)
        rows.append([cells[at] for at in kept])
    numbers = [name for name in names[1:] if name != difference]
    return plain_table(*(names[at] for at in kept), rows=rows, kept=(difference,), right=numbers)


# ---------------------------------------------------------------- many runs


def _print_ranking(out: Console, ranking: Ranking) -> None:
    labels = list(dict.fromkeys(row.label for row in ranking.rows))
    one = len(labels) == 1 and all(row.headline is None for row in ranking.rows)
    by = f", by {labels[0]}" if one else ""
    say(out, f"\nUnder '{ranking.protocol}'{by}, the best first:", limit=200)
    rows = []
    for part in dict.fromkeys(row.part for row in ranking.rows):
        own = [row for row in ranking.rows if row.part == part]
        size = formatting.on_clusters(own[0].n, own[0].clusters, own[0].cluster)
        heads = sorted(((r.headline, r.run) for r in own if r.headline is not None), reverse=True)
        if heads:
            places = "   ".join(f"{run} {formatting.percent(score)}" for score, run in heads)
            rows.append((shown(f"{part or 'all'} ({own[0].headline_label})", 80), size, places))
        label = "" if one else f" ({own[0].label})"
        places = "   ".join(f"{r.run} {formatting.number(r.score, r.unit)} {r.groups}" for r in own)
        rows.append((shown(f"{part or 'all'}{label}", 80), size, places))
    out.print(plain_table("part", "n", "runs", rows=rows))
    said = (
        "Runs that share a small letter cannot be told apart (p by pairs, Holm's correction over all pairs of a part)."
    )
    say(out, said, "dim")


# ---------------------------------------------------------------- flips


def _print_flips(out: Console, found: Comparison, most: int) -> None:
    """Print samples under the main protocol that only one side got right, grouped by side."""
    main = [flip for flip in found.flips if flip.protocol == found.protocols[0]]
    if found.ranking is not None:
        say(out, "\nFlips are listed for two runs at a time.")
    for letter in dict.fromkeys(flip.only for flip in main):
        own = [flip for flip in main if flip.only == letter]
        more = f" (the first {most})" if len(own) > most else ""
        counted = formatting.counted(len(own), "sample")
        say(out, f"\nOnly {letter} right under '{found.protocols[0]}': {counted}{more}", "bold")
        for flip in own[:most]:
            out.print(shown(f"{flip.id} · {flip.part}", 160))
            for run, side in ((flip.first_run, flip.first), (flip.second_run, flip.second)):
                times = f" ({side.right} of {side.times} right)" if side.times > 1 else ""
                reply = "no reply" if side.reply is None else repr(one_line(side.reply, REPLY))
                say(out, f"  {run} {side.outcome}{times}: {reply}")


def _next(found: Comparison, flips: int) -> list[str]:
    runs = [shlex.quote(side.run) for side in found.sides]
    if found.ranking is not None:
        first = [r.run for r in found.ranking.rows][:2]
        two = " ".join(run for run, side in zip(runs, found.sides, strict=True) if side.letter in first)
        commands = [f"snellen compare {two}  # two of them, under every protocol"]
    else:
        commands = [] if flips else [f"snellen compare {' '.join(runs)} --flips 5"]
    return [*commands, f"snellen report {' '.join(runs)}"]
