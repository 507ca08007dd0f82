"""`snellen data`: make a synthetic set, get the real one, check what is on disk."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli import options


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
def make(benchmark: str, count: int, seed: int, out: Path, workers: int | None) -> int:
    """Write a SYNTHETIC set of BENCHMARK in the real format.

    \b
    snellen data make salbench --count 120 --seed 1 --out data/salbench-synthetic
    """
    from snellen import benchmarks
    from snellen.cli.progress import show_count

    exam = benchmarks.load(benchmark)
    with show_count(f"making {exam.name}") as progress:
        files = exam.make(out, count=count, seed=seed, workers=workers, progress=progress)
    click.echo(f"{len(files)} files of synthetic {exam.name} in {out} (count {count}, seed {seed})")
    return 0


@command.command("get")
@click.argument("benchmark")
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
def get(benchmark: str, revision: str | None, out: Path | None) -> int:
    """Download the real data of BENCHMARK from its hub, pinned to a commit (extra 'hub').

    The commit and every file's SHA-256 are written to snellen-data.json in the folder; a later 'get' fetches that
    commit again and checks the files. HF_TOKEN is used where the hub wants a login; HF_ENDPOINT moves the hub.
    """
    from snellen import benchmarks
    from snellen.engine.hub import download

    exam = benchmarks.load(benchmark)
    repo, patterns = exam.hub()
    folder = out or options.default_data_folder(benchmark)
    lock = download(repo, patterns, folder, revision)
    click.echo(f"{len(lock['files'])} files of {repo} at commit {lock['commit']} in {folder}")
    return 0


@command.command("check")
@click.argument("benchmark")
@click.option("--data", "--dataset", "data", metavar="DIR", help="Folder of the data set.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def check(benchmark: str, data: str | None, as_json: bool) -> int:
    """List every problem of a data set on disk, with file and row. Exit code 2 where there are any."""
    from snellen import benchmarks
    from snellen.core.text import for_terminal
    from snellen.engine.hub import check_lock

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
