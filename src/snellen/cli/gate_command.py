"""`snellen gate`: should the build fail?"""

from __future__ import annotations

import os
from pathlib import Path

import click
import msgspec

from snellen.cli import options
from snellen.core.errors import SnellenError


@click.command("gate")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--baseline", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The run to be as good as."
)
@click.option(
    "--max-drop",
    type=click.FloatRange(0, 100),
    default=2,
    show_default=True,
    metavar="D",
    help="Fail where a score dropped by more than D points, and that is more than chance.",
)
@options.several(
    "--protocol",
    "--protocols",
    "protocols",
    metavar="P,...",
    help="Judge under these protocols (default: the baseline's first).",
)
@options.several(
    "--part", "--parts", "parts", metavar="NAME,...", help="Judge only these parts (default: all, and all together)."
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write JUnit XML: one test case a part and protocol.",
)
@click.option(
    "--summary",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Add the verdict in Markdown to the end of FILE (default: the job summary, where GitHub has one).",
)
@click.option("-v", "--verbose", is_flag=True, help="Show every check.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
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
    from snellen.comparison.gate import gate_runs

    for path in (run, baseline):
        options.run_folder(path, "gate")
    found = gate_runs(run, baseline, max_drop=max_drop / 100, protocols=protocols, parts=parts)
    if junit is not None:
        from snellen.present.files import gate as gate_files

        _write(junit, gate_files.junit(found), "wb", "choose another --junit")
    job = summary or (Path(os.environ["GITHUB_STEP_SUMMARY"]) if os.environ.get("GITHUB_STEP_SUMMARY") else None)
    if job is not None:
        from snellen.present.files import gate as gate_files

        _write(job, gate_files.summary(found).encode(errors="replace"), "ab", "choose another --summary")
    if as_json:
        options.print_json(msgspec.to_builtins(found))
    else:
        from snellen.present.terminal.gate import print_gate

        print_gate(found, verbose)
    return 0 if found.passed else 1


def _write(path: Path, content: bytes, mode: str, advice: str) -> None:
    try:
        with path.open(mode) as file:
            file.write(content)
    except OSError as error:
        raise SnellenError(f"cannot write {path} ({error.strerror or error}); {advice}") from None
