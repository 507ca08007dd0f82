"""A run in a notebook: as data frames, and as the small table that stands below a cell."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from snellen.core.errors import MissingExtra
from snellen.core.figures import between, number
from snellen.core.text import for_terminal
from snellen.engine.runs.tidy import ScoreRow, TidyTable, statuses

_TYPES = {"text": "string", "integer": "Int64", "number": "float64", "yes or no": "boolean"}
_HEAD = ("protocol", "part", "score", "95 % interval", "n", "floor", "no answer")


def frame(table: TidyTable) -> Any:
    """Return a table as a pandas DataFrame: nullable types, the same whatever the rows hold."""
    try:
        pandas: Any = import_module("pandas")
    except ImportError:
        raise MissingExtra("a data frame", "pandas") from None
    columns = list(zip(*table.rows, strict=True)) if table.rows else [()] * len(table.columns)
    return pandas.DataFrame(
        {
            c.name: pandas.Series(list(values), dtype=_TYPES[c.kind])
            for c, values in zip(table.columns, columns, strict=True)
        }
    )


def html_table(title: str, rows: Sequence[ScoreRow]) -> str:
    """Return the headlines of a run as a piece of HTML; all text in it is escaped."""
    shown = [r for r in rows if r.headline and r.whole and not r.control]
    warnings = statuses(r.status for r in shown)
    head = "".join(f"<th>{_safe(name)}</th>" for name in _HEAD)
    body = "".join(f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in _cells(row))}</tr>" for row in shown)
    loud = f" <strong>{_safe(warnings)}</strong>" if warnings else ""
    return f"<div><p>{_safe(title)}{loud}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def html_note(title: str, note: str) -> str:
    """Return what is said where there is no table to show."""
    return f"<div><p>{_safe(title)}</p><p><strong>{_safe(note)}</strong></p></div>"


def _cells(row: ScoreRow) -> tuple[str, ...]:
    return (
        row.protocol,
        row.part,
        f"{row.label} {number(row.value, row.unit)}",
        between(row.low, row.high, row.unit),
        str(row.n),
        "" if row.floor is None else number(row.floor, row.unit),
        f"{row.non_answers} of {row.answers}" if row.non_answers else "",
    )


def _safe(text: str) -> str:
    return html.escape(for_terminal(text, 300))
