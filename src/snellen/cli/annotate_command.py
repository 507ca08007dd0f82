"""`snellen annotate`: people draw boxes and answer questions in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snellen.cli.flags import flags, need_server, open_in_browser, show_page
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.text import for_terminal

if TYPE_CHECKING:
    from snellen.annotate.agreement import AnnotatorAgreement
    from snellen.annotate.app import Pages
    from snellen.present.viewer.guard import Keys


@click.command("annotate")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@flags("annotate")
@open_in_browser
def command(folder: Path, name: str | None, agreement: bool, export_it: bool, as_json: bool, **given: Any) -> int:
    """Draw boxes on the pictures in DIR and write instructions, or answer questions about them, in a browser. Ctrl-C ends it.

    Every change is saved in DIR at once, in a file for each person: annotations.NAME.jsonl, answers.NAME.jsonl. The same command goes
    on where it ended. Only this machine can reach the page, and only with the link that is printed. Needs the extra 'view'.

    \b
    snellen annotate shots --as ann
    snellen annotate shots --as bob --questions shots/questions.csv
    snellen annotate shots --agreement
    """
    if as_json and not agreement:
        raise SnellenError("--json has no effect without --agreement")
    if agreement:
        return _agreement(folder, as_json)
    if name is None:
        raise SnellenError("who annotates? --as NAME says it, and becomes part of the file's name")
    if export_it:
        return _export(folder, name)
    return _annotate(folder, name, given)


def _annotate(folder: Path, name: str, given: dict[str, Any]) -> int:
    questions, exam, correct = given["questions"], given["exam"], given["correct"]
    if questions is not None and exam is not None:
        raise SnellenError("--questions and --exam: choose one of them")
    for option in ("splits", "tasks", "limit"):
        if given[option] and exam is None:
            raise SnellenError(f"--{option.removesuffix('s')} has no effect without --exam")
    if correct and exam is not None:
        raise SnellenError("--correct has no effect with --exam: what is right is not shown there")
    need_server("annotating")
    from snellen.annotate import serving

    if questions is None and exam is None:
        pages: Pages = serving.boxes(folder, name, correct)
    else:
        selection = Selection(given["splits"], given["tasks"], given["limit"])
        pages = serving.answers(folder, name, questions, exam or "", selection, correct)

    def opened(keys: Keys) -> None:
        click.echo(
            f"Annotating {for_terminal(str(folder))} as {name}. Open this link (it is only for you):\n  {keys.link()}\nCtrl-C ends it."
        )
        show_page(keys, given["open_it"])

    serving.serve(pages, given["port"], opened)
    click.echo(f"Stopped. {pages.files.written()}")
    return 0


def _export(folder: Path, name: str) -> int:
    from snellen.annotate.annotator_files import BOXES, load
    from snellen.annotate.exporting import document, write
    from snellen.annotate.pictures import find
    from snellen.annotate.rows import checked_name

    rows = load(folder, BOXES, checked_name(name))
    if not rows:
        raise SnellenError(f"{folder} has no boxes of '{name}'; 'snellen annotate {folder} --as {name}' draws some")
    content = document(folder.resolve().name, name, find(folder).shots, rows)
    count = sum(len(sample["elements"]) for sample in content["samples"])
    path = write(folder, content)
    left = len(rows) - count
    also = f"; {left} left out: no instruction, or the picture is gone" if left else ""
    click.echo(f"{for_terminal(str(path))}: {count} boxes on {len(content['samples'])} pictures{also}")
    click.echo(f"next: snellen run grounding --data {for_terminal(str(folder))} --model MODEL")
    return 0


def _agreement(folder: Path, as_json: bool) -> int:
    from snellen.annotate.annotator_files import agreements

    found = agreements(folder)
    if not found:
        raise SnellenError(
            f"{folder}: no files of two people yet; 'snellen annotate {folder} --as NAME' with two names makes them"
        )
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(found).decode())
        return 0
    for one in found:
        _show(one)
    click.echo("In brackets: 95 % intervals. Boxes of one picture stand or fall together.")
    boxes = any(one.about == "boxes" for one in found)
    then = f"annotate {folder} --as NAME --export" if boxes else f"run EXAM --model human/{folder}/answers.NAME.jsonl"
    click.echo(f"next: snellen {for_terminal(then)}")
    return 0


def _show(one: AnnotatorAgreement) -> None:
    click.echo(f"{one.about} of {one.first} and {one.second}\n  {one.counts}")
    for figure in one.figures:
        value = "–" if figure.value is None else f"{figure.value:.3f}"
        ends = "" if figure.low is None or figure.high is None else f"[{figure.low:.3f}, {figure.high:.3f}]"
        click.echo(f"  {figure.label:<31}{value:>6}  {ends:<16}  n = {figure.n} {figure.of}")
    click.echo("")
