"""The prescription in the terminal: at most twenty lines for one model, and several models beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.comparison import thresholds
from snellen.comparison.thresholds import ExamThresholds
from snellen.core.prescription import FacultyComparison, Threshold
from snellen.core.text import for_terminal
from snellen.present.model import formatting
from snellen.present.model import threshold_text as said
from snellen.present.terminal.tables import console, fits, plain_table, say, shown

LINES = 20
"""What a prescription of eight faculties takes at most."""
SLOPE = (
    "Slope: the factor on the dial from a quarter seen to three quarters. Lapses: wrong answers to what is seen well."
)


def document(found: ExamThresholds, page: Path | None = None) -> dict[str, Any]:
    """The prescription as plain values."""
    return thresholds.document(found) | {"page": None if page is None else str(page), "says": list(sentences(found))}


def sentences(found: ExamThresholds) -> Iterator[str]:
    """What a person would say."""
    if found.several:
        yield from (said.verdict(found, at) for at in range(len(found.each) - 1))
    else:
        yield said.sentence(found.first)


def print_prescription(found: ExamThresholds, page: Path | None = None, *, verbose: bool = False) -> None:
    """Print one model with a row a faculty; several with a column a model, and how their thresholds stand to the first one's."""
    _print(console(), found, [_cost(found), *([f"Page: {page}"] if page is not None else [])], verbose)


def print_compared(found: ExamThresholds, *, verbose: bool = False) -> None:
    """Print as `print_prescription`, without a page, and with what to do next."""
    runs = " ".join(str(one.run.path) for one in found.each)
    _print(console(), found, [_cost(found), f"Next: snellen report {runs}"], verbose)


def prescription_of(out: Console, one: ExamThresholds, *, verbose: bool) -> None:
    """Print the rows of one run: why some have no threshold is in the run's notes."""
    out.print(_rows(one.first.rows))
    say(out, said.LEGEND, "dim")
    if verbose:
        out.print(_details(one.first.rows))
        say(out, SLOPE, "dim")
    say(out, said.sentence(one.first), limit=600)


def _print(out: Console, found: ExamThresholds, after: Sequence[str], verbose: bool) -> None:
    """Print the tables, then what they say."""
    who = formatting.counted(len(found.each), "model") if found.several else found.first.name
    unfinished = " · INCOMPLETE" * any(not one.summary.complete for one in found.each)
    title = for_terminal(f"{found.exam} exam · {who} · {said.seeds(found)} · {said.DRAWN}{unfinished}", 300)
    say(out, title, "bold", soft_wrap=True)
    sayings = list(sentences(found))
    if found.several:
        for one in found.each:
            say(out, f"{one.letter}  {one.name}", limit=200, soft_wrap=True)
        for table in _beside(out, found):
            out.print(table)
    else:
        out.print(_rows(found.first.rows))
        say(out, said.LEGEND, "dim")
    if verbose:
        _print_details(out, found)
    for line in _reasons(out, found, [said.LEGEND, *sayings, *after], verbose):
        say(out, line, "yellow", 400)
    for one in found.each:
        if not one.summary.complete:
            say(out, formatting.incomplete(one.summary), "bold red", 300)
    for line in sayings:
        say(out, line, "bold", 1000)
    for line in after:
        say(out, line, limit=1000, soft_wrap=line.startswith(("Page", "Next")))


def _print_details(out: Console, found: ExamThresholds) -> None:
    for one in found.each:
        if found.several:
            say(out, one.name, limit=200)
        out.print(_details(one.rows))
    say(out, SLOPE, "dim")


def _reasons(out: Console, found: ExamThresholds, others: Sequence[str], verbose: bool) -> list[str]:
    """Return why faculties have no threshold; of one model only where that has room beside the other lines."""
    if found.several:
        return [f"{one.letter}, {line}" for one in found.each for line in said.reasons(one.rows)]
    reasons = said.reasons(found.first.rows)
    used = 3 + len(found.first.rows) + _high(out, [*others, *reasons])
    return reasons if verbose or used <= LINES else ["Why some are not measurable: on the page, or -v."]


def _high(out: Console, lines: Sequence[str]) -> int:
    """Return how many lines of the screen some texts take."""
    return sum(len(Text(for_terminal(line, 1000)).wrap(out, out.width)) for line in lines)


def _cost(found: ExamThresholds) -> str:
    asked = formatting.counted(sum(row.questions + row.blank.n for one in found.each for row in one.rows), "question")
    totals = [one.summary.totals for one in found.each]
    money, unknown, stored = (sum(getattr(t, name) for t in totals) for name in ("cost", "cost_unknown", "stored"))
    if not any(t.calls or t.stored for t in totals):
        return f"{asked} on freshly drawn sheets; no API calls (local subject)."
    paid = "cost unknown" if unknown and not money else f"{money:.4f} USD" + " and some of unknown cost" * bool(unknown)
    kept = f", {stored:,} answers from the store" if stored else ""
    return f"{asked} on freshly drawn sheets: {paid}{kept}."


# ---------------------------------------------------------------- tables


def _rows(rows: Sequence[Threshold]) -> Table:
    """Return a row for each faculty."""
    cells = [
        (
            shown(row.name, 40),
            Text(said.threshold(row), style="yellow" if row.threshold is None else "bold"),
            *(said.interval(row), str(row.questions), said.of(row.catch), said.of(row.blank)),
        )
        for row in rows
    ]
    names, numbers = ("faculty", "threshold", "95 % interval"), ("asked", "easiest", "blank")
    return plain_table(*names, *numbers, rows=cells, kept=names, right=numbers)


def _details(rows: Sequence[Threshold]) -> Table:
    """Return how steep each curve is, and how often what was seen well was answered wrongly."""
    cells = [
        (
            shown(row.name, 40),
            *(said.slope(row), said.lapse(row)),
            ", ".join(f"{n} {kind}" for kind, n in row.silent.items()) or "–",
        )
        for row in rows
    ]
    return plain_table("faculty", "slope", "lapses", "no choice", rows=cells, kept=("faculty", "slope", "lapses"))


def _beside(out: Console, found: ExamThresholds) -> list[Table]:
    """Return a column a model, and the ratios to the first: in one table where there is room, with intervals where there is more."""
    first, *others = found.each
    names = [one.letter for one in found.each]
    over = [f"{other.letter} / {first.letter}" for other in others]
    whole, short, ratios = [], [], []
    for row in found.compared:
        faculty = shown(row.name, 40)
        styles = ["dim" if own is None else "yellow" if own.threshold is None else "" for own in row.rows]
        both = list(zip(row.rows, styles, strict=True))
        whole.append([faculty, *(Text(said.whole(own), style) for own, style in both)])
        short.append([faculty, *(Text(said.threshold(own), style) for own, style in both)])
        ratios.append([_ratio(row, at) for at in range(len(others))])
    for cells in (whole, short):
        rows = [[*own, *their] for own, their in zip(cells, ratios, strict=True)]
        table = plain_table("faculty", *names, *over, rows=rows, kept=("faculty",))
        if fits(out, table):
            return [table]
    below = [[own[0], *their] for own, their in zip(short, ratios, strict=True)]
    tables = ((names, short), (over, below))
    return [plain_table("faculty", *heads, rows=rows, kept=("faculty",)) for heads, rows in tables]


def _ratio(row: FacultyComparison, at: int) -> Text:
    found = row.ratios[at]
    if found is None:
        return Text("–", style="dim")
    return Text(said.ratio(found), style={1: "green", -1: "red", 0: ""}[said.finer(row, at)])
