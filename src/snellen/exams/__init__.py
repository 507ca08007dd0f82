"""The exams. Each has a folder of its own and is found by the entry point group `snellen.exams`, ours and yours alike.

A plugin file (`--plugin path.py`, or SNELLEN_PLUGINS) may bring a benchmark, or protocols for one: see plugins.py.
"""

from __future__ import annotations

from importlib.metadata import entry_points

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.exams import plugins

GROUP = plugins.BENCHMARKS


def names() -> list[str]:
    """All benchmarks there are."""
    return sorted({e.name for e in entry_points(group=GROUP)} | plugins.found().benchmarks.keys())


def load(name: str) -> Exam:
    """A benchmark by name, with the protocols that plugins add; an unknown name is an error that says which there are."""
    more = plugins.found()
    if name in more.benchmarks:
        return plugins.with_protocols(more.benchmarks[name], more)
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            return plugins.with_protocols(entry.load(), more)
    raise SnellenError(f"unknown benchmark '{name}': choose from {', '.join(names())}")
