"""`snellen compare`: runs of one exam side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli import options
from snellen.cli.flags import flags, runs_argument
from snellen.comparison.comparing import compare_folder, compare_runs
from snellen.comparison.thresholds import examined_again, is_folder_of_runs
from snellen.core.errors import SnellenError
from snellen.present.terminal.comparison import print_comparison, print_folder
from snellen.present.terminal.prescription import document, print_prescription


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
    points = None if power is None else power / 100
    if len(runs) == 1 and is_folder_of_runs(runs[0]):
        folder = runs[0]
        options.merge_shards(folder)
        if flips or explain:
            raise SnellenError(f"--flips and --explain are for two runs: name them, such as {folder}/RUN {folder}/RUN")
        return _folder(folder, verbose, as_json, protocols=protocols, metric=metric, power=points)
    thresholds = examined_again(runs)
    if thresholds is not None:
        if power is not None or flips or explain or protocols or metric:
            raise SnellenError(
                "--protocol, --metric, --power, --flips and --explain hold samples against each other; "
                f"the {thresholds.exam} exam finds thresholds, which are compared as they are: leave them out"
            )
        if as_json:
            options.print_json(document(thresholds))
        else:
            print_prescription(thresholds, verbose=verbose)
        return 0
    wanted = as_json or flips > 0
    found = compare_runs(runs, protocols=protocols, metric=metric, power=points, flips=wanted, explain=explain)
    if as_json:
        options.print_json(found)
    else:
        print_comparison(found, flips=flips, verbose=verbose)
    return 0


def _folder(folder: Path, verbose: bool, as_json: bool, **how: Any) -> int:
    """Compare all runs of a folder, exam by exam."""
    found = compare_folder(folder, **how)
    if not as_json:
        print_folder(found, verbose=verbose)
        return 0
    exams = []
    for one in found.exams:
        facts: dict[str, Any] = {"exam": one.exam, "why": one.why, "comparison": one.found}
        if one.thresholds is not None:
            facts["thresholds"] = document(one.thresholds)
        exams.append(facts)
    options.print_json({"folder": str(folder), "exams": exams, "passed_over": list(found.passed)})
    return 0
