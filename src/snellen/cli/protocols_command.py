"""`snellen protocols`: the prompts and rules of protocols, side by side, and their disagreements on runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from snellen import exams
from snellen.cli import options
from snellen.cli.flags import exam_names, flags
from snellen.cli.progress import show_count
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import probes_of, truths_of
from snellen.core.figures import between, number
from snellen.core.options import Selection
from snellen.core.text import for_terminal, one_line
from snellen.core.types import Sample
from snellen.engine.mark.audit import audit
from snellen.engine.mark.flips import STAGES, ProtocolComparison, ProtocolFlip, ProtocolSide, compare, prompts_of
from snellen.engine.mark.text_only import training
from snellen.engine.plan.plan import ProtocolRun, choose
from snellen.engine.runs.run import Run, open_run
from snellen.engine.runs.tidy import ScoreRow
from snellen.present.files.markdown import escaped, pipe_table
from snellen.present.model import formatting
from snellen.present.model.checks import check_marks
from snellen.present.model.formatting import SYNTHETIC
from snellen.present.model.protocol_table import ProtocolTable, build
from snellen.present.terminal.audit import print_audit
from snellen.present.terminal.tables import print_table, say

SHOWN = 20
LONGEST = 120
_BRIEF = 60
"""Longer cells (lists of options) are shown only in the full output."""
NARROW = 100
"""On narrower screens, columns of one side only are left out."""
ROWS = 15
"""The most rows, except in the full output."""
Rows = Sequence[Sequence[str]]


@click.command("protocols")
@click.argument("exam", required=False, default="", shell_complete=exam_names)
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="")
@flags("protocols")
def command(
    exam: str,
    more: tuple[Path, ...],
    names: tuple[str, ...],
    splits: tuple[str, ...],
    tasks: tuple[str, ...],
    runs: tuple[Path, ...],
    data: str | None,
    blind: bool,
    every: bool,
    verbose: bool,
    markdown: bool,
    as_json: bool,
) -> int:
    """Compare the protocols of EXAM: prompts, options, rules. With --run (EXAM is then the run's): where they disagree. Calls nothing.

    A sample is flipped if one protocol calls it correct and another does not; the stage (prompt, reading, marking) is where the two
    first differ. With --blind, protocols that can be won without looking (90% and more) are named.

    \b
    snellen protocols illusionbench --protocol original,lmms-strict
    snellen protocols illusionbench --split ICON --task shape --markdown
    snellen protocols --run runs/salbench_...
    snellen protocols vqax --data data/vqax-synthetic --blind
    snellen protocols mine --plugin mine.py --data DIR
    """
    if markdown and as_json:
        raise SnellenError("--markdown and --json: choose one")
    if runs and exam and (Path(exam) / "run.json").is_file():  # --run R1 R2, without a named exam
        exam, more = "", (Path(exam), *more)
    if more and not runs:
        raise SnellenError(f"'{more[0]}' is not understood: name run folders after --run")
    if not exam and not runs:
        raise SnellenError("name an exam ('snellen list exams' has them), or a run with --run RUN")
    exam, where = exams.resolve(exam or open_run(runs[0]).manifest.exam)
    found = exams.load(exam)
    targets = choose(found, names)
    if blind and (runs or splits or tasks or markdown):
        raise SnellenError("--blind is about a whole exam: leave out --run, --split, --task and --markdown")
    if runs:
        if splits or tasks:
            raise SnellenError(
                "--split and --task choose what the table of prompts and rules shows; leave them out with --run"
            )
        _show_runs(exam, (*runs, *more), tuple(t.name for t in targets) if names else (), every, markdown, as_json)
        return 0
    _refuse_controls(targets)
    data = data if where is None else str(options.data_of(exam, where, data))
    if blind:
        _show_blind(found, targets, Path(data) if data else None, as_json)
        return 0
    table = build(found, targets, splits, tasks, _samples(found, data))
    if as_json:
        options.print_json(table_json(table))
    elif markdown:
        click.echo(table_markdown(table))
    else:
        _print_table(table, verbose)
    return 0


def _refuse_controls(targets: Sequence[ProtocolRun]) -> None:
    for target in targets:
        if target.arm.control:
            raise SnellenError(
                f"{target.name}: a control changes questions, not rules; leave out '+{target.arm.control}'"
            )


def _samples(exam: Exam, data: str | None) -> Sequence[Sample]:
    """Return the exam's probes, or the first sample of each part of a data set. Prompts are shown with these."""
    if data is not None:
        samples = exam.open(Path(data), Selection()).light()
        parts: dict[tuple[str | None, str | None], Sample] = {}
        for sample in samples:
            parts.setdefault((sample.tags.get("split"), sample.tags.get("task")), sample)
        return list(parts.values())
    if not probes_of(exam):
        raise SnellenError(f"{exam.name} has no example samples to show its prompts with: give --data DIR")
    return probes_of(exam)


# ---------------------------------------------------------------- blind subjects


def _show_blind(exam: Exam, targets: Sequence[ProtocolRun], data: Path | None, as_json: bool) -> None:
    """Show what blind subjects would score. A guess from the texts is learnt from the training split, or by folds."""
    samples = list(exam.open(data, Selection()).light()) if data else list(truths_of(exam))
    trained_on = training(exam, data) if data else []
    with show_count(f"{exam.name}, protocols") as counting:
        rows = audit(exam, samples, targets, real=data is not None, trained_on=trained_on, progress=counting)
    if as_json:
        options.print_json(rows)
    else:
        print_audit(exam, rows, real=data is not None)


# ---------------------------------------------------------------- the table of prompts and rules


def table_json(table: ProtocolTable) -> dict[str, Any]:
    """Return the comparison as plain values."""

    def by_protocol(values: Sequence[str]) -> dict[str, str]:
        return dict(zip(table.columns, values, strict=True))

    sections = [
        {
            "split": s.split,
            "task": s.task,
            "prompts": by_protocol(s.prompts),
            "diffs": {name: text for names, text in s.diffs[1:] for name in names},
            "rows": [{"row": r.name, "same": r.same, "values": by_protocol(r.values)} for r in s.rows],
        }
        for s in table.sections
    ]
    return {"exam": table.exam, "protocols": table.columns, "sections": sections}


def table_markdown(table: ProtocolTable) -> str:
    """Return the prompts of each part as a diff, and a Markdown table."""
    parts = [f"# Protocols of {_inert(table.exam)}"]
    for s in table.sections:
        for names, text in s.diffs:
            shown = for_terminal(text)
            fence = "`" * (2 + max(map(len, re.findall("`+", shown)), default=1))
            parts.append(f"{_inert(f'{s.split} · {s.task}: {names}')}\n\n{fence}diff\n{shown}\n{fence}")
        rows = [(r.name, *r.values, "yes" if r.same else "no") for r in s.rows]
        parts.append(markdown_table(f"{s.split} · {s.task}", ("", *table.columns, "same"), rows))
    return "\n\n".join(parts)


def _print_table(table: ProtocolTable, verbose: bool) -> None:
    """Print prompts and rows. Without `verbose`, print only the differences in the first part."""
    for s in table.sections if verbose else table.sections[:1]:
        where = f"{s.split} · {s.task}"
        if verbose or len(s.diffs) == 2:
            for names, text in s.diffs:
                say(f"{where}, {names}:", "cyan", soft_wrap=True)
                say(text)
        rows = [r for r in s.rows if verbose or not r.same or len(table.columns) == 1]
        long = [r.name for r in rows if not verbose and max(map(len, r.values)) > _BRIEF]
        brief = [(r.name, *r.values) for r in rows if r.name not in long]
        if brief:
            title = where if verbose else f"{where}: where protocols differ"
            print_table(title, ("", *table.columns), brief if verbose else brief[:ROWS])
        elif not rows and len(s.diffs) == 1:
            click.echo(f"{where}: these protocols ask alike, and judge all replies that were tried alike.")
        if verbose:
            continue
        if len(brief) > ROWS:
            click.echo(f"and {len(brief) - ROWS} more replies")
        long += ["wording"] if len(s.diffs) > 2 else []
        if long:
            click.echo(f"They also differ in: {', '.join(long)}.")
    if not verbose:
        click.echo("-v shows every part, what is alike, and all replies that were tried; --split names other splits.")


# ---------------------------------------------------------------- runs


def _show_runs(
    exam: str, paths: Sequence[Path], names: tuple[str, ...], every: bool, markdown: bool, as_json: bool
) -> None:
    runs = [open_run(path) for path in dict.fromkeys(paths)]
    for run in runs:
        if run.manifest.exam != exam:
            raise SnellenError(f"{run.path} is a run of {run.manifest.exam}, not of {exam}")
        prompts_of(run, names)  # an error if the run is not marked, or not by these
        check_marks(run)
    if as_json:
        options.print_json({"exam": exam, "runs": [_run_json(run, names) for run in runs]})
        return
    for run in runs:
        title = f"{run.path.name}: {run.manifest.subject.spec}"
        if markdown:
            click.echo(f"# {_inert(title)}\n")
        else:
            say(title, "bold", soft_wrap=True)
        compared = compare(run, names)
        shown = compared.flips if every else compared.flips[:SHOWN]
        for name, rows in _run_tables(run, compared, shown, names).items():
            if markdown and rows:
                click.echo(markdown_table(name, list(rows[0]), [list(row.values()) for row in rows]) + "\n")
            elif rows:
                print_table(name, list(rows[0]), [list(row.values()) for row in rows])
        if len(shown) < len(compared.flips):
            click.echo(f"and {len(compared.flips) - len(shown)} more flips; --all shows them")
        if run.summary.synthetic:
            click.echo(SYNTHETIC)
        if not compared.agreements:
            click.echo("one protocol only: nothing to compare")


def _run_tables(
    run: Run, compared: ProtocolComparison, flips: Sequence[ProtocolFlip], names: Sequence[str]
) -> dict[str, list[dict[str, str]]]:
    """Return the rows of each table by its title: scores, agreement with stages, and flips."""
    scores = [
        {
            "part": row.part,
            "n": str(row.n),
            "protocol": row.protocol,
            "headline": row.label,
            "score": f"{number(row.value, row.unit)} {row.unit}".strip(),
            "95 % interval": between(row.low, row.high, row.unit),
        }
        for row in _headlines(run, names)
    ]
    pairs = [
        {
            "first": pair[0],
            "second": pair[1],
            "n": str(a.n),
            "agree, percent": formatting.percent(a.share),
            "kappa": "undefined" if a.kappa is None else f"{a.kappa:.3f}",
        }
        | {stage: str(n) for stage, n in _stages(compared, pair).items()}
        for pair, a in compared.agreements.items()
    ]
    flipped = [
        {"sample": flip.id, "stage": flip.stage, "first": _side(flip.first), "second": _side(flip.second)}
        for flip in flips
    ]
    return {
        "scores": scores,
        "agreement, and flips by stage": pairs,
        f"flipped samples ({compared.samples})": flipped,
    }


def _stages(compared: ProtocolComparison, pair: tuple[str, str]) -> dict[str, int]:
    return compared.stages.get(pair, dict.fromkeys(STAGES, 0))


def _side(side: ProtocolSide) -> str:
    reply = "no reply" if side.reply is None else one_line(side.reply, LONGEST)
    return f"{side.protocol}: {side.outcome}\nreply: {reply}\nread: {one_line(str(side.reading), LONGEST)}"


def _headlines(run: Run, names: Sequence[str]) -> list[ScoreRow]:
    """Return each protocol's headline on each whole part of the exam, part by part."""
    rows = [row for row in run.score_rows() if row.headline and row.whole and not row.control]
    parts = [row.part for row in rows]
    return sorted((r for r in rows if not names or r.protocol in names), key=lambda row: parts.index(row.part))


def _run_json(run: Run, names: Sequence[str]) -> dict[str, Any]:
    """Return scores, agreement and every flip of a run as plain values."""
    compared = compare(run, names)
    pairs = [
        {
            "first": pair[0],
            "second": pair[1],
            "n": a.n,
            "agreement": a.share,
            "kappa": a.kappa,
            "counts": a._asdict(),
            "flips": _stages(compared, pair),
        }
        for pair, a in compared.agreements.items()
    ]
    flips = [f._asdict() | {"first": f.first._asdict(), "second": f.second._asdict()} for f in compared.flips]
    return {
        "run": str(run.path),
        "subject": run.manifest.subject.spec,
        "synthetic": run.summary.synthetic,
        "scores": _headlines(run, names),
        "pairs": pairs,
        "flips": flips,
    }


# ---------------------------------------------------------------- Markdown


def markdown_table(title: str, heads: Sequence[str], rows: Rows) -> str:
    """Return a GitHub Markdown table under a heading. Cells are escaped: they cannot break the table or be more than text."""
    lines = pipe_table([_inert(head) for head in heads], ([_inert(cell) for cell in row] for row in rows))
    return f"## {_inert(title)}\n\n" + "\n".join(lines)


def _inert(text: str) -> str:
    """Return text that Markdown shows literally, on one line."""
    return "<br>".join(escaped(line) for line in text.splitlines())
