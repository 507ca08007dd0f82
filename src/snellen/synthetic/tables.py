"""Writing a synthetic set, the same way in every benchmark: on all cores, shard by shard, same seed same bytes.

Sample i depends on (seed, i) alone, so a larger set begins with the smaller one, and neither the number of worker
processes nor the machine's clock leaves a trace in the files.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.data import parquet

MARK = "snellen.synthetic"
SHARD_ROWS = 50
_CHUNK = 8

Row = tuple[Any, ...]
Progress = Callable[[int, int], None]


class Recipe(NamedTuple):
    """What a benchmark says of its set. `parts` are made one after the other; each image of a part gives a row in each of
    the part's folders, in their order. `rows` must be a function of a module (it runs in other processes).
    """

    generator: str
    version: int
    types: Mapping[str, str]
    features: Mapping[str, Any]
    parts: Mapping[str, tuple[str, ...]]
    rows: Callable[[str, int, int], tuple[Row, ...]]

    def origin(self, seed: int, count: int) -> dict[str, Any]:
        """What the files say of where they come from."""
        return {"generator": self.generator, "version": self.version, "seed": seed, "count": count}


def make_set(
    recipe: Recipe, out: Path, *, count: int, seed: int, workers: int | None = None, progress: Progress | None = None
) -> list[Path]:
    """Writes `count` images a part under `out` and gives the files; `progress` gets the images done and the images in all."""
    if count < 1:
        raise SnellenError(f"count must be at least 1, not {count}")
    if seed < 0:
        raise SnellenError(f"seed must not be negative, and {seed} is")
    _check(recipe, out, seed, count)
    origin = recipe.origin(seed, count)
    notes = {"huggingface": json.dumps({"info": {"features": recipe.features}}), MARK: json.dumps(origin)}
    wanted = workers if workers is not None else _cores()
    wanted = max(1, min(wanted, len(recipe.parts) * -(-count // _CHUNK)))
    done = 0
    made: list[Path] = []
    with ExitStack() as stack:
        pool = None
        if wanted > 1 and (workers is not None or count > 2 * _CHUNK):
            spawn = multiprocessing.get_context("spawn")
            pool = stack.enter_context(ProcessPoolExecutor(wanted, mp_context=spawn))
        for part, folders in recipe.parts.items():
            images = _in_order(recipe, pool, 2 * wanted, part, seed, count)
            for number, start in enumerate(range(0, count, SHARD_ROWS)):
                shard: list[tuple[Row, ...]] = []
                for _ in range(min(SHARD_ROWS, count - start)):
                    shard.append(next(images))
                    done += 1
                    if progress is not None:
                        progress(done, len(recipe.parts) * count)
                for place, folder in enumerate(folders):
                    rows = [image[place] for image in shard]
                    made.append(_write_shard(recipe, out / folder, number, rows, notes))
    return sorted(made)


def _chunk(
    rows: Callable[[str, int, int], tuple[Row, ...]], part: str, seed: int, start: int, stop: int
) -> list[tuple[Row, ...]]:
    return [rows(part, seed, index) for index in range(start, stop)]


def _in_order(
    recipe: Recipe, pool: ProcessPoolExecutor | None, ahead: int, part: str, seed: int, count: int
) -> Iterator[tuple[Row, ...]]:
    """All images of a part in order, made by the pool with only a few chunks under way at a time."""
    starts = range(0, count, _CHUNK)
    if pool is None:
        for start in starts:
            yield from _chunk(recipe.rows, part, seed, start, min(count, start + _CHUNK))
        return
    waiting: deque[Future[list[tuple[Row, ...]]]] = deque()
    for start in starts:
        waiting.append(pool.submit(_chunk, recipe.rows, part, seed, start, min(count, start + _CHUNK)))
        if len(waiting) > ahead:
            yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


def _check(recipe: Recipe, out: Path, seed: int, count: int) -> None:
    """Refuses a folder that holds anything but (part of) the very same set."""
    if out.exists() and not out.is_dir():
        raise SnellenError(f"{out} is not a folder: choose another --out folder")
    for path in sorted(p for folders in recipe.parts.values() for f in folders for p in (out / f).glob("*.parquet")):
        try:
            origin = json.loads(parquet.ParquetFile(path, path.name).notes[MARK.encode()])
        except (SnellenError, KeyError, ValueError):
            raise SnellenError(f"{path} was not made here: choose another folder for the synthetic set") from None
        if origin != recipe.origin(seed, count):
            raise SnellenError(
                f"{out} holds a synthetic set with seed {origin.get('seed')} and count {origin.get('count')}, "
                f"not seed {seed} and count {count}: choose another folder"
            )


def _write_shard(recipe: Recipe, folder: Path, number: int, rows: list[Row], notes: dict[str, str]) -> Path:
    """Writes one shard; its name appears when the file is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    final = folder / f"shard_{number:03d}.parquet"
    draft = final.with_name(final.name + ".part")
    parquet.write(draft, dict(recipe.types), rows, notes)
    draft.replace(final)
    return final


def _cores() -> int:
    """Cores that this process may use (not every system can tell; then all there are)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
