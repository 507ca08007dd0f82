"""`snellen view`: runs in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from snellen.cli.flags import flags, folder_argument, need_server, open_in_browser, show_page
from snellen.core.errors import SnellenError

if TYPE_CHECKING:
    from snellen.present.viewer.guard import Keys


@click.command("view")
@folder_argument
@flags("view")
@open_in_browser
def command(folder: Path, data: Path | None, port: int | None, open_it: bool | None) -> int:
    """Look at the runs in DIR (default: runs), or at one run, in a browser, also while they go on. Ctrl-C ends it.

    Only this machine can reach it, and only with the link that it prints. It writes nothing and calls no model.

    \b
    snellen view runs
    """
    need_server("the viewer")
    from snellen.present.viewer.serving import serve

    if data is not None and not data.is_dir():
        raise SnellenError(f"--data {data}: no such folder")

    def opened(keys: Keys) -> None:
        click.echo(f"Looking at {folder}. Open this link (it is only for you):\n  {keys.link()}\nCtrl-C ends it.")
        show_page(keys, open_it)

    serve(folder, data, port, opened)
    click.echo("Stopped.")
    return 0
