"""From two run folders to a verdict: what cannot be judged is refused, the rest is compared and judged. Reads runs, writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from snellen.comparison.comparing import compare_runs
from snellen.comparison.gating import Gate, gated
from snellen.comparison.pairing import OpenedRun, opened
from snellen.core.errors import SnellenError
from snellen.core.figures import part_name
from snellen.core.unanswered import lost_parts


def gate_runs(
    run: str | Path,
    baseline: str | Path,
    *,
    max_drop: float,
    protocols: Sequence[str] = (),
    parts: Sequence[str] = (),
) -> Gate:
    """Judge a run by a baseline of the same exam. `max_drop` is a share (0.02 for 2 points).

    Judged is the baseline's first protocol, or those that are named: none of them is ever left out, as `compare` would.
    """
    both = opened([baseline, run])
    for one in both:
        _refuse(one)
    wanted = tuple(protocols) or tuple(both[0].entries)[:1]
    found = compare_runs([baseline, run], protocols=wanted, flips=False)
    left = [name for name in wanted if name not in found.protocols]
    if left:
        why = next((note for note in found.notes if f"'{left[0]}' is left out" in note), f"'{left[0]}' is not shared")
        raise SnellenError(f"the baseline cannot judge this run (A is the baseline, B the run). {why}")
    return gated(found, max_drop, parts)


def _refuse(one: OpenedRun) -> None:
    """An error of a run that says nothing of its subject."""
    path, summary = one.run.path, one.summary
    if not summary.complete:
        cure = "'snellen run' with the same options goes on with it"
        if one.manifest.imported:
            cure = "the log that it was imported from has no answer to the rest"
        raise SnellenError(f"{path} is not finished, so nothing can be judged by it: {cure}")
    lost = lost_parts(summary.plain)
    if lost:
        part, missing = part_name(lost[0].by), f"{lost[0].missing:,} of {lost[0].n:,}"
        raise SnellenError(
            f"{path} gave no answer to {missing} questions in {part}, so its score says nothing: 'snellen show {path} --wrong' lists them"
        )
