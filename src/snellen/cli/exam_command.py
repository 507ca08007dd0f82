"""`snellen exam`: the eye exam. Adaptive thresholds by faculty, on freshly drawn sheets, for any subject."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from snellen.cli import options, suite
from snellen.cli.exam_flags import ExamCommand
from snellen.cli.flags import flags
from snellen.cli.run_command import limits_of
from snellen.comparison.thresholds import examined
from snellen.core.errors import SnellenError
from snellen.core.seals import new_seed, seal
from snellen.engine.plan.request import Limits
from snellen.engine.suite.running import SuiteRunResult, exit_code
from snellen.present.page.report import write_prescription
from snellen.present.terminal.prescription import document, print_prescription

EYE = "eye"
PAGE = "prescription.html"


@click.command("exam", cls=ExamCommand, of=EYE)
@flags("exam")
def command(models: tuple[str, ...], own: dict[str, Any], **given: Any) -> int:
    """Examine how fine a model sees: for each faculty the threshold at which sight fails, in some 40 questions.

    Sheets are drawn anew from --seed, and get harder or easier with the answers. Several models (--model given again) are examined
    alike and compared. The same command goes on with an exam that was interrupted.

    \b
    snellen exam --model baseline/pixels
    snellen exam --model openai/gpt-4o --faculties letters,size --max-cost 0.50
    snellen exam --model vllm/A --model vllm/B --sizes 448,896,1792
    """
    if given["seal"]:
        return _seal(models, given["as_json"])
    if not models:
        raise SnellenError("who is to be examined? give --model SPEC ('snellen list subjects')")
    asked = given | {"splits": given["faculties"], "limit": given["questions"], "tasks": (), "data": None}
    with limits_of(given) as limits:
        return _examine(models, own, asked, limits)


def _examine(models: tuple[str, ...], own: dict[str, Any], given: dict[str, Any], limits: Limits) -> int:
    out = Path(given["out"])
    exams = suite.from_flags(EYE, models, own, given)
    cells = suite.cells_of(exams, limits, out, offline=given["dry_run"])
    if given["dry_run"]:
        return suite.estimated("the eye exam", out, cells, limits, given)
    ended = suite.carried_out("the eye exam", cells, limits, verbose=given["verbose"])
    _show(ended, given["page"], out, as_json=given["as_json"], verbose=given["verbose"])
    for how in ended:
        if how.why is not None:
            click.echo(f"{how.cell.label}: {how.why}", err=True)
    return exit_code(ended)


def _seal(models: Sequence[str], as_json: bool) -> int:
    """Draw a new seed and print its seal."""
    if models:
        raise SnellenError(
            "--seal only draws a seed: leave out --model, publish the seal, then give --seed and --seed-commit"
        )
    seed = new_seed()
    sealed = seal(seed)
    if as_json:
        options.print_json({"seed": seed, "seal": sealed})
        return 0
    click.echo(
        f"seed  {seed}   keep this one to yourself until the exam is over\nseal  {sealed}   publish this one now"
    )
    click.echo(f"Then: snellen exam --model SPEC --seed {seed} --seed-commit {sealed}")
    return 0


def _show(ended: Sequence[SuiteRunResult], wanted: Path | None, out: Path, *, as_json: bool, verbose: bool) -> None:
    runs = [
        how.finished.run for how in ended if how.finished is not None and how.finished.run.folder.has("summary.json")
    ]
    if not runs:
        return
    page = wanted or (runs[0].path if len(runs) == 1 else out) / PAGE
    found = examined(runs)
    write_prescription(found, page)
    if as_json:
        options.print_json(document(found, page))
    else:
        print_prescription(found, page, verbose=verbose)
