"""What controls and the order of the pictures do to a run's scores: does the score depend on seeing?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.core.records import ControlRow, PositionRow, Summary
from snellen.present.model import formatting
from snellen.present.model.table_view import Heading, TableView

CONTROL_HEADINGS = (
    *(Heading("part", "name"), Heading("protocol"), Heading("metric"), Heading("control")),
    *(Heading("n", "number"), Heading("score", "number"), Heading("with control", "number")),
    *(Heading("difference", "difference"), Heading("chance", "number"), Heading("best constant", "number")),
)
POSITION_HEADINGS = (
    *(Heading("protocol", "name"), Heading("pairs in both orders", "number")),
    *(Heading("right in the first place", "number"), Heading("right in the last place", "number")),
    *(Heading("first minus last", "difference"), Heading("all right as given", "number")),
    *(Heading("all right swapped", "number"), Heading("swapped minus given", "difference")),
    Heading("right in one order only", "number"),
)


class ControlChange(NamedTuple):
    """The score under a control, and how much it differs: without and with its interval."""

    score: str
    short: str
    whole: str


class ControlsView(NamedTuple):
    """What controls do to the main protocol's score, part by part."""

    metric: str
    protocol: str
    controls: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[ControlChange | None, ...]], ...]


def controls(summary: Summary) -> ControlsView | None:
    """Return what controls do to the main protocol's score."""
    main = summary.plain[0] if summary.plain else None
    rows = [r for r in summary.controls if main is not None and r.protocol == main.protocol]
    if not rows:
        return None
    controls = tuple(dict.fromkeys(r.control for r in rows))
    parts: dict[str, dict[str, ControlRow]] = {}
    for row in rows:
        parts.setdefault(formatting.part_name(row.by), {})[row.control] = row
    lines = tuple(
        (part, formatting.percent(next(iter(own.values())).score), tuple(_change(own.get(c)) for c in controls))
        for part, own in parts.items()
    )
    return ControlsView(formatting.metric_name(main, rows[0].metric), rows[0].protocol, controls, lines)


def _change(row: ControlRow | None) -> ControlChange | None:
    if row is None:
        return None
    return ControlChange(
        formatting.percent(row.control_score), formatting.signed(row.difference), formatting.difference(row)
    )


def all_controls(summary: Summary) -> TableView:
    """Return a row for each part, control and metric, protocols together that say the same."""
    by_name = {p.protocol: p for p in summary.plain}
    rows = (
        (
            row.protocol,
            (
                *(formatting.part_name(row.by), formatting.metric_name(by_name.get(row.protocol), row.metric)),
                *(row.control, str(row.n), formatting.percent(row.score), formatting.percent(row.control_score)),
                *(formatting.difference(row), formatting.percent(row.chance), formatting.percent(row.constant)),
            ),
        )
        for row in summary.controls
    )
    found = tuple((part, str(names), *rest) for names, (part, *rest) in formatting.together(rows))
    return TableView(formatting.CONTROLS, CONTROL_HEADINGS, found)


def position(rows: Sequence[PositionRow]) -> TableView:
    """Return what the order of the pictures does: by place, every picture having been in both, and by order."""
    cells = (
        (
            row.protocol,
            (
                *(str(row.n), formatting.percent(row.slot.second), formatting.percent(row.slot.first)),
                *(formatting.difference(row.slot), formatting.percent(row.order.first)),
                *(formatting.percent(row.order.second), formatting.difference(row.order), str(row.flipped)),
            ),
        )
        for row in rows
    )
    found = tuple((str(names), *rest) for names, rest in formatting.together(cells))
    return TableView(formatting.POSITION, POSITION_HEADINGS, found)


def position_line(row: PositionRow) -> str:
    """Say in a sentence what the order of the pictures does."""
    return (
        f"Order of the pictures ({row.protocol}): first place minus last {formatting.difference(row.slot)} points, "
        f"swapped minus given {formatting.difference(row.order)}; {row.flipped} of {row.n} right in one order only."
    )
