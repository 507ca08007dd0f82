"""The runs of a suite in the terminal and as plain values: how each ended."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.errors import Interrupted, MostlyUnanswered
from snellen.core.text import one_line
from snellen.engine.call.budget import BudgetReached
from snellen.engine.runs.listing import ListedRun
from snellen.engine.suite.cells import SuiteRun
from snellen.engine.suite.running import SuiteRunResult
from snellen.present.model import formatting
from snellen.present.model.run_list import cost, legend, plain, run_cells
from snellen.present.terminal.tables import print_table, say, say_next, show_rows

MOST_ROWS = 30
MOST_REASONS = 5


def state(how: SuiteRunResult) -> str:
    """Return in one or two words how a run ended."""
    why = how.why
    if isinstance(why, BudgetReached):
        return "budget reached" if how.finished is not None else "not begun"
    if isinstance(why, Interrupted):
        return "interrupted"
    if isinstance(why, MostlyUnanswered):
        return "mostly silent"
    if why is not None:
        return "failed" if how.finished is None else "stopped"
    if how.finished is None or how.finished.asked:
        return "done"
    run = listed(how)
    newest = run.summary.totals.newest if run is not None else 0
    return f"from {time.strftime('%Y-%m-%d', time.gmtime(newest))}" if newest else "there already"


def listed(how: SuiteRunResult) -> ListedRun | None:
    """Return the run as run lists show it, or None if it is not marked."""
    if how.finished is None or not how.finished.run.folder.has("summary.json"):
        return None
    run = how.finished.run
    return ListedRun(run.path, run.folder.manifest(), run.summary)


def print_suite(name: str, out: Path, ended: Sequence[SuiteRunResult], max_cost: float | None) -> None:
    """Print a row for each run, why some were not done, the total cost, and the next step."""
    say(f"{name}: {formatting.counted(len(ended), 'run')}", "bold")
    columns = ("exam", "model", "n", "score", "cost", "", "state")
    show_rows(*columns, kept=columns[3:], rows=map(_row, ended[:MOST_ROWS]))
    if len(ended) > MOST_ROWS:
        say(f"and {len(ended) - MOST_ROWS} more: snellen show {out} --all")
    old = any(state(how).startswith("from ") for how in ended)
    dated = " From DATE: nothing was asked, the answers are of that day (--fresh asks again)." * old
    say(legend(_listed(ended)) + dated, "dim")
    for line in reasons(ended):
        say(line, "yellow")
    counts = Counter("done" if how.why is None else state(how) for how in ended)
    totals = formatting.summed(how.totals for how in ended)
    money = f"{totals.cost:.4f} USD" + (f" of {max_cost:g}" if max_cost is not None else "")
    more = f", and {formatting.counted(totals.cost_unknown, 'call')} of unknown cost" if totals.cost_unknown else ""
    say(f"{', '.join(f'{n} {word}' for word, n in counts.items())} · {money} in all{more}")
    say_next(_next(out, ended))


def _listed(ended: Sequence[SuiteRunResult]) -> list[ListedRun]:
    return [run for how in ended if (run := listed(how)) is not None]


def _row(how: SuiteRunResult) -> tuple[str, ...]:
    n, score, _cost, marks = run_cells(listed(how))
    return (one_line(how.cell.exam, 40), one_line(how.cell.model, 60), n, score, cost(how.totals), marks, state(how))


def reasons(ended: Sequence[SuiteRunResult]) -> list[str]:
    """Return why runs are not done, each reason once."""
    often = formatting.together((how.cell.label, one_line(str(how.why), 400)) for how in ended if how.why is not None)
    said = [f"{names[0]}{f' and {len(names) - 1} more' * (len(names) > 1)}: {why}" for names, why in often]
    more = len(said) - MOST_REASONS
    return said[:MOST_REASONS] + ([f"and {more} other reasons: --json has all"] if more > 0 else [])


def _next(out: Path, ended: Sequence[SuiteRunResult]) -> list[str]:
    if any(how.why is not None and not isinstance(how.why, MostlyUnanswered) for how in ended):
        return ["the same command goes on with what is not done"]
    where, page = (shlex.quote(str(path)) for path in (out, out / "report.html"))
    return [f"snellen report {where} --out {page}", f"snellen compare {where}", f"snellen view {where}"]


def document(name: str, out: Path, ended: Sequence[SuiteRunResult], max_cost: float | None) -> dict[str, Any]:
    """Return the suite as plain values."""
    totals = formatting.summed(how.totals for how in ended)
    return {
        "suite": name,
        "out": str(out),
        "cost": totals.cost,
        "cost_unknown": totals.cost_unknown,
        "max_cost": max_cost,
        "complete": all(how.why is None for how in ended),
        "runs": [_plain(how) for how in ended],
    }


def _plain(how: SuiteRunResult) -> dict[str, Any]:
    found: dict[str, Any] = {
        "exam": how.cell.exam,
        "model": how.cell.model,
        "run": None,
        "state": state(how),
        "why": None if how.why is None else str(how.why),
    }
    if how.finished is not None:
        found |= {"run": str(how.finished.run.path), "asked": how.finished.asked, "notes": list(how.finished.notes)}
    run = listed(how)
    paid = {"cost": how.totals.cost, "cost_unknown": how.totals.cost_unknown, "calls": how.totals.calls}
    return found | (plain(run) if run is not None else {}) | paid | {"stored": how.totals.stored}


# ---------------------------------------------------------------- estimates


MOST_ESTIMATES = 30
UNKNOWN = "?"


class SuiteEstimate(NamedTuple):
    """The estimate for a run in total, and how many of its questions are already answered."""

    cell: SuiteRun
    found: dict[str, Any]
    answered: int


def print_estimates(found: dict[str, Any], max_cost: float | None) -> None:
    """Print one run's estimate in full, or several as a row for each run and their sum. No model is called."""
    if len(found["runs"]) == 1:
        _print_estimate(found["runs"][0])
        say("Next: the same command without --dry-run")
        return
    columns = ("exam", "model", "calls", "there", "tokens", "USD", "at most", "time")
    runs, total = found["runs"], found["total"]
    say(f"{found['suite']}: {formatting.counted(len(runs), 'run')}, estimate, nothing was called", "bold")
    show_rows(*columns, kept=("USD", "at most"), rows=map(_estimate, runs[:MOST_ESTIMATES]))
    if len(runs) > MOST_ESTIMATES:
        say(f"and {len(runs) - MOST_ESTIMATES} more: --json has all")
    most = total["money_usd_at_most"]
    said = f"In all: {_count(total['calls'])} calls, {_count(total['tokens'])} tokens, {_usd(total['money_usd'])}"
    say(f"{said} (at most {_usd(most)}), about {_time(total['seconds'])} with servers beside each other.")
    say(
        "There: questions that are answered already. Tokens: in and out; a dry run of one exam and model has the details.",
        "dim",
    )
    if max_cost is not None and not isinstance(most, str) and most > max_cost:
        say(f"The cap is {max_cost:g} USD: the suite may stop before it is done.", "yellow")
    say("Next: the same command without --dry-run")


