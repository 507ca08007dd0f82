"""The runs of a folder as users see them: a unique name, the headline scores, the cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snellen.core.model_names import model_name
from snellen.core.records import Totals
from snellen.core.results import Score
from snellen.core.text import one_line
from snellen.engine.runs.listing import ListedRun, RunListing
from snellen.engine.runs.run import Run
from snellen.present.model import formatting

SYNTHETIC, INCOMPLETE = "S", "!"


def tails(runs: Sequence[ListedRun]) -> list[str]:
    """Return unique short names of runs: the digest at the end of the folder's name, or the whole name if two share the digest.

    >>> from types import SimpleNamespace as N
    >>> tails([N(path=Path("runs/salbench_x_1a2b3c4d")), N(path=Path("runs/mine"))])
    ['1a2b3c4d', 'mine']
    """
    ends = [run.path.name.rpartition("_")[2] for run in runs]
    often = Counter(ends)
    return [end if end and often[end] == 1 else run.path.name for end, run in zip(ends, runs, strict=True)]


def headlines(run: ListedRun | Run) -> list[tuple[str, Score]]:
    """Return the headline of each part under the main protocol."""
    return [one for main in run.summary.plain[:1] for one in formatting.headlines(main)]


def _spread(scores: list[tuple[str, Score]]) -> str:
    """Return '33.3', or '8.3–33.3' for several parts. For thresholds, which have their own units, return the first."""
    first = next(((part, s) for part, s in scores if formatting.is_threshold(s)), None)
    if first is not None:
        return f"{one_line(first[0].partition(' · ')[0], 24)} {formatting.value(first[1])}"
    known = [(s.value, formatting.value(s)) for _part, s in scores if s.value is not None]
    return formatting.span(known, "–") if known else "–"


def cost(totals: Totals) -> str:
    """Return '0.0123', with a + if some calls have an unknown cost. Return '?' if no cost is known, and a dash without paid calls."""
    if not totals.calls:
        return "–"
    if not totals.cost and totals.cost_unknown:
        return "?"
    return f"{totals.cost:.4f}" + "+" * bool(totals.cost_unknown)


def run_cells(run: ListedRun | None) -> tuple[str, str, str, str]:
    """Return a run's samples (or its answers, if it is not complete), score, cost and marks."""
    if run is None:
        return "–", "–", "–", ""
    summary = run.summary
    answered, wanted = formatting.answered_of(summary)
    n = str(run.manifest.data.samples) if summary.complete or not wanted else f"{answered}/{wanted}"
    marks = SYNTHETIC * summary.synthetic + INCOMPLETE * (not summary.complete)
    return n, _spread(headlines(run)), cost(summary.totals), marks


def legend(shown: Sequence[ListedRun]) -> str:
    """Return an explanation of these cells."""
    measured = any(score.unit for run in shown for _part, score in headlines(run))
    first = ", or its first threshold" if measured else ""
    said = f"Score: the first protocol's headline in percent, lowest to highest of its parts{first}; cost in USD."
    if any(run.summary.synthetic for run in shown):
        said += f" {SYNTHETIC}: SYNTHETIC data, not to be compared with published scores."
    if any(not run.summary.complete for run in shown):
        said += f" {INCOMPLETE}: not complete (n: answered/of), the same command goes on."
    return said


def document(folder: Path, found: RunListing) -> dict[str, Any]:
    """Return the listing as plain values."""
    return {
        "folder": str(folder),
        "runs": [plain(run) for run in found.runs],
        "older": found.older,
        "passed_over": [{"run": str(one.path), "kind": one.kind, "why": one.why} for one in found.passed],
    }


def plain(run: ListedRun) -> dict[str, Any]:
    """Return a run as plain values."""
    manifest, summary = run.manifest, run.summary
    main = next(iter(summary.plain), None)
    return {
        "run": str(run.path),
        "exam": manifest.exam,
        "subject": model_name(manifest),
        "created": manifest.created,
        "samples": manifest.data.samples,
        "answered": formatting.answered_of(summary)[0],
        "questions": formatting.answered_of(summary)[1],
        "complete": summary.complete,
        "synthetic": summary.synthetic,
        "protocol": main.protocol if main else None,
        "metric": main.headline if main else None,
        "headlines": {
            part: {"value": s.value, "low": s.low, "high": s.high, "n": s.n, "unit": s.unit}
            for part, s in headlines(run)
        },
        "cost": summary.totals.cost,
        "cost_unknown": summary.totals.cost_unknown,
        "calls": summary.totals.calls,
    }
