"""The result of `verify` in the terminal: every kind of thing that was compared, the first differences, and the next step."""

from __future__ import annotations

from pathlib import Path

from snellen.core.text import one_line
from snellen.engine.mark.differing import VerifyResult
from snellen.present.model.formatting import counted
from snellen.present.terminal.tables import say

SHOWN = 20
LONG = 60


def print_verified(path: Path, found: VerifyResult) -> None:
    """Print one screen."""
    for difference in found.differences[:SHOWN]:
        where = f"{difference.file}, {difference.place}".removesuffix(", ")
        recorded, now = (one_line(text, LONG) for text in (difference.recorded, difference.found))
        say(f"{one_line(where, 200)}: {recorded} recorded, {now} found", "red")
    if found.total > SHOWN:
        say(f"and {found.total - SHOWN:,} more; --json has them", "red")
    say(f"Compared: {', '.join(found.checked)}.")
    for line in found.unchecked:
        say(f"Not compared: {line}.", "yellow")
    if found.total:
        say(f"DOES NOT HOLD: {counted(found.total, 'difference')}.", "bold red")
        say(_next(path, found), soft_wrap=True)
    else:
        say("Holds: all that was compared is as recorded.", "bold green")


def _next(path: Path, found: VerifyResult) -> str:
    if any(d.file == "run.json" and d.place.startswith("protocols.") for d in found.differences):
        return (
            "The rules have changed since this run was marked: the version of Snellen in its run.json has the old ones, "
            f"'snellen mark {path}' marks by today's."
        )
    if any(d.file == "answers.jsonl" and d.place.endswith("are missing") for d in found.differences):
        return f"The 'snellen run' that made it asks them again; 'snellen mark {path}' marks what is there."
    if all(
        d.place.startswith("data.") or d.file == "samples.jsonl" or ", image " in d.place for d in found.differences
    ):
        return "The data set is not the one that the run saw: --data DIR names another."
    return f"'snellen mark {path}' makes marks and summary again from the answers."
