"""Writing a synthetic set as parquet shards, for benchmarks whose real sets are such: same seed, same bytes.

Sample i depends on (seed, i) alone, so a larger set begins with the smaller one, and neither the number of worker
processes nor the machine's clock leaves a trace in the files. The folder gets no marker beside them: it would not look
like the real one, so each file says in its notes where it comes from, and each picture in it has its label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.cores import cores
from snellen.core.errors import SnellenError
from snellen.data import parquet
from snellen.data.synthetic_marker import MARK
from snellen.synthetic.pool import Progress, in_order
from snellen.synthetic.writing import Origin, check_place, check_same, making, origin_of, whole

SHARD_ROWS = 50
FEW = 16
"""From so many files on, a process is given whole files; with fewer than 8 processes, from two files a process on."""

Row = tuple[Any, ...]
Rows = Callable[[str, int, int], tuple[Row, ...]]


class Recipe(NamedTuple):
    """What a benchmark says of its set. `parts` are made one after the other; each image of a part gives a row in each of
    the part's folders, in their order. `rows` (of a part, a seed and a number) must be a function of a module: it
    runs in other processes.
    """

    generator: str
    types: Mapping[str, str]
    features: Mapping[str, Any]
    parts: Mapping[str, tuple[str, ...]]
    rows: Rows


class TableShard(NamedTuple):
    """One file of a part, or one in each of its folders: its number, and which images it has."""

    part: str
    number: int
    images: range


def make_set(
    recipe: Recipe,
    out: Path,
    *,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Writes `count` images a part under `out` and gives the files; `progress` gets the images done and the images in all."""
    origin = origin_of(recipe.generator, seed=seed, count=count)
    _check(recipe, out, origin)
    notes = {"huggingface": json.dumps({"info": {"features": recipe.features}}), MARK: json.dumps(origin)}
    shards = [
        TableShard(part, number, range(start, min(start + SHARD_ROWS, count)))
        for part in recipe.parts
        for number, start in enumerate(range(0, count, SHARD_ROWS))
    ]
    job = _Job(recipe, out, seed, notes)
    processes = workers or cores()
    many = min(FEW, 2 * processes) if processes > 1 else FEW
    with making(out):
        made = (_in_files if len(shards) >= many else _in_images)(job, shards, workers, progress)
    return sorted(made)


class _Job(NamedTuple):
    """What all processes that have a part in a set must know."""

    recipe: Recipe
    out: Path
    seed: int
    notes: dict[str, str]


def _in_files(job: _Job, shards: list[TableShard], workers: int | None, progress: Progress | None) -> list[Path]:
    """Each process draws the images of a file and writes it: nobody waits for the one that gathers."""
    made: list[Path] = []
    done, total = 0, sum(len(shard.images) for shard in shards)
    with closing(in_order(partial(_written, job), shards, workers or cores(), most=1)) as written:
        for shard, files in zip(shards, written, strict=True):
            made += files
            done += len(shard.images)
            if progress is not None:
                progress(done, total)
    return made


def _in_images(job: _Job, shards: list[TableShard], workers: int | None, progress: Progress | None) -> list[Path]:
    """Processes draw single images, and files are written here: so few files would leave most processes with nothing to do."""
    keys = [(shard.part, index) for shard in shards for index in shard.images]
    with closing(in_order(partial(_drawn, job), keys, workers, progress)) as images:
        return [path for shard in shards for path in _filed(job, shard, list(islice(images, len(shard.images))))]


def _written(job: _Job, shard: TableShard) -> list[Path]:
    return _filed(job, shard, [_drawn(job, (shard.part, index)) for index in shard.images])


def _drawn(job: _Job, key: tuple[str, int]) -> tuple[Row, ...]:
    part, index = key
    return job.recipe.rows(part, job.seed, index)


def _filed(job: _Job, shard: TableShard, drawn: list[tuple[Row, ...]]) -> list[Path]:
    """Writes a shard in each folder of its part."""
    made = []
    for folder, rows in zip(job.recipe.parts[shard.part], zip(*drawn, strict=True), strict=True):
        path = job.out / folder / f"shard_{shard.number:03d}.parquet"
        with whole(path) as draft:
            parquet.write(draft, job.recipe.types, list(zip(*rows, strict=True)), job.notes, packed=False)
        made.append(path)
    return made


def _check(recipe: Recipe, out: Path, origin: Origin) -> None:
    """Refuses a folder that holds anything but (part of) the very same set."""
    check_place(out, origin)
    for path in sorted(p for folders in recipe.parts.values() for f in folders for p in (out / f).glob("*.parquet")):
        try:
            found = json.loads(parquet.ParquetFile(path, path.name).notes[MARK.encode()])
        except (SnellenError, KeyError, ValueError):
            found = None
        if not isinstance(found, dict):
            raise SnellenError(f"{path} was not made here: choose another folder for the synthetic set")
        check_same(out, found, origin)
