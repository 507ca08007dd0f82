"""Putting a grounding method into a plan: its model, its planner, its parser and its processes are built here and handed to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from snellen import subjects
from snellen.core.dotenv import overlaid
from snellen.core.errors import SnellenError
from snellen.core.exam import Benchmark, Dataset, HasMethods, MethodRequest, Subject
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.openai_api import Settings
from snellen.subjects.workers import Workers

UITARS = "vllm/ByteDance-Seed/UI-TARS-1.5-7B"
UITARS_URL = "http://localhost:8001/v1"
OMNIPARSER_URL = "http://localhost:8000"


class Chosen(NamedTuple):
    """A method as the user names it."""

    name: str
    options: Mapping[str, str] = {}
    planner: str | None = None
    omniparser_url: str | None = None
    uitars_url: str | None = None


def wants_method(benchmark: Benchmark, method: Chosen | None, model: str | None) -> Chosen | None:
    """The method of a run; a model alone points by itself. Baselines that need no method and replays answer as they are."""
    if not isinstance(benchmark, HasMethods):
        if method is not None:
            raise SnellenError(f"--method {method.name}: {benchmark.name} has no methods, only models (--model)")
        return None
    if method is None and (model is None or model.partition("/")[0] in ("baseline", "replay")):
        return None
    return method or Chosen("vlm")


def build(
    benchmark: HasMethods,
    method: Chosen,
    model: str | None,
    data: Dataset,
    settings: Settings,
    *,
    local: LocalSettings | None,
    seed: int,
    offline: bool,
) -> Subject:
    """The subject that a method is, with everything it needs."""

    def made(spec: str, own: Settings) -> Subject:
        return subjects.build(spec, own, solvers={}, seed=seed, offline=offline, local=local)

    environ = overlaid(os.environ, Path(), "EVAL_")
    spec = model
    asked = settings
    if spec is None and method.name.removeprefix("oracle/").startswith("uitars"):
        spec = UITARS
        asked = settings._replace(
            base_url=settings.base_url or method.uitars_url or environ.get("EVAL_UITARS_URL") or UITARS_URL
        )
    options: dict[str, Any] = {"seed": seed} | dict(method.options)
    return benchmark.method_subject(
        MethodRequest(
            name=method.name,
            options=options,
            model=(lambda: made(spec, asked)) if spec is not None else None,
            planner=(lambda: made(str(method.planner), settings)) if method.planner else None,
            omniparser_url=method.omniparser_url or environ.get("EVAL_OMNIPARSER_URL") or OMNIPARSER_URL,
            pool=pool,
            data=data,
        )
    )


def pool(path: str) -> Workers:
    """Processes on all cores that run a function on questions."""
    return Workers(path, os.cpu_count() or 1)


Maker = Callable[[], Subject]
