"""A run on one screen of the terminal: what was run, each part's score, and the next step. With -v, it shows everything.

Text from models and data sets is escaped: none of it is read as markup. If there is no room for a column for each protocol, the table is
transposed. It then has one metric or group in a row, with the protocols beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from snellen.comparison.thresholds import examined
from snellen.core.finding import BAD, DOUBT
from snellen.core.text import for_terminal
from snellen.present.model import formatting, threshold_text
from snellen.present.model.findings import SAID_ELSEWHERE, loaded
from snellen.present.model.run_view import RunView, run_view
from snellen.present.terminal.tables import console, say, show, show_rows

if TYPE_CHECKING:
    from snellen.engine.mark.marking import RemarkResult
    from snellen.engine.runs.run import Run

SHOWN_CHANGES = 20
SHOWN_FINDINGS = 3
MANY_RUNS = 5
SAID = (*SAID_ELSEWHERE, "protocols")
"""Kinds of findings that a run's lines already contain: the table has a column for the other protocols."""
COLOURS = {BAD: "bold red", DOUBT: "yellow"}
SHOWN_REASONS = 3
STALE = "STALE"
SHOWN_SILENT = 3


def print_run(run: Run, *, verbose: bool | None = None) -> None:
    """Print the scores of one run on one screen. `verbose` puts every metric and protocol before it.

    It is None if the command has no -v. Then none is offered.
    """
    view = run_view(run, loaded(run.manifest))
    if verbose and not view.thresholds:
        _print_details(view)
    samples = formatting.counted(view.manifest.data.samples, "sample")
    _print_title(f"{view.title} · {samples}{formatting.asked_often(view.repeats)}", view)
    if view.stale:
        say(f"{view.stale}. 'snellen mark RUN' marks what is there.", "bold red")
    if view.thresholds:
        from snellen.present.terminal.prescription import print_rows

        found = examined([run]).first
        print_rows(found, verbose=bool(verbose))
        say(threshold_text.sentence(found))
    elif view.headlines.headings:
        show(view.headlines)
        percent, repeated, floors, forbidden, others = view.headline_notes
        notes = (percent, repeated, view.legend if verbose else floors, forbidden, others)
        say(" ".join(filter(None, notes)), "dim")
        for line in view.alike:
            say(line)
    if view.controls.rows and not verbose:
        say(view.controls.title)
        show(view.controls)
    if view.position_line:
        say(view.position_line)
    doubts = [one for one in view.findings if one.kind not in SAID and one.weight in COLOURS]
    for one in doubts[:SHOWN_FINDINGS]:
        say(one.text, COLOURS[one.weight])
    _print_notes(view)
    _print_end(view, verbose)


def print_findings(views: Sequence[RunView]) -> None:
    """Print the heaviest findings of each of several runs. Runs with the same title are told apart by their folders."""
    each = 1 if len(views) > MANY_RUNS else 2
    titles = Counter(view.title for view in views)
    for view in views:
        _print_title(view.title + f" ({view.path.name})" * (titles[view.title] > 1), view)
        for one in view.heaviest(each):
            console().print(Padding(Text(for_terminal(one.text, 300), style=COLOURS.get(one.weight, "")), (0, 0, 0, 2)))


def _print_title(name: str, view: RunView) -> None:
    marks = (("SYNTHETIC", view.summary.synthetic), ("INCOMPLETE", not view.summary.complete), (STALE, view.stale))
    say(" · ".join([name, *(word for word, is_so in marks if is_so)]), "bold", soft_wrap=True)


# ---------------------------------------------------------------- warnings


def _print_notes(view: RunView) -> None:
    summary = view.summary
    if view.no_answers:
        say(view.no_answers, "yellow")
    _print_some(view.silence, SHOWN_SILENT, "more parts with many non-answers", "bold red")
    for line in summary.advice:
        say(f"What would help: {line}.", "yellow")
    for note in summary.notes:
        say(f"Note: {note}", "bold yellow")
    if summary.synthetic:
        say(formatting.SYNTHETIC, "bold yellow")
    if not summary.complete:
        say(formatting.incomplete(summary), "bold red")
    reasons = [f"  {n} x {why}" for why, n in summary.failures.items()]
    _print_some(reasons, SHOWN_REASONS, "other reasons", "red", "  ")
    for line in formatting.scored_by(summary):
        say(line)
    say(formatting.calls(summary.totals, summary.subject))


def _print_some(lines: Sequence[str], most: int, more: str, style: str, indent: str = "") -> None:
    for line in lines[:most]:
        say(line, style)
    if len(lines) > most:
        say(f"{indent}and {len(lines) - most} {more}", style)


def _print_end(view: RunView, verbose: bool | None) -> None:
    """Print the folder and the next step, on one line if there is room. The folder is never broken across lines."""
    next_step = "'snellen report RUN' writes a page" + (
        ", -v shows every metric and protocol" if verbose is False else ""
    )
    where = f"Run: {for_terminal(str(view.path))}"
    if len(where) + len(next_step) + 3 <= console().width:
        say(f"{where} · {next_step}")
    else:
        say(where, soft_wrap=True)
        say(f"{next_step}.")


# ---------------------------------------------------------------- marking again


def print_remarked(done: RemarkResult) -> None:
    """Print what re-marking changed: the sum, and the protocols that contribute to it."""
    of = sum(marks for marks, _changed in done.counts.values())
    say(f"{sum(n for _marks, n in done.counts.values()):,} of {formatting.counted(of, 'mark')} changed")
    for protocol, (marks, changed) in done.counts.items():
        if changed:
            say(f"  {protocol}: {changed:,} of {marks:,}", soft_wrap=True)
    if done.changes:
        rows = [
            (change.protocol, change.id, *(f"{mark.outcome} {mark.reading}" for mark in (change.before, change.after)))
            for change in done.changes[:SHOWN_CHANGES]
        ]
        say("changed marks", "italic")
        show_rows("protocol", "sample", "was", "is", rows=rows)
        if len(done.changes) > SHOWN_CHANGES:
            say(f"and {len(done.changes) - SHOWN_CHANGES} more")


# ---------------------------------------------------------------- details


def _print_details(run: RunView) -> None:
    """Print every protocol, every metric of the main one, and the effect of controls. The groups within the parts are on the page."""
    controls, metrics = run.all_controls, run.every_metric
    few = controls.without("chance", "best constant")
    for view, *narrower in (
        (run.every_protocol,),
        (metrics, metrics.values),
        (run.every_outcome,),
        (controls, few, few.without("metric")),
        (run.position, run.position.turned),
    ):
        if view.rows:
            say(view.title, "bold")
            show(view, *narrower, mark=view is metrics)
            say("")
    if run.breakdown.rows:
        groups = formatting.counted(len(run.breakdown.rows), "group")
        say(f"{groups} within the parts: on the page, and in 'snellen export'.\n", "dim")
