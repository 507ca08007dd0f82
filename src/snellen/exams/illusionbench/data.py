"""IllusionBench's data: parquet with `image_name` and `image`, or plain folders of image files. Labels come from the names.

A name that does not parse is a problem with its place; the row is never dropped silently. `--max-missing` says how many may be left out,
and the run lists them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from pathlib import Path

from msgspec.structs import replace

from snellen.core.dataset import Problem, Shots, no_shots
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.types import Picture, Sample
from snellen.data.files import check_inside
from snellen.data.folder import check_folder, find_files, named
from snellen.data.rows import ParquetLayout, RowData, Rows, RowSource
from snellen.exams.illusionbench import names, shots

SPLIT_NAMES = {
    word: subset for subset, words in names.WORDS.subsets.items() for word in (subset.lower(), *words.called)
}
OTHER_IMAGES = (".bmp", ".gif", ".tif", ".tiff", ".avif", ".heic")
USUAL = ("shape", "scene")  # two names at once are asked for only with --task both


def _sources(where: Path, subset: str) -> list[RowSource]:
    """Return the sources of a subset: `SUBSET/*.parquet`, `SUBSET-*.parquet` (also one folder deeper), or image files below `SUBSET/`."""
    places = (f"{subset}/*.parquet", f"*/{subset}/*.parquet", f"{subset}-*.parquet", f"*/{subset}-*.parquet")
    if found := find_files(where, *places):
        return [RowSource(p.relative_to(where).as_posix(), p) for p in found]
    folder = where / subset
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in names.ENDINGS) if folder.is_dir() else ()
    return [RowSource(subset, folder, tuple(check_inside(p, where) for p in files))] if files else []


def _tags_of(subset: str, name: names.Name) -> dict[str, str]:
    """Return the tags by which results are broken down, in the data's own spelling."""
    return {
        "split": subset,
        "shape": names.known(names.SHAPES[subset], name.shape) or name.shape,
        "scene": names.known(names.SCENES, name.scene) or name.scene,
        "difficulty": name.difficulty,
        "strength": name.strength,
    }


def _row_problems(subset: str, rows: Rows) -> Iterator[tuple[int, str]]:
    """Yield the invalid names, by row."""
    for i, name in enumerate(rows.names):
        try:
            parsed = names.parse(name)
        except ValueError as error:
            yield i, f"image_name {name!r} does not parse: {error}"
            continue
        if names.known(names.SHAPES[subset], parsed.shape) is None:
            yield i, f"image_name {name!r}: {parsed.shape!r} is not a shape of {subset}"
        elif names.known(names.SCENES, parsed.scene) is None:
            yield i, f"image_name {name!r}: {parsed.scene!r} is not a scene"


LAYOUT = ParquetLayout("illusionbench", ("image_name",), _sources, _row_problems)


