"""What `verify` found, in the terminal: every kind of thing that was compared, the first differences, and what to do."""

from __future__ import annotations

from pathlib import Path

from snellen.core.text import one_line
from snellen.engine.mark.differing import FileDifference
from snellen.engine.mark.verify import VerifyResult
from snellen.present.model.formatting import counted
from snellen.present.terminal.tables import console, say

SHOWN = 20
LONG = 60


def print_verified(path: Path, found: VerifyResult) -> None:
    """Print one screen."""
    out = console()
    for difference in found.differences[:SHOWN]:
        say(out, _line(difference), "red")
    if found.total > SHOWN:
        say(out, f"and {found.total - SHOWN:,} more; --json has them", "red")
    say(out, f"Compared: {', '.join(found.checked)}.")
    for line in found.unchecked:
        say(out, f"Not compared: {line}.", "yellow")
    say(out, _verdict(found), "bold red" if found.total else "bold green")
    if found.total:
        say(out, _next(path, found), soft_wrap=True)


def _line(d: FileDifference) -> str:
    """Return 'marks/paper.jsonl, line 3, sample 7.outcome: 'correct' recorded, 'wrong' found'."""
    where = f"{d.file}, {d.place}" if d.place else d.file
    return f"{one_line(where, 200)}: {one_line(d.recorded, LONG)} recorded, {one_line(d.found, LONG)} found"


def _verdict(found: VerifyResult) -> str:
    if found.total:
        return f"DOES NOT HOLD: {counted(found.total, 'difference')}."
    return "Holds: all that was compared is as recorded."


def _next(path: Path, found: VerifyResult) -> str:
    name = str(path)
    if any(d.file == "run.json" and d.place.startswith("protocols.") for d in found.differences):
        return (
            "The rules have changed since this run was marked: the version of Snellen in its run.json has the old ones, "
            f"'snellen remark {name}' marks by today's."
        )
    if any(d.file == "answers.jsonl" and d.place.endswith("are missing") for d in found.differences):
        return f"The 'snellen run' that made it asks them again; 'snellen remark {name}' marks what is there."
    if all(
        d.place.startswith("data.") or d.file == "samples.jsonl" or ", image " in d.place for d in found.differences
    ):
        return "The data set is not the one that the run saw: --data DIR names another."
    return f"'snellen remark {name}' makes marks and summary again from the answers."
