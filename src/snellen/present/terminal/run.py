"""A run on one screen of the terminal: what was run, each part's score, and what to do next. Everything else is in
`terminal_details`, for those who ask. Text from models and data sets is escaped; nothing of it is read as markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from snellen.comparison.thresholds import examined
from snellen.core.finding import BAD, DOUBT
from snellen.core.text import for_terminal
from snellen.present.model import formatting, repeats
from snellen.present.model.controls_view import ControlsView
from snellen.present.model.findings import SAID_ELSEWHERE, loaded
from snellen.present.model.run_view import Headlines, RunView, run_view
from snellen.present.model.table_view import ScoreCell
from snellen.present.terminal.tables import WARNINGS, cell, console, fits, longest_word, plain_table, say, shown

if TYPE_CHECKING:
    from snellen.engine.mark.marking import RemarkResult
    from snellen.engine.runs.run import Run

SHOWN_CHANGES = 20
SHOWN_FINDINGS = 3
MANY_RUNS = 5
SAID = (*SAID_ELSEWHERE, "protocols")
"""Kinds of findings that a run's lines have anyway: the table has a column for the other protocols."""
COLOURS = {BAD: "bold red", DOUBT: "yellow"}
SHOWN_REASONS = 3
STALE = "STALE"
SHOWN_SILENT = 3
LONG_HEADER = 20


def print_run(run: Run, *, verbose: bool | None = None) -> None:
    """Print the scores of one run on one screen; `verbose` puts every metric, protocol and group before it.

    It is None where the command has no -v: then none is offered.
    """
    out, view = console(), run_view(run, loaded(run.manifest))
    if verbose and not view.thresholds:
        from snellen.present.terminal.run_details import print_details

        print_details(out, view)
    asked = repeats.times(view.repeats)
    _print_title(out, f"{view.title} · {formatting.counted(view.samples, 'sample')}{asked}", view)
    if view.stale:
        say(out, f"{view.stale}. 'snellen remark RUN' marks what is there.", "bold red")
    if view.thresholds:
        from snellen.present.terminal.prescription import prescription_of

        prescription_of(out, examined([run]), verbose=bool(verbose))
    elif view.headlines is not None:
        out.print(_scores(view.headlines))
        out.print(_legend(view, view.headlines, bool(verbose)), style="dim")
        for line in view.alike:
            say(out, line)
    if view.controls is not None:
        _print_controls(out, view.controls, verbose)
    if view.position_line:
        say(out, view.position_line)
    doubts = [one for one in view.findings if one.kind not in SAID and one.weight in COLOURS]
    for one in doubts[:SHOWN_FINDINGS]:
        say(out, one.text, COLOURS[one.weight], 300)
    _print_notes(out, view)
    _print_end(out, view, verbose)


def print_findings(views: Sequence[RunView]) -> None:
    """Print of several runs what to know first, the heaviest of each. Runs that have one title are told apart by their folders."""
    out = console()
    each = 1 if len(views) > MANY_RUNS else 2
    titles = Counter(view.title for view in views)
    for view in views:
        _print_title(out, view.title + f" ({view.folder})" * (titles[view.title] > 1), view)
        for one in view.heaviest(each):
            out.print(Padding(Text(for_terminal(one.text, 300), style=COLOURS.get(one.weight, "")), (0, 0, 0, 2)))


def _print_title(out: Console, name: str, view: RunView) -> None:
    marks = (("SYNTHETIC", view.synthetic), ("INCOMPLETE", not view.complete), (STALE, view.stale))
    said = " · ".join([for_terminal(name, 300), *(word for word, is_so in marks if is_so)])
    say(out, said, "bold", soft_wrap=True)


# ---------------------------------------------------------------- the scores


def _scores(found: Headlines) -> Table:
    """A row for each part: the main protocol's score and floor, how many gave no answer, and the spread of the other protocols'."""
    has_floor = any(row.cell is not None and row.cell.floor for row in found.rows)
    is_silent = any(row.silent for row in found.rows)
    table = plain_table()
    table.add_column("part", overflow="fold")
    table.add_column("n", justify="right", min_width=longest_word(row.size for row in found.rows))
    table.add_column(_header(found), no_wrap=True)
    if has_floor:
        table.add_column("floor", no_wrap=True)
    if is_silent:
        table.add_column("silent")  # on two lines where there is no room for one, before the parts are
    if found.others:
        table.add_column(found.others[0] if len(found.others) == 1 else f"{len(found.others)} others", no_wrap=True)
    for row in found.rows:
        cells: list[str | Text] = [shown(row.part), row.size, _score(row.cell)]
        cells += [_floor(row.cell)] if has_floor else []
        cells += [Text(row.silent, style="bold red")] if is_silent else []
        cells += [Text(row.others, style="dim")] if found.others else []
        table.add_row(*cells)
    return table


def _header(found: Headlines) -> Text:
    """'macro F1 (paper)', on two lines where it is long."""
    between = " " if len(found.metric) + len(found.protocol) + 3 <= LONG_HEADER else "\n"
    return Text(f"{for_terminal(found.metric, 60)}{between}({for_terminal(found.protocol, 60)})")


