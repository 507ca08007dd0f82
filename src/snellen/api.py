"""`evaluate()`: a run from Python, with the options of `snellen run`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from snellen import exams as benchmarks
from snellen.core.options import Selection
from snellen.core.secret import Secret
from snellen.engine.ask.loop import Limits, Progress
from snellen.engine.plan.plan import make_plan
from snellen.engine.run import Run, carry_out
from snellen.exams.grounding.methods.building import Chosen
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.openai_api import Settings
from snellen.subjects.prices import parse_price


def evaluate(
    benchmark: str,
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
    shots: int = 0,
    max_missing: int = 0,
    method: str | None = None,
    method_options: dict[str, str] | None = None,
    scorers: Sequence[str] = (),
    scorer_mode: str = "trained",
    local: LocalSettings | None = None,
    out: str | Path = "runs",
    base_url: str | None = None,
    api_key: str | None = None,
    max_tokens: int | None = None,
    temperature: float | None = 0.0,
    price: str | None = None,
    extra: dict[str, Any] | None = None,
    concurrency: int | None = None,
    max_cost: float | None = None,
    timeout: float = 120.0,
    fresh: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Run:
    """Run an exam, or go on with it, and give the run. Raises `Stopped` where it ended early with everything kept."""
    exam = benchmarks.load(benchmark)
    settings = Settings(
        base_url=base_url,
        key=Secret(api_key or ""),
        max_tokens=max_tokens or exam.max_tokens,
        temperature=temperature,
        price=parse_price(price) if price else None,
        extra=extra or {},
    )
    plan = make_plan(
        benchmark,
        model=model,
        data=Path(data),
        protocols=tuple(protocols),
        prompt=prompt,
        controls=tuple(controls),
        options=Selection(
            splits=tuple(splits), tasks=tuple(tasks), limit=limit, seed=seed, shots=shots, max_missing=max_missing
        ),
        settings=settings,
        local=local,
        scorers=tuple(scorers),
        scorer_mode=scorer_mode,
        method=Chosen(method, method_options or {}) if method is not None else None,
    )
    limits = Limits(concurrency=concurrency, max_cost=max_cost, timeout=timeout, fresh=fresh)
    finished = carry_out(plan, Path(out), limits, on_progress)
    if finished.stopped is not None:
        raise finished.stopped
    return finished.run
