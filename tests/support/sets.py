"""Tiny SalBench folders in the real format, and a temporary folder for runs."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from snellen.synthetic.patterns import wording

SCHEMA = pa.schema(
    [
        ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
        ("image_id", pa.string()),
        ("question", pa.string()),
        ("answer", pa.string()),
    ]
)
P3_LABELS = ("color", "orientation", "size")
O3_LABELS = ("Color, Shape", "Color", "Focus", "Location, Size")
BOX = (0.2, 0.19, 0.26, 0.25)


@lru_cache(maxsize=4096)
def png(number: int, side: int = 8) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (side, side), (number % 256, number // 256 % 256, 77)).save(out, "PNG")
    return out.getvalue()


def question(config: str) -> str:
    return {
        "P3": wording.question("P3"),
        "P3_box": wording.question("P3_box", box=BOX),
        "P3_box_img": wording.question("P3_box_img"),
        "O3": wording.question("O3"),
        "O3_box": wording.question("O3_box", n=13, plural="toys", box=BOX),
        "O3_box_img": wording.question("O3_box_img", n=13, plural="toys", singular="toy"),
    }[config]


def write_config(folder: Path, config: str, count: int, *, rows_a_group: int = 50, **columns: list[object]) -> Path:
    labels = P3_LABELS if config.startswith("P3") else O3_LABELS
    data = {
        "image": [{"bytes": png(i), "path": None} for i in range(count)],
        "image_id": [f"img{i:05d}" for i in range(count)],
        "question": [question(config)] * count,
        "answer": [labels[i % len(labels)] for i in range(count)],
    } | columns
    path = folder / config / "shard_000.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = [f for f in SCHEMA if f.name in data] + [pa.field(n, pa.string()) for n in data if n not in SCHEMA.names]
    table = pa.table({f.name: data[f.name] for f in fields}, schema=pa.schema(fields))
    pq.write_table(table, path, row_group_size=rows_a_group)
    return path


def write_set(folder: Path, count: int, configs: tuple[str, ...] = ("P3",)) -> Path:
    for config in configs:
        write_config(folder, config, count)
    return folder
