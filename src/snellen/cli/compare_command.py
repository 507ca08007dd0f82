"""`snellen compare`: runs of one exam beside each other."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from snellen.cli import options
from snellen.cli.flags import flags, runs_argument
from snellen.core.errors import SnellenError


@click.command("compare")
@runs_argument
@flags("compare")
def command(
    runs: tuple[Path, ...],
    protocols: tuple[str, ...],
    metric: str,
    power: float | None,
    flips: int,
    explain: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    """Compare RUNS of one exam on the samples that all of them have. Calls nothing and needs no data set.

    Two runs: differences with intervals and exact tests, part by part and under every protocol, and in words what the lead is made of.
    More: a ranking with ties, cost and time. A folder of runs: those of each exam with each other. Runs of the eye exam: their thresholds,
    and the ratios of these to the first run's.

    \b
    snellen compare runs/salbench_A runs/salbench_B --flips 5
    snellen compare runs/my-suite
    """
    from snellen.comparison.pairing import is_folder_of_runs
    from snellen.comparison.thresholds import examined_again

    if len(runs) == 1 and is_folder_of_runs(runs[0]):
        return _folder(runs[0], protocols, metric, power, flips > 0 or explain, verbose, as_json)
    thresholds = examined_again(runs)
    if thresholds is not None:
        if power is not None or flips or explain or protocols or metric:
            raise SnellenError(
                "--protocol, --metric, --power, --flips and --explain hold samples against each other; "
                f"the {thresholds.exam} exam finds thresholds, which are compared as they are: leave them out"
            )
        from snellen.present.terminal.prescription import document, print_compared

        if as_json:
            options.print_json(document(thresholds))
        else:
            print_compared(thresholds, verbose=verbose)
        return 0
    from snellen.comparison.comparing import compare_runs
    from snellen.present.terminal.comparison import print_comparison

    wanted = None if power is None else power / 100
    found = compare_runs(
        runs, protocols=protocols, metric=metric, power=wanted, flips=as_json or flips > 0, explain=explain
    )
    if as_json:
        options.print_json(msgspec.to_builtins(found))
    else:
        print_comparison(found, flips=flips, verbose=verbose)
    return 0


def _folder(
    folder: Path,
    protocols: tuple[str, ...],
    metric: str,
    power: float | None,
    of_two: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    """All runs of a folder, exam by exam."""
    from snellen.comparison.by_exam import compare_folder
    from snellen.present.terminal.comparison_folder import print_folder

    if of_two:
        raise SnellenError(f"--flips and --explain are for two runs: name them, such as {folder}/RUN {folder}/RUN")
    found = compare_folder(folder, protocols=protocols, metric=metric, power=None if power is None else power / 100)
    if as_json:
        from snellen.present.terminal.prescription import document

        exams = [
            {"exam": e.exam, "why": e.why, "comparison": msgspec.to_builtins(e.found)}
            | ({"thresholds": document(e.thresholds)} if e.thresholds is not None else {})
            for e in found.exams
        ]
        options.print_json({"folder": str(folder), "exams": exams, "passed_over": list(found.passed)})
    else:
        print_folder(found, verbose=verbose)
    return 0
