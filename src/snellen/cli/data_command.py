"""`snellen data`: start your own data set, make a synthetic one, get the real one, check and show what is on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen import exams
from snellen.cli import options
from snellen.cli.exam_flags import ExamCommand
from snellen.cli.flags import exam_argument, flags
from snellen.cli.progress import show_count
from snellen.core.errors import SnellenError, unknown
from snellen.core.extras import DataTemplates, hub_data_of, maker_of
from snellen.core.options import Selection
from snellen.core.text import for_terminal
from snellen.data.hub import check_lock, download
from snellen.present.model.formatting import counted
from snellen.present.page.data_page import write_data_page


@click.group("data")
def command() -> None:
    """Begin a data set of your own, make a synthetic one, get the real one, or check and show what is on disk."""


@command.command("init")
@click.argument("kind")
@flags("data_init")
def init(kind: str, out: Path) -> int:
    """Write a template for questions of your own: a commented file with two rows and their pictures, which runs as it is.

    \b
    snellen data init choice --out mine
    snellen run mine --model baseline/chance
    """
    every = (exams.load(name).extra(DataTemplates) for name in exams.names())
    kinds = {name: write for templates in every if templates is not None for name, write in templates.kinds.items()}
    if kind not in kinds:
        raise unknown("kind of data", kind, sorted(kinds))
    try:
        written, model = kinds[kind](out)
    except OSError as error:
        raise SnellenError(f"--out {out}: cannot be written ({error.strerror})") from None
    click.echo(f"{written} has two rows to replace with your own; it runs as it is:")
    click.echo(f"  snellen data check {out}\n  snellen run {out} --model {model}")
    return 0


@command.command("make", cls=ExamCommand, makes=True)
@exam_argument
@flags("data_make")
def make(exam: str, own: dict[str, Any], count: int, seed: int, out: Path, workers: int | None) -> int:
    """Write a SYNTHETIC set of EXAM in the real format.

    \b
    snellen data make salbench --count 120 --seed 1 --out data/salbench-synthetic
    """
    found = exams.load(exam)
    with show_count(f"making {found.name}") as progress:
        files = maker_of(found).make(out, count=count, seed=seed, workers=workers, progress=progress, **own)
    click.echo(f"{len(files)} files of synthetic {found.name} in {out} (count {count}, seed {seed})")
    return 0


@command.command("get")
@exam_argument
@flags("data_get")
def get(exam: str, name: str | None, revision: str | None, out: Path | None) -> int:
    """Download the real data of EXAM from its hub, pinned to a commit (extra 'hub').

    The commit and every file's SHA-256 are written to snellen-data.json in the folder; a later 'get' fetches that
    commit again and checks the files. HF_TOKEN is used where the hub wants a login; HF_ENDPOINT moves the hub.
    """
    found = exams.load(exam)
    published = hub_data_of(found)
    if name is not None and not published.names:
        raise SnellenError(f"--set {name}: {found.name} has one data set")
    if name is not None and name not in published.names:
        raise unknown("data set", name, published.names, of=found.name)
    source = published.find(name)
    folder = out or options.default_data_folder(exam if name is None else f"{exam}-{name}")
    again = f"snellen data get {exam}" + (f" --set {name}" if name else "") + (f" --out {out}" if out else "")
    lock, unpacked = download(
        source.repo, source.patterns, folder, revision, lambda where: published.unpack(name, where), again
    )
    if unpacked:
        click.echo(f"{len(unpacked)} files unpacked")
    click.echo(f"{len(lock.files)} files of {source.repo} at commit {lock.commit} in {folder}")
    return 0


@command.command("check")
@click.argument("exam")
@flags("data_check")
def check(
    exam: str, data: str | None, images: str | None, columns: tuple[str, ...], box_format: str | None, as_json: bool
) -> int:
    """List every problem of a data set on disk, with file and row. Exit code 2 where there are any.

    \b
    snellen data check salbench --data DIR
    snellen data check my_questions.csv
    """
    name, where = exams.resolve(exam)
    found = exams.load(name)
    folder = options.data_of(name, where, data)
    problems = [
        *check_lock(folder),
        *found.check(folder, **options.data_options_of(found, images, columns, box_format)),
    ]
    fatal = sum(p.fatal for p in problems)
    if as_json:
        options.print_json({"data": str(folder), "problems": [p._asdict() for p in problems]})
    else:
        for problem in problems:
            click.echo(f"{'' if problem.fatal else 'note: '}{for_terminal(str(problem))}")
        click.echo(f"{folder}: {fatal} problems, {len(problems) - fatal} notes")
        if where is not None and not fatal:
            named = "".join(f" --columns {for_terminal(text)}" for text in columns)
            click.echo(f"Next: 'snellen run {where}{named} --model SPEC' asks a model ('snellen list subjects').")
    return 2 if fatal else 0


@command.command("show")
@exam_argument
@flags("data_show")
def show(
    exam: str,
    data: str | None,
    limit: int,
    seed: int,
    images: str | None,
    columns: tuple[str, ...],
    box_format: str | None,
    out: Path,
) -> int:
    """Write a page of samples, to look at before any run: pictures, question and truth.

    \b
    snellen data show d3 --data data/d3-synthetic --out pairs.html
    """
    name, path = options.resolve(exam, data)
    own = options.data_options_of(exams.load(name), images, columns, box_format)
    shown = write_data_page(name, path, out, Selection(limit=limit, seed=seed, own=own))
    click.echo(f"{counted(shown, 'sample')} of {name} in {out}")
    return 0
