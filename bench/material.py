"""Data for the benchmark: SalBench folders of noise images of about 90 KB, all distinct, in shards that folders share.

A shard is written as `datasets` writes it to the hub: Snappy, and row groups of 500 images.

python material.py images OUT TOTAL COUNT...   shards of TOTAL rows, and a folder OUT/COUNT for each COUNT, hard-linked
python material.py files FOLDER OUT COUNT      the first COUNT images of a folder as files, with questions.jsonl
"""

from __future__ import annotations

import json
import os
import random
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from snellen.synthetic.patterns import wording

SCHEMA = pa.schema(
    [
        ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
        ("image_id", pa.string()),
        ("question", pa.string()),
        ("answer", pa.string()),
    ]
)
P3 = ("color", "orientation", "size")
GROUP = 500
SHARD = 1000
SIDE = 173  # 173 x 173 pixels of noise are a PNG of about 90 KB


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(random_bytes: bytes, side: int) -> bytes:
    """Return a valid RGB PNG of these pixels; noise does not compress, so no compression is tried."""
    row = side * 3
    raw = b"".join(b"\0" + random_bytes[y * row : (y + 1) * row] for y in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(raw, 0)) + _chunk(b"IEND", b"")


def write_shard(
    path: Path,
    first: int,
    count: int,
    *,
    side: int = SIDE,
    split: str = "P3",
    labels: tuple[str, ...] = P3,
    group: int = GROUP,
) -> None:
    """Write rows first..first+count of the endless noise set, one row group after the other."""
    path.parent.mkdir(parents=True, exist_ok=True)
    question = wording.question("P3") if split == "P3" else wording.question("O3")
    with pq.ParquetWriter(path, SCHEMA, compression="snappy") as out:
        for begin in range(first, first + count, group):
            rows = range(begin, min(begin + group, first + count))
            noise = random.Random(begin)  # noqa: S311  the same bytes every time, not a secret
            table = {
                "image": [{"bytes": png(noise.randbytes(side * side * 3), side), "path": None} for _ in rows],
                "image_id": [f"noise{i:06d}" for i in rows],
                "question": [question] * len(rows),
                "answer": [labels[i % len(labels)] for i in rows],
            }
            out.write_table(pa.table(table, schema=SCHEMA))


def make_images(out: Path, total: int, counts: list[int]) -> None:
    """Write shards of 1,000 rows; every folder links to as many as its count needs."""
    shards = []
    for first in range(0, total, SHARD):
        shards.append(out / "shards" / f"{first:06d}.parquet")
        write_shard(shards[-1], first, min(SHARD, total - first))
    for count in counts:
        home = out / str(count) / "P3"
        home.mkdir(parents=True)
        for shard in shards[: count // SHARD]:
            os.link(shard, home / shard.name)
        if count % SHARD:
            write_shard(home / "rest.parquet", total + count, count % SHARD)


def rows(folder: Path) -> Iterator[tuple[str, bytes, str, str]]:
    """Yield id, image, question and answer of a folder made here, in order."""
    for path in sorted((folder / "P3").glob("*.parquet")):
        with pq.ParquetFile(path, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=50):
                for row in batch.to_pylist():
                    yield row["image_id"], row["image"]["bytes"], row["question"], row["answer"]


def make_files(folder: Path, out: Path, count: int) -> None:
    """Write the same questions for a tool that reads image files."""
    out.mkdir(parents=True)
    with (out / "questions.jsonl").open("w") as questions:
        for number, (name, image, question, answer) in enumerate(rows(folder)):
            if number == count:
                break
            path = out / f"{name}.png"
            path.write_bytes(image)
            questions.write(json.dumps({"id": name, "image": str(path), "question": question, "target": answer}) + "\n")


def main() -> None:
    what, *rest = sys.argv[1:]
    if what == "images":
        make_images(Path(rest[0]), int(rest[1]), [int(n) for n in rest[2:]])
    elif what == "files":
        make_files(Path(rest[0]), Path(rest[1]), int(rest[2]))
    else:
        sys.exit(f"unknown: {what}")


if __name__ == "__main__":
    main()
