"""`snellen audit`: what subjects that never look would score."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from snellen.cli import options

NUMBERS = ("chance", "best constant", "list every option", "contradict yourself", "contradict one option")


@click.command("audit")
@click.argument("exam")
@options.several(
    "--protocol",
    "--protocols",
    "protocols",
    metavar="P,...",
    help="Default: all.",
)
@click.option("--data", metavar="DIR", help="Use the truths of this data set (default: every truth equally often).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(exam: str, protocols: tuple[str, ...], data: str | None, as_json: bool) -> int:
    """Show what chance, a constant answer, a list of every option and a self-contradiction would score under each protocol.

    Needs no model. Protocols that such subjects can win (90 % and more) are named. "–": the prompt offers no options, or the
    figure needs the truths of a data set (--data). --json also has every constant answer.

    \b
    snellen audit illusionbench
    """
    from snellen import exams
    from snellen.core.options import Selection
    from snellen.engine.mark.audit import audit
    from snellen.engine.plan.plan import choose

    found = exams.load(exam)
    targets = choose(found, protocols)
    samples = list(found.open(Path(data), Selection()).light()) if data else list(found.truths())
    rows = audit(found, samples, targets, real=data is not None, progress=_progress)
    if as_json:
        options.print_json(rows)
        return 0
    from rich.text import Text

    from snellen.core.results import declared
    from snellen.show import words
    from snellen.show.tables import console, print_table

    def cells(row: dict[str, Any]) -> list[str | Text]:
        metric = declared(found.protocol(row["protocol"])[0].metrics, row["metric"]).label_of(row["metric"])
        shares = ("–" if row[n] is None else words.percent(row[n]) for n in NUMBERS)
        return [row["protocol"], row["part"], metric, *shares, Text(row["won by"] or "", style="bold red")]

    title = f"{exam}: what subjects that never look would score, percent"
    print_table(title, ("protocol", "part", "metric", *NUMBERS, "won by"), map(cells, rows))
    out = console()
    won = sorted({row["protocol"] for row in rows if row["won by"]})
    if won:
        out.print(Text(f"Can be won without looking: {', '.join(won)}"))
    elif any(row[n] is not None for row in rows for n in NUMBERS):
        out.print(Text("None of these subjects reaches 90 % under any protocol."))
    if data is None and any(row["best constant"] is None for row in rows):
        out.print(Text("Here a constant answer can only be scored against a data set: give --data DIR."))
    return 0


def _progress(done: int, of: int, name: str) -> None:
    """A line on the terminal while it takes a while; nothing where nobody watches."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[Kaudit: {name} ({done + 1} of {of})", err=True, nl=False)
        if done + 1 == of:
            click.echo("", err=True)
