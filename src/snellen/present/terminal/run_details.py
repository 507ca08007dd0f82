"""Everything that a run has, in the terminal: all metrics by protocol, outcomes, ranges, breakdowns, controls.

What is equal under several protocols is shown once, under all their names. Where a table has no room for a column a protocol it is
turned: one metric or group a row, and the protocols beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.core.records import ControlRow, PositionRow, Summary
from snellen.core.results import ProtocolSummary, Score
from snellen.present.model import formatting, repeats
from snellen.present.terminal.tables import NARROW, WARNINGS, fits, plain_table, shown

SCORES = "percent [95 % interval] and floor"


def print_details(out: Console, summary: Summary) -> None:
    """All tables of a run, each with a line after it."""
    protocols = summary.plain
    for part in formatting.side_by_side(protocols, whole=True):
        columns, n = formatting.columns(protocols, part), formatting.most(part.values())
        name = formatting.group_name(columns[0].group)
        _print(
            out,
            f"{name}, n = {formatting.size(columns[0].protocol, part.values())}: {SCORES}",
            _part(columns, n),
            _part_turned(columns, n),
        )
    _print_breakdown(out, protocols)
    _print_controls(out, protocols, summary.controls)
    if summary.position:
        rows = formatting.together((row.protocol, _position_cells(row)) for row in summary.position)
        _print(out, formatting.POSITION, _position(rows), _position_turned(rows))


def _print(out: Console, title: str, *tables: Table) -> None:
    """The first table that has room, or else the last."""
    heading = shown(title)
    heading.stylize("bold")
    out.print(heading)
    out.print(next((t for t in tables if fits(out, t, NARROW)), tables[-1]))
    out.print()


def _add_together(table: Table, rows: Iterable[tuple[str, tuple[str, ...]]]) -> Table:
    """A row for all protocols that say the same."""
    for names, cells in formatting.together(rows):
        table.add_row(shown(str(names)), *map(shown, cells))
    return table


def _cell(protocol: ProtocolSummary, key: str, score: Score | None, n: int) -> Text:
    """A score with its interval and floor; its n too, where that is not `n`."""
    if score is None:
        return Text("–", style="dim")
    word = formatting.floor_word(protocol, key, score)
    text = Text(formatting.value(score), style=f"bold {WARNINGS[word]}".strip())
    for piece, style in (
        (formatting.interval(score), "not bold"),
        (formatting.floor_said(protocol, key, score), f"not bold {WARNINGS[word] or 'dim'}"),
        (formatting.other_n(score, n), "not bold dim"),
    ):
        if piece:
            text.append(f" {piece}", style=style)
    return text


# ---------------------------------------------------------------- a part


def _rows(columns: list[formatting.Column], *, every: bool) -> Iterator[tuple[str, list[tuple[str, Text]]]]:
    """What is said of a part: each with its name, and a cell by each column; `every` has one where there is no score too."""
    metrics: dict[str, str] = {}
    for c in columns:
        for key in c.group.metrics:
            metrics.setdefault(key, formatting.metric_name(c.protocol, key))
    for key, name in metrics.items():
        yield name, [(str(c.names), _metric_cell(c, key)) for c in columns if every or key in c.group.metrics]
    yield "outcomes", [(str(c.names), shown(formatting.outcomes(c.group))) for c in columns]
    if any(c.group.consistency for c in columns):
        yield "repeats", [(str(c.names), shown(repeats.consistency(c.group))) for c in columns]
    if any(c.group.bounds for c in columns):
        ranges = [(str(c.names), Text(formatting.bounds(c.group))) for c in columns]
        yield formatting.bounded(c.protocol for c in columns), ranges


def _metric_cell(column: formatting.Column, key: str) -> Text:
    text = _cell(column.protocol, key, column.group.metrics.get(key), column.group.n)
    if column.protocol.headline == key:
        text.append(" *")
    return text


def _part(columns: list[formatting.Column], n: int) -> Table:
    heads = [str(c.names) if c.group.n == n else f"{c.names}\nn = {c.group.n}" for c in columns]
    table = plain_table("metric", *heads)
    for name, cells in _rows(columns, every=True):
        table.add_row(shown(name), *(cell for _names, cell in cells))
    return table


def _part_turned(columns: list[formatting.Column], n: int) -> Table:
    """A name is said in the first of its rows; what all protocols share needs no names."""
    table = plain_table("metric", "protocol", "score", kept=("score",))
    rows = list(_rows(columns, every=False))
    if any(c.group.n != n for c in columns):
        rows.append(("n", [(str(c.names), Text(str(c.group.n))) for c in columns]))
    for name, cells in rows:
        said = formatting.together(cells)
        shared = len(said) == 1 and len(cells) == len(columns)
        for place, (names, cell) in enumerate(said):
            table.add_row(shown(name) if place == 0 else "", shown("all" if shared else str(names)), cell)
    return table


# ---------------------------------------------------------------- groups within the parts

Breakdown = list[tuple[formatting.Names, tuple[str, list[Text]]]]


def _print_breakdown(out: Console, protocols: tuple[ProtocolSummary, ...]) -> None:
    """The groups within the parts: side by side where there is room, else a table for all protocols that say the same."""
    groups, scores = formatting.breakdown(protocols)
    if not groups:
        return
    columns: Breakdown = formatting.together(
        (p.protocol, (formatting.metric_name(p, formatting.breakdown_metric(p)), _breakdown_cells(p, groups, some)))
        for p, some in scores
    )
    wide = _breakdown(groups, columns, [f"{protocol}\n{metric}" for protocol, (metric, _cells) in columns])
    if fits(out, wide, NARROW):
        _print(out, f"Within the parts: {SCORES}", wide)
        return
    for column in columns:
        protocol, (metric, _cells) = column
        _print(out, f"Within the parts, by {protocol}: {SCORES}", _breakdown(groups, [column], [metric]))


def _breakdown_cells(p: ProtocolSummary, groups: list[tuple[str, int]], scores: list[Score | None]) -> list[Text]:
    key = formatting.breakdown_metric(p)
    return [_cell(p, key, score, n) for (_name, n), score in zip(groups, scores, strict=True)]


def _breakdown(groups: list[tuple[str, int]], columns: Breakdown, heads: list[str]) -> Table:
    table = plain_table("group", "n", *heads)
    for at, (name, n) in enumerate(groups):
        table.add_row(shown(name), str(n), *(cells[at] for _protocol, (_metric, cells) in columns))
    return table


# ---------------------------------------------------------------- controls and position


def _print_controls(out: Console, protocols: tuple[ProtocolSummary, ...], controls: tuple[ControlRow, ...]) -> None:
    """Does the score depend on seeing? The arms beside the score, chance and the best constant answer."""
    if not controls:
        return
    declared = {p.protocol: p for p in protocols}
    rows = [(declared.get(row.protocol), row) for row in controls]
    wide = _controls(rows)
    if fits(out, wide, NARROW):
        _print(out, formatting.CONTROLS, wide)
        return
    out.print(shown(formatting.CONTROLS, 400))
    for title in dict.fromkeys(_control_title(*row) for row in rows):
        _print(out, title, _controls_turned([row for row in rows if _control_title(*row) == title]))


Control = tuple[ProtocolSummary | None, ControlRow]


def _controls(rows: list[Control]) -> Table:
    table = plain_table(
        *("protocol", "part", "metric", "control", "n", "score", "with control", "difference", "chance", "constant")
    )
    cells = [
        (
            *(formatting.part_name(row.by), formatting.metric_name(protocol, row.metric), row.control, str(row.n)),
            *(formatting.percent(row.score), formatting.percent(row.control_score), formatting.difference(row)),
            *(formatting.percent(row.chance), formatting.percent(row.constant)),
        )
        for protocol, row in rows
    ]
    return _add_together(table, ((row.protocol, found) for (_p, row), found in zip(rows, cells, strict=True)))


def _control_title(protocol: ProtocolSummary | None, row: ControlRow) -> str:
    return f"{formatting.part_name(row.by)}, {row.control}: {formatting.metric_name(protocol, row.metric)}"


def _controls_turned(rows: list[Control]) -> Table:
    """Of one part, control and metric."""
    change = "score -> with"
    table = plain_table("protocol", change, "difference", "chance", "constant", kept=(change, "difference"))
    n = max(row.n for _protocol, row in rows)
    cells = []
    for _protocol, row in rows:
        own_n = f" (n={row.n})" if row.n != n else ""
        scores = f"{formatting.percent(row.score)} -> {formatting.percent(row.control_score)}{own_n}"
        found = (scores, formatting.difference(row), formatting.percent(row.chance), formatting.percent(row.constant))
        cells.append((row.protocol, found))
    return _add_together(table, cells)


POSITION = (
    *("pairs in both orders", "right in the first place", "right in the last place", "first minus last"),
    *("all right as given", "all right swapped", "swapped minus given", "right in one order only"),
)


def _position_cells(row: PositionRow) -> tuple[str, ...]:
    slot, order = row.slot, row.order
    return (
        *(str(row.n), formatting.percent(slot.second), formatting.percent(slot.first), formatting.difference(slot)),
        *(
            formatting.percent(order.first),
            formatting.percent(order.second),
            formatting.difference(order),
            str(row.flipped),
        ),
    )


Positions = list[tuple[formatting.Names, tuple[str, ...]]]


def _position(rows: Positions) -> Table:
    """What the order of the pictures does: by place, every picture having been in both, and by order."""
    table = plain_table("protocol", *POSITION)
    for names, cells in rows:
        table.add_row(shown(str(names)), *cells)
    return table


def _position_turned(rows: Positions) -> Table:
    table = plain_table("", *(str(names) for names, _cells in rows))
    for at, name in enumerate(POSITION):
        table.add_row(name, *(cells[at] for _names, cells in rows))
    return table
