"""What the runs of a suite would take, in the terminal and as plain values. Nothing is called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.text import one_line
from snellen.engine.suite.cells import SuiteRun
from snellen.present.model import formatting
from snellen.present.terminal.tables import console, plain_table, say

MOST_ROWS = 30
UNKNOWN = "?"


class SuiteEstimate(NamedTuple):
    """What a run would take in all, and how many of its questions are answered already."""

    cell: SuiteRun
    found: dict[str, Any]
    answered: int


def print_estimates(name: str, rows: Sequence[SuiteEstimate], max_cost: float | None) -> None:
    """A row a run and their sum. Nothing was called."""
    columns = ("exam", "model", "calls", "there", "tokens", "USD", "at most", "time")
    screen = console()
    title = f"{name}: {formatting.counted(len(rows), 'run')}, estimate, nothing was called"
    say(screen, title, "bold")
    screen.print(plain_table(*columns, kept=("USD", "at most"), rows=map(_estimate, rows[:MOST_ROWS])))
    if len(rows) > MOST_ROWS:
        say(screen, f"and {len(rows) - MOST_ROWS} more: --json has all")
    total = totals(rows)
    said = f"In all: {_count(total['calls'])} calls, {_count(total['tokens'])} tokens, {_usd(total['money_usd'])}"
    said += f" (at most {_usd(total['money_usd_at_most'])}), about {_time(total['seconds'])} with servers beside each other."
    say(screen, said)
    say(
        screen,
        "There: questions that are answered already. Tokens: in and out; 'snellen estimate' has the details.",
        "dim",
    )
    most = total["money_usd_at_most"]
    if max_cost is not None and not isinstance(most, str) and most > max_cost:
        say(screen, f"The cap is {max_cost:g} USD: the suite may stop before it is done.", "yellow")
    say(screen, "Next: the same command without --dry-run")


def _estimate(row: SuiteEstimate) -> tuple[str, ...]:
    found = row.found
    tokens = _sum([found.get("input_tokens", 0), found.get("output_tokens", 0)])
    return (
        one_line(row.cell.exam, 40),
        one_line(row.cell.model, 60),
        _count(found["calls"]),
        str(row.answered),
        _count(tokens),
        _usd(found["money_usd"]).removesuffix(" USD"),
        _usd(found.get("money_usd_at_most", found["money_usd"])).removesuffix(" USD"),
        _time(found.get("seconds", 0)),
    )


def totals(rows: Sequence[SuiteEstimate]) -> dict[str, Any]:
    """Sums over all runs; 'unknown' where one is. The time is that of the slowest server, as servers do not wait for each other."""
    found = [row.found for row in rows]
    lanes: dict[str, list[Any]] = {}
    for row in rows:
        lanes.setdefault(row.cell.lane, []).append(row.found.get("seconds", 0))
    seconds = [_sum(some) for some in lanes.values()]
    return {
        "calls": _sum([f["calls"] for f in found]),
        "tokens": _sum([n for f in found for n in (f.get("input_tokens", 0), f.get("output_tokens", 0))]),
        "money_usd": _sum([f["money_usd"] for f in found]),
        "money_usd_at_most": _sum([f.get("money_usd_at_most", f["money_usd"]) for f in found]),
        "seconds": "unknown" if "unknown" in seconds else max(seconds, default=0),
    }


def estimate_document(name: str, out: Path, rows: Sequence[SuiteEstimate]) -> dict[str, Any]:
    """The same as plain values."""
    runs = [{"exam": r.cell.exam, "model": r.cell.model, "answered": r.answered, **r.found} for r in rows]
    return {"suite": name, "out": str(out), "total": totals(rows), "runs": runs}


def _sum(values: Sequence[Any]) -> Any:
    """The sum; 'unknown' where one of them is no number."""
    return "unknown" if any(isinstance(v, str) for v in values) else sum(values)


def _count(value: Any) -> str:
    return UNKNOWN if value == "unknown" else f"{value:,}" if isinstance(value, int) else str(value)


def _usd(value: Any) -> str:
    return UNKNOWN if isinstance(value, str) else f"{value:.4f} USD"


def _time(value: Any) -> str:
    return UNKNOWN if isinstance(value, str) else f"{value:.0f} s" if value < 120 else f"{value / 60:.0f} min"
