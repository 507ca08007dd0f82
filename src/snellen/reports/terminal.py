"""Tables of a run in the terminal. Text from models and data sets is escaped; nothing of it is read as markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.core.text import for_terminal
from snellen.core.types import GroupSummary, Metric, ProtocolSummary
from snellen.reports import words

if TYPE_CHECKING:
    from snellen.engine.marking import Remarked
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
        for group in _whole(protocols[0]):
            out.print(_part_table(group.by, protocols))
        if verbose:
            out.print(_breakdown(protocols))
    out.print(_overview(run, protocols))
    if run.controls:
        out.print(_controls(run))
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


def _whole(protocol: ProtocolSummary) -> list[GroupSummary]:
    return [g for g in protocol.groups if words.is_whole(g, protocol)]


def _cell(metric: Metric | None) -> Text:
    if metric is None:
        return Text("–", style="dim")
    text = Text(words.value(metric), style="bold")
    text.append(f" {words.interval(metric)}", style="not bold")
    if metric.floor is not None:
        text.append(f" {words.floor(metric)}", style="not bold dim")
    return text


def _part_table(by: dict[str, str], protocols: list[ProtocolSummary]) -> Table:
    groups = {p.protocol: g for p in protocols for g in p.groups if g.by == by}
    first = next(iter(groups.values()))
    table = Table(
        title=f"{words.group_name(first)}, n = {first.n}: percent [95 % interval] floor",
        title_justify="left",
        title_style="bold",
    )
    table.add_column("metric", no_wrap=True)
    for name in groups:
        table.add_column(name)
    every = dict.fromkeys(key for g in groups.values() for key in g.metrics)
    hidden = ("precision.", "recall.") if any(key.startswith("f1.") for key in every) else ()
    keys = [key for key in every if not key.startswith(hidden)]
    for key in keys:
        headlines = {p.protocol for p in protocols if p.headline == key}
        row = [_cell(g.metrics.get(key)) for g in groups.values()]
        for text, name in zip(row, groups, strict=True):
            if name in headlines:
                text.append(" *")
        table.add_row(words.metric_name(key), *row)
    table.add_row("outcomes", *(Text(words.outcomes(g)) for g in groups.values()))
    if any(g.bounds for g in groups.values()):
        table.add_row("exact match could be", *(Text(words.bounds(g)) for g in groups.values()))
    return table


def _breakdown(protocols: list[ProtocolSummary]) -> Table:
    table = Table(
        title="by difficulty and category: headline, percent [95 % interval] floor",
        title_justify="left",
        title_style="bold",
    )
    table.add_column("part")
    table.add_column("n", justify="right")
    for p in protocols:
        table.add_column(f"{p.protocol} ({words.metric_name(words.breakdown_metric(p))})")
    for group in (g for g in protocols[0].groups if not words.is_whole(g, protocols[0])):
        cells = [
            next((_cell(g.metrics[words.breakdown_metric(p)]) for g in p.groups if g.by == group.by), Text("–"))
            for p in protocols
        ]
        table.add_row(words.group_name(group), str(group.n), *cells)
    return table


def _overview(run: Run, protocols: list[ProtocolSummary]) -> Table:
    shots = run.manifest["options"].get("shots", 0)
    table = Table(
        title=f"{run.manifest['benchmark']} · {for_terminal(run.manifest['subject']['spec'])} · {shots} shots: "
        "headline, percent [95 % interval] floor",
        title_justify="left",
        title_style="bold",
    )
    table.add_column("part")
    table.add_column("n", justify="right")
    for p in protocols:
        table.add_column(f"{p.protocol}\n{words.metric_name(p.headline)}\nprompt {p.prompt}")
    for group in _whole(protocols[0]):
        cells = [
            next((_cell(g.metrics[p.headline]) for g in p.groups if g.by == group.by), Text("–")) for p in protocols
        ]
        table.add_row(words.group_name(group), str(group.n), *cells)
    return table


def _controls(run: Run) -> Table:
    """Does the score depend on seeing? The arms beside the score, chance and the best constant answer."""
    table = Table(
        title="controls: score without the image, or with another; difference [95 % interval, paired]",
        title_justify="left",
        title_style="bold",
    )
    for name in ("part", "protocol", "metric", "control", "score", "with control", "difference", "chance", "constant"):
        table.add_column(name)
    for row in run.controls:
        between = f"{words.signed(row['difference'])} [{words.signed(row['low'])}, {words.signed(row['high'])}]"
        table.add_row(
            " · ".join(row["by"].values()),
            row["protocol"],
            words.metric_name(row["metric"]),
            row["control"],
            words.percent(row["score"]),
            words.percent(row["control_score"]),
            Text(between),
            words.percent(row["chance"]),
            words.percent(row.get("constant")),
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
