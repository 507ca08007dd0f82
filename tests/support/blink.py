"""Tables in the shape of BLINK on the hub: one folder a task, one to four pictures a row, answers as "(B)"."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

IMAGES = ("image_1", "image_2", "image_3", "image_4")
TEXTS = ("idx", "question", "prompt", "sub_task", "answer")
COLOURS = ("red", "green", "blue", "black")


def picture(seed: int) -> dict[str, object]:
    """Return a small picture in one colour."""
    out = io.BytesIO()
    Image.new("RGB", (24, 24), COLOURS[seed % 4]).save(out, "PNG")
    return {"bytes": out.getvalue(), "path": f"{seed}.png"}


def make_blink(folder: Path, count: int = 3, answer: str = "") -> None:
    """Write two tasks with `count` rows each."""
    for task, images in (("Counting", 1), ("Jigsaw", 3)):
        rows = [_row(task, images, i, answer) for i in range(1, count + 1)]
        (folder / task).mkdir(parents=True)
        _write(folder / task / "val-00000-of-00001.parquet", rows)


def _row(task: str, images: int, i: int, answer: str) -> dict[str, object]:
    shown = {f"image_{n}": picture(i + n) if n <= images else None for n in (1, 2, 3, 4)}
    options = [f"{n} dots" for n in range(i, i + 4)]
    words = {"idx": f"val_{task}_{i}", "question": f"How many dots are in picture {i}?", "prompt": "", "sub_task": task}
    return {**words, "choices": options, "answer": answer or f"({'ABCD'[i % 4]})", **shown}


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    kinds = dict.fromkeys(TEXTS, pa.string()) | {"choices": pa.list_(pa.string())} | dict.fromkeys(IMAGES, image)
    columns = {name: pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()}
    pq.write_table(pa.table(columns), path)
