"""SalBench's parquet shards: six configs, from a folder with one folder for each config."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from snellen.core.dataset import Problem, Shots, no_shots
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.types import Picture, Sample
from snellen.data.folder import check_folder, find_files, named
from snellen.data.rows import ParquetLayout, RowData, Rows, RowSource
from snellen.exams.salbench.names import ANY, BY_NAME, CONFIGS, SPLIT_NAMES, TASK_NAMES, Config, labels_of
from snellen.exams.salbench.prompts import PROMPTS
from snellen.exams.salbench.shots import draw_support


def _sources(where: Path, config: str) -> list[RowSource]:
    """Return the parquet files of a config: `CONFIG/*.parquet`, also one folder deeper, such as `data/`."""
    found = find_files(where, f"{config}/*.parquet", f"*/{config}/*.parquet")
    return [RowSource(path.relative_to(where).as_posix(), path) for path in found]


def _row_problems(config: str, rows: Rows) -> Iterator[tuple[int, str]]:
    """Yield the problems of the text columns, by row."""
    split = BY_NAME[config].split
    allowed, answers = labels_of(split), rows.texts["answer"]
    good = {a for a in set(answers) if a and all(x.strip().lower() in allowed for x in a.split(","))}
    for i, answer in enumerate(answers):
        if answer not in good:
            yield i, f"answer {answer!r} is not a label of {split} ({', '.join(allowed)})"
    yield from ((i, "empty question") for i, text in enumerate(rows.texts["question"]) if not text.strip())
    yield from ((i, "empty image_id") for i, image_id in enumerate(rows.names) if not image_id)


LAYOUT = ParquetLayout("salbench", ("image_id", "question", "answer"), _sources, _row_problems, extra=("difficulty",))


def check(where: Path) -> Iterator[Problem]:
    """Yield every problem of all configs: columns, labels, repeated ids, images that do not decode."""
    for config in _choose_configs(where, Selection()):
        yield from LAYOUT.check(where, config.name)


@cache
def _tags(config: str, difficulty: str) -> dict[str, str]:
    """Return the tags of all rows of a config and difficulty."""
    _name, split, task = BY_NAME[config]
    return {"config": config, "split": split, "task": task} | ({"difficulty": difficulty} if difficulty else {})


class SalBenchData(RowData):
    """Selected samples of a SalBench folder."""

    layout = LAYOUT

    def __init__(self, where: Path, options: Selection) -> None:
        self._slots = cache(self._draw_slots)
        self._examples = cache(self._load_examples)
        super().__init__(where, options, [c.name for c in _choose_configs(where, options)])

    def _sample(self, part: str, rows: Rows, i: int, name: str, pictures: tuple[Picture, ...] = ()) -> Sample:
        return Sample(
            id=name,
            tags=_tags(part, rows.texts["difficulty"][i] if "difficulty" in rows.texts else ""),
            truth=rows.texts["answer"][i],
            facts={"question": rows.texts["question"][i], "where": rows.where(i)},
            pictures=pictures,
        )

    def shots(self, prompt: str) -> Shots:
        if not self.options.shots:
            return no_shots
        if prompt in PROMPTS and PROMPTS[prompt].shots == (0,):
            few = " or ".join(p.name for p in PROMPTS.values() if p.shots != (0,))
            raise SnellenError(f"the prompt '{prompt}' has no few-shot form; use --prompt {few} with --shots")
        for config in self._chosen:
            self._slots(config)
        return self._shown

    def _shown(self, sample: Sample) -> tuple[Sample, ...]:
        """Return the examples of a sample, but never its own image."""
        slots = self._examples(sample.tags["config"])
        return tuple(next(s for s in slot if _image(s) != _image(sample)) for slot in slots)

    def _draw_slots(self, config: str) -> list[list[Sample]]:
        """Return candidates for each example, drawn from all samples of a config, selected or not."""
        pool = [self._sample(config, rows, i, name) for rows, ids in self._walk(config) for i, name in enumerate(ids)]
        return draw_support(pool, self.options.shots, self.options.seed)

    def _load_examples(self, config: str) -> list[list[Sample]]:
        """Return the slots of a config with pictures."""
        slots = self._slots(config)
        wanted = {s.id for slot in slots for s in slot}
        loaded = {s.id: s for s in self._loaded(config, lambda name: [name] if name in wanted else [])}
        return [[loaded[s.id] for s in slot] for slot in slots]


def _image(sample: Sample) -> str:
    """Return a sample's id without the repeat number."""
    return sample.id.partition("#")[0]


def _choose_configs(where: Path, options: Selection) -> list[Config]:
    """Return the configs that the options name and the folder has; for an absent one, raise an error that lists those present."""
    check_folder(where, "salbench")
    present = [c for c in CONFIGS if _sources(where, c.name)]
    if not present:
        raise SnellenError(f"{where}: no SalBench parquet files; expected folders such as {where}/P3/*.parquet")
    splits = named("split", options.splits, ANY["split"], "salbench", SPLIT_NAMES)
    tasks = named("task", options.tasks, ANY["task"], "salbench", TASK_NAMES)
    wanted = [c for c in CONFIGS if (not splits or c.split in splits) and (not tasks or c.task in tasks)]
    absent = [c.name for c in wanted if c not in present]
    got = [c for c in wanted if c in present]
    if not (splits and tasks) and {c.split for c in got} >= set(splits) and {c.task for c in got} >= set(tasks):
        absent = []
    if absent:
        have = ", ".join(c.name for c in present)
        raise SnellenError(f"{where}: no files for {', '.join(absent)}; it has {have} (choose with --split and --task)")
    return got
