"""`snellen gate`: should the build fail?"""

from __future__ import annotations

import os
from pathlib import Path

import click

from snellen.cli import options
from snellen.cli.flags import flags, run_argument
from snellen.comparison.gating import gate_runs
from snellen.engine.runs.writing import writing_to
from snellen.present.files import gate as gate_files
from snellen.present.terminal.gate import print_gate


@click.command("gate")
@run_argument
@flags("gate")
def command(
    run: Path,
    baseline: Path,
    max_drop: float,
    protocols: tuple[str, ...],
    parts: tuple[str, ...],
    junit: Path | None,
    summary: Path | None,
    verbose: bool,
    as_json: bool,
) -> int:
    """Fail a build where RUN is worse than a baseline of the same exam, sample by sample. Calls nothing and needs no data set.

    A re-run of a model that did not change fails at most 5 times in 100, however noisy it is. Exit code 0: passed. 1: a score dropped.
    2: the runs cannot be compared, one is not finished, or so few images cannot tell.

    \b
    snellen gate runs/new --baseline runs/old --max-drop 2 --junit gate.xml
    """
    for path in (run, baseline):
        options.run_folder(path, "gate")
    found = gate_runs(run, baseline, max_drop=max_drop / 100, protocols=protocols, parts=parts)
    if junit is not None:
        with writing_to(junit):
            junit.write_bytes(gate_files.junit(found))
    job = summary or os.environ.get("GITHUB_STEP_SUMMARY")
    if job:
        with writing_to(Path(job)), Path(job).open("ab") as file:
            file.write(gate_files.summary(found).encode(errors="replace"))
    if as_json:
        options.print_json(found)
    else:
        print_gate(found, verbose)
    return 0 if found.passed else 1
