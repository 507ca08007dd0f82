"""`snellen run` with several runs at once: a suite in a file, or several exams or models on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from snellen.cli import options
from snellen.cli.exam_flags import exam_of
from snellen.cli.suite_progress import show_suite
from snellen.core.errors import SnellenError
from snellen.core.text import for_terminal
from snellen.engine.plan.estimate import USUAL, Assumptions, estimate
from snellen.engine.plan.plan import slug
from snellen.engine.plan.request import Limits
from snellen.engine.runs.folder import RunFolder
from snellen.engine.suite.cells import SuiteRun, make_cells
from snellen.engine.suite.file import Suite, SuiteEntry, read_suite
from snellen.engine.suite.running import SuiteExecution, SuiteRunResult, exit_code
from snellen.present.terminal.suite import SuiteEstimate, document, estimate_document, print_estimates, print_suite

FILE = ".toml"
_MOST_NOTES = 10
_OF_RUNNING = ("concurrency", "max_cost", "timeout", "tries", "max_errors")
_OF_EVERY_EXAM = ("limit", "seed", "repeats")
_OF_QUESTIONS = (*_OF_EVERY_EXAM, "splits", "tasks", "protocols", "prompt", "controls")
_ONE_AT_A_TIME = ("batch_api", "cancel_batches")
_OF_ESTIMATES = ("dry_run", "seconds_per_call", "output_tokens", "thinking_tokens")
_OF_A_SUITE = ("exam", "out", "fresh", "no_store", "as_json", "verbose", "shard", "on", "serve", *_OF_ESTIMATES)
_BESIDE_A_FILE = frozenset((*_OF_A_SUITE, *_ONE_AT_A_TIME, *_OF_RUNNING, *_OF_EVERY_EXAM))
"""The flags that have an effect beside a suite file: they override its values."""


def is_meant(exam: str | None, models: Sequence[str], given: dict[str, Any]) -> bool:
    """Return whether a command line asks for several runs, or for an estimate."""
    return given["dry_run"] or len(models) > 1 or bool(exam and (exam.endswith(FILE) or "," in exam))


def run(exam: str | None, models: Sequence[str], own: dict[str, Any], given: dict[str, Any], limits: Limits) -> int:
    """Run all, or print the estimate."""
    if own.get("check_batching"):
        raise SnellenError("--check-batching is for one run: name one exam and one model")
    if exam is not None and exam.endswith(FILE):
        suite, limits, out = _from_file(Path(exam), own, given, limits)
    else:
        suite, out = from_flags(exam, models, own, given), Path(given["out"])
    several = len(suite.exams) * len(suite.models) > 1
    if several and (limits.batch or limits.cancel_batches):
        raise SnellenError("--batch-api is for one run: hand the runs of a suite in one by one")
    cells = cells_of(suite, limits, out, offline=given["dry_run"])
    if given["dry_run"]:
        return estimated(suite.name, out, cells, limits, given)
    return _carry_out(suite.name, out, cells, limits, given)


def cells_of(suite: Suite, limits: Limits, out: Path, *, offline: bool) -> Sequence[SuiteRun]:
    """Return the runs of a suite, each checked."""
    return make_cells(suite, limits, out, options.resolve, offline=offline)


def from_flags(exam: str | None, models: Sequence[str], own: dict[str, Any], given: dict[str, Any]) -> Suite:
    """Return the exams and models on the command line. With several exams, --data is the parent of one folder for each."""
    given["model"] = models[0] if models else None
    names = [w for w in exam.split(",") if w] if exam else [exam_of(exam, given)]
    if not names:
        raise SnellenError(f"'{exam}' names no exam: write salbench,d3")
    specs = [options.full_spec(given | {"model": spec}) for spec in models] or [given["model"]]
    data = given["data"]
    said = {option: given[option] for option in _OF_QUESTIONS if option in given}
    where = {name: str(Path(data) / name) if data is not None and len(names) > 1 else data for name in names}
    return Suite(
        name=", ".join(names),
        exams=tuple(SuiteEntry("", name, said | {"data": where[name]}, {}) for name in dict.fromkeys(names)),
        models=tuple(SuiteEntry("--model", spec or "", {}, own) for spec in dict.fromkeys(specs)),
    )


def _from_file(path: Path, own: dict[str, Any], given: dict[str, Any], limits: Limits) -> tuple[Suite, Limits, Path]:
    """Return the suite that a file describes. The command line overrides the file."""
    ctx = click.get_current_context()
    named = {k for k in ctx.params if ctx.get_parameter_source(k) is click.core.ParameterSource.COMMANDLINE}
    strange = sorted((named | own.keys()) - _BESIDE_A_FILE - {"own"})
    if strange:
        flag = "--" + {"models": "model"}.get(strange[0], strange[0]).replace("_", "-")
        raise SnellenError(f"{flag} has no effect beside a suite file: write it into {path}, under its exam or model")
    suite = read_suite(path)
    limits = limits._replace(**{k: suite.common[k] for k in _OF_RUNNING if k in suite.common and k not in named})
    changed = {k: given[k] for k in _OF_EVERY_EXAM if k in named}
    suite = suite._replace(exams=tuple(e._replace(common={**e.common, **changed}) for e in suite.exams))
    out = given["out"] if "out" in named else suite.common.get("out") or str(Path(given["out"]) / slug(suite.name))
    return suite, limits, Path(out)


def estimated(name: str, out: Path, cells: Sequence[SuiteRun], limits: Limits, given: dict[str, Any]) -> int:
    """Print the estimate of the runs. No model is called."""
    assumed = Assumptions(
        given.get("seconds_per_call", USUAL.seconds_per_call),
        limits.concurrency or USUAL.concurrency,
        given.get("output_tokens"),
        given.get("thinking_tokens"),
        in_batch=limits.batch,
    )
    rows = []
    for cell in cells:
        folder = RunFolder(cell.plan.folder)
        answered = folder.scan().answered if folder.has("run.json") and not limits.fresh else 0
        longest = cell.request.options.get("max_tokens") or cell.plan.exam.max_tokens
        rows.append(SuiteEstimate(cell, estimate(cell.plan, longest, assumed), answered))
    found = estimate_document(name, out, rows)
    if given["as_json"]:
        options.print_json(found)
    else:
        print_estimates(found, limits.max_cost)
    return 0


def _carry_out(name: str, out: Path, cells: Sequence[SuiteRun], limits: Limits, given: dict[str, Any]) -> int:
    ended = carried_out(name, cells, limits, verbose=given["verbose"])
    if limits.shard is not None:
        options.merge_shards(out)
    if given["as_json"]:
        options.print_json(document(name, out, ended, limits.max_cost))
    else:
        print_suite(name, out, ended, limits.max_cost)
    return exit_code(ended)


def carried_out(name: str, cells: Sequence[SuiteRun], limits: Limits, *, verbose: bool) -> Sequence[SuiteRunResult]:
    """Carry out the runs under one progress view and one budget, and print notes for users."""
    with show_suite(name, cells) as watch:
        ended = SuiteExecution(cells, limits.max_cost, watch).run()
    for line in _notes(ended, None if verbose else _MOST_NOTES):
        click.echo(line, err=True)
    return ended


def _notes(ended: Sequence[SuiteRunResult], most: int | None) -> list[str]:
    """Return the notes on the runs, each once. The table already shows that nothing was asked."""
    often: dict[str, list[str]] = {}
    for how in ended:
        for note in how.finished.notes if how.finished is not None else ():
            if not note.startswith("nothing was asked"):
                often.setdefault(note, []).append(how.cell.label)
    said = [
        for_terminal(f"note: {runs[0]}{f' and {len(runs) - 1} more' if len(runs) > 1 else ''}: {note}")
        for note, runs in often.items()
    ]
    more = 0 if most is None else len(said) - most
    return said[:most] + ([f"note: and {more} more notes: -v prints all"] if more > 0 else [])
