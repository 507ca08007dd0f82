"""The exams. Each has a folder of its own and is found by the entry point group `snellen.benchmarks`, ours and yours alike."""

from __future__ import annotations

from importlib.metadata import entry_points

from snellen.core.errors import SnellenError
from snellen.core.exam import Benchmark

GROUP = "snellen.benchmarks"


def names() -> list[str]:
    """All installed benchmarks."""
    return sorted(e.name for e in entry_points(group=GROUP))


def load(name: str) -> Benchmark:
    """A benchmark by name; an unknown name is an error that says which there are."""
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            found: Benchmark = entry.load()
            return found
    raise SnellenError(f"unknown benchmark '{name}': choose from {', '.join(names())}")
