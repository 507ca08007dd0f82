"""Every problem of a SalBench folder: columns, labels, repeated ids, images that do not decode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.pixels import decode_problem
from snellen.data.parquet import ParquetFile
from snellen.exams.salbench.data import choose_configs, find_shards, open_shard, pictures_of, read_texts, row_problems


def check(where: Path) -> Iterator[Problem]:
    """The problems of all configs, with file and row."""
    for config in choose_configs(where, Selection()):
        seen: Counter[str] = Counter()
        for shard in find_shards(where, config):
            try:
                file = open_shard(shard)
            except SnellenError as error:
                yield Problem(shard.name, str(error).removeprefix(f"{shard.name}: "))
                continue
            rows = read_texts(file)
            yield from row_problems(config, shard.name, rows)
            for i, image_id in enumerate(rows.ids):
                seen[image_id] += 1
                if image_id and seen[image_id] > 1:
                    yield Problem(f"{shard.name} row {i}", f"image_id {image_id!r} repeats", fatal=False)
            yield from _image_problems(file)


def _image_problems(file: ParquetFile) -> Iterator[Problem]:
    for row, cell in enumerate(file.cells("image", 0, file.rows)):
        for picture in pictures_of(cell, ""):
            problem = decode_problem(picture.data)
            if problem:
                yield Problem(f"{file.name} row {row}", problem)
