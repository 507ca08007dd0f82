"""The audit in the terminal: a short table for each set of protocols that score alike, what was tried, and what that says.

It claims no more than was computed: others who never look may do better than those that were tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snellen.core.exam import Exam
from snellen.core.results import declared
from snellen.engine.mark.audit import CONSTANT, CONTRADICTIONS, FORBIDDEN, TEXT, WON
from snellen.present.model import formatting
from snellen.present.terminal.tables import console, plain_table, say, shown

COLUMNS = ("part", "n", "chance", "constant", "forbidden", "text only")
NOTHING = formatting.percent(None)
Row = dict[str, Any]


def print_audit(exam: Exam, rows: Sequence[Row], *, real: bool) -> None:
    """Everything that `snellen audit` says to people. `real`: the truths are those of a data set."""
    out = console()
    say(out, f"{exam.name}: what subjects that never look would score, percent", "bold")
    by_protocol: dict[str, list[Row]] = {}
    for row in rows:
        by_protocol.setdefault(row["protocol"], []).append(row)
    told = [(name, (_label(exam, some[0]), [_cells(row) for row in some])) for name, some in by_protocol.items()]
    used = [i for i in range(len(COLUMNS)) if any(c[i] != NOTHING for _n, (_l, cells) in told for c in cells)]
    for names, (label, cells) in formatting.together(told) if len(used) > 2 else ():
        say(out, f"{names} ({label})", limit=300)
        table = plain_table(*(COLUMNS[i] for i in used), kept=COLUMNS[1:])
        for line in cells:
            table.add_row(*(shown(line[i]) for i in used))
        out.print(table)
    for text in _said(rows, real=real):
        say(out, text, limit=1000)


def _label(exam: Exam, row: Row) -> str:
    return declared(exam.protocol(row["protocol"])[0].metrics, row["metric"]).label_of(row["metric"])


def _cells(row: Row) -> list[str]:
    best = max((row[name] for name in _forbidden(row) if row[name] is not None), default=None)
    guess = formatting.percent(row[TEXT])
    if row[TEXT] is not None:
        low, high = row["text only interval"]
        guess += f" [{formatting.percent(low)}, {formatting.percent(high)}]" if low is not None else ""
    shares = (formatting.percent(value) for value in (row["chance"], row[CONSTANT], best))
    return [row["part"] or "all", str(row["n"]), *shares, guess]


def _forbidden(row: Row) -> tuple[str, ...]:
    """What the prompt of a row does not allow: a list is no offence where several answers may be given."""
    return CONTRADICTIONS if row["several allowed"] else FORBIDDEN


def _said(rows: Sequence[Row], *, real: bool) -> list[str]:
    """What the columns are, what could not be tried, and who wins."""
    columns = {name: any(row[name] is not None for row in rows) for name in ("chance", CONSTANT, TEXT, *FORBIDDEN)}
    lines = []
    if columns[CONSTANT]:
        lines.append(
            "Constant: the best single answer that the prompt allows, given to everything; picked with the very labels that it is "
            "scored on."
        )
    if any(columns[name] for name in FORBIDDEN):
        lines.append(
            "Forbidden: the best of every option at once and of contradictions, which the prompt does not allow."
        )
    hows = list(dict.fromkeys(row["text only how"] for row in rows if row["text only how"]))
    if hows:
        lines.append(
            f"Text only: an estimate of what the question's text alone gives away (a small learner on its words, {'; '.join(hows)})."
        )
    lines += _missing(rows, real=real)
    tried = [row for row in rows if any(row[n] is not None for n in ("chance", CONSTANT, TEXT, *FORBIDDEN))]
    won = sorted({row["protocol"] for row in tried if row["won by"]})
    if won:
        how = sorted({row["won by"] for row in tried if row["won by"]})
        lines.append(f"Can be won without looking: {', '.join(won)} (by: {', '.join(how)}).")
    elif tried:
        lines.append(f"None of those tried reaches {100 * WON:.0f} %. Others who never look may do better.")
    untried = list(dict.fromkeys(row["protocol"] for row in rows if row not in tried))
    if untried:
        lines.append(f"Nothing could be tried, and so nothing is said, of {', '.join(untried)}.")
    return lines


def _missing(rows: Sequence[Row], *, real: bool) -> list[str]:
    if not real:
        said = "No data set: every truth that there can be counts equally often, which no real set promises."
        if any(row[CONSTANT] is None for row in rows):
            said += " Where answers are free texts or places a constant cannot be scored so."
        return [said + " --data DIR uses the truths of a data set, and guesses from its texts."]
    alike = list(dict.fromkeys(row["part"] or "all" for row in rows if row[TEXT] is None))
    if len(alike) == len({row["part"] for row in rows}):
        return ["Text only: nothing to learn from; the questions of a part are all the same."]
    return [f"Text only: nothing to learn from in {', '.join(alike)}; its questions are all the same."] if alike else []
