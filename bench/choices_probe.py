"""One measurement of choices.py in its own process. It prints one JSON object and loads libraries by name."""

from __future__ import annotations

import asyncio
import hashlib
import json
import resource
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

BODY = b'{"image":"' + b"x" * 120_000 + b'"}'
REPLIES = 50_000
BATCH = 256
Post = Callable[[], Awaitable[None]]


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


# ---------------------------------------------------------------- HTTP clients


async def _drive(post: Post, concurrency: int, count: int) -> float:
    left = iter(range(count))

    async def worker() -> None:
        for _ in left:
            await post()

    before = _cpu()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return _cpu() - before


async def _aiohttp(url: str, concurrency: int, count: int) -> float:
    aiohttp: Any = import_module("aiohttp")
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:

        async def post() -> None:
            async with session.post(url, data=BODY) as response:
                await response.read()

        return await _drive(post, concurrency, count)


async def _httpx(name: str, url: str, concurrency: int, count: int) -> float:
    httpx: Any = import_module(name)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    headers = {"Content-Type": "application/json"}
    async with httpx.AsyncClient(limits=limits, timeout=60, headers=headers, trust_env=False) as client:

        async def post() -> None:
            response = await client.post(url, content=BODY)
            response.raise_for_status()

        return await _drive(post, concurrency, count)


def http(client: str, base: str, concurrency: str, count: str) -> dict[str, float]:
    url, width, posts = f"{base}/chat/completions", int(concurrency), int(count)
    work = _aiohttp(url, width, posts) if client == "aiohttp" else _httpx(client, url, width, posts)
    return {"cpu_us": asyncio.run(work) / posts * 1e6}


# ---------------------------------------------------------------- JSON libraries


def _answer(number: int) -> Any:
    from snellen.core.types import Answer, Call, ImageSent, Usage

    key = hashlib.sha256(str(number).encode()).hexdigest()
    call = Call(
        key=key,
        kind="api",
        endpoint="http://127.0.0.1:8000/v1/chat/completions",
        model="bench",
        model_returned="bench-1",
        images=(ImageSent(sha256=key, codec="png", width=173, height=173, bytes=90033),),
        usage=Usage(input_tokens=833, output_tokens=41),
        latency=0.2031,
        tries=1,
        finish_reason="stop",
        response_id=f"chatcmpl-{key[:20]}",
    )
    text = "Looking at the grid, all objects share the same shape. One stands out by its color. Answer: Color"
    return Answer(id=f"P3/img{number:06d}", prompt="question", text=text, finish_reason="stop", calls=(call,))


def _best_us(work: Callable[[], object], times: int = 2000, rounds: int = 15) -> float:
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(times):
            work()
        best = min(best, time.perf_counter() - begin)
    return best / times * 1e6


def json_way(way: str) -> dict[str, float]:
    import msgspec

    from snellen.core.types import Answer

    answer: Any = _answer(1)
    plain = msgspec.to_builtins(answer)
    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    if way == "msgspec typed":
        encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder(Answer).decode
        value = answer
    elif way == "msgspec":
        encode, decode, value = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode, plain
    elif way == "orjson":
        orjson: Any = import_module("orjson")
        encode, decode, value = orjson.dumps, orjson.loads, plain
    else:
        encode, decode, value = (lambda v: json.dumps(v, separators=(",", ":")).encode()), json.loads, plain
    line = encode(value)
    return {
        "encode_us": _best_us(lambda: encode(value)),
        "decode_us": _best_us(lambda: decode(line)),
        "bytes": len(line),
    }


# ---------------------------------------------------------------- the answer store


