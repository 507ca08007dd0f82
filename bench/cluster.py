"""What 100 million answers on 100 nodes take, by simulation: one rate limit, one cap on money, stragglers, lost nodes; and measured sizes.

    python bench/cluster.py [--quick] [limiter] [free] [budget] [work] [sizes]

The limiter, the budget and the waits are the project's own classes on an event loop with simulated time (simulated.py); how work is shared
out is arithmetic of our own (cluster_work.py); sizes and rates are measured with the installed command (cluster_sizes.py). The same seeds
give the same figures, but for what is measured. Exits 1 if money goes past the cap where every call is counted at its price table's bound.
docs/design/hundred_million.md has the tables.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import cluster_money
import cluster_sizes
import cluster_work
from cluster_calls import grown, share
from cluster_work import HOUR, Cluster, Done

SEEDS = (1, 2)


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table as documents have it, row by row as they come."""
    print(f"\n{title}\n\n| {' | '.join(heads)} |\n|{' --- |' * len(heads)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def span(values: Sequence[float], form: str = "{:.2f}") -> str:
    """The least and the most, or one figure where both look the same."""
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


# ---------------------------------------------------------------- the limiter


def limiter(quick: bool) -> None:
    """One rate limit and 1, 10 and 100 nodes."""
    seconds = 120.0 if quick else 300.0
    seeds = SEEDS[:1] if quick else SEEDS
    settings: list[tuple[int, str, float, float | None]] = [
        (1, "own", 200.0, None),
        (10, "own", 200.0, None),
        (100, "own", 200.0, None),
    ]
    settings += [(100, "one", 200.0, None), (100, "fixed", 200.0, None), (100, "own", 200.0, 5.0)]
    settings += [(100, "own", 20.0, None), (100, "one", 20.0, None)]
    if not quick:
        settings += [(100, "own", 2000.0, None), (100, "one", 2000.0, None)]

    def rows() -> Iterable[Sequence[str]]:
        for nodes, how, rate, asked in settings:
            long = seconds / 3 if rate > 1000 else seconds
            found = [share(nodes, how, rate=rate, spread=1.0, seconds=long, asked=asked, seed=seed) for seed in seeds]
            when = [one.converged for one in found]
            yield (
                f"{rate:,.0f}/s",
                str(nodes),
                how + (f", Retry-After {asked:g}" if asked else ""),
                span([one.used for one in found]),
                span([100 * one.refused for one in found], "{:.1f}") + " %",
                span([100 * one.gave_up for one in found], "{:.2f}") + " %",
                span([one.fairness for one in found]),
                "never" if None in when else span([w for w in when if w is not None], "{:.0f}") + " s",
            )

    heads = ("endpoint takes", "nodes", "limiter", "used", "tries refused", "given up", "fairness", "0.9 reached")
    table(f"One rate limit, calls of 2 s on average (spread 1.0), {seconds:.0f} s", heads, rows())


def free(quick: bool) -> None:
    """One node with nothing in its way."""
    seeds = SEEDS[:1] if quick else (1, 2, 3, 4, 5)
    rows = (
        (f"{spread:g}", span([grown(spread, seed, 30.0 if quick else 120.0) for seed in seeds], "{:.0f}"))
        for spread in (0.0, 0.5, 1.0, 1.3)
    )
    table("One node, an endpoint without limits: the limit it reaches (512 is the most)", ("spread", "limit"), rows)


# ---------------------------------------------------------------- money


def budget(quick: bool) -> bool:
    """One cap over 100 nodes; whether it held."""
    cap = 40.0 if quick else 100.0
    settings: list[tuple[str, float, int, bool]] = [("shares", 0.0, 0, False), ("shares", 0.0, 5, False)]
    settings += [("leases", lease, 0, False) for lease in (0.02, 0.1, 0.5)]
    settings += [("leases", 0.1, 5, False), ("leases", 0.1, 0, True), ("leases", 0.1, 5, True)]
    held = True

    def rows() -> Iterable[Sequence[str]]:
        nonlocal held
        for how, lease, lose, sure in settings:
            found = [
                cluster_money.spend(how, cap=cap, lease=lease, lose=lose, sure=sure, seed=seed)
                for seed in (SEEDS[:1] if quick else SEEDS)
            ]
            held = held and (not sure or all(one.over == 0 for one in found))
            yield (
                how + (f" of {lease:g} USD" if lease else ""),
                "bound" if sure else "dearest",
                str(lose),
                span([one.over for one in found], "{:.3f}"),
                span([one.stranded for one in found]),
                span([one.tail for one in found], "{:.0f}") + " s",
                span([1000 * one.requests for one in found], "{:.0f}"),
            )

    heads = ("how", "in flight counted at", "nodes lost", "USD over", "USD stranded", "tail", "requests a 1,000 calls")
    title = f"A cap of {cap:g} USD, 100 nodes x 16 calls in flight, {cluster_money.MEAN:g} USD a call, {cluster_money.BOUND:g} at most"
    table(title, heads, rows())

    def purses() -> Iterable[Sequence[str]]:
        for nodes in (1, 3, 10, 30):
            begin = time.process_time()
            found = cluster_money.spend("purse", nodes=nodes, cap=0.6 * nodes)
            each = (time.process_time() - begin) / found.calls
            yield (str(nodes), f"{found.over:.3f}", f"{found.stranded:.3f}", f"{1e6 * each:,.0f} us")

    table(
        "One purse for all nodes (as suites have it)",
        ("nodes", "USD over", "USD stranded", "processor time a call (measured)"),
        purses(),
    )
    return held


# ---------------------------------------------------------------- work


def work(quick: bool) -> None:
    """Fixed parts, a queue, stealing; with nodes that differ and die."""
    base = Cluster(answers=2_000_000 if quick else 100_000_000)
    day = 24 * HOUR / (50 if quick else 1)
    settings = (
        ("all nodes equal, none lost", base._replace(unequal=0.0, mtbf=None)),
        ("nodes differ by 10 %", base._replace(mtbf=None)),
        ("and die once a day, back in 10 min", base._replace(mtbf=day)),
        ("and die once in 10 days, never back", base._replace(mtbf=10 * day, back=None)),
        ("die once a day, local disk lost", base._replace(mtbf=day, kept=False)),
    )
    ways = (cluster_work.fixed_parts, cluster_work.queue, cluster_work.stealing)

    def cell(done: Done) -> str:
        return f"{done.over_ideal:.2f} ({100 * done.twice:.3g} %)"

    def rows() -> Iterable[Sequence[str]]:
        for name, cluster in settings:
            yield (name, *(cell(way(cluster)) for way in ways))

    heads = ("100 nodes x 32 in flight", "`--shard`", "queue of 1,000", "stealing")
    title = f"{base.answers:,} answers: time over the ideal (answers paid twice); the ideal is {ideal(base):.1f} h"
    table(title, heads, rows())
    units = (
        (f"{u:,}", cell(cluster_work.queue(base._replace(mtbf=day, unit=u)))) for u in (100, 1000, 10_000, 100_000)
    )
    table("The queue by size of unit, nodes die once a day", ("unit", "over ideal (twice)"), units)
    waits = (
        (f"{u:,}", *(f"{cluster_work.drained(u, 32, s, 50):.2f}" for s in (0.5, 1.0))) for u in (100, 1000, 10_000)
    )
    table(
        "A node that waits for its last call before the next unit: time over no waiting",
        ("unit", "spread 0.5", "spread 1.0"),
        waits,
    )


def ideal(cluster: Cluster) -> float:
    """Hours that nodes of speed 1 take for all answers, were none ever idle."""
    return cluster.answers * cluster.mean / cluster.in_flight / cluster.nodes / HOUR


# ---------------------------------------------------------------- sizes


def sizes(quick: bool) -> None:
    """What an answer takes on disk and in time, measured."""
    few, many = (500, 2_500) if quick else (2_000, 22_000)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        found = cluster_sizes.an_answer(cluster_sizes.measured(place, few), cluster_sizes.measured(place, many))
    print(f"\nAn answer, measured as the difference of {few:,} and {many:,}\n\n{json.dumps(found, indent=1)}")


def main() -> int:
    """All parts, or those that are named."""
    words = sys.argv[1:]
    quick = "--quick" in words
    named = [word for word in words if word != "--quick"]
    parts = {"limiter": limiter, "free": free, "budget": budget, "work": work, "sizes": sizes}
    if set(named) - set(parts):
        print(__doc__, file=sys.stderr)
        return 2
    held = [part(quick) for name, part in parts.items() if not named or name in named]
    return 1 if False in held else 0


if __name__ == "__main__":
    sys.exit(main())