def _print_estimate(run: dict[str, Any]) -> None:
    """Print every assumption and figure of one run."""
    cells = [(k.replace("_", " "), f"{v:,.4f}" if isinstance(v, float) else str(v)) for k, v in run.items()]
    print_table(f"{run['exam']} · {run['model']}: estimate, nothing was called", ("what", "how much"), cells)


def _estimate(run: dict[str, Any]) -> tuple[str, ...]:
    own = _own_total(run)
    return (
        *(one_line(run["exam"], 40), one_line(run["model"], 60)),
        *(_count(own["calls"]), str(run["answered"]), _count(own["tokens"])),
        *(_usd(own[name]).removesuffix(" USD") for name in ("money_usd", "money_usd_at_most")),
        _time(own["seconds"]),
    )


def _own_total(found: dict[str, Any]) -> dict[str, Any]:
    """Return the values of one estimate that are summed."""
    return {
        "calls": found["calls"],
        "tokens": _sum([found.get("input_tokens", 0), found.get("output_tokens", 0)]),
        "money_usd": found["money_usd"],
        "money_usd_at_most": found.get("money_usd_at_most", found["money_usd"]),
        "seconds": found.get("seconds", 0),
    }


def estimate_document(name: str, out: Path, rows: Sequence[SuiteEstimate]) -> dict[str, Any]:
    """Return estimates and their sums as plain values. A sum is 'unknown' if one value is.

    The time is that of the slowest server, as servers run in parallel.
    """
    every = [_own_total(row.found) for row in rows]
    total = {name: _sum([own[name] for own in every]) for name in ("calls", "tokens", "money_usd", "money_usd_at_most")}
    lanes: dict[str, list[Any]] = {}
    for row, own in zip(rows, every, strict=True):
        lanes.setdefault(row.cell.lane, []).append(own["seconds"])
    seconds = [_sum(some) for some in lanes.values()]
    total["seconds"] = "unknown" if "unknown" in seconds else max(seconds, default=0)
    runs = [{"exam": r.cell.exam, "model": r.cell.model, "answered": r.answered, **r.found} for r in rows]
    return {"suite": name, "out": str(out), "total": total, "runs": runs}


def _sum(values: Sequence[Any]) -> Any:
    """Return the sum, or 'unknown' if one of the values is not a number."""
    return "unknown" if any(isinstance(v, str) for v in values) else sum(values)


def _count(value: Any) -> str:
    return UNKNOWN if value == "unknown" else f"{value:,}" if isinstance(value, int) else str(value)


def _usd(value: Any) -> str:
    return UNKNOWN if isinstance(value, str) else f"{value:.4f} USD"


def _time(value: Any) -> str:
    return UNKNOWN if isinstance(value, str) else f"{value:.0f} s" if value < 120 else f"{value / 60:.0f} min"
