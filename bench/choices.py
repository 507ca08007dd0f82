"""The measurements behind docs/performance.md: HTTP client, JSON handles, answer store, parquet reader.

python bench/choices.py [http] [json] [store] [parquet]     all four without a name. Libraries go into bench/.venv-choices.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from endpoint import Endpoint
from processes import HERE, ChildError, environment, measure, own_environment, say, script

CLIENTS = ("aiohttp", "httpx", "httpx2")
SLOTS, SERVICE, POSTS = 256, 0.001, 4000
JSON_WAYS = ("msgspec typed", "msgspec", "orjson", "json")
STORES = ("whole replies", "index only")
READERS = {
    "pyarrow": "pyarrow==26.0.1",
    "duckdb": "duckdb==2.0.0",
    "polars": "polars==2.1.0",
    "arro3-io": "arro3-io==0.9.1",
    "fastparquet": "fastparquet==2026.9.0",
}
REPEATS = 3
ROWS = 2000


class Table(NamedTuple):
    """One comparison."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def probe(python: str, *arguments: object, **env: str) -> dict[str, Any]:
    """Run one measurement in its own process."""
    spent = script("choices_probe.py", *arguments, python=python, env=environment(**env))
    found: dict[str, Any] = json.loads(spent.out)
    return found | {"peak_mb": spent.peak_mb}


def _best(found: list[dict[str, Any]], name: str) -> float:
    return min(float(f[name]) for f in found)


def http(python: str, _work: Path) -> Table:
    """Time posts of 120 KB, as fast as each client can send them, interleaved."""
    rates: dict[str, list[float]] = {c: [] for c in CLIENTS}
    costs: dict[str, list[dict[str, Any]]] = {c: [] for c in CLIENTS}
    with Endpoint() as endpoint:
        for number in range(REPEATS):
            for client in CLIENTS:
                say(f"HTTP clients, {number + 1} of {REPEATS}: {client}")
                endpoint.reset(SLOTS, SERVICE)
                costs[client].append(probe(python, "http", client, endpoint.url, SLOTS, POSTS))
                seen = endpoint.seen()
                if seen.completed != POSTS:
                    raise ChildError(f"{client}: {seen.completed} of {POSTS} posts")
                rates[client].append(seen.rate)
    rows = [(c, f"{max(rates[c]):,.0f}", f"{_best(costs[c], 'cpu_us'):,.0f}") for c in CLIENTS]
    return Table(
        f"HTTP clients: {POSTS:,} posts of 120 KB, {SLOTS} x 1 ms", ("client", "posts/s", "us CPU a post"), rows
    )


def json_libraries(python: str, _work: Path) -> Table:
    """Time encoding and decoding one answer line."""
    source = {"PYTHONPATH": str(HERE.parent / "src")}
    rows = []
    for way in JSON_WAYS:
        say(f"JSON libraries: {way}")
        found = [probe(python, "json", way, **source) for _ in range(REPEATS)]
        rows.append(
            (way, f"{_best(found, 'encode_us'):.2f}", f"{_best(found, 'decode_us'):.2f}", str(found[0]["bytes"]))
        )
    return Table("JSON: one answer line with its ledger", ("handles", "us encoding", "us decoding", "bytes"), rows)


def stores(python: str, work: Path) -> Table:
    """Compare SQLite with whole replies to SQLite with the position of each reply in a run folder."""
    rows = []
    for number, way in enumerate(STORES):
        say(f"stores: {way}")
        source = str(HERE.parent / "src")
        found = [probe(python, "store", way, work / f"store{number}-{i}", PYTHONPATH=source) for i in range(REPEATS)]
        put, get = _best(found, "put_us"), _best(found, "get_us")
        rows.append((way, f"{put:.1f}", f"{get:.1f}", f"{found[0]['bytes_each']:.0f}"))
    title = "answer store: SQLite, batches of 256, 50,000 replies"
    return Table(title, ("what is kept", "us a put", "us a get", "bytes each on disk"), rows)


def parquet(python: str, work: Path) -> Table:
    """Compare parquet readers, each installed alone with its dependencies."""
    say(f"making a parquet file of {ROWS:,} images")
    script("material.py", "images", work, ROWS, ROWS)
    file = work / "all.parquet"
    script("choices_probe.py", "merge", work / "shards", file)
    rows = []
    for name, pinned in READERS.items():
        home = HERE / ".venv-choices" / "readers" / pinned
        if not home.is_dir():
            say(f"installing {pinned}")
            measure([python, "-m", "pip", "install", "--quiet", "--target", str(home), pinned])
        size = sum(p.stat().st_size for p in home.rglob("*") if p.is_file() and "__pycache__" not in p.parts) / 1e6
        say(f"parquet readers: {name}")
        found = [probe(python, "parquet", name, file, PYTHONPATH=str(home)) for _ in range(REPEATS)]
        numbers = (f"{_best(found, k):,.0f}" for k in ("import_ms", "text_ms", "row_us", "peak_mb"))
        rows.append((name, f"{size:.0f}", *numbers))
    columns = ("reader", "MB installed", "ms import", "ms text columns", "us an image row", "peak MB")
    return Table(f"parquet: {ROWS:,} rows with images of 90 KB in one file, row groups of 50", columns, rows)


PARTS: dict[str, Callable[[str, Path], Table]] = {
    "http": http,
    "json": json_libraries,
    "store": stores,
    "parquet": parquet,
}


def show(table: Table) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable

    shown = RichTable(title=table.title, title_justify="left")
    for i, column in enumerate(table.columns):
        shown.add_column(column, justify="left" if i == 0 else "right")
    for row in table.rows:
        shown.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 120).print(shown)


def main() -> int:
    wanted = sys.argv[1:] or list(PARTS)
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        say(f"unknown: {', '.join(unknown)}; choose from {', '.join(PARTS)}")
        return 2
    python = own_environment(HERE / ".venv-choices", HERE / "choices-requirements.txt")
    for name in wanted:
        with tempfile.TemporaryDirectory(prefix="snellen-choices-") as folder:
            try:
                show(PARTS[name](python, Path(folder)))
            except ChildError as error:
                say(str(error))
                return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
