"""Putting a grounding method into a plan: its model, its planner, its parser and its processes are built here and handed to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from snellen import subjects
from snellen.core.dataset import Dataset
from snellen.core.dotenv import overlaid
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam, HasMethods, MethodRequest
from snellen.core.subject import Subject
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.openai_api import Settings
from snellen.subjects.workers import Workers

UITARS = "vllm/ByteDance-Seed/UI-TARS-1.5-7B"
UITARS_URL = "http://localhost:8001/v1"
OMNIPARSER_URL = "http://localhost:8000"
UITARS_REPLY = 128  # tokens, as the maintainers' evaluation has it; with top_p 1


class Chosen(NamedTuple):
    """A method as the user names it."""

    name: str
    options: Mapping[str, str] = {}
    planner: str | None = None
    omniparser_url: str | None = None
    uitars_url: str | None = None


def wants_method(benchmark: Exam, method: Chosen | None, model: str | None) -> Chosen | None:
    """The method of a run; a model alone points by itself. Baselines that need no method and replays answer as they are."""
    if not isinstance(benchmark, HasMethods):
        if method is not None:
            raise SnellenError(f"--method {method.name}: {benchmark.name} has no methods, only models (--model)")
        return None
    if method is None and (model is None or model.partition("/")[0] in ("baseline", "replay")):
        return None
    return method or Chosen("vlm")


def nobody(benchmark: Exam) -> str:
    """What to say where no subject is named."""
    if isinstance(benchmark, HasMethods):
        return "--method or --model is missing: who shall answer? ('snellen list methods' and 'snellen list subjects' show them)"
    return "--model is missing: who shall answer? ('snellen list subjects' shows the forms)"


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
    if is_uitars(method):
        asked = _as_uitars(benchmark, method, settings)
        if spec is None:
            spec = UITARS
            address = settings.base_url or method.uitars_url or environ.get("EVAL_UITARS_URL") or UITARS_URL
            asked = asked._replace(base_url=address)
    return benchmark.method_subject(
        MethodRequest(
            name=method.name,
            options=dict(method.options),
            model=(lambda: made(spec, asked)) if spec is not None else None,
            planner=(lambda: made(str(method.planner), settings)) if method.planner else None,
            omniparser_url=method.omniparser_url or environ.get("EVAL_OMNIPARSER_URL") or OMNIPARSER_URL,
            pool=pool,
            data=data,
            seed=seed,
        )
    )


def is_uitars(method: Chosen) -> bool:
    """Whether a method's model is UI-TARS, which has an address of its own."""
    return method.name.removeprefix("oracle/").startswith("uitars")


def _as_uitars(benchmark: HasMethods, method: Chosen, settings: Settings) -> Settings:
    """What the maintainers send with their evaluation prompt, where the user asks for nothing else and it is no planner."""
    plans = not method.planner and "screenseeker" in (method.name.partition("+")[2], method.options.get("crop"))
    if plans or method.options.get("prompt", "official") != "official":
        return settings
    usual = getattr(benchmark, "max_tokens", None)
    length = UITARS_REPLY if settings.max_tokens == usual else settings.max_tokens
    return settings._replace(max_tokens=length, extra={"top_p": 1, **settings.extra})


def pool(path: str) -> Workers:
    """Processes on all cores that run a function on questions."""
    return Workers(path, os.cpu_count() or 1)


Maker = Callable[[], Subject]
