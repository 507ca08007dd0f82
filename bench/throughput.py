"""Snellen compared with a bare HTTP client and with Inspect AI, on one local endpoint, in one run. See README.md.

Rates are by the endpoint's clock, from the first request's arrival to the last response, so start-up time does not count.
Repeats are interleaved and the best of each side is kept: other work on the machine can only slow a side down.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import statistics
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import marking
from endpoint import Endpoint, Seen
from processes import HERE, SNELLEN, ChildError, Spent, checkout, environment, measure, own_environment, say, script

FEW = 16


class Load(NamedTuple):
    """An endpoint, the number of requests, and the number of repeats."""

    name: str
    slots: int
    service: float
    target: float
    samples: int
    repeats: int
    inspect_samples: int
    inspect_repeats: int


class Size(NamedTuple):
    """The size of the whole benchmark."""

    slow: Load
    fast: Load
    memory: tuple[int, int]
    replies: int


FULL = Size(
    slow=Load("64 x 0.2 s", 64, 0.2, 0.9, samples=2000, repeats=3, inspect_samples=400, inspect_repeats=2),
    fast=Load("256 x 1 ms", 256, 0.001, 0.6, samples=4000, repeats=5, inspect_samples=1024, inspect_repeats=2),
    memory=(1000, 20_000),
    replies=100_000,
)
QUICK = Size(
    slow=Load("64 x 0.2 s", 64, 0.2, 0.9, samples=1000, repeats=2, inspect_samples=256, inspect_repeats=1),
    fast=Load("256 x 1 ms", 256, 0.001, 0.6, samples=2000, repeats=2, inspect_samples=256, inspect_repeats=1),
    memory=(500, 4000),
    replies=100_000,
)


class Measured(NamedTuple):
    """One side at one load: rate by the endpoint's clock, the cost of the process, and the number of samples."""

    rate: float
    cpu: float
    wall: float
    peak_mb: float
    samples: int
    most_in_flight: int
    rate_from_opening: float

    @property
    def cpu_us(self) -> float:
        return self.cpu / self.samples * 1e6


class Row(NamedTuple):
    """A line of the table; `ok` is None where there is no target."""

    what: str
    value: str
    ratio: str = ""
    target: str = ""
    ok: bool | None = None


def _measured(spent: Spent, seen: Seen, samples: int, cpu: float | None = None) -> Measured:
    if seen.completed != samples:
        raise ChildError(f"{seen.completed} calls for {samples} samples:\n{spent.err[-2000:]}")
    used = spent.cpu if cpu is None else cpu
    return Measured(seen.rate, used, spent.wall, spent.peak_mb, samples, seen.most_in_flight, seen.rate_from_opening)


