"""A comparison of two runs as tables: both scores, the difference with its interval, p, and the parts of the difference. Also a gate's
checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from snellen.comparison.gating import Gate, GateCheck
from snellen.comparison.results import Comparison, ComparisonRow, Ranking, RunSide, with_headlines
from snellen.comparison.verdict import CHANCE, amount, chance, p_of, together, whole
from snellen.core.figures import on_clusters
from snellen.present.model import formatting
from snellen.present.model.table_view import Heading, TableView, headings


class ComparedTable(NamedTuple):
    """Rows of one protocol, or of all samples by protocol. `notes` state what these samples could show; `rows` are for charts."""

    view: TableView
    first: str
    second: str
    rows: tuple[ComparisonRow, ...]
    notes: tuple[str, ...]

    @property
    def reach(self) -> float:
        """Return the largest absolute value that a chart of the differences must show."""
        ends = (abs(v) for row in self.rows for v in (row.difference, row.low, row.high) if v is not None)
        return max([*ends, 1e-9])

    @property
    def optional(self) -> list[str]:
        """Return the columns that a narrow screen can omit, in the order of removal."""
        return [f"only {self.first}/{self.second}", f"silent {self.first}/{self.second}"]


def compared_tables(found: Comparison, *, every: bool = False) -> list[ComparedTable]:
    """Return the parts under the main protocol, or under all with `every`, and all samples by protocol."""
    made = []
    for protocol in found.protocols if every else found.protocols[:1]:
        own = [row for row in found.rows if row.protocol == protocol]
        if own:
            by, rows = _by_metric([(row.part or "all", row) for row in with_headlines(own)])
            made.append(_table(f"Under '{protocol}'{by}", "part", rows, _notes(own, found.power)))
    wholes = together([row for name in found.protocols if (row := whole(found.rows, name)) is not None])
    if len(wholes) > 1:
        by, rows = _by_metric([(", ".join(one.names), one.row) for one in wholes])
        made.append(_table(f"All samples, by protocol{by.replace(', by', ' and', 1)}", "protocol", rows))
    return made


def _by_metric(rows: list[tuple[str, ComparisonRow]]) -> tuple[str, list[tuple[str, ComparisonRow]]]:
    """Return ', by exact match' and the rows. If there are several metrics, the metric follows each name instead."""
    labels = list(dict.fromkeys(row.label for _name, row in rows))
    if len(labels) == 1:
        return f", by {labels[0]}", rows
    return "", [(f"{name} ({row.label})", row) for name, row in rows]


def _table(
    title: str, head: str, rows: Sequence[tuple[str, ComparisonRow]], notes: Iterable[str] = ()
) -> ComparedTable:
    one = rows[0][1]
    a, b = one.first_run, one.second_run
    several = head == "part" and sum(row.tested and bool(row.part) for _name, row in rows) > 1
    heads = (
        *(Heading(head), *headings("number", "n", a, b), Heading(f"{b} - {a} [95 %]", "difference")),
        *headings("number", "p, Holm" if several else "p", f"only {a}/{b}", f"silent {a}/{b}"),
    )
    cells = []
    for name, row in rows:
        silent = (str(sum(side.values())) for side in (row.silence.first, row.silence.second))
        cells.append(
            (
                *(name[:80], formatting.on_clusters(row.n, row.clusters, row.cluster)),
                *(formatting.number(row.first, row.unit), formatting.number(row.second, row.unit)),
                *(formatting.change(row), p_of(row)),
                f"{row.only_first}/{row.only_second}" if row.tested else "",
                "/".join(silent) if row.tested else "",
            )
        )
    found = ComparedTable(TableView(title, heads, tuple(cells)), a, b, tuple(row for _n, row in rows), tuple(notes))
    if any(row.silence.first or row.silence.second for row in found.rows):
        return found
    return found._replace(view=found.view.without(*found.optional[1:]))


# ---------------------------------------------------------------- the power of these samples


def _notes(rows: Sequence[ComparisonRow], power: float | None) -> Iterator[str]:
    """Yield notes: how a headline that is not a mean over samples was compared, and which differences this number of samples can show."""
    own = next((row for row in rows if row.headline is not None), None)
    if own is not None and own.headline is not None:
        label = own.headline.label[:1].upper() + own.headline.label[1:]
        yield f"{label}, the headline, is not a mean over samples: its interval is by the jackknife, p is of {own.label}."
    few = [row for row in rows if row.least_p >= CHANCE]
    if few:
        yield f"No p (–): on so few {few[0].cluster}s no difference can be told from chance."
    small = [(row.part, f"{100 * row.smallest:.1f}", row.smallest) for row in rows if row.smallest is not None]
    if small:
        yield f"Smallest difference that would show, four times in five: {_over(small)} points."
    needed = [(row.part, f"{row.needed:,}", float(row.needed)) for row in rows if row.needed is not None]
    if power is not None and needed:
        yield f"To show {amount(power, '')} it takes {_over(needed)} samples."


def _over(found: Sequence[tuple[str, str, float]]) -> str:
    """Return 'over all 14.0, in the parts 22.4 to 25.9'."""
    parts = [(value, said) for part, said, value in found if part]
    every = [said for part, said, _value in found if not part]
    if not (parts and every):
        return formatting.span(parts) if parts else every[0]
    return f"over all {every[0]}, in the parts {formatting.span(parts)}"


# ---------------------------------------------------------------- many runs


def order_of(found: Comparison) -> list[str]:
    """Return the runs of a ranking, best over all samples first, or best in the first part if there is no ranking over all."""
    rows = found.ranking.rows if found.ranking is not None else ()
    return list(dict.fromkeys(row.run for row in sorted(rows, key=lambda row: bool(row.part))))


def ranked(ranking: Ranking) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Yield each part, a metric, the number of samples, and the runs with their scores, best first.

    The headline comes before the compared metric if they differ.
    """
    for part in dict.fromkeys(row.part for row in ranking.rows):
        own = [row for row in ranking.rows if row.part == part]
        size = formatting.on_clusters(own[0].n, own[0].clusters, own[0].cluster)
        heads = sorted(((row.headline, row.run) for row in own if row.headline is not None), reverse=True)
        if heads:
            yield part or "all", own[0].headline_label, size, {run: formatting.percent(value) for value, run in heads}
        places = {row.run: f"{formatting.number(row.score, row.unit)} {row.groups}" for row in own}
        yield part or "all", own[0].label, size, places


