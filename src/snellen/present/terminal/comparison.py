"""A comparison on one screen of the terminal: who is who, the differences, and in words what they mean."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.comparison.results import Comparison, Flip, FlipSide, Ranking, Row, Side
from snellen.comparison.verdict import CHANCE, amount, p_of
from snellen.core.text import for_terminal, one_line
from snellen.present.model import formatting, repeats
from snellen.present.model.comparison_view import named_rows, whole_rows
from snellen.present.terminal.leads import print_leads
from snellen.present.terminal.tables import console, first_that_fits, longest_word, plain_table, shown

REPLY = 120
"""The most characters that are shown of a reply."""


def print_comparison(found: Comparison, *, flips: int = 0, verbose: bool = False) -> None:
    """Everything that fits one screen; `verbose` shows the parts under every protocol, `flips` so many samples of each side."""
    out = console()
    marks = " · SYNTHETIC" if found.synthetic else ""
    said = f"{found.exam} · {formatting.counted(found.samples, 'common sample')}{marks}"
    out.print(Text(for_terminal(said, 300), style="bold"))
    out.print(sides_table(found.sides))
    for note in found.notes:
        out.print(Text(f"Note: {for_terminal(note, 600)}", style="yellow"))
    if found.ranking is not None:
        _print_ranking(out, found.ranking)
        if verbose or found.power is not None:
            said = "-v and --power are for two runs at a time (--json has what each pair shows)."
            out.print(Text(said, style="yellow"))
    else:
        _print_rows(out, found, verbose)
    if found.leads is not None:
        print_leads(out, found.leads, verbose=verbose)
    if flips:
        _print_flips(out, found, flips)
    out.print()
    for sentence in found.verdict:
        out.print(Text(for_terminal(sentence, 1000), style="bold"))
    out.print(Text("Next:", style="dim"))
    for command in _next(found, flips):
        out.print(Text(for_terminal(f"  {command}", 2000), style="dim"), soft_wrap=True)


def sides_table(sides: Sequence[Side]) -> Table:
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


def _print_rows(out: Console, found: Comparison, verbose: bool) -> None:
    for protocol in found.protocols if verbose else found.protocols[:1]:
        own = [row for row in found.rows if row.protocol == protocol]
        if not own:
            continue
        by, named = named_rows(own)
        out.print(Text(for_terminal(f"\nUnder '{protocol}'{by}:", 200)))
        out.print(_fitting(out, named, "part"))
        _print_headlines(out, own)
        _print_power(out, own, found.power)
    by, wholes = whole_rows(found)
    if len(wholes) > 1:
        out.print(Text(for_terminal(f"\nAll samples, by protocol{by}:", 200)))
        out.print(_fitting(out, wholes, "protocol"))


def _fitting(out: Console, rows: Sequence[tuple[str, Row]], head: str) -> Table:
    """With as many columns as there is room for: names of parts and protocols are never broken."""
    kinds = ((True, True), (False, True), (False, False))
    return first_that_fits(out, [_differences(rows, head, only=only, silent=silent) for only, silent in kinds])


def _differences(rows: Sequence[tuple[str, Row]], head: str, *, only: bool, silent: bool) -> Table:
    """Both scores, the difference with its interval, p, and what it is made of."""
    one = rows[0][1]
    a, b = one.first_run, one.second_run
    silent = silent and any(row.silence.first or row.silence.second for _name, row in rows)
    parts = head == "part" and sum(row.tested and bool(row.part) for _name, row in rows) > 1
    table = plain_table()
    table.add_column(head, overflow="fold", min_width=longest_word(name for name, _row in rows))
    sizes = [formatting.on_clusters(row.n, row.clusters, row.cluster) for _name, row in rows]
    table.add_column("n", justify="right", min_width=longest_word(sizes))
    for name in (a, b):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(f"{b} - {a} [95 %]", no_wrap=True)
    table.add_column("p, Holm" if parts else "p", justify="right", no_wrap=True)
    if only:
        table.add_column(f"only {a}/{b}", justify="right", no_wrap=True)
    if silent:
        table.add_column(f"silent {a}/{b}", justify="right", no_wrap=True)
    for (name, row), size in zip(rows, sizes, strict=True):
        clear = row.tested and row.p_holm < CHANCE
        cells = [
            shown(name, 80),
            Text(size),
            *(Text(formatting.number(v, row.unit)) for v in (row.first, row.second)),
        ]
        cells.append(Text(formatting.change(row), style="bold" if clear else ""))
        cells.append(Text(p_of(row), style="bold" if clear else ""))
        if only:
            cells.append(Text(f"{row.only_first}/{row.only_second}" if row.tested else ""))
        if silent:
            gone = "/".join(str(sum(s.values())) for s in (row.silence.first, row.silence.second))
            cells.append(Text(gone if row.tested else ""))
        table.add_row(*cells)
    return table


def _print_headlines(out: Console, rows: Sequence[Row]) -> None:
    """Say how a headline was compared that is not a mean over samples."""
    own = next((row for row in rows if row.headline is not None), None)
    if own is not None and own.headline is not None:
        said = f"{own.headline.label}, the headline, is not a mean over samples: its interval is by the jackknife, p is of {own.label}."
        out.print(Text(for_terminal(said[:1].upper() + said[1:], 1000), style="dim"))


def _print_power(out: Console, rows: Sequence[Row], power: float | None) -> None:
    """What these samples could have shown, and how many show the difference that was asked for."""
    few = [row for row in rows if row.least_p >= CHANCE]
    if few:
        out.print(Text(f"No p (–): on so few {few[0].cluster}s no difference can be told from chance.", style="dim"))
    small = [(row.part, row.smallest) for row in rows if row.smallest is not None]
    if small:
        each = _range([(part, f"{100 * d:.1f}", d) for part, d in small])
        said = f"Smallest difference that would show, four times in five: {each} points."
        out.print(Text(said, style="dim"))
    needed = [(row.part, row.needed) for row in rows if row.needed is not None]
    if power is not None and needed:
        each = _range([(part, f"{n:,}", n) for part, n in needed])
        out.print(Text(f"To show {amount(power, '')} it takes {each} samples."))


def _range(found: Sequence[tuple[str, str, float]]) -> str:
    """'22.4 to 25.9 in the parts, 14.0 over all'."""
    parts = sorted((value, said) for part, said, value in found if part)
    low, high = (parts[0][1], parts[-1][1]) if parts else ("", "")
    every = [said for part, said, _value in found if not part]
    if not every:
        return low if low == high else f"{low} to {high}"
    return f"over all {every[0]}, in the parts {low if low == high else f'{low} to {high}'}"


# ---------------------------------------------------------------- many runs


def _print_ranking(out: Console, ranking: Ranking) -> None:
    labels = list(dict.fromkeys(row.label for row in ranking.rows))
    one = len(labels) == 1 and all(row.headline is None for row in ranking.rows)
    by = f", by {labels[0]}" if one else ""
    out.print(Text(for_terminal(f"\nUnder '{ranking.protocol}'{by}, the best first:", 200)))
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
    out.print(Text(said, style="dim"))


# ---------------------------------------------------------------- flips


def _print_flips(out: Console, found: Comparison, most: int) -> None:
    """Samples under the main protocol that only one side got right, grouped by who did."""
    main = [flip for flip in found.flips if flip.protocol == found.protocols[0]]
    if found.ranking is not None:
        out.print(Text("\nFlips are listed for two runs at a time."))
    for letter in dict.fromkeys(flip.only for flip in main):
        own = [flip for flip in main if flip.only == letter]
        more = f" (the first {most})" if len(own) > most else ""
        out.print(
            Text(
                f"\nOnly {letter} right under '{found.protocols[0]}': {formatting.counted(len(own), 'sample')}{more}",
                style="bold",
            )
        )
        for flip in own[:most]:
            _print_flip(out, flip)


def _print_flip(out: Console, flip: Flip) -> None:
    out.print(shown(f"{flip.id} · {flip.part}", 160))
    for letter, side in ((flip.first_run, flip.first), (flip.second_run, flip.second)):
        times = f" ({side.right} of {side.times} right)" if side.times > 1 else ""
        out.print(Text(f"  {letter} {side.outcome}{times}: {_reply(side)}"))


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
