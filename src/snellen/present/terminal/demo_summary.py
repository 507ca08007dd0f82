"""The summary of a demo on one screen: what was examined, what was seen, where protocols disagree, where to look next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.findings import protocol_gap
from snellen.present.model.run_list import headlines
from snellen.present.terminal.tables import say, say_next, show_rows

NEVER_LOOK = ("baseline/chance", "baseline/constant", "method/center")
"""Blind subjects, which do not depend on the image. The floor stands for them."""
NOTHING = "–"


def _lines_of(runs: Sequence[Run], model: str) -> Iterator[tuple[str, ...]]:
    """Yield a line for each exam, on its first part and protocol: the model, another subject that uses the image, and the floor."""
    for exam, own in groupby(runs, key=lambda run: run.manifest.exam):
        parts = {run.manifest.subject.spec: found for run in own if (found := headlines(run))}
        if not parts:
            continue
        scores = {spec: found[0][1] for spec, found in parts.items()}
        part, last = parts[next(reversed(parts))], scores[next(reversed(scores))]
        others = (s for s in scores if s != model and not s.startswith(NEVER_LOOK))
        of_model = [
            f"{formatting.value(s)} {formatting.interval(s)}".strip() for spec, s in scores.items() if spec == model
        ]
        yield (
            *(exam, part[0][0] + (f", 1 of {len(part)} parts" if len(part) > 1 else ""), str(last.n)),
            *(of_model or [NOTHING]),
            next((f"{formatting.value(scores[spec])} {_short(spec)}" for spec in others), NOTHING),
            next((formatting.floor(s) for s in reversed(scores.values()) if s.floor is not None), NOTHING),
        )


def _short(spec: str) -> str:
    """Return a one-word name of a subject: 'pixels', 'ocr', 'reference'.

    >>> _short("baseline/pixels"), _short("method/ocr"), _short("replay/some/folder/reference.json")
    ('pixels', 'ocr', 'reference')
    """
    return Path(spec).stem if spec.startswith("replay/") else spec.rpartition("/")[2]


def print_story(runs: Sequence[Run], model: str, sees: Sequence[str], after: Sequence[str]) -> None:
    """Print the end of the demo. `sees` are sentences on what the model sees, `after` the next steps."""
    rows = list(_lines_of(runs, model))
    counted = f"{formatting.counted(len(rows), 'exam')}, {formatting.counted(len(runs), 'run')}"
    say(f"{counted}, on SYNTHETIC data", "bold")
    columns = ("exam", "part", "n", _short(model), "another that looks", "floor")
    show_rows(*columns, kept=("exam", "floor"), rows=rows)
    legend = "Percent [95 % interval], the first protocol of each exam. Floor: who never looks. "
    say(legend + "Do not compare with published scores.", "dim")
    for line in sees:
        say(line)
    gaps = [(gap, run) for run in runs if (gap := protocol_gap(run.summary.plain, same_prompt=True)) is not None]
    if gaps:
        found, run = max(gaps, key=lambda one: one[0].gap)
        said = f"Where protocols disagree: {formatting.title(run.manifest)}, {found.part}: the same replies are "
        say(f"{said}{found.high[1]} under {found.high[2]} and {found.low[1]} under {found.low[2]}.")
    say_next(after)
