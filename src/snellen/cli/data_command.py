"""`snellen data`: make a synthetic set, get the real one, check what is on disk."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from snellen.cli import options
from snellen.core.errors import SnellenError
from snellen.core.exam import ManySets, Styled


@click.group("data")
def command() -> None:
    """Make a synthetic data set, get the real one, or check what is on disk."""


@command.command("make")
@click.argument("benchmark")
@click.option(
    "--count", type=click.IntRange(min=1), default=120, show_default=True, metavar="N", help="Images of each split."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same bytes.")
@click.option(
    "--out", "--output", "out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder to write."
)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Processes (default: one a core).")
@click.option("--sets", type=int, metavar="N", help="D3: sets of N images (3 to 16) instead of pairs.")
@click.option("--style", metavar="NAME", help="Grounding: layouts (default) or seed-compat, the seed's own screens.")
@click.option(
    "--absent",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Grounding: share of screenshots that also ask for one thing that is not there.",
)
@click.option("--screen", metavar="WxH", help="Grounding: one size for all screenshots, such as 1920x1080.")
def make(benchmark: str, count: int, seed: int, out: Path, workers: int | None, **given: Any) -> int:
    """Write a SYNTHETIC set of BENCHMARK in the real format.

    \b
    snellen data make salbench --count 120 --seed 1 --out data/salbench-synthetic
    """
    from snellen import exams as benchmarks
    from snellen.cli.progress import show_count

    exam = benchmarks.load(benchmark)
    styled = {k: v for k, v in given.items() if v is not None}
    for name in styled:
        sets = name == "sets"
        if not isinstance(exam, Styled) or sets != (exam.name == "d3"):
            raise SnellenError(f"--{name} is for {'d3' if sets else 'grounding'}, not for {exam.name}")
    with show_count(f"making {exam.name}") as progress:
        if styled and isinstance(exam, Styled):
            files = exam.make_styled(out, count=count, seed=seed, workers=workers, progress=progress, **_styled(styled))
        else:
            files = exam.make(out, count=count, seed=seed, workers=workers, progress=progress)
    click.echo(f"{len(files)} files of synthetic {exam.name} in {out} (count {count}, seed {seed})")
    return 0


def _styled(given: dict[str, Any]) -> dict[str, Any]:
    if "screen" in given:
        found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", given["screen"])
        if found is None:
            raise SnellenError(f"--screen {given['screen']}: expected WIDTHxHEIGHT, such as 1920x1080")
        given["screen"] = (int(found[1]), int(found[2]))
    return given


@command.command("get")
@click.argument("benchmark")
@click.option(
    "--set", "name", metavar="NAME", help="Which of several sets: grounding has screenspot, screenspot-v2, ..."
)
@click.option(
    "--revision",
    metavar="COMMIT",
    help="Commit, tag or branch (default: the pinned commit, else main, which is then pinned).",
)
@click.option(
    "--out",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder to write (default: where 'run' looks).",
)
def get(benchmark: str, name: str | None, revision: str | None, out: Path | None) -> int:
    """Download the real data of BENCHMARK from its hub, pinned to a commit (extra 'hub').

    The commit and every file's SHA-256 are written to snellen-data.json in the folder; a later 'get' fetches that
    commit again and checks the files. HF_TOKEN is used where the hub wants a login; HF_ENDPOINT moves the hub.
    """
    from snellen import exams as benchmarks
    from snellen.data.hub import download

    exam = benchmarks.load(benchmark)
    if name is not None and not isinstance(exam, ManySets):
        raise SnellenError(f"--set {name}: {exam.name} has one data set")
    repo, patterns = exam.hub_of(name) if name is not None and isinstance(exam, ManySets) else exam.hub()
    folder = out or options.default_data_folder(benchmark if name is None else f"{benchmark}-{name}")
    lock = download(repo, patterns, folder, revision)
    if name is not None and isinstance(exam, ManySets):
        unpacked = exam.unpack(name, folder)
        if unpacked:
            click.echo(f"{len(unpacked)} files unpacked")
    click.echo(f"{len(lock['files'])} files of {repo} at commit {lock['commit']} in {folder}")
    return 0


@command.command("check")
@click.argument("benchmark")
@click.option("--data", "--dataset", "data", metavar="DIR", help="Folder of the data set.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def check(benchmark: str, data: str | None, as_json: bool) -> int:
    """List every problem of a data set on disk, with file and row. Exit code 2 where there are any."""
    from snellen import exams as benchmarks
    from snellen.core.text import for_terminal
    from snellen.data.hub import check_lock

    exam = benchmarks.load(benchmark)
    folder = options.data_folder(benchmark, data)
    problems = [*check_lock(folder), *exam.check(folder)]
    fatal = sum(p.fatal for p in problems)
    if as_json:
        options.print_json({"data": str(folder), "problems": [p._asdict() for p in problems]})
    else:
        for problem in problems:
            click.echo(f"{'' if problem.fatal else 'note: '}{for_terminal(str(problem))}")
        click.echo(f"{folder}: {fatal} problems, {len(problems) - fatal} notes")
    return 2 if fatal else 0
