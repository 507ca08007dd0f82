"""Writing a synthetic set as parquet shards, for benchmarks whose real sets are such: same seed, same bytes.

Sample i depends on (seed, i) alone, so a larger set begins with the smaller one, and neither the number of worker
processes nor the machine's clock leaves a trace in the files. The folder gets no marker beside them: it would not look
like the real one, so each file says in its notes where it comes from, and each picture in it has its label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.data import parquet
from snellen.data.label import MARK
from snellen.synthetic.pool import Progress, in_order
from snellen.synthetic.writing import LATEST, Origin, check_place, check_same, making, origin_of, whole

SHARD_ROWS = 50

Row = tuple[Any, ...]
Rows = Callable[[str, int, int, int], tuple[Row, ...]]


class Recipe(NamedTuple):
    """What a benchmark says of its set. `parts` are made one after the other; each image of a part gives a row in each of
    the part's folders, in their order. `rows` (of a part, a seed, a number and a version) must be a function of a module: it
    runs in other processes.
    """

    generator: str
    types: Mapping[str, str]
    features: Mapping[str, Any]
    parts: Mapping[str, tuple[str, ...]]
    rows: Rows


def make_set(
    recipe: Recipe,
    out: Path,
    *,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
    version: int = LATEST,
) -> list[Path]:
    """Writes `count` images a part under `out` and gives the files; `progress` gets the images done and the images in all."""
    origin = origin_of(recipe.generator, version, seed=seed, count=count)
    _check(recipe, out, origin)
    notes = {"huggingface": json.dumps({"info": {"features": recipe.features}}), MARK: json.dumps(origin)}
    keys = [(part, seed, index, version) for part in recipe.parts for index in range(count)]
    images = in_order(partial(_image, recipe.rows), keys, workers, progress)
    made: list[Path] = []
    with making(out):
        for folders in recipe.parts.values():
            for number, start in enumerate(range(0, count, SHARD_ROWS)):
                shard = list(islice(images, min(SHARD_ROWS, count - start)))
                for folder, rows in zip(folders, zip(*shard, strict=True), strict=True):
                    path = out / folder / f"shard_{number:03d}.parquet"
                    with whole(path) as draft:
                        parquet.write(draft, dict(recipe.types), rows, notes)
                    made.append(path)
    return sorted(made)


def _image(rows: Rows, key: tuple[str, int, int, int]) -> tuple[Row, ...]:
    return rows(*key)


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
