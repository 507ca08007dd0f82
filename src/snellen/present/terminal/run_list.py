"""The runs of a folder in the terminal: a row for each run on 80 columns, latest first."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from snellen.core.model_names import model_name
from snellen.core.text import one_line
from snellen.engine.runs.listing import ListedRun, RunListing
from snellen.present.model import formatting
from snellen.present.model.run_list import legend, run_cells, tails
from snellen.present.terminal.tables import console, say, show_rows

SHOWN_PASSED = 5
HEADS = ("run", "exam", "subject", "when", "n", "score", "cost", "")
SUBJECT = HEADS.index("subject")
LEAST = 12


def print_listing(folder: Path, found: RunListing) -> None:
    """Print the latest runs, a legend for their columns, what was skipped, and the next step."""
    names = tails(found.runs)
    if found.runs:
        one_year = len({run.manifest.created[:4] for run in found.runs}) == 1
        rows = [_row(name, run, one_year) for name, run in zip(names, found.runs, strict=True)]
        widest = [max(map(len, column)) for column in zip(HEADS, *rows, strict=True)]
        room = max(LEAST, console().width - sum(widest) + widest[SUBJECT] - 2 * (len(HEADS) - 1))
        # a line for each run; `show` has the whole name
        cells = [(*row[:SUBJECT], one_line(row[SUBJECT], room), *row[SUBJECT + 1 :]) for row in rows]
        show_rows(*HEADS, kept=("run", "exam", "when", "score", "cost", ""), rows=cells)
        say(f"When in UTC. {legend(found.runs)}", "dim")
    if found.older:
        say(f"and {formatting.counted(found.older, 'older run')}: --all shows them.")
    if not found.runs:
        say(f"No runs in {folder}: 'snellen run EXAM --model MODEL' makes one.")
    for one in found.passed[:SHOWN_PASSED]:
        say(f"Passed over: {one_line(one.path.name, 100)} ({one.kind}): {one_line(one.why)}", "yellow")
    rest = Counter(one.kind for one in found.passed[SHOWN_PASSED:])
    if rest:
        say(f"Passed over, too: {', '.join(f'{n:,} {kind}' for kind, n in rest.items())}.", "yellow")
    if found.runs:  # as a shell pattern: the end of the name if that is enough
        name = found.runs[0].path.name
        where = str(folder / name) if names[0] == name else f"{folder}/*_{names[0]}"
        say(f"Next: snellen show {where}", soft_wrap=True)


def _row(name: str, run: ListedRun, one_year: bool) -> tuple[str, ...]:
    manifest = run.manifest
    shots = f" · {manifest.options.shots} shots" if manifest.options.shots else ""
    created = manifest.created
    return (
        *(one_line(name, 60), one_line(manifest.exam, 30), one_line(f"{model_name(manifest)}{shots}", 80)),
        one_line(created[5:16].replace("T", " ") if one_year else created[:10], 20),
        *run_cells(run),
    )
