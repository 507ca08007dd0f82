"""An imported log in the terminal: the tool's figures, what its samples give, our protocols' scores, and where they disagree."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.text import Text

from snellen.core.arm import Arm
from snellen.core.records import Summary
from snellen.core.text import one_line
from snellen.core.types import Outcome
from snellen.engine.runs.folder import marked_as
from snellen.importers.importing import ImportedRun
from snellen.importers.record import FigureEntry, ImportRecord, VerdictAgreement, read_samples
from snellen.present.model import formatting
from snellen.present.terminal.tables import say, say_next, say_notes, show_rows

MOST_FIGURES, EXAMPLES = 8, 3
WORDINGS = {
    "same": "asked as our prompt '{}' words it",
    "other": "worded otherwise than our prompts; kept as answers to '{}'",
    "unknown": "the log does not say how it asked; kept as answers to '{}'",
}


def print_imported(done: ImportedRun, *, verbose: bool = False) -> None:
    """Print one screen. `verbose` shows every figure of the log."""
    record, manifest = done.record, done.run.manifest
    marks = " · SYNTHETIC" if manifest.data.synthetic else ""
    title = f"{formatting.title(manifest)}{marks}"
    say(title, "bold")
    for line in _facts(record):
        say(line)
    if done.again:
        say("Imported before: the answers are as they were, and were marked again.", "dim")
    say_notes(record.notes)
    _print_figures(record, verbose)
    _print_against(record, done.against)
    _print_missing(done.run.summary)
    _print_examples(done)
    say_next(_next(done))


def _facts(record: ImportRecord) -> list[str]:
    some = len(record.matched) > 1 or record.left_out
    ways = ", ".join(f"{n} by {way}" if some else f"by {way}" for way, n in record.matched.items())
    truth = "truths from the log" if record.truth == "log" else "truths from the data set"
    made = ", ".join(filter(None, [f"{record.tool} {record.version or ''}".strip(), record.made]))
    return [
        f"{made}: {formatting.counted(record.rows, 'row')}, matched {ways}; {truth}.",
        f"Questions: {WORDINGS[record.wording].format(record.prompt)}.",
    ]


def _print_figures(record: ImportRecord, verbose: bool) -> None:
    """Print the log's own figures to the last digit, reproducible ones first."""
    if not record.figures:
        say("\nThe log has no scores of its own.")
        return
    known = [f for f in record.figures if f.computed is not None]
    picked = record.figures if verbose else (known or record.figures)[:MOST_FIGURES]
    say("")
    rows = [
        (
            f"{figure.part} {figure.name}".strip(),
            str(figure.n or ""),
            "" if figure.logged is None else repr(figure.logged),
            _computed(figure),
        )
        for figure in picked
    ]
    show_rows(f"{record.tool} says", "n", "as logged", "from its samples", rows=rows)
    if len(picked) < len(record.figures):
        say(f"and {len(record.figures) - len(picked)} more figures (-v shows them)", "dim")
    wrong = sum(figure.agrees is False for figure in record.figures)
    if wrong:
        are = "is" if wrong == 1 else "are"
        say(
            f"DIFFERS: {formatting.counted(wrong, 'figure')} of the log {are} not what its samples give.",
            "bold red",
        )


def _computed(figure: FigureEntry) -> Text:
    if figure.agrees:
        return Text("equal", style="green")
    if figure.computed is None:
        return Text("not made again: a rule of its own", style="dim")
    return Text(repr(figure.computed), style="bold red" if figure.agrees is False else "")


def _print_against(record: ImportRecord, rows: Sequence[VerdictAgreement]) -> None:
    """Print our protocols' scores of the samples, beside the log's verdicts if it has some."""
    say("")
    decided = any(row.undecided < row.n for row in rows)
    columns = ["part", "ours", "n", "right", "headline"]
    columns += ["same verdict", "theirs only", "ours only"] if decided else []
    lines = []
    for row in rows:
        right, score = "no answer", "–"
        if row.score is not None:
            right = f"{formatting.percent(row.right / row.n)} ({row.right})" if row.n else right
            score = f"{formatting.number(row.score)} {row.label}"
        name = row.protocol.removesuffix(f"@{record.prompt}")
        verdicts = (row.same, len(row.only_theirs), len(row.only_ours)) if decided else ()
        texts = (row.part or "all", name, str(row.n), right, score)
        lines.append((*texts, *map(str, verdicts)))
    show_rows(*columns, kept=("ours", "right", "headline"), rows=lines)
    undecided = max((row.undecided for row in rows), default=0)
    if decided and undecided:
        say(f"{undecided} samples have a score between right and wrong, or none: they are in no verdict.", "dim")


def _print_missing(summary: Summary) -> None:
    """Print which samples the log does not answer, and why."""
    for line in formatting.silence(summary)[:MOST_FIGURES] if summary.lost else ():
        say(line, "bold red")
    if summary.failed:
        say(formatting.incomplete(summary), "bold red")
    for reason, n in list(summary.failures.items())[:EXAMPLES]:
        say(f"  {n} x {reason}", "red")


def _print_examples(done: ImportedRun) -> None:
    """Print some samples on which the tool and one of our protocols disagree, under the protocol with the most of them."""
    rows = [row for row in done.against if row.only_theirs or row.only_ours]
    if not rows:
        return
    tool = done.record.tool
    row = max(rows, key=lambda r: len(r.only_theirs) + len(r.only_ours))
    ids = (*row.only_ours[:EXAMPLES], *row.only_theirs[:EXAMPLES])[:EXAMPLES]
    unread = f"; in {row.unread} of these our reader finds no answer" if row.unread else ""
    said = f"Where verdicts part under '{row.protocol}' ({row.part or 'all'}): {len(row.only_theirs)} right for "
    said += f"{tool} only{unread}; {len(row.only_ours)} right for us only."
    say(f"\n{said}")
    records = done.run.index.named(ids)
    for their in read_samples(done.run.folder):
        mark = records[their.id].marks.get(marked_as(row.protocol, their.repeat)) if their.id in records else None
        if mark is None or their.right is None or their.right == (mark.outcome is Outcome.CORRECT):
            continue
        answers = records.pop(their.id).answers  # a sample is shown once
        reply = next((a.text for arm, a in answers.items() if Arm.parse(arm).repeat == their.repeat), "")
        reads = their.read is not None and their.read.casefold() != reply.casefold()
        verdict = ("right" if their.right else "wrong") + (f", read as {their.read!r}" if reads else "")
        pieces = (
            *(one_line(f"{their.id}: {reply!r}", 140), f"{tool}: {one_line(verdict, 80)}"),
            f"ours: {one_line(f'{mark.outcome.value}, read as {mark.reading!r}', 80)}",
        )
        say(f"  {' · '.join(pieces)}")


def _next(done: ImportedRun) -> list[str]:
    where = shlex.quote(str(done.run.path))
    parted = next((i for row in done.against for i in (*row.only_ours, *row.only_theirs)), None)
    look = [f"snellen show {where} {shlex.quote(parted)}"] if parted else []
    return [*look, f"snellen show {where} --flips", f"snellen compare {where} OTHER_RUN"]
