"""A gate's checks as rows of texts, the same in the terminal and in files."""

from __future__ import annotations

from collections.abc import Iterable

from snellen.comparison.gating import Gate, GateCheck
from snellen.comparison.verdict import chance
from snellen.core.figures import on_clusters
from snellen.present.model import formatting
from snellen.present.model.table_view import Heading, TableView

HEADINGS = (
    *(Heading("part", "name"), Heading("protocol"), Heading("n", "number"), Heading("A", "number")),
    *(Heading("B", "number"), Heading("B - A [95 %]", "difference"), Heading("p, Holm", "number")),
    Heading("verdict", "score"),
)


def metric_line(found: Gate) -> str:
    """Return "By exact match under 'paper'", or the metric of each part where they differ."""
    several = len({c.label for c in found.checks}) > 1
    by = (f"{f'{c.part} ' if several else ''}by {c.label} under '{c.protocol}'" for c in found.checks)
    said = "; ".join(dict.fromkeys(by))
    return said[:1].upper() + said[1:]


def checks_table(found: Gate, checks: Iterable[GateCheck]) -> TableView:
    """Return a row for each check: A is the baseline, B the run."""
    return TableView(metric_line(found), HEADINGS, tuple(map(_cells, checks)))


def _cells(check: GateCheck) -> tuple[str, ...]:
    between = ""
    if check.low is not None and check.high is not None:
        between = f" [{formatting.signed(-check.high)}, {formatting.signed(-check.low)}]"
    return (
        *(check.part, check.protocol, on_clusters(check.n, check.clusters, check.cluster)),
        *(formatting.percent(check.baseline), formatting.percent(check.score)),
        f"{formatting.signed(-check.drop)}{between}",
        chance(check.p).removeprefix("p ").removeprefix("= ") if check.judged else "–",
        "FAIL" if check.failed else "pass" if check.judged else "not judged",
    )
