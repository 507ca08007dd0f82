"""Reads IllusionBench: parquet with `image_name` and `image`, or plain folders of image files. Labels come from the names.

A name that does not parse is a problem with its place, never a row that disappears: `--max-missing` says how many may be left
out, and the run lists them.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from snellen.core.dataset import Dataset, Problem, Shots, no_shots
from snellen.core.errors import SnellenError, unknown
from snellen.core.options import Selection
from snellen.core.selection import choose, spans
from snellen.core.types import Picture, Sample
from snellen.data.parquet import ParquetFile
from snellen.exams.illusionbench import names, shots

SPLIT_NAMES = {s.lower(): s for s in names.SUBSETS} | {
    "in": "Illusion_IN",
    "sin": "Illusion_IN",
    "logo": "Illusion_LOGO",
    "icon": "Illusion_ICON",
}
USUAL = ("shape", "scene")  # two names at once are asked only where --task both says so
COLUMNS = ("image_name", "image")


class Source(NamedTuple):
    """One file that holds images: a parquet shard, or a folder of image files (then `files` lists them)."""

    label: str
    path: Path
    files: tuple[Path, ...] = ()


def sources(where: Path, subset: str) -> list[Source]:
    """Where a subset is: `SUBSET/*.parquet`, `SUBSET-*.parquet` (also one folder deeper), or image files below `SUBSET/`."""
    patterns = (f"{subset}/*.parquet", f"*/{subset}/*.parquet", f"{subset}-*.parquet", f"*/{subset}-*.parquet")
    for pattern in patterns:
        found = sorted(where.glob(pattern))
        if found:
            sets = sorted({p.parent.name if pattern.endswith("-*.parquet") else p.parent.parent.name for p in found})
            if len(sets) > 1:
                raise SnellenError(f"{where} holds several data sets ({', '.join(sets)}): name one of them with --data")
            return [Source(p.relative_to(where).as_posix(), p) for p in found]
    folder = where / subset
    files = tuple(sorted(p for p in folder.rglob("*") if p.suffix.lower() in names.ENDINGS)) if folder.is_dir() else ()
    return [Source(subset, folder, files)] if files else []


class Rows:
    """The names of one source, and its images a few at a time."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.synthetic = False
        self._parquet: ParquetFile | None = None
        if source.files:
            self.names = [p.relative_to(source.path).as_posix() for p in source.files]
            return
        self._parquet = ParquetFile(source.path, source.label)
        missing = [c for c in COLUMNS if c not in self._parquet.types]
        if missing:
            have = ", ".join(self._parquet.types)
            raise SnellenError(f"{source.label}: column {' and '.join(missing)} missing; it has {have}")
        self.synthetic = b"snellen.synthetic" in self._parquet.notes
        self.names = [n or "" for n in self._parquet.texts(["image_name"])[0]]

    def where(self, i: int) -> str:
        """How messages name a row."""
        return f"{self.source.label}/{self.names[i]}" if self.source.files else f"{self.source.label} row {i}"

    def size(self) -> int:
        """Bytes on disk, for the fingerprint."""
        return sum(p.stat().st_size for p in (self.source.files or (self.source.path,)))

    def images(self, rows: list[int]) -> Iterator[tuple[int, bytes]]:
        """The image bytes of some rows, in order."""
        if self._parquet is None:
            yield from ((i, self.source.files[i].read_bytes()) for i in rows)
            return
        wanted = set(rows)
        for start, stop in spans(rows):
            for i, cell in enumerate(self._parquet.cells("image", start, stop), start):
                if i in wanted:
                    yield i, cell if isinstance(cell, bytes) else b""


def tags_of(subset: str, name: names.Name) -> dict[str, str]:
    """What results are broken down by, in the data's own spelling."""
    return {
        "split": subset,
        "shape": names.known(names.SHAPES[subset], name.shape) or name.shape,
        "scene": names.known(names.SCENES, name.scene) or name.scene,
        "difficulty": name.difficulty,
        "strength": name.strength,
    }


