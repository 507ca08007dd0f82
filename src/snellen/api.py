"""`evaluate()`, `compare()`, `explain()` and `gate()`: the commands `run`, `compare`, `explain` and `gate` from Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from snellen import exams
from snellen.comparison.comparing import compare_runs
from snellen.comparison.explained import Explanation
from snellen.comparison.explaining import explain_run
from snellen.comparison.gating import Gate, gate_runs
from snellen.comparison.results import Comparison
from snellen.core.errors import MostlyUnanswered, SnellenError
from snellen.core.extras import traits_of
from snellen.core.options import Selection
from snellen.engine.answer.asking_pass import Progress
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import ERRORS_IN_A_ROW, Limits, RunRequest, cluster, served_by
from snellen.engine.run import run_plan
from snellen.engine.runs.run import Run


def evaluate(
    exam: str | Path,
    *,
    model: str | None = None,
    data: str | Path | None = None,
    protocols: Sequence[str] = (),
    prompt: str | None = None,
    controls: Sequence[str] = (),
    splits: Sequence[str] = (),
    tasks: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    repeats: int = 1,
    out: str | Path = "runs",
    concurrency: int | None = None,
    max_cost: float | None = None,
    timeout: float | None = None,
    tries: int | None = None,
    max_errors: int = ERRORS_IN_A_ROW,
    fresh: bool = False,
    use_store: bool = True,
    batch_api: bool = False,
    on: str | None = None,
    serve: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Run:
    """Run an exam, or resume it, and return the run. Raises `Stopped` if it ended early with everything kept.

    `exam` is a name, with the folder of its data; or a file or folder of data that an exam recognises, such as your own questions.

    `repeats` is how often each question is asked: scores are then over all repeats, with their spread.

    `on` is a Ray cluster that the questions go to (`"ray"`, `"ray://HOST:PORT"`); `serve` is a server to start for the run (`"vllm"`).

    The notes of `snellen run` (old answers, an edited prompt, questions left out) come as warnings.

    `options` are the exam's and the subject's own, by name, as `snellen run EXAM --help` lists them: `shots=3`, `base_url=...`,
    `max_tokens=64`, `method="ocr"`. An option that has no effect for this exam and subject is refused.
    """
    name, where = exams.resolve(str(exam))
    drawn = traits_of(exams.load(name)).drawn
    if (where is None) == (data is None) and not (drawn and data is None):
        raise SnellenError(f"{exam}: name the data once, as the exam's path or with data=")
    request = RunRequest(
        exam=name,
        model=model,
        data=Path(where or data or "."),
        protocols=tuple(protocols),
        prompt=prompt,
        controls=tuple(controls),
        selection=Selection(splits=tuple(splits), tasks=tuple(tasks), limit=limit, seed=seed),
        options=options,
        limits=Limits(
            concurrency,
            max_cost,
            timeout,
            tries,
            fresh,
            use_store,
            max_errors,
            batch_api,
            pool=cluster(on) if on else None,
            serve=served_by(serve) if serve else (),
        ),
        out=Path(out),
        repeats=repeats,
    )
    try:
        finished = run_plan(make_plan(request), on_progress)
    finally:
        if request.limits.pool is not None:
            request.limits.pool.close()
    for note in finished.notes:
        warnings.warn(note, stacklevel=2)
    if isinstance(finished.stopped, MostlyUnanswered):
        warnings.warn(str(finished.stopped), stacklevel=2)
    elif finished.stopped is not None:
        raise finished.stopped
    return finished.run


def compare(
    *runs: str | Path | Run,
    protocols: Sequence[str] = (),
    metric: str = "",
    power: float | None = None,
    explain: bool = False,
) -> Comparison:
    """Compare runs of one exam, sample by sample: which leads, by how much, and whether that could be chance.

    Runs are folders, or the results of `evaluate()` and `open_run()`. `metric` is compared in place of the headline.
    `power` is a difference between 0 and 1, such as 0.05 for 5 points: each row then says in `needed` how many samples would show it.
    With `explain`, `leads` says under how many choices each of two runs leads.
    `print(*found.verdict)` prints the result in words.
    """
    paths = [run.path if isinstance(run, Run) else run for run in runs]
    return compare_runs(paths, protocols=protocols, metric=metric, power=power, explain=explain)


def explain(
    run: str | Path | Run,
    figure: str | float | None = None,
    *,
    tolerance: float | None = None,
    part: str = "",
    metric: str = "",
    published: str = "",
) -> Explanation:
    """Return every number that a run's stored answers can give, and the choices that give a claimed figure, such as `"63.4"` or 0.634.

    Nothing is asked and nothing is written. `tolerance` is a share, such as 0.001 for 0.1 points. By default it is half of the figure's
    last digit, so write `"63.40"` if the zero counts. `print(*found.verdict)` prints the result in words.
    """
    path = run.path if isinstance(run, Run) else run
    text = None if figure is None else str(figure)
    return explain_run(path, text, tolerance=tolerance, part=part, metric=metric, published=published)


def gate(
    run: str | Path | Run,
    baseline: str | Path | Run,
    *,
    max_drop: float = 0.02,
    protocols: Sequence[str] = (),
    parts: Sequence[str] = (),
) -> Gate:
    """Tell whether a run is as good as a baseline of the same exam, allowing for `max_drop` (0.02 for 2 points) and for noise.

    `assert found.passed, found.said` makes a test of it.
    """
    paths = [one.path if isinstance(one, Run) else one for one in (run, baseline)]
    return gate_runs(*paths, max_drop=max_drop, protocols=protocols, parts=parts)
