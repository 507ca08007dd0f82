"""Tables of questions as a user would write them, with tiny pictures beside them."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.sets import png

Row = Mapping[str, Any]
CHOICE = {"image": "1.png", "question": "Which colour?", "options": ["red", "blue", "green"], "answer": "blue"}


def pictures(folder: Path, count: int = 4) -> Path:
    """Make a folder with pictures 1.png, 2.png and so on, all different."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(1, count + 1):
        (folder / f"{i}.png").write_bytes(png(i))
    return folder


def lines(folder: Path, *rows: Row, name: str = "questions.jsonl") -> Path:
    """Write rows as JSON lines, with pictures."""
    path = pictures(folder) / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def table(folder: Path, rows: Sequence[Row], name: str = "questions.csv") -> Path:
    """Write rows as CSV, with pictures."""
    path = pictures(folder) / name
    with path.open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, list(dict.fromkeys(k for row in rows for k in row)))
        written.writeheader()
        written.writerows(rows)
    return path


def parquet(folder: Path, rows: Sequence[Row], name: str = "questions.parquet") -> Path:
    """Write rows as Parquet with the pictures inside, as the hub has them; `image` is the number of the picture."""
    folder.mkdir(parents=True, exist_ok=True)
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    held = pa.array([{"bytes": png(row["image"]), "path": None} for row in rows], kind)
    others = {k: [row[k] for row in rows] for k in rows[0] if k != "image"}
    pq.write_table(pa.table({"image": held, **others}), folder / name)
    return folder / name
