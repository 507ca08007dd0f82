"""The runs of a folder, in the terminal: a row a run on 80 columns, the latest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from snellen.core.model_names import model_name
from snellen.core.text import for_terminal, one_line
from snellen.engine.runs.listing import ListedRun, RunListing
from snellen.present.model import formatting
from snellen.present.model.run_list import cost, headlines, spread, tails
from snellen.present.terminal.tables import console, plain_table, say

SHOWN_PASSED = 5
SYNTHETIC, INCOMPLETE = "S", "!"
HEADS = ("run", "exam", "subject", "when", "n", "score", "cost", "")
SUBJECT = HEADS.index("subject")
LEAST = 12


def print_listing(folder: Path, found: RunListing) -> None:
    """The latest runs, what their columns mean, what was passed over, and what to do next."""
    out = console()
    shown = found.runs
    if shown:
        one_year = len({run.manifest.created[:4] for run in shown}) == 1
        rows = [_row(name, run, one_year) for name, run in zip(tails(shown), shown, strict=True)]
        room = _room(rows, out.width)
        # a line a run; `show` has the whole name
        cells = [(before, exam, one_line(subject, room), *after) for before, exam, subject, *after in rows]
        out.print(plain_table(*HEADS, kept=("run", "exam", "when", "score", "cost", ""), rows=cells))
        say(out, _legend(shown), "dim")
    if found.older:
        say(out, f"and {formatting.counted(found.older, 'older run')}: --all shows them.")
    if not found.runs:
        say(out, f"No runs in {for_terminal(str(folder))}: 'snellen run EXAM --model MODEL' makes one.")
    _print_passed(out, found)
    if shown:
        say(out, f"Next: snellen show {for_terminal(_shortest(folder, shown))}", soft_wrap=True)


def _shortest(folder: Path, shown: Sequence[ListedRun]) -> str:
    """The first run as a shell finds it: by the end of its name where that is enough."""
    name, end = shown[0].path.name, tails(shown)[0]
    return str(folder / name) if end == name else f"{folder}/*_{end}"


def _row(name: str, run: ListedRun, one_year: bool) -> tuple[str, ...]:
    manifest, summary = run.manifest, run.summary
    shots = f" · {manifest.options.shots} shots" if manifest.options.shots else ""
    marks = SYNTHETIC * summary.synthetic + INCOMPLETE * (not summary.complete)
    return (
        one_line(name, 60),
        one_line(manifest.exam, 30),
        one_line(f"{model_name(manifest)}{shots}", 80),
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


def _n(run: ListedRun) -> str:
    """'360', or '8/360' of a run that is not complete: questions answered of those to ask."""
    answered, wanted = formatting.answered_of(run.summary)
    return str(run.manifest.data.samples) if run.summary.complete or not wanted else f"{answered}/{wanted}"


def _when(created: str, one_year: bool) -> str:
    """'11-17 03:21', or the date where runs are of several years.

    >>> _when("2026-11-17T03:21:00Z", True), _when("2026-11-17T03:21:00Z", False)
    ('11-17 03:21', '2026-11-17')
    """
    return created[5:16].replace("T", " ") if one_year else created[:10]


def _legend(shown: Sequence[ListedRun]) -> str:
    measured = any(score.unit for run in shown for _part, score in headlines(run))
    first = ", or its first threshold" if measured else ""
    said = f"When in UTC; score: the first protocol's headline in percent, lowest to highest of its parts{first}; cost in USD."
    if any(run.summary.synthetic for run in shown):
        said += f" {SYNTHETIC}: SYNTHETIC data, not to be compared with published scores."
    if any(not run.summary.complete for run in shown):
        said += f" {INCOMPLETE}: not complete (n: answered/of), the same command goes on."
    return said


def _print_passed(out: Console, found: RunListing) -> None:
    for one in found.passed[:SHOWN_PASSED]:
        say(out, f"Passed over: {one_line(one.path.name, 100)} ({one.kind}): {one_line(one.why, 300)}", "yellow")
    rest = Counter(one.kind for one in found.passed[SHOWN_PASSED:])
    if rest:
        say(out, f"Passed over, too: {', '.join(f'{n:,} {kind}' for kind, n in rest.items())}.", "yellow")
