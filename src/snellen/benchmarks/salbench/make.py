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

from snellen.benchmarks import parquet
from snellen.benchmarks.salbench import scenes_o3, scenes_p3, wording
from snellen.benchmarks.salbench.drawing import framed, png
from snellen.core.errors import SnellenError

VERSION = 1
SHARD_ROWS = 50
SPLITS = ("P3", "O3")
KINDS = ("", "_box", "_box_img")
_CHUNK = 8
MARK = "snellen.synthetic"
TYPES = {
    "image": "STRUCT(bytes BLOB, path VARCHAR)",
    "image_id": "VARCHAR",
    "question": "VARCHAR",
    "answer": "VARCHAR",
    "difficulty": "VARCHAR",
}

Row = tuple[dict[str, Any], str, str, str, str]
Rows = tuple[Row, Row, Row]
Progress = Callable[[int, int], None]


def _notes(seed: int, count: int) -> dict[str, str]:
    """What the files say of themselves: the hub's feature types, and that they were made here."""
    text = {"dtype": "string", "_type": "Value"}
    features = {"image": {"_type": "Image"}, "image_id": text, "question": text, "answer": text, "difficulty": text}
    return {"huggingface": json.dumps({"info": {"features": features}}), MARK: json.dumps(_origin(seed, count))}


def _origin(seed: int, count: int) -> dict[str, Any]:
    return {"generator": "salbench", "version": VERSION, "seed": seed, "count": count}


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
        ({"bytes": data, "path": f"{name}.png"}, name, question, answer, scene.difficulty)
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
            origin = json.loads(parquet.ParquetFile(path, path.name).notes[MARK.encode()])
        except (SnellenError, KeyError, ValueError):
            raise SnellenError(f"{path} was not made here: choose another folder for the synthetic set") from None
        if origin != _origin(seed, count):
            raise SnellenError(
                f"{out} holds a synthetic set with seed {origin.get('seed')} and count {origin.get('count')}, "
                f"not seed {seed} and count {count}: choose another folder"
            )


def _write_shard(folders: list[Path], number: int, rows: list[Rows], notes: dict[str, str]) -> list[Path]:
    """Writes one shard of each config of a split; the names appear when the files are whole."""
    finals = [folder / f"shard_{number:03d}.parquet" for folder in folders]
    for kind, final in enumerate(finals):
        draft = final.with_name(final.name + ".part")
        parquet.write(draft, TYPES, [row[kind] for row in rows], notes)
        draft.replace(final)
    return finals


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

    notes = _notes(seed, count)
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
                made += _write_shard(folders, number, list(part), notes)
    return sorted(made)