class Bench:
    """The sides, each as a separate process against the same endpoint."""

    def __init__(self, work: Path, endpoint: Endpoint, inspect_python: str | None) -> None:
        self.work, self.endpoint, self.inspect_python = work, endpoint, inspect_python
        self._runs = 0

    def _fresh(self, name: str) -> Path:
        self._runs += 1
        return self.work / f"{name}{self._runs}"

    def bare(self, load: Load, samples: int) -> Measured:
        self.endpoint.reset(load.slots, load.service)
        spent = script("bare.py", self.work / str(samples), self.endpoint.url, load.slots, env=environment())
        return _measured(spent, self.endpoint.seen(), samples, float(spent.out))

    def snellen(self, load: Load, samples: int, model: str = "api/bench", at: str = "/v1", **keys: str) -> Measured:
        """Run the real command with an empty answer store and default settings."""
        self.endpoint.reset(load.slots, load.service)
        command = [SNELLEN, "run", "salbench", "--data", str(self.work / str(samples)), "--model", model]
        command += ["--base-url", f"{self.endpoint.root}{at}", "--out", str(self._fresh("runs"))]
        command += ["--protocol", "paper"]
        spent = measure(command, environment(SNELLEN_CACHE_DIR=str(self._fresh("cache")), **keys))
        return _measured(spent, self.endpoint.seen(), samples)

    def version(self, source: Path, load: Load, samples: int) -> Measured:
        """Run `snellen` with the code of a checkout."""
        self.endpoint.reset(load.slots, load.service)
        command, env = checkout(source)
        command += ["run", "salbench", "--data", str(self.work / str(samples)), "--model", "api/bench"]
        command += ["--base-url", self.endpoint.url, "--out", str(self._fresh("runs")), "--protocol", "paper"]
        spent = measure(command, env | {"SNELLEN_CACHE_DIR": str(self._fresh("cache"))})
        return _measured(spent, self.endpoint.seen(), samples)

    def inspect(self, load: Load, samples: int) -> Measured:
        if self.inspect_python is None:
            raise RuntimeError("Inspect is skipped")
        files = self.work / f"files{samples}"
        if not files.exists():
            source = FEW if samples == FEW else max(load.samples, samples)
            script("material.py", "files", self.work / str(source), files, samples)
        self.endpoint.reset(load.slots, load.service)
        home = self._fresh("inspect")
        env = environment(
            BENCH_BASE_URL=self.endpoint.url,
            BENCH_API_KEY="none",
            XDG_DATA_HOME=str(home / "data"),
            XDG_CACHE_HOME=str(home / "cache"),
        )
        arguments = (files / "questions.jsonl", home / "logs", load.slots)
        spent = script("inspect_side.py", *arguments, python=self.inspect_python, env=env)
        return _measured(spent, self.endpoint.seen(), samples)


class Sides(NamedTuple):
    """All repeats of a load."""

    bare: list[Measured]
    snellen: list[Measured]
    snellen_few: list[Measured]
    inspect: list[Measured]
    inspect_few: list[Measured]


def measure_load(bench: Bench, load: Load) -> Sides:
    """Measure every side at one load, in turn, several times (Inspect, which is slow, less often)."""
    sides = Sides([], [], [], [], [])
    for number in range(load.repeats):
        say(f"{load.name}, {number + 1} of {load.repeats}: bare client")
        sides.bare.append(bench.bare(load, load.samples))
        say(f"{load.name}, {number + 1} of {load.repeats}: Snellen")
        sides.snellen.append(bench.snellen(load, load.samples))
        sides.snellen_few.append(bench.snellen(load, FEW))
        if bench.inspect_python is not None and number < load.inspect_repeats:
            say(f"{load.name}, {number + 1} of {load.repeats}: Inspect AI")
            sides.inspect.append(bench.inspect(load, load.inspect_samples))
            sides.inspect_few.append(bench.inspect(load, FEW))
    return sides


def _rate(side: list[Measured]) -> float:
    return max(m.rate for m in side)


def _gross(side: list[Measured]) -> float:
    return min(m.cpu_us for m in side)


def net_cpu_us(many: list[Measured], few: list[Measured]) -> float:
    """Return the microseconds of processor time that one more sample takes, without start-up."""
    extra = min(m.cpu for m in many) - min(m.cpu for m in few)
    return extra / (many[0].samples - few[0].samples) * 1e6


def inspect_rate(load: Load, sides: Sides) -> str:
    """Return Inspect's rate.

    With hardly more samples than slots, all requests leave in one burst after all the work, which gives no rate.
    """
    if load.inspect_samples < 4 * load.slots:
        return "too few samples for a rate"
    return f"{_rate(sides.inspect):,.1f} samples/s"