class IllusionData(RowData):
    """Selected samples: every image once for each task that is asked."""

    layout = LAYOUT

    def __init__(self, where: Path, options: Selection) -> None:
        subsets = _choose_subsets(where, options)
        asked = named("task", options.tasks, names.TASKS, "illusionbench") or USUAL
        self.endings = tuple(f"/{task}" for task in names.TASKS if task in asked)
        self._places: dict[str, dict[str, tuple[Rows, int]]] = {}
        self._picture = lru_cache(maxsize=256)(self._read_picture)
        self._pool = cache(lambda subset: shots.pool(self._every(subset)))
        self._unfit = cache(self._modes_without_images)
        for subset in subsets if options.shots else ():
            shots.check_shots(subset, options.shots)
        super().__init__(where, options, subsets)

    def _allow(self, problems: list[Problem]) -> None:
        """Leave out images with invalid names only as far as --max-missing allows; run.json lists them."""
        self.missing = tuple(map(str, problems))
        if len(self.missing) > self.options.max_missing:
            more = f" (and {len(self.missing) - 1} more)" if len(self.missing) > 1 else ""
            raise SnellenError(
                f"{self.missing[0]}{more}; 'snellen data check illusionbench --data {self._where}' lists all, "
                f"and --max-missing {len(self.missing)} goes on without them"
            )
        if not len(self):
            raise SnellenError(f"{self._where}: no image has a name that can be used")

    def _row_name(self, name: str) -> str:
        return name.rpartition(".")[0] or name

    def _sample(self, part: str, rows: Rows, i: int, name: str, pictures: tuple[Picture, ...] = ()) -> Sample:
        tags = _tags_of(part, names.parse(rows.names[i]))
        truth = {"shape": tags["shape"], "scene": tags["scene"]}
        unfit = self._unfit(part, **truth)
        return Sample(
            id=name,
            tags=tags | {"task": name.rpartition("/")[2]},
            truth=truth,
            facts={"unfit": list(unfit)} if unfit else {},
            pictures=pictures,
        )

    def _modes_without_images(self, subset: str, shape: str, scene: str) -> tuple[str, ...]:
        """Return the in-context prompts without examples for such a query."""
        count = self.options.shots
        if not count or shape not in names.KEPT[subset]:
            return ()
        return tuple(m for m in shots.MODES if not shots.fits(m, shape, scene, count, self._pool(subset).support))

    def shots(self, prompt: str) -> Shots:
        shots.check_prompt(prompt, self.options.shots)
        return partial(self._shown, prompt) if self.options.shots else no_shots

    def _shown(self, prompt: str, sample: Sample) -> tuple[Sample, ...]:
        """Return the examples of a sample: drawn from the whole data set, the same ones each time."""
        count, seed, tags = self.options.shots, self.options.seed, sample.tags
        own, pool = sample.id.rpartition("/")[0], self._pool(tags["split"])
        rng = random.Random(f"{prompt}/{count}/{seed}/{own}")  # noqa: S311 (a draw of examples, not a secret)
        ids = shots.pick(prompt, own, tags["shape"], tags["scene"], count, pool.support, rng)
        return tuple(replace(pool.lights[i], pictures=(self._picture(tags["split"], i),)) for i in ids)

    def _every(self, subset: str) -> Iterator[Sample]:
        """Yield every image of a subset, selected or not, for drawing examples. The ids do not contain a task."""
        for rows, ids in self._walk(subset):
            for name, image_name in zip(ids, rows.names, strict=True):
                if name not in self._odd:
                    yield Sample(id=name, tags=_tags_of(subset, names.parse(image_name)))

    def _read_picture(self, subset: str, image_id: str) -> Picture:
        """Return one image of a subset by its id."""
        if subset not in self._places:
            self._places[subset] = {name: (rows, i) for rows, ids in self._walk(subset) for i, name in enumerate(ids)}
        rows, i = self._places[subset][image_id]
        _, (picture, *_) = next(rows.pictures([i]))
        return picture


def check(where: Path) -> Iterator[Problem]:
    """Yield the problems of all subsets: names that do not parse, unknown shapes and scenes, repeats, images that do not decode."""
    for subset in _choose_subsets(where, Selection()):
        yield from _ignored(where, subset)
        yield from LAYOUT.check(where, subset)


def _ignored(where: Path, subset: str) -> Iterator[Problem]:
    """Yield notes on files below a subset's folder that look like images and are not read."""
    read = {path for source in _sources(where, subset) for path in source.files}
    found = (
        path for path in sorted((where / subset).rglob("*")) if path.suffix.lower() in (*names.ENDINGS, *OTHER_IMAGES)
    )
    lost = [path for path in found if path not in read]
    if lost:
        why = f"beside a parquet file, or not {', '.join(names.ENDINGS)}"
        yield Problem(subset, f"{len(lost)} image files are not read ({lost[0].name}, ...): {why}", fatal=False)


def _choose_subsets(where: Path, options: Selection) -> list[str]:
    """Return the subsets that the options name and the folder has."""
    check_folder(where, "illusionbench")
    present = [s for s in names.SUBSETS if _sources(where, s)]
    if not present:
        raise SnellenError(
            f"{where}: no IllusionBench files; expected {where}/Illusion_IN/*.parquet or image files there"
        )
    wanted = named("split", options.splits, names.SUBSETS, "illusionbench", SPLIT_NAMES)
    absent = [s for s in wanted if s not in present]
    if absent:
        raise SnellenError(f"{where}: no files for {', '.join(absent)}; it has {', '.join(present)}")
    return [s for s in present if not wanted or s in wanted]
