"""Reads SalBench's parquet shards: six configs, from a folder that holds one folder a config.

Text columns are read first and alone; images are read batch by batch, only for the rows that are asked about.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.dataset import Dataset, Problem, Shots, no_shots
from snellen.core.errors import SnellenError, unknown
from snellen.core.options import Selection
from snellen.core.selection import choose, spans
from snellen.core.types import Picture, Sample
from snellen.data.parquet import ParquetFile
from snellen.exams.salbench.names import ANY, CONFIGS, SPLIT_NAMES, TASK_NAMES, Config, labels_of
from snellen.exams.salbench.prompts import PROMPTS
from snellen.exams.salbench.shots import draw_support

REQUIRED = ("image", "image_id", "question", "answer")
EXTRA = ("difficulty",)


class Shard(NamedTuple):
    """One parquet file of a config; `name` is how messages call it."""

    path: Path
    name: str


class Rows(NamedTuple):
    """The text columns of a config, in file order."""

    ids: list[str]
    questions: list[str]
    answers: list[str]
    difficulties: list[str | None]


def find_shards(where: Path, config: Config) -> list[Shard]:
    """The parquet files of a config: `CONFIG/*.parquet`, also below one more folder such as `data/`."""
    found = sorted(where.glob(f"{config.name}/*.parquet")) or sorted(where.glob(f"*/{config.name}/*.parquet"))
    sets = sorted({p.parent.parent.name for p in found})
    if len(sets) > 1:
        raise SnellenError(f"{where} holds several data sets ({', '.join(sets)}): name one of them with --data")
    return [Shard(path, path.relative_to(where).as_posix()) for path in found]


def open_shard(shard: Shard) -> ParquetFile:
    """Open a shard and see that the columns are there."""
    file = ParquetFile(shard.path, shard.name)
    missing = [column for column in REQUIRED if column not in file.types]
    if missing:
        raise SnellenError(
            f"{shard.name}: column{'s' * (len(missing) > 1)} {', '.join(missing)} missing; it has {', '.join(file.types)}"
        )
    return file


def read_texts(file: ParquetFile) -> Rows:
    """The text columns of a file."""
    columns = [*REQUIRED[1:], *(c for c in EXTRA if c in file.types)]
    lists = dict(zip(columns, file.texts(columns), strict=True))
    empty: list[str | None] = [None] * len(lists["image_id"])
    return Rows(
        [x or "" for x in lists["image_id"]],
        [x or "" for x in lists["question"]],
        [x or "" for x in lists["answer"]],
        lists.get("difficulty", empty),
    )


def synthetic_note(file: ParquetFile) -> dict[str, Any] | None:
    """What `snellen data make` wrote into a file that it made; None for real data."""
    raw = file.notes.get(b"snellen.synthetic")
    return dict(json.loads(raw)) if raw else None


def pictures_of(value: Any, name: str) -> tuple[Picture, ...]:
    """The image cell: a struct with bytes, bare bytes, or a list of them."""
    if isinstance(value, list):
        return tuple(picture for item in value for picture in pictures_of(item, name))
    data = value.get("bytes") if isinstance(value, dict) else value
    return (Picture(data=data if isinstance(data, bytes) else b"", name=name),)


def row_problems(config: Config, shard: str, rows: Rows) -> Iterator[Problem]:
    """What is wrong in the text columns, with file and row."""
    allowed = labels_of(config.split)
    good = {a for a in set(rows.answers) if a and all(x.strip().lower() in allowed for x in a.split(","))}
    for i, answer in enumerate(rows.answers):
        if answer not in good:
            yield Problem(
                f"{shard} row {i}",
                f"answer {answer!r} is not a label of {config.split} ({', '.join(allowed)})",
            )
    for i, text in enumerate(rows.questions):
        if not text.strip():
            yield Problem(f"{shard} row {i}", "empty question")
    for i, image_id in enumerate(rows.ids):
        if not image_id:
            yield Problem(f"{shard} row {i}", "empty image_id")


class _Numbering:
    """Sample ids of a config in file order: `CONFIG/image_id`, with `#2`, `#3` where an image_id repeats."""

    def __init__(self, config: Config) -> None:
        self._config, self._seen = config.name, Counter[str]()

    def ids(self, image_ids: list[str]) -> list[str]:
        out = []
        for image_id in image_ids:
            self._seen[image_id] += 1
            times = self._seen[image_id]
            out.append(f"{self._config}/{image_id}" + (f"#{times}" if times > 1 else ""))
        return out


class SalBenchData(Dataset):
    """Selected samples of a SalBench folder."""

    def __init__(self, where: Path, options: Selection) -> None:
        self.source, self.options = str(where), options
        self._where = where
        self._configs = choose_configs(where, options)
        self._chosen: dict[str, frozenset[str] | None] = {}
        self._count = 0
        self._slots = cache(self._draw_slots)
        self._examples = cache(self._load_examples)
        fingerprint = hashlib.sha256()
        problems: list[Problem] = []
        for config in self._configs:
            ids: list[str] = []
            numbering = _Numbering(config)
            for shard in find_shards(where, config):
                file = open_shard(shard)
                rows = read_texts(file)
                problems += row_problems(config, shard.name, rows)
                self.synthetic = self.synthetic or synthetic_note(file) is not None
                fingerprint.update(f"{shard.name}\x1e{shard.path.stat().st_size}\x1e".encode())
                for column in rows[:3]:
                    fingerprint.update("\x1f".join(column).encode())
                ids += numbering.ids(rows.ids)
            self._chosen[config.name] = choose(ids, options.limit, options.seed)
            chosen = self._chosen[config.name]
            self._count += len(ids) if chosen is None else len(chosen)
        if problems:
            more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
            raise SnellenError(f"{problems[0]}{more}; 'snellen data check salbench --data {where}' lists all")
        self.fingerprint = fingerprint.hexdigest()

    def __len__(self) -> int:
        return self._count

    def light(self) -> Iterator[Sample]:
        for shard in self._shards():
            yield from (shard.sample(i) for i, name in enumerate(shard.ids) if self._is_chosen(shard.config, name))

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        for shard in self._shards():
            config = shard.config
            yield from shard.with_pictures(lambda name, c=config: self._is_chosen(c, name) and wanted(name))  # type: ignore[misc]

    def _is_chosen(self, config: Config, name: str) -> bool:
        chosen = self._chosen[config.name]
        return chosen is None or name in chosen

    def shots(self, prompt: str) -> Shots:
        if not self.options.shots:
            return no_shots
        if prompt in PROMPTS and PROMPTS[prompt].shots == (0,):
            few = " or ".join(p.name for p in PROMPTS.values() if p.shots != (0,))
            raise SnellenError(f"the prompt '{prompt}' has no few-shot form; use --prompt {few} with --shots")
        for config in self._configs:
            self._slots(config.name)
        return self._shown

    def _shown(self, sample: Sample) -> tuple[Sample, ...]:
        """The examples of a sample: never its own image."""
        slots = self._examples(sample.tags["config"])
        return tuple(next(s for s in slot if _image(s) != _image(sample)) for slot in slots)

    def _draw_slots(self, config: str) -> list[list[Sample]]:
        """Candidates for each example, drawn from all samples of a config, selected or not."""
        pool = [shard.sample(i) for shard in self._shards(config) for i in range(len(shard.ids))]
        return draw_support(pool, self.options.shots, self.options.seed)

    def _load_examples(self, config: str) -> list[list[Sample]]:
        """The slots of a config with pictures."""
        slots = self._slots(config)
        ids = {s.id for slot in slots for s in slot}
        loaded = {s.id: s for shard in self._shards(config) for s in shard.with_pictures(ids.__contains__)}
        return [[loaded[s.id] for s in slot] for slot in slots]

    def _shards(self, only: str | None = None) -> Iterator[_ShardRows]:
        for config in self._configs:
            if only in (None, config.name):
                numbering = _Numbering(config)
                for shard in find_shards(self._where, config):
                    yield _ShardRows(config, open_shard(shard), numbering)


class _ShardRows:
    """The texts of one shard; samples are made one by one, and pictures read a few at a time."""

    def __init__(self, config: Config, file: ParquetFile, numbering: _Numbering) -> None:
        self.config, self._file = config, file
        self._rows = read_texts(file)
        self.ids = numbering.ids(self._rows.ids)
        base = {"config": config.name, "split": config.split, "task": config.task}
        self._tags = {d: base | ({"difficulty": d} if d else {}) for d in set(self._rows.difficulties)}

    def sample(self, i: int, pictures: tuple[Picture, ...] = ()) -> Sample:
        rows = self._rows
        return Sample(
            id=self.ids[i],
            tags=self._tags[rows.difficulties[i]],
            truth=rows.answers[i],
            facts={"question": rows.questions[i], "where": self._where(i)},
            pictures=pictures,
        )

    def _where(self, i: int) -> str:
        return f"{self._file.name} row {i}"

    def with_pictures(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        keep = [i for i, name in enumerate(self.ids) if wanted(name)]
        for start, stop in spans(keep):
            chosen = set(keep) if len(keep) < len(self.ids) else None
            for i, cell in enumerate(self._file.cells("image", start, stop), start):
                if chosen is None or i in chosen:
                    yield self.sample(i, pictures_of(cell, self._where(i)))


def _image(sample: Sample) -> str:
    """A sample's id without the number of a repeat."""
    return sample.id.partition("#")[0]


