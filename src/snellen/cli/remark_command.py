"""`snellen remark`: mark stored answers again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from snellen.cli import options


@click.command("remark")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--protocol",
    "--protocols",
    "protocols",
    multiple=True,
    callback=options.words,
    metavar="P,...",
    help="Protocols, NAME or NAME@PROMPT (default: the run's own). New ones are added.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(runs: tuple[Path, ...], protocols: tuple[str, ...], as_json: bool) -> int:
    """Mark the stored answers of RUNS again and print what changed. Calls nothing and needs no data set.

    \b
    snellen remark runs/salbench_* --protocol paper,robust
    """
    from snellen.engine.run import open_run, remark
    from snellen.engine.unasked import Unasked
    from snellen.reports.terminal import print_remarked, print_run

    documents: list[dict[str, Any]] = []
    for path in runs:
        try:
            done = remark(path, protocols)
        except Unasked as lacking:
            if as_json:
                facts = {k: getattr(lacking, k) for k in ("protocol", "prompt", "cost")}
                options.print_json({"run": str(path), "unasked": facts | {"questions": lacking.ids}})
            raise
        run = open_run(path)
        if as_json:
            changes = [msgspec.to_builtins(c._asdict()) for c in done.changes]
            documents.append(
                {"run": str(path), "marks": {k: v[0] for k, v in done.counts.items()}, "changes": changes} | run.summary
            )
        else:
            print_run(run, brief=True)
            print_remarked(str(path), done)
    if as_json:
        options.print_json(documents)
    return 0
