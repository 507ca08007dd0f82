"""The prescription in the terminal: at most twenty lines for one model, and several models beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.comparison import thresholds
from snellen.comparison.thresholds import ExamThresholds, RunThresholds
from snellen.core.prescription import FacultyComparison, Threshold
from snellen.present.model import formatting
from snellen.present.model import threshold_text as said
from snellen.present.terminal.tables import console, fits, plain_table, say

REASONS = 1
"""So many reasons why one model's faculties have no threshold are printed without -v: eight faculties take twenty lines at most."""


def document(found: ExamThresholds, page: Path | None = None) -> dict[str, Any]:
    """Return the prescription as plain values."""
    return thresholds.document(found) | {"page": None if page is None else str(page), "says": list(sentences(found))}


def sentences(found: ExamThresholds) -> Iterator[str]:
    """Yield what a person would say."""
    if found.several:
        yield from (said.verdict(found, at) for at in range(len(found.each) - 1))
    else:
        yield said.sentence(found.first)


def print_prescription(found: ExamThresholds, page: Path | None = None, *, verbose: bool = False) -> None:
    """Print one model with a row a faculty; several with a column a model, and how their thresholds stand to the first one's.

    Without a page, say what to do next.
    """
    out = console()
    who = formatting.counted(len(found.each), "model") if found.several else found.first.name
    unfinished = [one.summary for one in found.each if not one.summary.complete]
    title = f"{found.exam} exam · {who} · {said.seeds(found)} · {said.DRAWN}{' · INCOMPLETE' * bool(unfinished)}"
    say(out, title, "bold", soft_wrap=True)
    if found.several:
        for one in found.each:
            say(out, f"{one.letter}  {one.name}", soft_wrap=True)
        for table in _beside(out, found):
            out.print(table)
        for one in found.each if verbose else ():
            say(out, one.name)
            out.print(_details(one.rows))
        if verbose:
            say(out, said.SLOPE, "dim")
    else:
        print_rows(out, found.first, verbose=verbose)
    runs = " ".join(str(one.run.path) for one in found.each)
    last = f"Next: snellen report {runs}" if page is None else f"Page: {page}"
    says = [*sentences(found), _cost(found)]
    reasons = [(one, line) for one in found.each for line in said.reasons(one.rows)]
    for one, line in reasons if verbose or found.several else reasons[:REASONS]:
        say(out, f"{one.letter}, {line}" if found.several else line, "yellow")
    if len(reasons) > REASONS and not (verbose or found.several):
        say(out, "Why others are not measurable: on the page, or -v.", "yellow")
    for summary in unfinished:
        say(out, formatting.incomplete(summary), "bold red")
    for line in says[:-1]:
        say(out, line, "bold")
    say(out, says[-1])
    say(out, last, soft_wrap=True)


def print_rows(out: Console, one: RunThresholds, *, verbose: bool) -> None:
    """Print a row for each faculty of a run; `verbose` adds how steep each curve is, and how often what was seen well was wrong."""
    cells = [
        (
            row.name,
            Text(said.threshold(row), style="yellow" if row.threshold is None else "bold"),
            *(said.interval(row), str(row.questions), said.of(row.catch), said.of(row.blank)),
        )
        for row in one.rows
    ]
    names, numbers = ("faculty", "threshold", "95 % interval"), ("asked", "easiest", "blank")
    out.print(plain_table(*names, *numbers, rows=cells, kept=names, right=numbers))
    say(out, said.LEGEND, "dim")
    if verbose:
        out.print(_details(one.rows))
        say(out, said.SLOPE, "dim")


def _details(rows: Sequence[Threshold]) -> Table:
    cells = (
        (
            *(row.name, said.slope(row), said.lapse(row)),
            ", ".join(f"{n} {kind}" for kind, n in row.silent.items()) or "–",
        )
        for row in rows
    )
    return plain_table("faculty", "slope", "lapses", "no choice", rows=cells, kept=("faculty", "slope", "lapses"))


def _cost(found: ExamThresholds) -> str:
    asked = formatting.counted(sum(row.questions + row.blank.n for one in found.each for row in one.rows), "question")
    totals = formatting.summed(one.summary.totals for one in found.each)
    if not (totals.calls or totals.stored):
        return f"{asked} on freshly drawn sheets; no API calls (local subject)."
    kept = f", {totals.stored:,} answers from the store" if totals.stored else ""
    return f"{asked} on freshly drawn sheets: {formatting.money(totals)}{kept}."


def _beside(out: Console, found: ExamThresholds) -> list[Table]:
    """Return a column a model, and the ratios to the first: in one table where there is room, with intervals where there is more."""
    first, *others = found.each
    names = [one.letter for one in found.each]
    over = [f"{other.letter} / {first.letter}" for other in others]
    ratios = [[_ratio(row, at) for at in range(len(others))] for row in found.compared]
    for written in (said.whole, said.threshold):
        cells = [[row.name, *(_threshold(own, written(own)) for own in row.rows)] for row in found.compared]
        rows = [[*own, *their] for own, their in zip(cells, ratios, strict=True)]
        table = plain_table("faculty", *names, *over, rows=rows, kept=("faculty",))
        if fits(out, table):
            return [table]
    below = [[row.name, *their] for row, their in zip(found.compared, ratios, strict=True)]
    tables = ((names, cells), (over, below))
    return [plain_table("faculty", *heads, rows=rows, kept=("faculty",)) for heads, rows in tables]


def _threshold(row: Threshold | None, text: str) -> Text:
    return Text(text, "dim" if row is None else "yellow" if row.threshold is None else "")


def _ratio(row: FacultyComparison, at: int) -> Text:
    found = row.ratios[at]
    if found is None:
        return Text("–", style="dim")
    return Text(said.ratio(found), style={1: "green", -1: "red", 0: ""}[said.finer(row, at)])