def store(way: str, folder: str) -> dict[str, float]:
    import msgspec

    home = Path(folder)
    home.mkdir()
    encode = msgspec.json.Encoder().encode
    lines = [encode(_answer(i)) for i in range(REPLIES)]
    keys = [hashlib.sha256(str(i).encode()).digest() for i in range(REPLIES)]
    db = sqlite3.connect(home / "answers.sqlite", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    whole = way == "whole replies"
    columns = "key BLOB PRIMARY KEY, reply BLOB NOT NULL" if whole else "key BLOB PRIMARY KEY, run INTEGER, at INTEGER"
    db.execute(f"CREATE TABLE replies ({columns})")
    marks = "?, ?" if whole else "?, ?, ?"
    begin = time.perf_counter()
    at = 0
    for first in range(0, REPLIES, BATCH):
        rows: list[tuple[Any, ...]] = []
        for i in range(first, min(first + BATCH, REPLIES)):
            rows.append((keys[i], lines[i]) if whole else (keys[i], 1, at))
            at += len(lines[i]) + 1
        db.execute("BEGIN IMMEDIATE")
        db.executemany(f"INSERT OR REPLACE INTO replies VALUES ({marks})", rows)  # noqa: S608  only question marks
        db.execute("COMMIT")
    put = time.perf_counter() - begin
    asked = keys[:: REPLIES // 5000]
    wanted = "SELECT reply FROM replies WHERE key = ?" if whole else "SELECT run, at FROM replies WHERE key = ?"
    begin = time.perf_counter()
    for key in asked:
        db.execute(wanted, (key,)).fetchone()
    get = time.perf_counter() - begin
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    size = (home / "answers.sqlite").stat().st_size
    return {"put_us": put / REPLIES * 1e6, "get_us": get / len(asked) * 1e6, "bytes_each": size / REPLIES}


# ---------------------------------------------------------------- parquet readers

TEXTS = ["image_id", "question", "answer"]


def merge(shards: str, out: str) -> dict[str, float]:
    import pyarrow.parquet as pq

    paths = sorted(Path(shards).glob("*.parquet"))
    with pq.ParquetWriter(out, pq.read_schema(paths[0])) as writer:
        for path in paths:
            with pq.ParquetFile(path) as file:
                for group in range(file.num_row_groups):
                    writer.write_table(file.read_row_group(group))
    return {}


def _pyarrow(path: str) -> Iterator[int]:
    pq: Any = import_module("pyarrow.parquet")
    yield 0
    file = pq.ParquetFile(path, pre_buffer=False)
    yield len(file.read(columns=TEXTS).to_pylist())
    yield sum(
        len(image)
        for batch in file.iter_batches(batch_size=16, columns=["image.bytes"])
        for image in batch.column(0).field(0).to_pylist()
    )


def _duckdb(path: str) -> Iterator[int]:
    duckdb: Any = import_module("duckdb")
    yield 0
    db = duckdb.connect()
    yield len(db.execute("SELECT image_id, question, answer FROM read_parquet(?)", [path]).fetchall())
    found = db.execute("SELECT image.bytes FROM read_parquet(?)", [path])
    total = 0
    while rows := found.fetchmany(16):
        total += sum(len(row[0]) for row in rows)
    yield total


def _polars(path: str) -> Iterator[int]:
    pl: Any = import_module("polars")
    yield 0
    rows = len(pl.scan_parquet(path).select(TEXTS).collect().rows())
    yield rows
    image = pl.col("image").struct.field("bytes")
    yield sum(
        len(x)
        for at in range(0, rows, 50)
        for x in pl.scan_parquet(path).slice(at, 50).select(image).collect()["bytes"]
    )


def _arro3(path: str) -> Iterator[int]:
    """Read the texts, then the images. `read_parquet` takes no columns, so the cost of the texts includes reading the images."""
    arro3: Any = import_module("arro3.io")
    yield 0
    yield sum(
        len(list(zip(*([cell.as_py() for cell in batch.column(name)] for name in TEXTS), strict=True)))
        for batch in arro3.read_parquet(path, batch_size=16)
    )
    yield sum(
        len(cell.as_py()["bytes"])
        for batch in arro3.read_parquet(path, batch_size=16)
        for cell in batch.column("image")
    )


def _fastparquet(path: str) -> Iterator[int]:
    fastparquet: Any = import_module("fastparquet")
    yield 0
    file = fastparquet.ParquetFile(path)
    yield len(file.to_pandas(TEXTS))
    yield sum(len(x) for frame in file.iter_row_groups(columns=["image.bytes"]) for x in frame["image.bytes"])


WAYS = {"pyarrow": _pyarrow, "duckdb": _duckdb, "polars": _polars, "arro3-io": _arro3, "fastparquet": _fastparquet}


def parquet(reader: str, path: str) -> dict[str, float]:
    steps = WAYS[reader](path)
    clock = [time.perf_counter()]
    found = []
    for step in steps:
        found.append(step)
        clock.append(time.perf_counter())
    rows = found[1]
    if found[2] < rows * 80_000:
        raise RuntimeError(f"{reader} gave {found[2]} bytes of images")
    spans = [b - a for a, b in pairwise(clock)]
    return {"import_ms": spans[0] * 1e3, "text_ms": spans[1] * 1e3, "row_us": spans[2] / rows * 1e6}


PROBES: dict[str, Callable[..., dict[str, float]]] = {
    "http": http,
    "json": json_way,
    "store": store,
    "merge": merge,
    "parquet": parquet,
}

if __name__ == "__main__":
    print(json.dumps(PROBES[sys.argv[1]](*sys.argv[2:])))
