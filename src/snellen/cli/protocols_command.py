"""`snellen protocols`: what protocols ask and how they judge, side by side; and where they part ways on runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snellen.cli import options
from snellen.cli.completing import exam_names
from snellen.cli.flags import flags
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import probes_of
from snellen.core.options import Selection
from snellen.core.text import for_terminal
from snellen.core.types import Sample

if TYPE_CHECKING:
    from snellen.core.results import Score
    from snellen.engine.mark.flips import ProtocolComparison, ProtocolFlip, ProtocolSide
    from snellen.engine.runs.run import Run
    from snellen.present.model.protocol_table import ProtocolRow, ProtocolTable

SHOWN = 20
LONGEST = 120
BRIEF = 60
"""Longer cells are shown only where everything is: lists of options."""
ROWS = 15
"""The most rows where not everything is shown."""
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
    every: bool,
    verbose: bool,
    markdown: bool,
    as_json: bool,
) -> int:
    """Compare the protocols of EXAM: prompts, options, rules. With --run (EXAM is then the run's): where they disagree. Calls nothing.

    A sample is flipped if one protocol calls it correct and another does not; the stage (prompt, reading, marking) is where the two
    first differ.

    \b
    snellen protocols illusionbench --protocol original,lmms-strict
    snellen protocols illusionbench --split ICON --task shape --markdown
    snellen protocols --run runs/salbench_...
    snellen protocols mine --plugin mine.py --data DIR
    """
    from snellen import exams
    from snellen.engine.plan.plan import choose

    if runs and exam and (Path(exam) / "run.json").is_file():  # --run R1 R2, and no exam named
        exam, more = "", (Path(exam), *more)
    exam = exam or _exam_of(runs)
    exam, where = exams.resolve(exam)
    data = data if where is None else str(options.data_of(exam, where, data))
    found = exams.load(exam)
    targets = choose(found, names)
    if markdown and as_json:
        raise SnellenError("--markdown and --json: choose one")
    if more and not runs:
        raise SnellenError(f"'{more[0]}' is not understood: name run folders after --run")
    if runs:
        if splits or tasks:
            raise SnellenError(
                "--split and --task choose what the table of prompts and rules shows; leave them out with --run"
            )
        _show_runs(exam, (*runs, *more), tuple(t.name for t in targets) if names else (), every, markdown, as_json)
        return 0
    from snellen.present.model.protocol_table import build

    for target in targets:
        if target.arm.control:
            raise SnellenError(
                f"{target.name}: a control changes questions, not rules; leave out '+{target.arm.control}'"
            )
    table = build(found, targets, splits, tasks, _samples(found, data))
    if as_json:
        options.print_json(table_json(table))
    elif markdown:
        click.echo(table_markdown(table))
    else:
        _print_table(table, verbose)
    return 0


def _exam_of(runs: Sequence[Path]) -> str:
    """The exam that a run is of, where none is named."""
    if not runs:
        raise SnellenError("name an exam ('snellen list exams' has them), or a run with --run RUN")
    from snellen.engine.runs.run import open_run

    return open_run(runs[0]).manifest.exam


def _samples(exam: Exam, data: str | None) -> Sequence[Sample]:
    """What prompts are shown with: the exam's probes, or the first sample of each part of a data set."""
    if data is None:
        if not probes_of(exam):
            raise SnellenError(f"{exam.name} has no example samples to show its prompts with: give --data DIR")
        return probes_of(exam)
    found: dict[tuple[str | None, str | None], Sample] = {}
    for sample in exam.open(Path(data), Selection()).light():
        found.setdefault((sample.tags.get("split"), sample.tags.get("task")), sample)
    return list(found.values())


# ---------------------------------------------------------------- the table of prompts and rules


def table_json(table: ProtocolTable) -> dict[str, Any]:
    """Return the comparison as plain values."""

    def row(r: ProtocolRow) -> dict[str, Any]:
        return {"row": r.name, "same": r.same, "values": dict(zip(table.columns, r.values, strict=True))}

    sections = [
        {
            "split": s.split,
            "task": s.task,
            "prompts": dict(zip(table.columns, s.prompts, strict=True)),
            "diffs": {name: text for names, text in s.diffs[1:] for name in names},
            "rows": [row(r) for r in s.rows],
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
    """Print prompts and rows; without `verbose` only what differs in the first part."""
    from rich.text import Text

    from snellen.present.terminal.tables import console, print_table

    out = console()
    for s in table.sections if verbose else table.sections[:1]:
        where = f"{s.split} · {s.task}"
        if verbose or len(s.diffs) == 2:
            for names, text in s.diffs:
                out.print(Text(f"{where}, {names}:", style="cyan"), soft_wrap=True)
                out.print(Text(for_terminal(text)))
        rows = [r for r in s.rows if verbose or not r.same or len(table.columns) == 1]
        long = [r.name for r in rows if not verbose and max(map(len, r.values)) > BRIEF]
        long += ["wording"] if len(s.diffs) > 2 and not verbose else []
        brief = [(r.name, *r.values) for r in rows if r.name not in long]
        if brief:
            title = where if verbose else f"{where}: where protocols differ"
            print_table(title, ("", *table.columns), brief if verbose else brief[:ROWS])
        elif not rows and len(s.diffs) == 1:
            click.echo(f"{where}: these protocols ask alike, and judge all replies that were tried alike.")
        if len(brief) > ROWS and not verbose:
            click.echo(f"and {len(brief) - ROWS} more replies")
        if long:
            click.echo(f"They also differ in: {', '.join(long)}.")
    if not verbose:
        click.echo("-v shows every part, what is alike, and all replies that were tried; --split names other splits.")


# ---------------------------------------------------------------- runs


def _show_runs(
    exam: str, paths: Sequence[Path], names: tuple[str, ...], every: bool, markdown: bool, as_json: bool
) -> None:
    from snellen.engine.mark.flips import compare
    from snellen.engine.runs.run import open_run

    runs = [open_run(path) for path in dict.fromkeys(paths)]
    for run in runs:
        if run.manifest.exam != exam:
            raise SnellenError(f"{run.path} is a run of {run.manifest.exam}, not of {exam}")
    if as_json:
        options.print_json({"exam": exam, "runs": [run_json(run, compare(run, names), names) for run in runs]})
        return
    from rich.text import Text

    from snellen.present.model import formatting
    from snellen.present.terminal.tables import console, print_table

    out = console()
    for run in runs:
        compared = compare(run, names)
        title = f"{run.path.name}: {run.manifest.subject.spec}"
        if markdown:
            click.echo(f"# {_inert(title)}\n")
        else:
            out.print(Text(for_terminal(title), style="bold"), soft_wrap=True)
        for name, heads, rows in _run_tables(run, compared, names, every):
            if markdown:
                click.echo(markdown_table(name, heads, rows) + "\n")
            else:
                print_table(name, *_with_room(out.width, heads, rows))
        more = 0 if every else max(0, len(compared.flips) - SHOWN)
        notes = [f"and {more} more flips; --all shows them"] if more else []
        notes += [formatting.SYNTHETIC] if run.summary.synthetic else []
        notes += [] if compared.agreements else ["one protocol only: nothing to compare"]
        for note in notes:
            click.echo(note)


def _with_room(width: int, heads: Sequence[str], rows: Rows) -> tuple[Sequence[str], Rows]:
    """On a narrow screen without who was correct alone, so that names of protocols are not broken."""
    from snellen.present.terminal.tables import NARROW

    kept = [at for at, head in enumerate(heads) if width >= NARROW or not head.startswith("only ")]
    return [heads[at] for at in kept], [[row[at] for at in kept] for row in rows]


def _run_tables(
    run: Run, compared: ProtocolComparison, names: Sequence[str], every: bool
) -> Iterator[tuple[str, Sequence[str], Sequence[Sequence[str]]]]:
    """Scores, agreement with stages, and flips: title, heads and rows."""
    from snellen.comparison.thresholds import thresholds_of
    from snellen.engine.mark.flips import STAGES
    from snellen.present.model import formatting

    scores = [
        (row["part"], str(row["n"]), row["protocol"], row["prompt"], row["label"], formatting.value(score), formatting.interval(score))
        for row, score in _scored(run, names)
    ]  # fmt: skip
    drawn = thresholds_of(run.manifest) is not None
    what = "threshold" if drawn else "percent"
    heads: tuple[str, ...] = ("part", "n", "protocol", "prompt", "headline", what, "95 % interval")
    yield "scores", heads, scores
    if not compared.agreements:
        return
    stages = compared.stages
    pairs = []
    for pair, a in compared.agreements.items():
        counts = stages.get(pair, {})
        kappa = "undefined" if a.kappa is None else f"{a.kappa:.3f}"
        flipped = (str(counts.get(stage, 0)) for stage in STAGES)
        pairs.append((*pair, str(a.n), formatting.percent(a.share), kappa, str(a.first), str(a.second), *flipped))
    heads = ("first", "second", "n", "agree, percent", "kappa", "only first correct", "only second correct")
    yield "agreement, and flips by stage", (*heads, *STAGES), pairs
    if compared.flips:
        shown = compared.flips if every else islice(compared.flips, SHOWN)
        rows = [(f.id, f.stage, _side(f.first), _side(f.second)) for f in shown]
        yield f"flipped samples ({compared.samples})", ("sample", "stage", "first", "second"), rows


def _side(side: ProtocolSide) -> str:
    reply = "no reply" if side.reply is None else for_terminal(" ".join(side.reply.split()), LONGEST)
    reading = for_terminal(" ".join(str(side.reading).split()), LONGEST)
    return f"{side.protocol}: {side.outcome}\nreply: {reply}\nread: {reading}"


def score_rows(run: Run, names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Each protocol's headline on each whole part of the exam."""
    return [row for row, _score in _scored(run, names)]


def _scored(run: Run, names: Sequence[str]) -> list[tuple[dict[str, Any], Score]]:
    """The same, each with its score."""
    from snellen.present.model import formatting

    rows = []
    for p in run.protocols:
        for g in p.groups if p.protocol in (names or [p.protocol]) else ():
            metric = g.metrics.get(p.headline)
            if g.whole and metric is not None:
                row = {"part": formatting.part_name(g.by), "n": g.n, "protocol": p.protocol, "prompt": p.prompt}
                row |= {
                    "metric": p.headline,
                    "label": formatting.metric_name(p, p.headline),
                    "value": metric.value,
                    "low": metric.low,
                    "high": metric.high,
                }
                rows.append((row, metric))
    order = {part: i for i, part in enumerate(dict.fromkeys(row["part"] for row, _score in rows))}
    return sorted(rows, key=lambda one: order[one[0]["part"]])


def run_json(run: Run, compared: ProtocolComparison, names: Sequence[str] = ()) -> dict[str, Any]:
    """Scores, agreement and every flip of a run as plain values."""
    from snellen.engine.mark.flips import STAGES

    stages = compared.stages
    pairs = [
        {"first": pair[0], "second": pair[1], "n": a.n, "agreement": a.share, "kappa": a.kappa, "counts": a._asdict(),
         "flips": stages.get(pair, dict.fromkeys(STAGES, 0))}
        for pair, a in compared.agreements.items()
    ]  # fmt: skip
    return {
        "run": str(run.path),
        "subject": run.manifest.subject.spec,
        "synthetic": run.summary.synthetic,
        "scores": score_rows(run, names),
        "pairs": pairs,
        "flips": [_flip_json(f) for f in compared.flips],
    }


def _flip_json(flip: ProtocolFlip) -> dict[str, Any]:
    return {"id": flip.id, "stage": flip.stage, "first": flip.first._asdict(), "second": flip.second._asdict()}


# ---------------------------------------------------------------- printing


def markdown_table(title: str, heads: Sequence[str], rows: Rows) -> str:
    """A GitHub Markdown table under a heading; no cell can break it or be more than text."""
    lines = [[_inert(h) for h in heads], ["---"] * len(heads), *([_inert(c) for c in row] for row in rows)]
    return f"## {_inert(title)}\n\n" + "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _inert(text: str) -> str:
    """Text that Markdown shows as it is: no markup, HTML, links or mentions, on one line."""
    shown = for_terminal(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = re.sub(r"[\\`*\[\]~|]|(?<!\w)_|_(?!\w)", lambda m: f"\\{m.group()}", shown)
    shown = shown.replace("://", "&#58;//").replace("www.", "www&#46;").replace("@", "&#64;")
    return re.sub(r"\s*\n\s*", "<br>", shown.strip()).replace("\t", " ")
