"""`snellen audit`: what subjects that never look would score."""

from __future__ import annotations

from pathlib import Path

import click

from snellen import exams
from snellen.cli import options
from snellen.cli.flags import exam_argument, flags
from snellen.cli.progress import show_count
from snellen.core.extras import truths_of
from snellen.core.options import Selection
from snellen.engine.mark.audit import audit
from snellen.engine.mark.text_only import training
from snellen.engine.plan.plan import choose
from snellen.present.terminal.audit import print_audit


@click.command("audit")
@exam_argument
@flags("audit")
def command(exam: str, protocols: tuple[str, ...], data: str | None, as_json: bool) -> int:
    """Show what subjects that never look at the picture would score under each protocol: chance, a constant answer, answers that the
    prompt forbids (every option at once, a contradiction), and a guess from the question's text.

    Needs no model. Protocols that one of these wins (90 % and more) are named. The guess from the text needs --data: it is learnt from
    the training split, or by folds. --json also has every constant answer.

    \b
    snellen audit illusionbench
    snellen audit vqax --data data/vqax-synthetic
    """
    name, where = exams.resolve(exam)
    data = data if where is None else str(options.data_of(name, where, data))
    found = exams.load(name)
    targets = choose(found, protocols)
    samples = list(found.open(Path(data), Selection()).light()) if data else list(truths_of(found))
    trained_on = training(found, Path(data)) if data else []
    with show_count(f"audit of {found.name}, protocols") as counting:
        rows = audit(found, samples, targets, real=data is not None, trained_on=trained_on, progress=counting)
    if as_json:
        options.print_json(rows)
        return 0
    print_audit(found, rows, real=data is not None)
    return 0
