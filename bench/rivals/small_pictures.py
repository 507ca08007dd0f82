"""A SalBench set with its pictures shrunk, so that logs that carry pictures stay small: python small_pictures.py SALBENCH OUT [PIXELS]."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image


def shrunk(picture: dict[str, Any], pixels: int) -> dict[str, Any]:
    """Return the same cell with a small PNG."""
    with Image.open(io.BytesIO(picture["bytes"])) as image:
        small = image.convert("RGB")
    small.thumbnail((pixels, pixels))
    out = io.BytesIO()
    small.quantize(16).save(out, "PNG")
    return {**picture, "bytes": out.getvalue()}


def main() -> None:
    salbench, out, pixels = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 24
    for file in sorted(salbench.glob("*/*.parquet")):
        table = pq.read_table(file)
        rows = [shrunk(cell, pixels) for cell in table["image"].to_pylist()]
        place = table.schema.get_field_index("image")
        small = table.set_column(place, "image", pa.array(rows, type=table.schema.field("image").type))
        target = out / file.relative_to(salbench)
        target.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(small, target)


if __name__ == "__main__":
    main()
