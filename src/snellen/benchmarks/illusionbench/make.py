"""Makes a synthetic set in IllusionBench's own format: three folders of parquet shards with the real file names.

Sample i depends on (seed, i) alone, so a larger set begins with the smaller one, and neither the number of
worker processes nor the machine's clock leaves a trace in the files.
"""

from __future__ import annotations

import io
import json
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from snellen.benchmarks import parquet
from snellen.benchmarks.illusionbench import scenery, silhouettes
from snellen.core.errors import SnellenError

VERSION = 1
SHARD_ROWS = 50
SPLITS = (silhouettes.IN, silhouettes.LOGO, silhouettes.ICON)
STRENGTHS = {"Easy": (1.25, 1.3, 1.4, 1.5, 1.6), "Hard": (0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.2)}
MARK = "snellen.synthetic"
TYPES = {"image_name": "VARCHAR", "image": "STRUCT(bytes BLOB, path VARCHAR)"}
_CHUNK = 8

Row = tuple[str, dict[str, Any]]
Progress = Callable[[int, int], None]


def _origin(seed: int, count: int) -> dict[str, Any]:
    return {"generator": "illusionbench", "version": VERSION, "seed": seed, "count": count}


def _notes(seed: int, count: int) -> dict[str, str]:
    """What the files say of themselves: the hub's feature types, and that they were made here."""
    features = {"image_name": {"dtype": "string", "_type": "Value"}, "image": {"_type": "Image"}}
    return {"huggingface": json.dumps({"info": {"features": features}}), MARK: json.dumps(_origin(seed, count))}


def _dealt(key: tuple[int, ...], index: int, size: int) -> int:
    """Which of `size` cases sample `index` shows: every consecutive `size` samples show each once, shuffled."""
    block, slot = divmod(index, size)
    return int(np.random.default_rng([*key, block]).permutation(size)[slot])


def sample(split: str, seed: int, index: int) -> tuple[str, bytes]:
    """File name and PNG bytes of one image."""
    key = (seed, SPLITS.index(split))
    shapes, scenes, levels = silhouettes.shapes(split), tuple(scenery.SCENES), tuple(STRENGTHS)
    shape = shapes[_dealt((*key, 1), index, len(shapes))]
    scene = scenes[_dealt((*key, 2), index, len(scenes))]
    level = levels[_dealt((*key, 3), index, len(levels))]
    rng = np.random.default_rng([*key, 0, index])
    strength = STRENGTHS[level][int(rng.integers(len(STRENGTHS[level])))]
    variant = int(rng.integers(silhouettes.VARIANTS[split]))
    mask = silhouettes.silhouette(split, shape, variant, rng)
    image = scenery.compose(scenery.scene(scene, rng), mask, strength, rng)
    first = f"{shape}-{variant + 1}" if split == silhouettes.ICON else shape
    sink = io.BytesIO()
    Image.fromarray(image).save(sink, "PNG", compress_level=1)
    return f"{first}-{scene}-{level}-{strength}-{index}.png", sink.getvalue()


def _samples(split: str, seed: int, start: int, stop: int) -> list[Row]:
    made = (sample(split, seed, index) for index in range(start, stop))
    return [(name, {"bytes": data, "path": name}) for name, data in made]


def _in_order(pool: ProcessPoolExecutor | None, ahead: int, split: str, seed: int, count: int) -> Iterator[Row]:
    """All samples of a split in order, made by the pool with only a few chunks under way at a time."""
    starts = range(0, count, _CHUNK)
    if pool is None:
        for start in starts:
            yield from _samples(split, seed, start, min(count, start + _CHUNK))
        return
    waiting: deque[Future[list[Row]]] = deque()
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
    for path in sorted(p for split in SPLITS for p in (out / split).glob("*.parquet")):
        try:
            origin = json.loads(parquet.ParquetFile(path, path.name).notes[MARK.encode()])
        except (SnellenError, KeyError, ValueError):
            raise SnellenError(f"{path} was not made here: choose another folder for the synthetic set") from None
        if origin != _origin(seed, count):
            raise SnellenError(
                f"{out} holds a synthetic set with seed {origin.get('seed')} and count {origin.get('count')}, "
                f"not seed {seed} and count {count}: choose another folder"
            )


def _write_shard(folder: Path, number: int, rows: list[Row], notes: dict[str, str]) -> Path:
    """Writes one shard; its name appears when the file is whole."""
    final = folder / f"shard_{number:03d}.parquet"
    draft = final.with_name(final.name + ".part")
    parquet.write(draft, TYPES, rows, notes)
    draft.replace(final)
    return final


def _cores() -> int:
    """Cores that this process may use (not every system can tell; then all there are)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make(
    out: Path, *, count: int, seed: int, workers: int | None = None, progress: Progress | None = None
) -> list[Path]:
    """Writes `count` images a split under `out` and returns the files; the same seed and count give the same bytes.

    `progress` is called with the images done and the images in all (three splits).
    """
    if count < 1:
        raise SnellenError(f"count must be at least 1, not {count}")
    if seed < 0:
        raise SnellenError(f"seed must not be negative, and {seed} is")
    _check(out, seed, count)
    wanted = workers if workers is not None else _cores()
    wanted = max(1, min(wanted, len(SPLITS) * -(-count // _CHUNK)))
    done = 0
    notes = _notes(seed, count)
    made: list[Path] = []
    with ExitStack() as stack:
        pool = None
        if wanted > 1 and (workers is not None or count > 2 * _CHUNK):
            spawn = multiprocessing.get_context("spawn")
            pool = stack.enter_context(ProcessPoolExecutor(wanted, mp_context=spawn))
        for split in SPLITS:
            folder = out / split
            folder.mkdir(parents=True, exist_ok=True)
            rows = _in_order(pool, 2 * wanted, split, seed, count)
            for number, start in enumerate(range(0, count, SHARD_ROWS)):
                part: list[Row] = []
                for _ in range(min(SHARD_ROWS, count - start)):
                    part.append(next(rows))
                    done += 1
                    if progress is not None:
                        progress(done, len(SPLITS) * count)
                made.append(_write_shard(folder, number, part, notes))
    return sorted(made)
