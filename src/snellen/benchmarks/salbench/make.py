"""Makes a synthetic set in SalBench's own format: six folders of parquet shards, readable like the real ones.

Sample i depends on (seed, i) alone, so a larger set begins with the smaller one, and neither the number of
worker processes nor the machine's clock leaves a trace in the files.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.errors import SnellenError
from . import scenes_o3, scenes_p3, wording
from .drawing import framed, png

VERSION = 1
SHARD_ROWS = 250
GROUP_ROWS = 50
SPLITS = ("P3", "O3")
KINDS = ("", "_box", "_box_img")
_CHUNK = 8
_MARK = b"snellen.synthetic"

Row = dict[str, Any]
Rows = tuple[Row, Row, Row]
Progress = Callable[[int, int], None]


def _schema(seed: int, count: int) -> pa.Schema:
    text = {"dtype": "string", "_type": "Value"}
    features = {"image": {"_type": "Image"}, "image_id": text, "question": text, "answer": text, "difficulty": text}
    origin = {"generator": "salbench", "version": VERSION, "seed": seed, "count": count}
    return pa.schema(
        [
            pa.field("image", pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])),
            *(pa.field(name, pa.string()) for name in ("image_id", "question", "answer", "difficulty")),
        ],
        metadata={
            b"huggingface": json.dumps({"info": {"features": features}}).encode(),
            _MARK: json.dumps(origin).encode(),
        },
    )


def sample(split: str, seed: int, index: int) -> Rows:
    """The rows of one image in the three configs of its split: detection, referring, visual referring."""
    scene = (scenes_p3 if split == "P3" else scenes_o3).scene(seed, index)
    height, width = scene.image.shape[:2]
    x0, y0, x1, y1 = scene.box
    box = (x0 / width, y0 / height, x1 / width, y1 / height)
    if split == "P3":
        questions = (wording.p3_detection(), wording.p3_referring(box), wording.p3_visual_referring())
        answer = scene.features[0]
    else:
        n, plural, singular = scene.count, scene.plural, scene.singular
        questions = (
            wording.o3_detection(),
            wording.o3_referring(n, plural, box),
            wording.o3_visual_referring(n, plural, singular),
        )
        answer = ", ".join(feature.title() for feature in scene.features)
    name = f"syn-{split.lower()}-s{seed}-{index:05d}"
    plain, marked = png(scene.image), png(framed(scene.image, scene.box))
    first, second, third = (
        {
            "image": {"bytes": data, "path": f"{name}.png"},
            "image_id": name,
            "question": question,
            "answer": answer,
            "difficulty": scene.difficulty,
        }
        for data, question in zip((plain, plain, marked), questions, strict=True)
    )
    return first, second, third


def _samples(split: str, seed: int, start: int, stop: int) -> list[Rows]:
    return [sample(split, seed, index) for index in range(start, stop)]


def _in_order(pool: ProcessPoolExecutor | None, ahead: int, split: str, seed: int, count: int) -> Iterator[Rows]:
    """All samples of a split in order, made by the pool with only a few chunks under way at a time."""
    starts = range(0, count, _CHUNK)
    if pool is None:
        for start in starts:
            yield from _samples(split, seed, start, min(count, start + _CHUNK))
        return
    waiting: deque[Future[list[Rows]]] = deque()
    for start in starts:
        waiting.append(pool.submit(_samples, split, seed, start, min(count, start + _CHUNK)))
        if len(waiting) > ahead:
            yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


def _check(out: Path, seed: int, count: int) -> None:
    """Refuses a folder that holds anything but (part of) the very same set."""
    if out.exists() and not out.is_dir():
        raise SnellenError(f"{out} is not a folder: choose another --out folder")
    for path in sorted(p for split in SPLITS for kind in KINDS for p in (out / f"{split}{kind}").glob("*.parquet")):
        try:
            metadata = pq.read_schema(path).metadata or {}
            origin = json.loads(metadata[_MARK])
        except (OSError, KeyError, ValueError, pa.ArrowException):
            raise SnellenError(f"{path} was not made here: choose another folder for the synthetic set") from None
        if origin != {"generator": "salbench", "version": VERSION, "seed": seed, "count": count}:
            raise SnellenError(
                f"{out} holds a synthetic set with seed {origin.get('seed')} and count {origin.get('count')}, "
                f"not seed {seed} and count {count}: choose another folder"
            )


def _write_shard(folders: list[Path], number: int, rows: Iterator[Rows], schema: pa.Schema) -> list[Path]:
    """Writes one shard of each config of a split, row group by row group; the names appear when all is written."""
    finals = [folder / f"shard_{number:03d}.parquet" for folder in folders]
    drafts = [final.with_name(final.name + ".part") for final in finals]
    with ExitStack() as stack:
        writers = [
            stack.enter_context(
                pq.ParquetWriter(draft, schema, compression="NONE", use_dictionary=False, write_statistics=False)
            )
            for draft in drafts
        ]
        group: list[Rows] = []
        for row in rows:
            group.append(row)
            if len(group) == GROUP_ROWS:
                _flush(writers, group, schema)
                group = []
        if group:
            _flush(writers, group, schema)
    for draft, final in zip(drafts, finals, strict=True):
        draft.replace(final)
    return finals


def _flush(writers: list[pq.ParquetWriter], group: list[Rows], schema: pa.Schema) -> None:
    for kind, writer in enumerate(writers):
        writer.write_table(
            pa.Table.from_pylist([rows[kind] for rows in group], schema=schema), row_group_size=GROUP_ROWS
        )


def _counted(rows: Iterator[Rows], limit: int, tick: Callable[[], None]) -> Iterator[Rows]:
    for _ in range(limit):
        yield next(rows)
        tick()


def _cores() -> int:
    """Cores that this process may use (not every system can tell; then all there are)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make(
    out: Path, *, count: int, seed: int, workers: int | None = None, progress: Progress | None = None
) -> list[Path]:
    """Writes `count` images a split under `out` and returns the files; the same seed and count give the same bytes.

    `progress` is called with the images done and the images in all (both splits).
    """
    if count < 1:
        raise SnellenError(f"count must be at least 1, not {count}")
    if seed < 0:
        raise SnellenError(f"seed must not be negative, and {seed} is")
    _check(out, seed, count)
    wanted = workers if workers is not None else _cores()
    wanted = max(1, min(wanted, -(-2 * count // _CHUNK)))
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, 2 * count)

    schema = _schema(seed, count)
    made: list[Path] = []
    with ExitStack() as stack:
        pool = None
        if wanted > 1 and (workers is not None or count > 2 * _CHUNK):
            spawn = multiprocessing.get_context("spawn")
            pool = stack.enter_context(ProcessPoolExecutor(wanted, mp_context=spawn))
        for split in SPLITS:
            folders = [out / f"{split}{kind}" for kind in KINDS]
            for folder in folders:
                folder.mkdir(parents=True, exist_ok=True)
            rows = _in_order(pool, 2 * wanted, split, seed, count)
            for number, start in enumerate(range(0, count, SHARD_ROWS)):
                part = _counted(rows, min(SHARD_ROWS, count - start), tick)
                made += _write_shard(folders, number, part, schema)
    return sorted(made)