def load_rows(load: Load, sides: Sides) -> list[Row]:
    """Return the table's lines for one load. The verdict uses the best of each side; the pairs' median is shown beside it."""
    bare, ours = _rate(sides.bare), _rate(sides.snellen)
    ratio = ours / bare
    pairs = statistics.median(s.rate / b.rate for s, b in zip(sides.snellen, sides.bare, strict=True))
    net = net_cpu_us(sides.snellen, sides.snellen_few)
    opening = max(m.rate_from_opening for m in sides.bare), max(m.rate_from_opening for m in sides.snellen)
    said = f"{ratio:.2f} of bare (pairs {pairs:.2f}; from connecting {opening[1] / opening[0]:.2f})"
    limit = f"{bare:,.0f} samples/s ({opening[0]:,.0f} from connecting), {_gross(sides.bare):,.0f} us CPU each"
    rows = [
        Row(f"{load.name}: bare client", limit),
        Row(f"{load.name}: Snellen", f"{ours:,.0f} samples/s", said, f">= {load.target}", ratio >= load.target),
        Row(f"{load.name}: Snellen CPU a sample", f"{net:,.0f} us net, {_gross(sides.snellen):,.0f} us with start-up"),
    ]
    if not sides.inspect:
        return [*rows, Row(f"{load.name}: Inspect AI", "skipped")]
    theirs = net_cpu_us(sides.inspect, sides.inspect_few)
    factor, gross = theirs / net, _gross(sides.inspect) / _gross(sides.snellen)
    return [
        *rows,
        Row(f"{load.name}: Inspect AI", inspect_rate(load, sides)),
        Row(
            f"{load.name}: Inspect AI CPU a sample",
            f"{theirs:,.0f} us net, {_gross(sides.inspect):,.0f} us with start-up",
            f"Snellen 1/{factor:.0f} net, 1/{gross:.0f} with start-up",
            "Snellen <= 1/15 net",
            factor >= 15,
        ),
    ]


def memory_rows(bench: Bench, load: Load, counts: tuple[int, int]) -> list[Row]:
    """Measure the command's peak memory at two sizes."""
    peaks = []
    for count in counts:
        say(f"peak memory at {count:,} samples")
        peaks.append(bench.snellen(load, count).peak_mb)
    grown = peaks[1] - peaks[0]
    what = f"peak memory, {counts[0]:,} and {counts[1]:,} samples"
    return [Row(what, f"{peaks[0]:.0f} MB and {peaks[1]:.0f} MB", f"{grown:+.0f} MB", "within 40 MB", grown <= 40)]


def marking_rows(work: Path, count: int, repeats: int) -> list[Row]:
    """Measure re-marking and resuming a large finished run."""
    marked, resumed = marking.times(work, count, repeats)
    return [
        Row(
            f"re-marking {count:,} replies, 4 protocols",
            f"{marked.wall:.1f} s on one core ({marked.cpu:.1f} s CPU, {marked.peak_mb:.0f} MB)",
            "",
            "< 20 s",
            marked.wall < 20,
        ),
        Row(
            f"resuming a finished run of {count:,}",
            f"{resumed.wall:.2f} s ({resumed.cpu:.2f} s CPU, {resumed.peak_mb:.0f} MB)",
            "",
            "< 3 s",
            resumed.wall < 3,
        ),
    ]


def run(size: Size, with_inspect: bool) -> tuple[list[Row], dict[str, Any]]:
    """Run everything; return the table's lines and the raw numbers."""
    python = own_environment(HERE / ".venv-inspect", HERE / "inspect-requirements.txt") if with_inspect else None
    raw: dict[str, Any] = {}
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="snellen-bench-") as folder, Endpoint() as endpoint:
        work = Path(folder)
        counts = sorted({FEW, *size.memory, size.slow.samples, size.fast.samples})
        say(f"making {max(counts):,} images of 90 KB")
        script("material.py", "images", work, max(counts), *counts)
        bench = Bench(work, endpoint, python)
        for load in (size.slow, size.fast):
            sides = measure_load(bench, load)
            raw[load.name] = {name: [m._asdict() for m in side] for name, side in sides._asdict().items()}
            rows += load_rows(load, sides)
        rows += memory_rows(bench, size.fast, size.memory)
        rows += marking_rows(work, size.replies, 2)
    return rows, raw


