"""Everything that a run has, in the terminal: all metrics by protocol, outcomes, ranges, breakdowns, controls.

What is equal under several protocols is shown once, under all their names. Where a table has no room for a column a protocol it is
turned: one metric or group a row, and the protocols beside it.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.core.records import ControlRow, PositionRow, Summary
from snellen.core.results import GroupSummary, ProtocolSummary, Score
from snellen.show import words
from snellen.show.tables import NARROW, WARNINGS, fits, plain_table, shown

SCORES = "percent [95 % interval] floor"
Column = tuple[ProtocolSummary, GroupSummary]


def print_details(out: Console, summary: Summary) -> None:
    """All tables of a run, each with a line after it."""
    protocols = summary.plain
    for part in words.side_by_side(protocols, whole=True):
        name = words.group_name(next(iter(part.values())))
        wide = _part(protocols, part)
        table = wide if fits(out, wide, NARROW) else _part_turned(protocols, part)
        _print(out, f"{name}, n = {words.most(part.values())}: {SCORES}", table)
    _print_breakdown(out, protocols)
    _print_controls(out, protocols, summary.controls)
    if summary.position:
        wide = _position(summary.position)
        _print(out, words.POSITION, wide if fits(out, wide, NARROW) else _position_turned(summary.position))


def _print(out: Console, title: str, table: Table) -> None:
    heading = shown(title)
    heading.stylize("bold")
    out.print(heading)
    out.print(table)
    out.print()


def _cell(protocol: ProtocolSummary, key: str, score: Score | None, n: int) -> Text:
    """A score with its interval and floor; its n too, where that is not `n`."""
    if score is None:
        return Text("–", style="dim")
    word = words.floor_word(protocol, key, score)
    text = Text(words.value(score), style=f"bold {WARNINGS[word]}".strip())
    for piece, style in (
        (words.interval(score), "not bold"),
        (words.floor(score), "not bold dim"),
        (word, f"not bold {WARNINGS[word]}".strip()),
        (words.other_n(score, n), "not bold dim"),
    ):
        if piece:
            text.append(f" {piece}", style=style)
    return text


# ---------------------------------------------------------------- a part


def _columns(protocols: tuple[ProtocolSummary, ...], part: dict[str, GroupSummary]) -> list[tuple[str, Column]]:
    """The protocols that have a part, those together that say the same of it."""
    found = words.together((p.protocol, (p.headline, part[p.protocol])) for p in protocols if p.protocol in part)
    first = {p.protocol: p for p in protocols}
    return [(str(names), (first[names[0]], group)) for names, (_headline, group) in found]


def _metrics(columns: list[tuple[str, Column]]) -> dict[str, str]:
    """Every metric of a part with its name."""
    found: dict[str, str] = {}
    for _names, (protocol, group) in columns:
        for key in group.metrics:
            found.setdefault(key, words.metric_name(protocol, key))
    return found


def _metric_cell(column: Column, key: str) -> Text:
    protocol, group = column
    text = _cell(protocol, key, group.metrics.get(key), group.n)
    if protocol.headline == key:
        text.append(" *")
    return text


def _part(protocols: tuple[ProtocolSummary, ...], part: dict[str, GroupSummary]) -> Table:
    columns, n = _columns(protocols, part), words.most(part.values())
    heads = [names if group.n == n else f"{names}\nn = {group.n}" for names, (_p, group) in columns]
    table = plain_table("metric", *heads)
    for key, name in _metrics(columns).items():
        table.add_row(shown(name), *(_metric_cell(column, key) for _names, column in columns))
    table.add_row("outcomes", *(shown(words.outcomes(group)) for _names, (_p, group) in columns))
    if any(group.bounds for group in part.values()):
        name = words.bounded(p for _names, (p, _g) in columns)
        table.add_row(shown(name), *(Text(words.bounds(group)) for _names, (_p, group) in columns))
    return table


def _part_turned(protocols: tuple[ProtocolSummary, ...], part: dict[str, GroupSummary]) -> Table:
    columns, n = _columns(protocols, part), words.most(part.values())
    table = plain_table("metric", "protocol", "score", kept=("metric", "score"))
    for key, name in _metrics(columns).items():
        cells = words.together((names, _metric_cell(c, key)) for names, c in columns if key in c[1].metrics)
        _add_once(table, name, cells)
    _add_once(table, "outcomes", words.together((names, shown(words.outcomes(g))) for names, (_p, g) in columns))
    if any(group.bounds for group in part.values()):
        name = words.bounded(p for _names, (p, _g) in columns)
        _add_once(table, name, words.together((names, Text(words.bounds(g))) for names, (_p, g) in columns))
    if any(group.n != n for group in part.values()):
        _add_once(table, "n", words.together((names, Text(str(g.n))) for names, (_p, g) in columns))
    return table


def _add_once(table: Table, name: str, rows: list[tuple[words.Names, Text]]) -> None:
    """Rows under one name, which is said in the first of them; what all protocols share needs no names."""
    for place, (names, cell) in enumerate(rows):
        table.add_row(shown(name) if place == 0 else "", shown("all" if len(rows) == 1 else str(names)), cell)


# ---------------------------------------------------------------- groups within the parts

Breakdown = list[tuple[words.Names, tuple[str, list[Text]]]]


def _print_breakdown(out: Console, protocols: tuple[ProtocolSummary, ...]) -> None:
    """The groups within the parts: side by side where there is room, else a table for all protocols that say the same."""
    groups = words.side_by_side(protocols, whole=False)
    if not groups:
        return
    names = words.told_apart([next(iter(g.values())) for g in groups])
    sizes = [words.most(g.values()) for g in groups]
    columns = words.together(
        (p.protocol, (words.metric_name(p, words.breakdown_metric(p)), _breakdown_cells(p, groups))) for p in protocols
    )
    wide = _breakdown(names, sizes, columns, [f"{protocol}\n{metric}" for protocol, (metric, _cells) in columns])
    if fits(out, wide, NARROW):
        _print(out, f"Within the parts: {SCORES}", wide)
        return
    for column in columns:
        protocol, (metric, _cells) = column
        _print(out, f"Within the parts, by {protocol}: {SCORES}", _breakdown(names, sizes, [column], [metric]))


def _breakdown_cells(p: ProtocolSummary, groups: list[dict[str, GroupSummary]]) -> list[Text]:
    """A protocol's column of the breakdown."""
    key = words.breakdown_metric(p)
    return [
        _cell(p, key, g[p.protocol].metrics.get(key) if p.protocol in g else None, words.most(g.values()))
        for g in groups
    ]


