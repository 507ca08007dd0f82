"""Writing of a synthetic set as parquet shards, for benchmarks whose real sets are in parquet: same seed, same bytes.

Sample i depends on (seed, i) alone, so a larger set begins with the smaller one, and neither the number of worker
processes nor the clock leaves a trace in the files. The folder gets no marker file, as the real one has none: each file names its
origin in its metadata, and each picture has its label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError
from snellen.data import parquet
from snellen.data.synthetic_marker import MARK
from snellen.synthetic.pool import Progress, in_order
from snellen.synthetic.writing import Origin, check_place, check_same, making, origin_of, whole

SHARD_ROWS = 50
Row = tuple[Any, ...]
_FEATURES = {"string": {"dtype": "string", "_type": "Value"}, parquet.PICTURE: {"_type": "Image"}}
"""The hub's names of the types of columns."""


def make_set(
    generator: str,
    types: Mapping[str, str],
    parts: Mapping[str, tuple[str, ...]],
    rows: Callable[[int, tuple[str, int]], tuple[Row, ...]],
    out: Path,
    *,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Write `count` images a part and return the files; `progress` gets the images done and the images in all.

    `parts` are made one after the other; each image of a part gives a row in each of the part's folders, in their order. `rows` (of a
    seed, and of a part with a number) must be a function of a module: it runs in other processes.
    """
    origin = origin_of(generator, seed=seed, count=count)
    _check(parts, out, origin)
    features = {name: _FEATURES[kind] for name, kind in types.items()}
    notes = {"huggingface": json.dumps({"info": {"features": features}}), MARK: json.dumps(origin)}
    keys = [(part, index) for part in parts for index in range(count)]
    made: list[Path] = []
    with making(out), closing(in_order(partial(rows, seed), keys, workers, progress)) as images:
        for folders in parts.values():
            for number, start in enumerate(range(0, count, SHARD_ROWS)):
                drawn = islice(images, min(SHARD_ROWS, count - start))
                for folder, columns in zip(folders, zip(*drawn, strict=True), strict=True):
                    path = out / folder / f"shard_{number:03d}.parquet"
                    with whole(path) as draft:
                        parquet.write(draft, types, list(zip(*columns, strict=True)), notes, packed=False)
                    made.append(path)
    return sorted(made)


def _check(parts: Mapping[str, tuple[str, ...]], out: Path, origin: Origin) -> None:
    """Refuse a folder with anything except (part of) the same set."""
    check_place(out, origin)
    for path in sorted(p for folders in parts.values() for f in folders for p in (out / f).glob("*.parquet")):
        try:
            found = json.loads(parquet.ParquetFile(path, path.name).notes[MARK.encode()])
        except (SnellenError, KeyError, ValueError):
            found = None
        if not isinstance(found, dict):
            raise SnellenError(f"{path} was not made here: choose another folder for the synthetic set")
        check_same(out, found, origin)