def run_against(size: Size, old: Path) -> tuple[list[Row], dict[str, Any]]:
    """Compare this checkout with another one, in turn, at both loads."""
    raw: dict[str, Any] = {}
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="snellen-bench-") as folder, Endpoint() as endpoint:
        work = Path(folder)
        counts = sorted({size.slow.samples, size.fast.samples})
        say(f"making {max(counts):,} images of 90 KB")
        script("material.py", "images", work, max(counts), *counts)
        bench = Bench(work, endpoint, None)
        for load in (size.slow, size.fast):
            sides: dict[str, list[Measured]] = {"old": [], "new": []}
            for number in range(load.repeats):
                for name, source in (("old", old), ("new", HERE.parent)):
                    say(f"{load.name}, {number + 1} of {load.repeats}: {name}")
                    sides[name].append(bench.version(source, load, load.samples))
            raw[load.name] = {name: [m._asdict() for m in side] for name, side in sides.items()}
            rows += against_rows(load, sides["old"], sides["new"], waits=load is size.slow)
    return rows, raw


def against_rows(load: Load, old: list[Measured], new: list[Measured], *, waits: bool) -> list[Row]:
    """Return the lines of one load. CPU and memory have targets where calls take time, the rate where they do not."""
    cpu, before = _gross(new), _gross(old)
    peak, peak_before = max(m.peak_mb for m in new), max(m.peak_mb for m in old)
    rate, rate_before = _rate(new), _rate(old)
    pairs = statistics.median(n.rate / o.rate for n, o in zip(new, old, strict=True))
    return [
        Row(
            f"{load.name}: CPU a sample, old and new",
            f"{before:,.0f} and {cpu:,.0f} us with start-up",
            f"{cpu / before:.2f}",
            "<= 1,600 us" if waits else "",
            cpu <= 1600 if waits else None,
        ),
        Row(
            f"{load.name}: peak memory, old and new",
            f"{peak_before:.0f} and {peak:.0f} MB",
            f"{peak / peak_before:.2f}",
            "<= 220 MB" if waits else "",
            peak <= 220 if waits else None,
        ),
        Row(
            f"{load.name}: rate, old and new",
            f"{rate_before:,.0f} and {rate:,.0f} samples/s",
            f"{rate / rate_before:.2f} (pairs {pairs:.2f})",
            "" if waits else ">= 2",
            None if waits else rate >= 2 * rate_before,
        ),
    ]


def machine(with_inspect: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()}
    facts |= {name: version(name) for name in ("snellen", "pyarrow", "msgspec", "aiohttp")}
    if with_inspect:
        facts["inspect"] = (HERE / "inspect-requirements.txt").read_text().split()
    return facts


def show(rows: list[Row], title: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column in ("measured", "value", "ratio", "target", ""):
        table.add_column(column)
    words = {None: "", True: "[green]pass[/green]", False: "[red]MISSED[/red]"}
    for row in rows:
        table.add_row(row.what, row.value, row.ratio, row.target, words[row.ok])
    Console(width=None if sys.stdout.isatty() else 150).print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description="Snellen's speed beside a bare HTTP client and Inspect AI.")
    parser.add_argument("--quick", action="store_true", help="fewer samples and repeats, under three minutes")
    parser.add_argument("--skip-inspect", action="store_true", help="leave Inspect AI out")
    parser.add_argument("--against", type=Path, metavar="PATH", help="only this code and that of another checkout")
    parser.add_argument("--json", metavar="FILE", help="also write the rows and all raw numbers to a file")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that everything is cleaned up
    begin = time.monotonic()
    try:
        size = QUICK if given.quick else FULL
        rows, raw = run_against(size, given.against) if given.against else run(size, not given.skip_inspect)
    except ChildError as error:
        say(str(error))
        return 2
    facts = machine(not given.skip_inspect and given.against is None)
    seconds = time.monotonic() - begin
    show(rows, f"throughput: {facts['cores']} cores, Python {facts['python']}, {seconds:.0f} s")
    if given.json:
        document = {"machine": facts, "seconds": seconds, "rows": [r._asdict() for r in rows], "raw": raw}
        Path(given.json).write_text(json.dumps(document, indent=2) + "\n")
    missed = [row.what for row in rows if row.ok is False]
    if missed:
        say(f"missed: {'; '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