def _breakdown(names: list[str], sizes: list[int], columns: Breakdown, heads: list[str]) -> Table:
    table = plain_table("group", "n", *heads)
    for at, (name, n) in enumerate(zip(names, sizes, strict=True)):
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
        _print(out, words.CONTROLS, wide)
        return
    out.print(shown(words.CONTROLS, 400))
    for title in dict.fromkeys(_control_title(*row) for row in rows):
        _print(out, title, _controls_turned([row for row in rows if _control_title(*row) == title]))


Control = tuple[ProtocolSummary | None, ControlRow]


def _controls(rows: list[Control]) -> Table:
    table = plain_table(
        *("protocol", "part", "metric", "control", "n", "score", "with control", "difference", "chance", "constant")
    )
    cells = (
        (
            row.protocol,
            (
                *(words.part_name(row.by), words.metric_name(protocol, row.metric), row.control, str(row.n)),
                *(words.percent(row.score), words.percent(row.control_score), words.difference(row)),
                *(words.percent(row.chance), words.percent(row.constant)),
            ),
        )
        for protocol, row in rows
    )
    for names, found in words.together(cells):
        table.add_row(shown(str(names)), *map(shown, found))
    return table


def _control_title(protocol: ProtocolSummary | None, row: ControlRow) -> str:
    return f"{words.part_name(row.by)}, {row.control}: {words.metric_name(protocol, row.metric)}"


def _controls_turned(rows: list[Control]) -> Table:
    """Of one part, control and metric."""
    change = "score -> with"
    table = plain_table("protocol", change, "difference", "chance", "constant", kept=(change, "difference"))
    n = max(row.n for _protocol, row in rows)
    cells = (
        (
            row.protocol,
            (
                f"{words.percent(row.score)} -> {words.percent(row.control_score)}"
                + (f" (n={row.n})" if row.n != n else ""),
                *(words.difference(row), words.percent(row.chance), words.percent(row.constant)),
            ),
        )
        for _protocol, row in rows
    )
    for names, found in words.together(cells):
        table.add_row(shown(str(names)), *map(shown, found))
    return table


POSITION = (
    *("pairs in both orders", "right in the first place", "right in the last place", "first minus last"),
    *("all right as given", "all right swapped", "swapped minus given", "right in one order only"),
)


def _position_cells(row: PositionRow) -> tuple[str, ...]:
    slot, order = row.slot, row.order
    return (
        *(str(row.n), words.percent(slot.second), words.percent(slot.first), words.difference(slot)),
        *(words.percent(order.first), words.percent(order.second), words.difference(order), str(row.flipped)),
    )


def _position(rows: tuple[PositionRow, ...]) -> Table:
    """What the order of the pictures does: by place, every picture having been in both, and by order."""
    table = plain_table("protocol", *POSITION)
    for protocol, cells in words.together((row.protocol, _position_cells(row)) for row in rows):
        table.add_row(shown(str(protocol)), *cells)
    return table


def _position_turned(rows: tuple[PositionRow, ...]) -> Table:
    columns = words.together((row.protocol, _position_cells(row)) for row in rows)
    table = plain_table("", *(str(names) for names, _cells in columns))
    for at, name in enumerate(POSITION):
        table.add_row(name, *(cells[at] for _names, cells in columns))
    return table