def choose_configs(where: Path, options: Selection) -> list[Config]:
    """The configs that the options name and the folder has; what is named but absent is an error that says what is there."""
    if not where.is_dir():
        raise SnellenError(f"no folder {where}; 'snellen data make salbench --out DIR' makes a synthetic set")
    present = [c for c in CONFIGS if find_shards(where, c)]
    if not present:
        raise SnellenError(f"{where}: no SalBench parquet files; expected folders such as {where}/P3/*.parquet")
    splits = [_named(SPLIT_NAMES, s, "split") for s in options.splits]
    tasks = [_named(TASK_NAMES, t, "task") for t in options.tasks]
    wanted = [c for c in CONFIGS if (not splits or c.split in splits) and (not tasks or c.task in tasks)]
    absent = [c.name for c in wanted if c not in present]
    got = [c for c in wanted if c in present]
    if not (splits and tasks) and {c.split for c in got} >= set(splits) and {c.task for c in got} >= set(tasks):
        absent = []
    if absent:
        have = ", ".join(c.name for c in present)
        raise SnellenError(f"{where}: no files for {', '.join(absent)}; it has {have} (choose with --split and --task)")
    return got


def _named(names: dict[str, str], given: str, what: str) -> str:
    found = names.get(given.lower())
    if found is None:
        raise unknown(what, given, ANY[what], of="salbench")
    return found
