"""Every problem of a SalBench folder: columns, labels, repeated ids, images that do not decode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from snellen.core.dataset import Problem
from snellen.core.options import Selection
from snellen.exams.salbench.data import LAYOUT, choose_configs


def check(where: Path) -> Iterator[Problem]:
    """The problems of all configs, with file and row."""
    for config in choose_configs(where, Selection()):
        yield from LAYOUT.check(where, config.name)
