"""The runs of a folder, in the terminal: a row a run on 80 columns, the latest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from snellen.core.records import Totals
from snellen.core.results import ProtocolSummary, Score
from snellen.core.text import for_terminal, one_line
from snellen.engine.runs.listing import Listed, Listing
from snellen.show import words
from snellen.show.tables import console, plain_table

SHOWN_PASSED = 5
SYNTHETIC, INCOMPLETE = "S", "!"
HEADS = ("run", "exam", "subject", "when", "n", "score", "cost", "")
SUBJECT = HEADS.index("subject")
LEAST = 12


def print_listing(folder: Path, found: Listing) -> None:
    """The latest runs, what their columns mean, what was passed over, and what to do next."""
    out = console()
    shown = found.runs
    if shown:
        table = plain_table(*HEADS, kept=("run", "exam", "when", "score", "cost", ""))
        one_year = len({run.manifest.created[:4] for run in shown}) == 1
        rows = [_row(name, run, one_year) for name, run in zip(tails(shown), shown, strict=True)]
        room = _room(rows, out.width)
        for before, exam, subject, *after in rows:
            cells = (before, exam, one_line(subject, room), *after)  # a line a run; `show` has the whole name
            table.add_row(*(Text(for_terminal(cell)) for cell in cells))
        out.print(table)
        out.print(Text(_legend(shown), style="dim"))
    if found.older:
        out.print(Text(f"and {words.counted(found.older, 'older run')}: --all shows them."))
    if not found.runs:
        out.print(Text(f"No runs in {for_terminal(str(folder))}: 'snellen run EXAM --model MODEL' makes one."))
    _print_passed(out.print, found)
    if shown:
        out.print(Text(f"Next: snellen show {for_terminal(_shortest(folder, shown))}"), soft_wrap=True)


def _shortest(folder: Path, shown: Sequence[Listed]) -> str:
    """The first run as a shell finds it: by the end of its name where that is enough."""
    name, end = shown[0].path.name, tails(shown)[0]
    return str(folder / name) if end == name else f"{folder}/*_{end}"


def tails(runs: Sequence[Listed]) -> list[str]:
    """What tells runs apart: the digest at the end of a folder's name, or the whole name where two share that.

    >>> from types import SimpleNamespace as N
    >>> tails([N(path=Path("runs/salbench_x_1a2b3c4d")), N(path=Path("runs/mine"))])
    ['1a2b3c4d', 'mine']
    """
    ends = [run.path.name.rpartition("_")[2] for run in runs]
    often = Counter(ends)
    return [end if end and often[end] == 1 else run.path.name for end, run in zip(ends, runs, strict=True)]


def _row(name: str, run: Listed, one_year: bool) -> tuple[str, ...]:
    manifest, summary = run.manifest, run.summary
    shots = f" · {manifest.options.shots} shots" if manifest.options.shots else ""
    marks = SYNTHETIC * summary.synthetic + INCOMPLETE * (not summary.complete)
    return (
        one_line(name, 60),
        one_line(manifest.exam, 30),
        one_line(f"{manifest.subject.spec}{shots}", 80),
        one_line(_when(manifest.created, one_year), 20),
        _n(run),
        spread(headlines(run)),
        cost(summary.totals),
        marks,
    )


def _room(rows: Sequence[tuple[str, ...]], width: int) -> int:
    """How many characters are left for subjects: what the other columns do not take, with two spaces between them."""
    widest = [max(map(len, column)) for column in zip(HEADS, *rows, strict=True)]
    return max(LEAST, width - sum(widest) + widest[SUBJECT] - 2 * (len(HEADS) - 1))


def _n(run: Listed) -> str:
    """'360', or '8/360' of a run that is not complete: questions answered of those to ask."""
    answered, wanted = words.answered_of(run.summary)
    return str(run.manifest.data.samples) if run.summary.complete or not wanted else f"{answered}/{wanted}"


def _when(created: str, one_year: bool) -> str:
    """'11-17 03:21', or the date where runs are of several years.

    >>> _when("2026-11-17T03:21:00Z", True), _when("2026-11-17T03:21:00Z", False)
    ('11-17 03:21', '2026-11-17')
    """
    return created[5:16].replace("T", " ") if one_year else created[:10]


def main_protocol(run: Listed) -> ProtocolSummary | None:
    """The first protocol of a run: the one that its headline is of."""
    return next(iter(run.summary.plain), None)


def headlines(run: Listed) -> list[tuple[str, Score]]:
    """The headline of each part under the main protocol."""
    main = main_protocol(run)
    if main is None:
        return []
    return [
        (words.group_name(g), g.metrics[main.headline]) for g in main.groups if g.whole and main.headline in g.metrics
    ]


def spread(scores: list[tuple[str, Score]]) -> str:
    """'33.3', or '8.3–33.3' where there are several parts; of thresholds, which have units of their own, the first."""
    first = next(((part, s) for part, s in scores if words.is_threshold(s)), None)
    if first is not None:
        return f"{one_line(first[0].partition(' · ')[0], 24)} {words.value(first[1])}"
    known = sorted((s.value, words.value(s)) for _part, s in scores if s.value is not None)
    if not known:
        return "–"
    low, high = known[0][1], known[-1][1]
    return low if low == high else f"{low}–{high}"


def cost(totals: Totals) -> str:
    """'0.0123', with a + where some calls have no known cost; '?' where none has; a dash for a run that paid nobody."""
    if not totals.calls:
        return "–"
    if not totals.cost and totals.cost_unknown:
        return "?"
    return f"{totals.cost:.4f}" + "+" * bool(totals.cost_unknown)


def _legend(shown: Sequence[Listed]) -> str:
    measured = any(score.unit for run in shown for _part, score in headlines(run))
    first = ", or its first threshold" if measured else ""
    said = f"When in UTC; score: the first protocol's headline in percent, lowest to highest of its parts{first}; cost in USD."
    if any(run.summary.synthetic for run in shown):
        said += f" {SYNTHETIC}: SYNTHETIC data, not to be compared with published scores."
    if any(not run.summary.complete for run in shown):
        said += f" {INCOMPLETE}: not complete (n: answered/of), the same command goes on."
    return said


def _print_passed(say: Any, found: Listing) -> None:
    for one in found.passed[:SHOWN_PASSED]:
        say(Text(f"Passed over: {one_line(one.path.name, 100)} ({one.kind}): {one_line(one.why, 300)}", style="yellow"))
    rest = Counter(one.kind for one in found.passed[SHOWN_PASSED:])
    if rest:
        say(Text(f"Passed over, too: {', '.join(f'{n:,} {kind}' for kind, n in rest.items())}.", style="yellow"))


def document(folder: Path, found: Listing) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "folder": str(folder),
        "runs": [_plain(run) for run in found.runs],
        "older": found.older,
        "passed_over": [{"run": str(one.path), "kind": one.kind, "why": one.why} for one in found.passed],
    }


def _plain(run: Listed) -> dict[str, Any]:
    manifest, summary, main = run.manifest, run.summary, main_protocol(run)
    return {
        "run": str(run.path),
        "exam": manifest.exam,
        "subject": manifest.subject.spec,
        "created": manifest.created,
        "samples": manifest.data.samples,
        "answered": words.answered_of(summary)[0],
        "questions": words.answered_of(summary)[1],
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
