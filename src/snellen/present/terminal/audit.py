"""The audit in the terminal: a short table for each set of protocols with the same scores, what was tried, and the conclusion.

It claims no more than was computed: other blind subjects may score higher than those that were tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from snellen.core.exam import Exam
from snellen.core.results import declared
from snellen.engine.mark.audit import CONSTANT, CONTRADICTIONS, FORBIDDEN, TEXT, WON
from snellen.present.model import formatting
from snellen.present.terminal.tables import say, show_rows

COLUMNS = ("part", "n", "chance", "constant", "forbidden", "text only")
NOTHING = formatting.percent(None)
TRIED = ("chance", CONSTANT, TEXT, *FORBIDDEN)
Row = dict[str, Any]


def print_audit(exam: Exam, rows: Sequence[Row], *, real: bool) -> None:
    """Print the output of `snellen protocols --blind`. `real`: the truths are those of a data set."""
    say(f"{exam.name}: what subjects that never look would score, percent", "bold")
    by_protocol: dict[str, list[Row]] = {}
    for row in rows:
        by_protocol.setdefault(row["protocol"], []).append(row)
    tables = [(name, (_label(exam, some[0]), [_cells(row) for row in some])) for name, some in by_protocol.items()]
    used = [i for i in range(len(COLUMNS)) if any(c[i] != NOTHING for _n, (_l, cells) in tables for c in cells)]
    for names, (label, cells) in formatting.together(tables) if len(used) > 2 else ():
        say(f"{names} ({label})")
        lines = [[line[i] for i in used] for line in cells]
        show_rows(*(COLUMNS[i] for i in used), kept=COLUMNS[1:], rows=lines)
    for text in _said(rows, real=real):
        say(text)


def _label(exam: Exam, row: Row) -> str:
    return declared(exam.protocol(row["protocol"])[0].metrics, row["metric"]).label_of(row["metric"])


def _cells(row: Row) -> list[str]:
    """Return a row's cells. A list is not forbidden if several answers may be given."""
    forbidden = CONTRADICTIONS if row["several allowed"] else FORBIDDEN
    best = max((row[name] for name in forbidden if row[name] is not None), default=None)
    guess = formatting.percent(row[TEXT])
    if row[TEXT] is not None and row["text only interval"][0] is not None:
        guess += f" [{', '.join(map(formatting.percent, row['text only interval']))}]"
    shares = (formatting.percent(value) for value in (row["chance"], row[CONSTANT], best))
    return [row["part"] or "all", str(row["n"]), *shares, guess]


def _said(rows: Sequence[Row], *, real: bool) -> Iterator[str]:
    """Yield notes on the columns, on what could not be tried, and on the answers that score best."""
    if any(row[CONSTANT] is not None for row in rows):
        yield (
            "Constant: the best single answer that the prompt allows, given to everything; picked with the very labels that it is "
            "scored on."
        )
    if any(row[name] is not None for row in rows for name in FORBIDDEN):
        yield "Forbidden: the best of every option at once and of contradictions, which the prompt does not allow."
    hows = list(dict.fromkeys(row["text only how"] for row in rows if row["text only how"]))
    if hows:
        yield f"Text only: an estimate of what the question's text alone gives away (a small learner on its words, {'; '.join(hows)})."
    yield from _missing(rows, real=real)
    tried = [row for row in rows if any(row[name] is not None for name in TRIED)]
    won = [row for row in tried if row["won by"]]
    if won:
        names, how = (", ".join(sorted({row[key] for row in won})) for key in ("protocol", "won by"))
        yield f"Can be won without looking: {names} (by: {how})."
    elif tried:
        yield f"None of those tried reaches {100 * WON:.0f} %. Others who never look may do better."
    untried = list(dict.fromkeys(row["protocol"] for row in rows if row not in tried))
    if untried:
        yield f"Nothing could be tried, and so nothing is said, of {', '.join(untried)}."


def _missing(rows: Sequence[Row], *, real: bool) -> Iterator[str]:
    if not real:
        said = "No data set: every truth that there can be counts equally often, which no real set promises."
        if any(row[CONSTANT] is None for row in rows):
            said += " Where answers are free texts or places a constant cannot be scored so."
        yield said + " --data DIR uses the truths of a data set, and guesses from its texts."
        return
    alike = list(dict.fromkeys(row["part"] or "all" for row in rows if row[TEXT] is None))
    if len(alike) == len({row["part"] for row in rows}):
        yield "Text only: nothing to learn from; the questions of a part are all the same."
    elif alike:
        yield f"Text only: nothing to learn from in {', '.join(alike)}; its questions are all the same."
