"""`snellen explain`: why is my number not the paper's?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli import options
from snellen.cli.flags import flags, run_argument
from snellen.comparison.explaining import explain_run
from snellen.present.terminal.explanation import print_explanation


@click.command("explain")
@run_argument
@click.argument("figure", required=False)
@flags("explain")
def command(run: Path, figure: str | None, tolerance: float | None, verbose: bool, as_json: bool, **given: Any) -> int:
    """Mark the stored answers of RUN again in every defensible way and show which numbers they can give: protocol, prompt, metric, average,
    non-answers. Calls nothing, and writes nothing into RUN.

    With FIGURE (63.4, 63.4% or 0.634): the choices that give it, and the way there choice by choice; or none, and what is nearest.

    \b
    snellen explain runs/salbench_gpt 63.4
    """
    wanted = None if tolerance is None else tolerance / 100
    path = options.run_folder(run, "explain")
    found = explain_run(path, figure, tolerance=wanted, **given)
    if as_json:
        options.print_json(found)
    else:
        print_explanation(found, verbose=verbose)
    return 0
