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
Room = int | None


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
    """One model: a row a faculty. Several: a column a model, and how their thresholds stand to the first one's."""
    out = console()
    after = [*_ends(found), *([f"Page: {page}"] if page is not None else [])]
    _print(out, found, after, verbose)


def print_compared(found: ExamThresholds, *, verbose: bool = False) -> None:
    """As `print_prescription`, without a page, and with what to do next."""
    runs = " ".join(str(one.run.path) for one in found.each)
    _print(console(), found, [*_ends(found), f"Next: snellen report {runs}"], verbose)


def prescription_of(out: Console, one: ExamThresholds, *, verbose: bool) -> None:
    """The rows of one run, for whoever prints the rest: why some have no threshold is in the run's notes."""
    out.print(_rows(one.first.rows))
    say(out, said.LEGEND, "dim")
    if verbose:
        out.print(_details(one.first.rows))
        say(out, SLOPE, "dim")
    say(out, said.sentence(one.first), limit=600)


def _print(out: Console, found: ExamThresholds, after: Sequence[str], verbose: bool) -> None:
    tables = _beside(out, found) if found.several else [_rows(found.first.rows)]
    legend = [] if found.several else [said.LEGEND]
    sayings = list(sentences(found))
    used = 1 + 2 + len(found.first.rows) + sum(_high(out, line) for line in (*legend, *sayings, *after))
    say(out, _title(found), "bold", soft_wrap=True)
    for one in found.each if found.several else ():
        say(out, f"{one.letter}  {one.name}", limit=200, soft_wrap=True)
    for table in tables:
        out.print(table)
    for line in legend:
        say(out, line, "dim")
    if verbose:
        _print_details(out, found)
    for line in _fitting(out, _reasons(found), None if verbose or found.several else LINES - used):
        say(out, line, "yellow", 400)
    for one in found.each:
        if not one.summary.complete:
            say(out, formatting.incomplete(one.summary), "bold red", 300)
    for line in sayings:
        say(out, line, "bold", 1000)
    for line in after:
        say(out, line, limit=1000, soft_wrap=line.startswith(("Page", "Next")))


def _title(found: ExamThresholds) -> str:
    """'eye exam · openai/gpt-4o · seed 0 · SYNTHETIC sheets'."""
    who = formatting.counted(len(found.each), "model") if found.several else found.first.name
    unfinished = " · INCOMPLETE" * any(not one.summary.complete for one in found.each)
    return for_terminal(f"{found.exam} exam · {who} · {said.seeds(found)} · {said.DRAWN}{unfinished}", 300)


def _print_details(out: Console, found: ExamThresholds) -> None:
    for one in found.each:
        if found.several:
            say(out, one.name, limit=200)
        out.print(_details(one.rows))
    say(out, SLOPE, "dim")


def _reasons(found: ExamThresholds) -> list[str]:
    if not found.several:
        return said.reasons(found.first.rows)
    return [f"{one.letter}, {line}" for one in found.each for line in said.reasons(one.rows)]


def _fitting(out: Console, lines: Sequence[str], room: Room) -> Iterator[str]:
    """As many lines as have room; where some have not, where they are."""
    left = room
    for at, line in enumerate(lines):
        high = _high(out, line)
        rest = at < len(lines) - 1
        if left is not None and high + rest > left:
            if left > 0:
                yield "Why some are not measurable: on the page, or -v."
            return
        yield line
        left = None if left is None else left - high


def _high(out: Console, line: str) -> int:
    """How many lines a text takes."""
    return len(Text(for_terminal(line, 1000)).wrap(out, out.width))


def _ends(found: ExamThresholds) -> list[str]:
    """What it cost, in one line; where every run is, for one."""
    asked = sum(row.questions + row.blank.n for one in found.each for row in one.rows)
    totals = [one.summary.totals for one in found.each]
    money = sum(t.cost for t in totals)
    unknown = sum(t.cost_unknown for t in totals)
    if not any(t.calls or t.stored for t in totals):
        return [f"{formatting.counted(asked, 'question')} on freshly drawn sheets; no API calls (local subject)."]
    paid = "cost unknown" if unknown and not money else f"{money:.4f} USD" + " and some of unknown cost" * bool(unknown)
    stored = sum(t.stored for t in totals)
    kept = f", {stored:,} answers from the store" if stored else ""
    return [f"{formatting.counted(asked, 'question')} on freshly drawn sheets: {paid}{kept}."]


# ---------------------------------------------------------------- tables


def _rows(rows: Sequence[Threshold]) -> Table:
    """A row a faculty."""
    table = plain_table()
    for name in ("faculty", "threshold", "95 % interval"):
        table.add_column(name, no_wrap=True)
    for name in ("asked", "easiest", "blank"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        value = Text(said.threshold(row), style="yellow" if row.threshold is None else "bold")
        figures = (said.interval(row), str(row.questions), said.of(row.catch), said.of(row.blank))
        table.add_row(shown(row.name, 40), value, *figures)
    return table


def _details(rows: Sequence[Threshold]) -> Table:
    """How steep each curve is, and how often what was seen well was answered wrongly."""
    table = plain_table("faculty", "slope", "lapses", "no choice", kept=("faculty", "slope", "lapses"))
    for row in rows:
        silent = ", ".join(f"{n} {kind}" for kind, n in row.silent.items()) or "–"
        table.add_row(shown(row.name, 40), said.slope(row), said.lapse(row), silent)
    return table


def _beside(out: Console, found: ExamThresholds) -> list[Table]:
    """A column a model, and the ratios to the first: in one table where there is room, with intervals where there is more."""
    both = [_columns(found, intervals=wide, ratios=True) for wide in (True, False)]
    fitting = next((table for table in both if fits(out, table)), None)
    if fitting is not None:
        return [fitting]
    return [_columns(found, intervals=False, ratios=False), _columns(found, intervals=False, values=False, ratios=True)]


def _columns(found: ExamThresholds, *, intervals: bool, ratios: bool, values: bool = True) -> Table:
    table = plain_table()
    table.add_column("faculty", no_wrap=True)
    for one in found.each if values else ():
        table.add_column(one.letter)
    for other in found.each[1:] if ratios else ():
        table.add_column(f"{other.letter} / {found.first.letter}")
    for row in found.compared:
        cells = [Text(said.whole(own) if intervals else said.threshold(own), style=_style(own)) for own in row.rows]
        others = _ratios(row, len(found.each) - 1)
        table.add_row(shown(row.name, 40), *(cells if values else ()), *(others if ratios else ()))
    return table


def _style(row: Threshold | None) -> str:
    return "" if row is not None and row.threshold is not None else "yellow" if row is not None else "dim"


def _ratios(row: FacultyComparison, others: int) -> Iterator[Text]:
    colours = {1: "green", -1: "red", 0: ""}
    for at in range(others):
        found = row.ratios[at]
        yield Text("–", style="dim") if found is None else Text(said.ratio(found), style=colours[said.finer(row, at)])