def name_problem(subset: str, image_name: str) -> str | None:
    """Why a name cannot be used."""
    try:
        parsed = names.parse(image_name)
    except ValueError as error:
        return f"image_name {image_name!r} does not parse: {error}"
    if names.known(names.SHAPES[subset], parsed.shape) is None:
        return f"image_name {image_name!r}: {parsed.shape!r} is not a shape of {subset}"
    if names.known(names.SCENES, parsed.scene) is None:
        return f"image_name {image_name!r}: {parsed.scene!r} is not a scene"
    return None


class IllusionData(Dataset):
    """Selected samples: every image once for each task that is asked."""

    def __init__(self, where: Path, options: Selection) -> None:
        self.source, self.options = str(where), options
        self._where = where
        self._subsets = choose_subsets(where, options)
        self._tasks = _choose_tasks(options)
        self._chosen: dict[str, frozenset[str] | None] = {}
        self._places: dict[str, dict[str, tuple[Rows, int]]] = {}
        self._picture = lru_cache(maxsize=256)(self._read_picture)
        self._pool = cache(lambda subset: shots.pool(self._every(subset)))
        self._unfit = cache(self._modes_without_images)
        self._count = 0
        self._odd: frozenset[str] = frozenset()
        for subset in self._subsets if options.shots else ():
            shots.check_shots(subset, options.shots)
        fingerprint = hashlib.sha256()
        odd: dict[str, Problem] = {}
        for subset in self._subsets:
            ids: list[str] = []
            for rows, row_ids in self._walk(subset):
                self.synthetic = self.synthetic or rows.synthetic
                for i, image_name in enumerate(rows.names):
                    problem = name_problem(subset, image_name)
                    if problem:
                        odd[row_ids[i]] = Problem(rows.where(i), problem)
                fingerprint.update(
                    f"{rows.source.label}\x1e{rows.size()}\x1e".encode() + "\x1f".join(rows.names).encode()
                )
                ids += [i for i in row_ids if i not in odd]
            self._chosen[subset] = choose(ids, options.limit, options.seed)
            self._count += len(self._tasks) * min(len(ids), options.limit or len(ids))
        self.missing = tuple(map(str, odd.values()))
        self._odd = frozenset(odd)
        self._allow(options.max_missing)
        self.fingerprint = fingerprint.hexdigest()

    def __len__(self) -> int:
        return self._count

    def _allow(self, most: int) -> None:
        """Images whose names say nothing are left out only where --max-missing allows so many; run.json lists them."""
        if len(self.missing) > most:
            more = f" (and {len(self.missing) - 1} more)" if len(self.missing) > 1 else ""
            raise SnellenError(
                f"{self.missing[0]}{more}; 'snellen data check illusionbench --data {self._where}' lists all, "
                f"and --max-missing {len(self.missing)} goes on without them"
            )
        if not self._count:
            raise SnellenError(f"{self._where}: no image has a name that can be used")

    def _walk(self, subset: str) -> Iterator[tuple[Rows, list[str]]]:
        """The sources of a subset with the ids of their images: `SUBSET/name`, and `#2` where a name repeats."""
        seen: Counter[str] = Counter()
        for source in sources(self._where, subset):
            rows = Rows(source)
            ids = []
            for image_name in rows.names:
                base = image_name.rpartition(".")[0] or image_name
                seen[base] += 1
                ids.append(f"{subset}/{base}" + (f"#{seen[base]}" if seen[base] > 1 else ""))
            yield rows, ids

    def _samples(self, subset: str, rows: Rows, ids: list[str], i: int, data: bytes | None) -> Iterator[Sample]:
        tags = tags_of(subset, names.parse(rows.names[i]))
        pictures = () if data is None else (Picture(data=data, name=rows.where(i)),)
        facts = {"unfit": list(unfit)} if (unfit := self._unfit(subset, tags["shape"], tags["scene"])) else {}
        for task in self._tasks:
            yield Sample(
                id=f"{ids[i]}/{task}",
                tags=tags | {"task": task},
                truth={"shape": tags["shape"], "scene": tags["scene"]},
                facts=facts,
                pictures=pictures,
            )

    def _modes_without_images(self, subset: str, shape: str, scene: str) -> tuple[str, ...]:
        """The in-context prompts for which there are no examples to such a query."""
        count = self.options.shots
        if not count or shape not in names.KEPT[subset]:
            return ()
        return tuple(m for m in shots.MODES if not shots.fits(m, shape, scene, count, self._pool(subset).support))

    def _selected(self) -> Iterator[tuple[str, Rows, list[str], list[int]]]:
        for subset in self._subsets:
            chosen = self._chosen[subset]
            for rows, ids in self._walk(subset):
                keep = (i for i, name in enumerate(ids) if chosen is None or name in chosen)
                yield subset, rows, ids, [i for i in keep if ids[i] not in self._odd]

    def light(self) -> Iterator[Sample]:
        for subset, rows, ids, keep in self._selected():
            for i in keep:
                yield from self._samples(subset, rows, ids, i, None)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        for subset, rows, ids, selected in self._selected():
            keep = [i for i in selected if any(wanted(f"{ids[i]}/{task}") for task in self._tasks)]
            for i, data in rows.images(keep):
                yield from (s for s in self._samples(subset, rows, ids, i, data) if wanted(s.id))

    def shots(self, prompt: str) -> Shots:
        shots.check_prompt(prompt, self.options.shots)
        return partial(self._shown, prompt) if self.options.shots else no_shots

    def _shown(self, prompt: str, sample: Sample) -> tuple[Sample, ...]:
        """The examples of a sample: from the whole data set, the same ones each time."""
        count, seed, tags = self.options.shots, self.options.seed, sample.tags
        own, pool = sample.id.rpartition("/")[0], self._pool(tags["split"])
        rng = random.Random(f"{prompt}/{count}/{seed}/{own}")  # noqa: S311 (a draw of examples, not a secret)
        ids = shots.pick(prompt, own, tags["shape"], tags["scene"], count, pool.support, rng)
        return tuple(replace(pool.lights[i], pictures=(self._picture(tags["split"], i),)) for i in ids)

    def _every(self, subset: str) -> Iterator[Sample]:
        """Every image of a subset, selected or not: where examples are drawn from. Its id is that of no task."""
        for rows, ids in self._walk(subset):
            for i in (i for i, name in enumerate(ids) if name not in self._odd):
                yield Sample(id=ids[i], tags=tags_of(subset, names.parse(rows.names[i])))

    def _read_picture(self, subset: str, image_id: str) -> Picture:
        """One image of a subset by its id."""
        if subset not in self._places:
            self._places[subset] = {name: (rows, i) for rows, ids in self._walk(subset) for i, name in enumerate(ids)}
        rows, i = self._places[subset][image_id]
        _, data = next(rows.images([i]))
        return Picture(data=data, name=rows.where(i))


def choose_subsets(where: Path, options: Selection) -> list[str]:
    """The subsets that the options name and the folder has."""
    if not where.is_dir():
        raise SnellenError(f"no folder {where}; 'snellen data make illusionbench --out DIR' makes a synthetic set")
    present = [s for s in names.SUBSETS if sources(where, s)]
    if not present:
        raise SnellenError(
            f"{where}: no IllusionBench files; expected {where}/Illusion_IN/*.parquet or image files there"
        )
    wanted = []
    for given in options.splits:
        if given.lower() not in SPLIT_NAMES:
            raise unknown("split", given, names.SUBSETS, of="illusionbench")
        wanted.append(SPLIT_NAMES[given.lower()])
    absent = [s for s in wanted if s not in present]
    if absent:
        raise SnellenError(f"{where}: no files for {', '.join(absent)}; it has {', '.join(present)}")
    return [s for s in present if not wanted or s in wanted]


def _choose_tasks(options: Selection) -> tuple[str, ...]:
    for task in options.tasks:
        if task.lower() not in names.TASKS:
            raise unknown("task", task, names.TASKS, of="illusionbench")
    return tuple(t for t in names.TASKS if t in ([x.lower() for x in options.tasks] or USUAL))
