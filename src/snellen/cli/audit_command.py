"""`snellen audit`: what subjects that never look would score."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli import options

NUMBERS = ("chance", "best constant", "list every option", "contradict yourself")


@click.command("audit")
@click.argument("benchmark")
@click.option(
    "--protocol",
    "--protocols",
    "protocols",
    multiple=True,
    callback=options.words,
    metavar="P,...",
    help="Default: all.",
)
@click.option("--data", metavar="DIR", help="Truths of a real data set (default: every truth equally often).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(benchmark: str, protocols: tuple[str, ...], data: str | None, as_json: bool) -> int:
    """Show what chance, a constant answer, a list of every option and a self-contradiction would score under each protocol.

    Needs no model. Protocols that such subjects can win (90 % and more) are named.

    \b
    snellen audit illusionbench
    """
    from snellen import benchmarks
    from snellen.core.exam import Options, pick_protocol
    from snellen.engine.audit import audit

    exam = benchmarks.load(benchmark)
    chosen = [pick_protocol(exam, p)[0] for p in protocols] or list(exam.protocols.values())
    samples = list(exam.open(Path(data), Options()).light()) if data else list(exam.truths())
    rows = audit(exam, samples, chosen)
    if as_json:
        options.print_json(rows)
        return 0
    from rich.table import Table
    from rich.text import Text

    from snellen.reports import words
    from snellen.reports.terminal import console

    out = console()
    title = f"{benchmark}: what subjects that never look would score, percent"
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in ("protocol", "part", "metric", *NUMBERS, "won by"):
        table.add_column(name)
    for row in rows:
        cells = [
            row["protocol"],
            row["part"],
            words.metric_name(row["metric"]),
            *(words.percent(row[n]) for n in NUMBERS),
        ]
        table.add_row(*map(Text, cells), Text(row["won by"] or "", style="bold red"))
    out.print(table)
    won = sorted({row["protocol"] for row in rows if row["won by"]})
    out.print(
        Text(f"Can be won without looking: {', '.join(won)}" if won else "No protocol can be won without looking.")
    )
    return 0
