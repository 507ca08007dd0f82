"""Figures from a paper, for comparison with real data only: `published.csv` in an exam's package, in percent, comments behind #."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files

from snellen.core.extras import Published

OWN_COLUMNS = ("model", "metric", "value", "shots")


def published_figures(
    package: str, protocol: str, prompt: str, source: str
) -> Callable[[str, str], Iterable[Published]]:
    """Return the figures of an exam's paper by protocol and prompt: they stand beside runs under this one, and no other."""
    return lambda *asked: _figures(package, source) if asked == (protocol, prompt) else ()


@cache
def _figures(package: str, source: str) -> tuple[Published, ...]:
    text = (files(package) / "published.csv").read_text(encoding="utf-8")
    found = []
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        by = {name: cell for name, cell in row.items() if name not in OWN_COLUMNS}
        shots = int(row.get("shots", "0"))
        found.append(Published(row["model"], by, row["metric"], float(row["value"]) / 100, source, shots))
    return tuple(found)
