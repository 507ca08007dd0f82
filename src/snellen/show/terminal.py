"""Tables of a run in the terminal. Text from models and data sets is escaped; nothing of it is read as markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.core.results import GroupSummary, ProtocolSummary, Score
from snellen.core.text import for_terminal
from snellen.show import words

if TYPE_CHECKING:
    from snellen.engine.mark.marking import Remarked
    from snellen.engine.run import Run

WIDTH_WHEN_NOT_A_TERMINAL = 132
SHOWN_CHANGES = 20


def console() -> Console:
    """Standard output; wide enough for the tables when it goes to a file."""
    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=WIDTH_WHEN_NOT_A_TERMINAL)


def print_run(run: Run, *, brief: bool = False, verbose: bool = False) -> None:
    """The scores of one run: each part of the exam with all protocols side by side, then the overview."""
    out = console()
    summary, protocols = run.summary, run.protocols
    if not brief:
        for part in words.side_by_side(protocols, whole=True):
            out.print(_part_table(part, protocols))
        if verbose:
            out.print(_breakdown(protocols))
    out.print(_overview(run, protocols))
    if run.controls:
        out.print(_controls(run))
    if summary.get("position"):
        out.print(_position(summary["position"]))
    for line in words.scored_by(summary):
        out.print(Text(for_terminal(line, 300)), soft_wrap=True)
    out.print(Text(words.LEGEND, style="dim"))
    if summary["synthetic"]:
        out.print(Text(words.SYNTHETIC, style="bold yellow"))
    if not summary["complete"]:
        out.print(Text(words.incomplete(summary), style="bold red"), soft_wrap=True)
    for reason, n in summary["failures"].items():
        out.print(Text(f"  {n} x {for_terminal(reason, 300)}", style="red"), soft_wrap=True)
    totals = summary["totals"]
    used = (
        f"{totals['calls']} calls, {totals['stored']} from the store, {totals['tries']} tries"
        if totals["calls"] or totals["stored"]
        else "no calls"
    )
    tokens = (
        f", {totals['input_tokens']} + {totals['output_tokens']} tokens, {words.money(totals)}"
        if totals["calls"]
        else ""
    )
    out.print(Text(f"{used}{tokens}. Run: {run.path}"), soft_wrap=True)


def _cell(metric: Score | None, n: int) -> Text:
    """A score; its n too, where that is not `n`."""
    if metric is None:
        return Text("–", style="dim")
    text = Text(words.value(metric), style="bold")
    for word, style in (
        (words.interval(metric), "not bold"),
        (words.floor(metric), "not bold dim"),
        (words.other_n(metric, n), "not bold dim"),
    ):
        if word:
            text.append(f" {word}", style=style)
    return text


def _table(title: str, *columns: str) -> Table:
    table = Table(title=Text(title, style="bold"), title_justify="left")
    for name in columns:
        table.add_column(name, justify="right" if name == "n" else "left")
    return table


def _part_table(groups: dict[str, GroupSummary], protocols: list[ProtocolSummary]) -> Table:
    shown = [p for p in protocols if p.protocol in groups]
    n, first = words.most(groups.values()), next(iter(groups.values()))
    table = _table(f"{words.group_name(first)}, n = {n}: percent [95 % interval] floor")
    table.add_column("metric", no_wrap=True)
    for name, g in groups.items():
        table.add_column(name if g.n == n else f"{name}\nn = {g.n}")
    every = dict.fromkeys(key for g in groups.values() for key in g.metrics)
    hidden = ("precision.", "recall.") if any(key.startswith("f1.") for key in every) else ()
    keys = [key for key in every if not key.startswith(hidden)]
    for key in keys:
        headlines = {p.protocol for p in shown if p.headline == key}
        row = [_cell(g.metrics.get(key), g.n) for g in groups.values()]
        for text, name in zip(row, groups, strict=True):
            if name in headlines:
                text.append(" *")
        table.add_row(words.metric_name(key), *row)
    table.add_row("outcomes", *(Text(words.outcomes(g)) for g in groups.values()))
    if any(g.bounds for g in groups.values()):
        table.add_row(words.bounded(shown), *(Text(words.bounds(g)) for g in groups.values()))
    return table


def _breakdown(protocols: list[ProtocolSummary]) -> Table:
    table = _table("by difficulty and category: headline, percent [95 % interval] floor", "part", "n")
    metrics = {p.protocol: words.breakdown_metric(p) for p in protocols}
    for name, metric in metrics.items():
        table.add_column(f"{name} ({words.metric_name(metric)})")
    _add_parts(table, words.side_by_side(protocols, whole=False), metrics)
    return table


def _overview(run: Run, protocols: list[ProtocolSummary]) -> Table:
    title = for_terminal(words.title(run.manifest))
    table = _table(f"{title}: headline, percent [95 % interval] floor", "part", "n")
    for p in protocols:
        table.add_column(f"{p.protocol}\n{words.metric_name(p.headline)}\nprompt {p.prompt}")
    _add_parts(table, words.side_by_side(protocols, whole=True), {p.protocol: p.headline for p in protocols})
    return table


def _add_parts(table: Table, parts: list[dict[str, GroupSummary]], metrics: dict[str, str]) -> None:
    """A row for each part, with one metric of each protocol."""
    for part in parts:
        n, first = words.most(part.values()), next(iter(part.values()))
        cells = [_cell(part[name].metrics.get(key) if name in part else None, n) for name, key in metrics.items()]
        table.add_row(words.group_name(first), str(n), *cells)


def _controls(run: Run) -> Table:
    """Does the score depend on seeing? The arms beside the score, chance and the best constant answer."""
    table = _table(
        words.CONTROLS,
        *("part", "protocol", "metric", "control", "n", "score", "with control", "difference", "chance", "constant"),
    )
    for row in run.controls:
        table.add_row(
            " · ".join(row["by"].values()),
            row["protocol"],
            words.metric_name(row["metric"]),
            row["control"],
            str(row["n"]),
            words.percent(row["score"]),
            words.percent(row["control_score"]),
            Text(words.difference(row)),
            words.percent(row["chance"]),
            words.percent(row.get("constant")),
        )
    return table


def _position(rows: list[dict[str, Any]]) -> Table:
    """What the order of the pictures does: by place, every picture having been in both, and by order."""
    table = _table(
        words.POSITION,
        *("protocol", "n", "right in the first place", "in the last", "first minus last"),
        *("all right as given", "swapped", "swapped minus given", "right in one order only"),
    )
    for row in rows:
        slot, order = row["slot"], row["order"]
        table.add_row(
            row["protocol"],
            str(row["n"]),
            words.percent(slot["second"]),
            words.percent(slot["first"]),
            Text(words.difference(slot)),
            words.percent(order["first"]),
            words.percent(order["second"]),
            Text(words.difference(order)),
            str(row["flipped"]),
        )
    return table


def print_remarked(path: str, done: Remarked) -> None:
    """What marking again changed."""
    out = console()
    for protocol, (marks, changed) in done.counts.items():
        out.print(Text(f"{path}: {protocol}: {marks} marks, {changed} changed"), soft_wrap=True)
    if done.changes:
        table = Table(title="changed marks", title_justify="left")
        for name in ("protocol", "sample", "was", "is"):
            table.add_column(name)
        for change in done.changes[:SHOWN_CHANGES]:
            table.add_row(
                change.protocol,
                Text(for_terminal(change.id, 60)),
                Text(for_terminal(f"{change.before.outcome} {change.before.reading}", 60)),
                Text(for_terminal(f"{change.after.outcome} {change.after.reading}", 60)),
            )
        out.print(table)
        if len(done.changes) > SHOWN_CHANGES:
            out.print(Text(f"and {len(done.changes) - SHOWN_CHANGES} more"))
