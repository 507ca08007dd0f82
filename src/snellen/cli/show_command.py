"""`snellen show`: the runs of a folder, a run, or samples of it, in the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import click

from snellen.cli import options
from snellen.cli.flags import flags
from snellen.core.errors import SnellenError
from snellen.engine.mark.flips import prompts_of
from snellen.engine.runs.listing import listing
from snellen.engine.runs.run import Run, open_run
from snellen.present.model import run_list
from snellen.present.model.checks import check_marks
from snellen.present.model.sample_view import document, sample_view
from snellen.present.terminal import sample_lists
from snellen.present.terminal.run import print_run
from snellen.present.terminal.run_list import print_listing
from snellen.present.terminal.sample import print_sample
from snellen.present.terminal.sample_lists import print_some

SHOWN = LISTED = 20


@click.command("show")
@click.argument("run", type=click.Path(path_type=Path), default=Path("runs"), metavar="[RUN | DIR]")
@click.argument("sample", required=False, metavar="[ID]")
@flags("show")
def command(
    run: Path,
    sample: str | None,
    wrong: bool,
    flips: bool,
    protocols: tuple[str, ...],
    limit: int | None,
    every: bool,
    as_json: bool,
) -> int:
    """List the runs in DIR (default: runs), the latest first; or show RUN, or its sample ID: question, reply, what each protocol reads
    and says, and the ledger. Calls nothing.

    \b
    snellen show
    snellen show runs/salbench_baseline-chance_b1c9eecc
    snellen show runs/salbench_baseline-chance_b1c9eecc --wrong --protocol robust
    """
    if (sample is not None) + wrong + flips > 1:
        raise SnellenError("a sample's ID, --wrong and --flips: choose one")
    if not (run / "run.json").is_file() and run.is_dir():
        if sample is not None or wrong or flips or protocols:
            options.run_folder(run, "show")
            raise SnellenError(
                f"{run} is a folder of runs, not a run: name one of those that 'snellen show {run}' lists"
            )
        return _list(run, None if every else limit or LISTED, as_json)
    if every or ((protocols or limit is not None) and not (wrong or flips)):
        raise SnellenError("--protocol and --limit go with --wrong or --flips; --all and --limit with a folder of runs")
    opened = open_run(options.run_folder(run, "show"))
    if sample is None and not opened.folder.has("summary.json"):
        raise SnellenError(f"{run} is not marked yet: the command that made it goes on, or 'snellen mark {run}'")
    if wrong or flips:
        check_marks(opened)
        _some(opened, protocols, limit, as_json, wrong=wrong)
    elif sample is not None:
        _sample(opened, sample, as_json)
    elif as_json:
        options.print_json(options.summary_of(opened))
    else:
        print_run(opened)
        print_some(opened)
    return 0


def _list(folder: Path, limit: int | None, as_json: bool) -> int:
    """List the runs of a folder. Other, unfinished or damaged entries are named and skipped. Answers and marks are not opened."""
    options.merge_shards(folder)
    found = listing(folder, limit)
    if as_json:
        options.print_json(run_list.document(folder, found))
    else:
        print_listing(folder, found)
    return 0


def _sample(run: Run, name: str, as_json: bool) -> None:
    facts = sample_view(run, name)
    if as_json:
        options.print_json({"run": str(run.path)} | document(facts))
    else:
        print_sample(run, facts)


def _some(run: Run, protocols: tuple[str, ...], limit: int | None, as_json: bool, *, wrong: bool) -> None:
    """List the samples that are wrong, or else those on which protocols disagree."""
    by = ""
    if wrong:
        if len(protocols) > 1:
            raise SnellenError("--wrong goes by one protocol: name one")
        by = next(iter(prompts_of(run, protocols)), "")
    if as_json:
        rows: Iterable[Any] = sample_lists.wrong(run, by) if wrong else sample_lists.flipped(run, protocols)
        samples = [row._asdict() for row in islice(rows, limit)]
        facts = {"run": str(run.path), "synthetic": run.manifest.data.synthetic, "samples": samples}
        options.print_json(facts | ({"protocol": by} if wrong else {}))
    elif wrong:
        sample_lists.print_wrong(run, by, limit or SHOWN)
    else:
        sample_lists.print_flips(run, protocols, limit or SHOWN)
