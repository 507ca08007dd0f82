"""Putting a finished run into a folder that collects many, as the seeds' own tools do."""

from __future__ import annotations

from pathlib import Path

from snellen import exams as benchmarks
from snellen.core.errors import SnellenError
from snellen.core.exam import Collects
from snellen.engine.mark import marking
from snellen.engine.run import Run


def collect(run: Run, results: Path) -> list[str]:
    """Merge every protocol's prompt of a run once; gives a line for people on what was kept."""
    benchmark = benchmarks.load(run.manifest["benchmark"])
    if not isinstance(benchmark, Collects):
        raise SnellenError(
            f"--results: {benchmark.name} has no files that collect several runs; its own are in {run.path}/exports"
        )
    return [line for facts in marking.run_facts(run.folder, benchmark) for line in benchmark.collect(facts, results)]
