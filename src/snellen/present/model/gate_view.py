"""A gate's checks as rows of texts, the same in the terminal and in files."""

from __future__ import annotations

from snellen.comparison.gating import Gate, GateCheck
from snellen.comparison.verdict import chance
from snellen.core.figures import on_clusters
from snellen.present.model import formatting

COLUMNS = ("part", "protocol", "n", "A", "B", "B - A [95 %]", "p, Holm", "verdict")


def metric_line(found: Gate) -> str:
    """Return "By exact match under 'paper'", or the metric of each part where they differ."""
    by = {f"by {c.label} under '{c.protocol}'": 0 for c in found.checks}
    if len({c.label for c in found.checks}) > 1:
        by = {f"{c.part} by {c.label} under '{c.protocol}'": 0 for c in found.checks}
    said = "; ".join(by)
    return said[:1].upper() + said[1:]


def cells(check: GateCheck) -> list[str]:
    """A check's row: A is the baseline, B the run."""
    between = (
        ""
        if check.low is None or check.high is None
        else f" [{formatting.signed(-check.high)}, {formatting.signed(-check.low)}]"
    )
    return [
        check.part,
        check.protocol,
        on_clusters(check.n, check.clusters, check.cluster),
        formatting.percent(check.baseline),
        formatting.percent(check.score),
        f"{formatting.signed(-check.drop)}{between}",
        chance(check.p).removeprefix("p ").removeprefix("= ") if check.judged else "–",
        "FAIL" if check.failed else "pass" if check.judged else "not judged",
    ]
