"""`evaluate()`: a run from Python, with the abilities of `snellen run`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from snellen.core.errors import MostlySilent
from snellen.core.options import Selection
from snellen.engine.answer.loop import Progress
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import ERRORS_IN_A_ROW, Limits, RunRequest
from snellen.engine.run import carry_out
from snellen.engine.runs.run import Run


def evaluate(
    exam: str,
    *,
    model: str | None = None,
    data: str | Path,
    protocols: Sequence[str] = (),
    prompt: str | None = None,
    controls: Sequence[str] = (),
    splits: Sequence[str] = (),
    tasks: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    out: str | Path = "runs",
    concurrency: int | None = None,
    max_cost: float | None = None,
    timeout: float | None = None,
    tries: int | None = None,
    max_errors: int = ERRORS_IN_A_ROW,
    fresh: bool = False,
    use_store: bool = True,
    batch_api: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Run:
    """Run an exam, or go on with it, and give the run. Raises `Stopped` where it ended early with everything kept.

    What `snellen run` notes (old answers, an edited prompt, questions left out) comes as warnings.

    `options` are the exam's and the subject's own, by name, as `snellen run EXAM --help` lists them: `shots=3`, `base_url=...`,
    `max_tokens=64`, `method="ocr"`. One that means nothing for this exam and subject is refused.
    """
    request = RunRequest(
        exam=exam,
        model=model,
        data=Path(data),
        protocols=tuple(protocols),
        prompt=prompt,
        controls=tuple(controls),
        selection=Selection(splits=tuple(splits), tasks=tuple(tasks), limit=limit, seed=seed),
        options=options,
        limits=Limits(concurrency, max_cost, timeout, tries, fresh, use_store, max_errors, batch_api),
        out=Path(out),
    )
    finished = carry_out(make_plan(request), on_progress)
    for note in finished.notes:
        warnings.warn(note, stacklevel=2)
    if isinstance(finished.stopped, MostlySilent):
        warnings.warn(str(finished.stopped), stacklevel=2)
    elif finished.stopped is not None:
        raise finished.stopped
    return finished.run
