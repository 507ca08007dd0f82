"""The runs of a suite in the terminal: how each ended; and the same as plain values."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snellen.core.errors import Interrupted, MostlyUnanswered
from snellen.core.text import for_terminal, one_line
from snellen.engine.call.budget import BudgetReached
from snellen.engine.runs.listing import ListedRun
from snellen.engine.suite.running import SuiteRunResult
from snellen.present.model import formatting
from snellen.present.model.run_list import cost, headlines, spread
from snellen.present.terminal.tables import console, plain_table, say

MOST_ROWS = 30
MOST_REASONS = 5
SYNTHETIC = "S"


def state(how: SuiteRunResult) -> str:
    """How a run ended, in a word or two."""
    why = how.why
    if isinstance(why, BudgetReached):
        return "budget reached" if how.finished is not None else "not begun"
    if isinstance(why, Interrupted):
        return "interrupted"
    if isinstance(why, MostlyUnanswered):
        return "mostly silent"
    if why is not None:
        return "failed" if how.finished is None else "stopped"
    if how.finished is not None and not how.finished.asked:
        return f"from {_day(how)}" if _day(how) else "there already"
    return "done"


def listed(how: SuiteRunResult) -> ListedRun | None:
    """The run as lists of runs have it; None where it is not marked."""
    if how.finished is None or not how.finished.run.folder.has("summary.json"):
        return None
    run = how.finished.run
    return ListedRun(run.path, run.folder.manifest(), run.summary)


def print_suite(name: str, out: Path, ended: Sequence[SuiteRunResult], max_cost: float | None) -> None:
    """A row a run, why some were not done, what it cost in all, and what to do next."""
    screen = console()
    columns = ("exam", "model", "n", "score", "cost", "", "state")
    say(screen, f"{name}: {formatting.counted(len(ended), 'run')}", "bold")
    screen.print(plain_table(*columns, kept=columns[3:], rows=map(_row, ended[:MOST_ROWS])))
    if len(ended) > MOST_ROWS:
        say(screen, f"and {len(ended) - MOST_ROWS} more: snellen runs {for_terminal(str(out))} --all")
    say(screen, _legend(ended), "dim")
    for line in reasons(ended):
        say(screen, line, "yellow")
    say(screen, _total(ended, max_cost))
    say(screen, "Next:")
    for line in _next(out, ended):
        say(screen, f"  {line}", soft_wrap=True)


def _row(how: SuiteRunResult) -> tuple[str, ...]:
    run = listed(how)
    about = (one_line(how.cell.exam, 40), one_line(how.cell.model, 60))
    if run is None:
        return (*about, "–", "–", "–", "", state(how))
    marks = SYNTHETIC * run.summary.synthetic
    return (*about, str(run.manifest.data.samples), spread(headlines(run)), cost(run.summary.totals), marks, state(how))


def _legend(ended: Sequence[SuiteRunResult]) -> str:
    said = "Score: the first protocol's headline in percent, lowest to highest of its parts; cost in USD."
    runs = [run for how in ended if (run := listed(how)) is not None]
    if any(run.summary.synthetic for run in runs):
        said += f" {SYNTHETIC}: SYNTHETIC data, not to be compared with published scores."
    if any(state(how).startswith("from ") for how in ended):
        said += " From DATE: nothing was asked, the answers are of that day (--fresh asks again)."
    return said


def reasons(ended: Sequence[SuiteRunResult]) -> list[str]:
    """Why runs are not done, each reason once."""
    often: dict[str, list[str]] = {}
    for how in ended:
        if how.why is not None:
            often.setdefault(one_line(str(how.why), 400), []).append(how.cell.label)
    said = [
        f"{one_line(names[0], 100)}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {why}"
        for why, names in often.items()
    ]
    more = len(said) - MOST_REASONS
    return said[:MOST_REASONS] + ([f"and {more} other reasons: --json has all"] if more > 0 else [])


def _total(ended: Sequence[SuiteRunResult], max_cost: float | None) -> str:
    counts = Counter("done" if how.why is None else state(how) for how in ended)
    spent, unknown = _money(ended)
    money = f"{spent:.4f} USD" + (f" of {max_cost:g}" if max_cost is not None else "")
    more = f", and {formatting.counted(unknown, 'call')} of unknown cost" if unknown else ""
    return f"{', '.join(f'{n} {word}' for word, n in counts.items())} · {money} in all{more}"


def _money(ended: Sequence[SuiteRunResult]) -> tuple[float, int]:
    totals = [run.summary.totals for how in ended if (run := listed(how)) is not None]
    return sum(t.cost for t in totals), sum(t.cost_unknown for t in totals)


def _next(out: Path, ended: Sequence[SuiteRunResult]) -> list[str]:
    if any(how.why is not None and not isinstance(how.why, MostlyUnanswered) for how in ended):
        return ["the same command goes on with what is not done"]
    where = for_terminal(shlex.quote(str(out)))
    page = for_terminal(shlex.quote(str(out / "report.html")))
    return [f"snellen report {where} --out {page}", f"snellen compare {where}", f"snellen view {where}"]


def _day(how: SuiteRunResult) -> str:
    """The day of the latest answer."""
    run = listed(how)
    newest = run.summary.totals.newest if run is not None else 0
    return time.strftime("%Y-%m-%d", time.gmtime(newest)) if newest else ""


def document(name: str, out: Path, ended: Sequence[SuiteRunResult], max_cost: float | None) -> dict[str, Any]:
    """The same as plain values."""
    spent, unknown = _money(ended)
    return {
        "suite": name,
        "out": str(out),
        "cost": spent,
        "cost_unknown": unknown,
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
    if run is None:
        return found
    totals = run.summary.totals
    return found | {
        "samples": run.manifest.data.samples,
        "synthetic": run.summary.synthetic,
        "complete": run.summary.complete,
        "headlines": {part: {"value": s.value, "low": s.low, "high": s.high, "n": s.n} for part, s in headlines(run)},
        "calls": totals.calls,
        "stored": totals.stored,
        "cost": totals.cost,
        "cost_unknown": totals.cost_unknown,
    }
