"""`snellen merge`: the parts of a run that was shared out over machines, as one run."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli import options
from snellen.cli.flags import flags
from snellen.engine.merging import merge
from snellen.present.terminal.run import print_run


@click.command("merge")
@click.argument("parts", nargs=-1, required=True, type=click.Path(path_type=Path))
@flags("merge")
def command(parts: tuple[Path, ...], out: Path | None, as_json: bool) -> int:
    """Put the PARTS of a run that was shared out (--shard I/N) together: marks and summary as one process would have written.

    Parts that are missing, doubled or of another run are refused. The parts stay as they are. Calls nothing.

    \b
    snellen run salbench --data D --model vllm/x --shard 1/2     # on one machine
    snellen run salbench --data D --model vllm/x --shard 2/2     # on another
    snellen merge runs/*.1of2 runs/*.2of2
    """
    run = merge([options.run_folder(path, "merge") for path in parts], out)
    if as_json:
        options.print_json(options.summary_of(run))
    else:
        print_run(run)
    return 0