def ranking_table(found: Comparison) -> TableView | None:
    """Return a row for each run, with a column for each part and metric."""
    if found.ranking is None:
        return None
    columns = {f"{part}, {label}, n = {size}": places for part, label, size, places in ranked(found.ranking)}
    columns |= expenses(found.sides)
    order = order_of(found)
    sides = sorted(found.sides, key=lambda side: order.index(side.letter) if side.letter in order else len(order))
    rows = (
        (f"{side.letter} {side.subject}", *(own.get(side.letter, "–") for own in columns.values())) for side in sides
    )
    title = f"Under '{found.ranking.protocol}', the best first; runs that share a small letter in a column cannot be told apart"
    return TableView(title, (Heading("run"), *headings("number", *columns)), tuple(rows))


def expenses(sides: Sequence[RunSide]) -> dict[str, dict[str, str]]:
    """Return the cost and time of runs, by heading and letter, without values that are unknown for all."""
    every = {
        "USD for 1,000": {side.letter: f"{side.cost:.2f}" for side in sides if side.cost is not None},
        "median time": {side.letter: f"{side.seconds:.2f} s" for side in sides if side.seconds is not None},
    }
    unknown = {side.letter: "unknown" for side in sides}
    return {name: unknown | known for name, known in every.items() if known}


# ---------------------------------------------------------------- a gate's checks


HEADINGS = (
    *headings("", "part", "protocol"),
    *headings("number", "n", "A", "B"),
    *(Heading("B - A [95 %]", "difference"), Heading("p, Holm", "number"), Heading("verdict", "score")),
)


def _metric_line(found: Gate) -> str:
    """Return "By exact match under 'paper'", or the metric of each part if they differ."""
    several = len({c.label for c in found.checks}) > 1
    by = (f"{f'{c.part} ' if several else ''}by {c.label} under '{c.protocol}'" for c in found.checks)
    said = "; ".join(dict.fromkeys(by))
    return said[:1].upper() + said[1:]


def checks_table(found: Gate, checks: Iterable[GateCheck]) -> TableView:
    """Return a row for each check: A is the baseline, B the run."""
    return TableView(_metric_line(found), HEADINGS, tuple(map(_cells, checks)))


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
