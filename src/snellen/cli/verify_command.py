"""`snellen verify`: whether a run matches its records."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli import options
from snellen.cli.flags import flags, run_argument
from snellen.engine.mark.verify import verify
from snellen.present.terminal.verified import print_verified


@click.command("verify")
@run_argument
@flags("verify")
def command(run: Path, data: Path | None, exports: bool, as_json: bool) -> int:
    """Make marks and summary of RUN again from its answers and compare them with what is there; compare samples and pictures with the data
    set. Writes nothing into RUN and calls nothing.

    Exit code 0: all that was compared holds. 1: something differs. 2: it cannot be checked.

    \b
    snellen verify runs/salbench_baseline-chance_b1c9eecc
    """
    found = verify(options.run_folder(run, "verify"), data, exports=exports)
    if as_json:
        options.print_json(
            {
                "run": str(run),
                "holds": not found.total,
                "checked": found.checked,
                "unchecked": found.unchecked,
                "count": found.total,
                "differences": [d._asdict() for d in found.differences],
            }
        )
    else:
        print_verified(run, found)
    return 1 if found.total else 0