def _score(found: ScoreCell | None) -> Text:
    """A score without its floor, which has a column of its own."""
    if found is None:
        return cell(None)
    return cell(found._replace(value=found.value.rjust(5), floor=""))


def _floor(found: ScoreCell | None) -> Text:
    word = found.floor_word if found is not None else ""
    figure = found.floor.rjust(5) if found is not None else ""
    return Text(f"{figure} {word}".rstrip(), style=WARNINGS[word] if word else "dim")


def _legend(view: RunView, found: Headlines, verbose: bool) -> Text:
    main_forbidden = next((said for names, said in view.forbidden if found.protocol in names), "")
    repeated = repeats.LEGEND if found.repeated else ""
    pieces = ("Percent [95 % interval].", repeated, view.legend if verbose else found.floors, main_forbidden)
    return Text(for_terminal(" ".join(filter(None, (*pieces, found.others_note))), 1000))


def _print_controls(out: Console, found: ControlsView, verbose: bool | None) -> None:
    """Print what controls do to each part; the intervals where there is room."""
    title = f"With altered input ({found.metric}, {found.protocol}; differences in points):"
    say(out, title, limit=200)
    table = _controls(found, intervals=True)
    whole = fits(out, table)
    out.print(table if whole else _controls(found, intervals=False))
    if not whole and not verbose:
        where = "on the page" if verbose is None else "-v"
        say(out, f"Intervals of the differences: {where}.", "dim")


def _controls(found: ControlsView, *, intervals: bool) -> Table:
    table = plain_table()
    table.add_column("part", overflow="fold")
    table.add_column("score", justify="right", no_wrap=True)
    for name in found.controls:
        table.add_column(Text(for_terminal(f"-> {name}", 40)), no_wrap=True)
    for part, score, changes in found.rows:
        cells = (cell(c and f"{c.score}, {c.whole if intervals else c.short}") for c in changes)
        table.add_row(shown(part), score, *cells)
    return table


# ---------------------------------------------------------------- what must not be lost


def _print_notes(out: Console, view: RunView) -> None:
    if view.no_answers:
        say(out, view.no_answers, "yellow")
    _print_some(out, view.silence, SHOWN_SILENT, "more parts with many non-answers", "bold red")
    for line in view.advice:
        say(out, f"What would help: {for_terminal(line, 400)}.", "yellow")
    for note in view.notes:
        say(out, f"Note: {for_terminal(note, 600)}", "bold yellow")
    if view.synthetic:
        say(out, formatting.SYNTHETIC, "bold yellow")
    if view.incomplete:
        say(out, view.incomplete, "bold red")
    _print_some(out, [f"  {n} x {why}" for why, n in view.failures], SHOWN_REASONS, "other reasons", "red", "  ")
    for line in view.scored_by:
        say(out, line, limit=300)
    say(out, view.calls)


def _print_some(out: Console, lines: Sequence[str], most: int, more: str, style: str, indent: str = "") -> None:
    for line in lines[:most]:
        say(out, line, style, 310)
    if len(lines) > most:
        say(out, f"{indent}and {len(lines) - most} {more}", style)


def _print_end(out: Console, view: RunView, verbose: bool | None) -> None:
    """Print the folder, and what to do next: on one line where there is room, and the folder never broken."""
    next_step = "'snellen report RUN' writes a page" + (
        ", -v shows every metric and protocol" if verbose is False else ""
    )
    where = f"Run: {for_terminal(view.path)}"
    if len(where) + len(next_step) + 3 <= out.width:
        say(out, f"{where} · {next_step}")
    else:
        say(out, where, soft_wrap=True)
        say(out, f"{next_step}.")


# ---------------------------------------------------------------- marking again


def print_remarked(done: RemarkResult) -> None:
    """What marking again changed: the sum, and the protocols that have a part in it."""
    out = console()
    of = sum(marks for marks, _changed in done.counts.values())
    say(out, f"{sum(n for _marks, n in done.counts.values()):,} of {formatting.counted(of, 'mark')} changed")
    for protocol, (marks, changed) in done.counts.items():
        if changed:
            say(out, f"  {protocol}: {changed:,} of {marks:,}", soft_wrap=True)
    if done.changes:
        table = Table(title="changed marks", title_justify="left")
        for name in ("protocol", "sample", "was", "is"):
            table.add_column(name, overflow="fold")
        for change in done.changes[:SHOWN_CHANGES]:
            table.add_row(
                shown(change.protocol),
                Text(for_terminal(change.id, 60)),
                Text(for_terminal(f"{change.before.outcome} {change.before.reading}", 60)),
                Text(for_terminal(f"{change.after.outcome} {change.after.reading}", 60)),
            )
        out.print(table)
        if len(done.changes) > SHOWN_CHANGES:
            say(out, f"and {len(done.changes) - SHOWN_CHANGES} more")
