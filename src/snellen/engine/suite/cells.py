"""The runs of a suite: every exam with every model that takes it, each checked before anything is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from snellen import subjects
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.engine.plan.plan import Plan, make_plan
from snellen.engine.plan.request import Limits, RunRequest
from snellen.engine.suite.file import Suite, SuiteEntry
from snellen.subjects.remote.service import setting

NAMED = 3
"""The most impossible runs that a message names."""
HERE = "this machine"
_Resolve = Callable[[str, str | None], tuple[str, Path]]
"""Resolves an exam's name and the data named for it to the exam and the path of its data."""


class SuiteRun(NamedTuple):
    """One run of a suite. `plan` describes it and cannot be asked. `lane` is where it is answered."""

    exam: str
    model: str
    request: RunRequest
    plan: Plan
    lane: str

    @property
    def label(self) -> str:
        """Its name for people."""
        return f"{self.exam} · {self.model}"

    @property
    def calls(self) -> bool:
        """True if it calls a service."""
        return bool(self.plan.subject.endpoints)


def make_cells(
    suite: Suite, limits: Limits, out: Path, resolve: _Resolve, *, offline: bool = False
) -> tuple[SuiteRun, ...]:
    """Return all runs, checked. Raise SnellenError if one of them is impossible. Nothing is asked, and `offline` needs no keys either."""
    _refuse_strangers(suite)
    cells: list[SuiteRun] = []
    problems: list[str] = []
    keyed: set[str] = set()
    for exam, model in _pairs(suite):
        try:
            request = _request(suite, exam, model, limits, out, resolve, offline)
            cell = _cell(exam, model, request)
            if cell.calls and not offline and model.label not in keyed:
                make_plan(cell.request)  # its key is there
                keyed.add(model.label)
        except SnellenError as error:
            problems.append(f"{exam.label} with {model.label}: {error}")
        else:
            cells.append(cell)
    if problems:
        more = f"; and {len(problems) - NAMED} more" if len(problems) > NAMED else ""
        count = len(problems) + len(cells)
        if count == 1:
            raise SnellenError(problems[0])
        raise SnellenError(
            f"{len(problems)} of {count} runs cannot be started, so nothing was asked: {'; '.join(problems[:NAMED])}{more}"
        )
    _refuse_twice(cells)
    if limits.serve and not any(cell.request.limits.serve for cell in cells):
        raise SnellenError(f"--serve {limits.serve[0]} has no effect here: it is for --model {limits.serve[0]}/NAME")
    return tuple(cells)


def _pairs(suite: Suite) -> Iterator[tuple[SuiteEntry, SuiteEntry]]:
    for exam in suite.exams:
        for model in suite.models:
            if exam.name in model.common.get("exams", (exam.name,)):
                yield exam, model


def _refuse_strangers(suite: Suite) -> None:
    """Refuse a model that takes an unknown exam. Otherwise it would silently be asked less."""
    there = {exam.name for exam in suite.exams}
    for model in suite.models:
        for name in model.common.get("exams", ()):
            if name not in there:
                raise SnellenError(f"{model.place}: exams has '{name}', and no [[exam]] has that name")


def _request(
    suite: Suite, exam: SuiteEntry, model: SuiteEntry, limits: Limits, out: Path, resolve: _Resolve, offline: bool
) -> RunRequest:
    said = {**suite.common, **exam.common}
    name, data = resolve(exam.name, said.get("data"))
    chosen = {key: said[key] for key in ("splits", "tasks", "limit", "seed") if key in said}
    asked = {key: said[key] for key in ("protocols", "prompt", "controls", "repeats") if key in said}
    return RunRequest(
        exam=name,
        model=model.name,
        data=data,
        selection=Selection(**chosen),
        options={**exam.options, **model.options, **_key(model, offline)},
        limits=limits,
        out=out,
        **asked,
    )


def _key(model: SuiteEntry, offline: bool) -> Mapping[str, Any]:
    """Return the key from the variable that the model names."""
    variable = model.common.get("api_key_env")
    if variable is None or offline:
        return {}
    kind, name = subjects.find(model.name)
    if "api_key" not in {o.name for o in kind.takes(name, model.options, subjects.options_of)}:
        raise SnellenError(f"api_key_env has no effect for {model.name}: it takes no key")
    value, _where = setting(variable)
    if not value:
        raise SnellenError(f"api_key_env: the variable {variable} is set neither in the environment nor in .env")
    return {"api_key": value}


def _cell(exam: SuiteEntry, model: SuiteEntry, request: RunRequest) -> SuiteRun:
    """Return the run with only the limits that apply to it. For example, a run without an endpoint has no calls in flight."""
    limits = request.limits
    kind = subjects.find(request.model)[0] if request.model else None
    if limits.serve and (kind is None or kind.prefix != limits.serve[0]):
        limits = limits._replace(serve=())
    request = request._replace(limits=limits)
    quiet = limits._replace(concurrency=None, timeout=None, tries=None, pool=None)
    plan = make_plan(request._replace(limits=quiet), offline=True)
    calls = bool(plan.subject.endpoints)
    hosts = sorted({urlsplit(e.connection.url).netloc for e in plan.subject.endpoints})
    pool = limits.pool if kind is not None and kind.in_workers else None
    kept = request if calls else request._replace(limits=quiet._replace(pool=pool))
    return SuiteRun(exam.label, model.label, kept, plan._replace(limits=kept.limits), " ".join(hosts) or HERE)


def _refuse_twice(cells: list[SuiteRun]) -> None:
    """Refuse two entries that are one run, because two threads would write to it at the same time."""
    often = Counter(cell.plan.folder_name for cell in cells)
    same = [cell.label for cell in cells if often[cell.plan.folder_name] > 1]
    if same:
        raise SnellenError(
            f"{' and '.join(same[:2])} are the same run: what differs (protocols, prompts, controls, repeats) does not make another "
            "one; put them into one entry"
        )
