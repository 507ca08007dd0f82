"""The prescription in the terminal: at most twenty lines for one model, or several models side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snellen.comparison import thresholds
from snellen.comparison.thresholds import ExamThresholds, RunThresholds
from snellen.present.model import formatting
from snellen.present.model import threshold_text as said
from snellen.present.terminal.tables import say, show

REASONS = 1
"""The most reasons for missing thresholds that are printed for one model without -v: eight faculties take twenty lines at most."""


def document(found: ExamThresholds, page: Path | None = None) -> dict[str, Any]:
    """Return the prescription as plain values."""
    return thresholds.document(found) | {"page": None if page is None else str(page), "says": list(sentences(found))}


def sentences(found: ExamThresholds) -> Iterator[str]:
    """Yield sentences on what each model sees."""
    if found.several:
        yield from (said.verdict(found, at) for at in range(len(found.each) - 1))
    else:
        yield said.sentence(found.first)


def print_prescription(found: ExamThresholds, page: Path | None = None, *, verbose: bool = False) -> None:
    """Print one model with a row for each faculty, or several with a column for each model and their ratios to the first.

    Without a page, print the next step.
    """
    who = formatting.counted(len(found.each), "model") if found.several else found.first.name
    unfinished = [one.summary for one in found.each if not one.summary.complete]
    title = f"{found.exam} exam · {who} · {said.seeds(found)} · {said.DRAWN}{' · INCOMPLETE' * bool(unfinished)}"
    say(title, "bold", soft_wrap=True)
    if found.several:
        for one in found.each:
            say(f"{one.letter}  {one.name}", soft_wrap=True)
        show(said.beside(found), said.beside(found, intervals=False), said.beside(found, intervals=False, kind=""))
        for one in found.each if verbose else ():
            say(one.name)
            show(said.details(one.rows))
        if verbose:
            say(said.SLOPE, "dim")
    else:
        print_rows(found.first, verbose=verbose)
    runs = " ".join(str(one.run.path) for one in found.each)
    last = f"Next: snellen report {runs}" if page is None else f"Page: {page}"
    says = [*sentences(found), _cost(found)]
    reasons = [(one, line) for one in found.each for line in said.reasons(one.rows)]
    for one, line in reasons if verbose or found.several else reasons[:REASONS]:
        say(f"{one.letter}, {line}" if found.several else line, "yellow")
    if len(reasons) > REASONS and not (verbose or found.several):
        say("Why others are not measurable: on the page, or -v.", "yellow")
    for summary in unfinished:
        say(formatting.incomplete(summary), "bold red")
    for line in says[:-1]:
        say(line, "bold")
    say(says[-1])
    say(last, soft_wrap=True)


def print_rows(one: RunThresholds, *, verbose: bool) -> None:
    """Print a row for each faculty of a run. `verbose` adds how steep each curve is, and how often easy sheets were answered wrong."""
    show(said.faculties(one.rows))
    say(said.LEGEND, "dim")
    if verbose:
        show(said.details(one.rows))
        say(said.SLOPE, "dim")


def _cost(found: ExamThresholds) -> str:
    asked = formatting.counted(sum(row.questions + row.blank.n for one in found.each for row in one.rows), "question")
    totals = formatting.summed(one.summary.totals for one in found.each)
    if not (totals.calls or totals.stored):
        return f"{asked} on freshly drawn sheets; no API calls (local subject)."
    kept = f", {totals.stored:,} answers from the store" if totals.stored else ""
    return f"{asked} on freshly drawn sheets: {formatting.money(totals)}{kept}."
