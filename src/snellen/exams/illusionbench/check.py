"""Every problem of an IllusionBench folder: names that do not parse, unknown shapes and scenes, repeats, images that do not decode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from snellen.core.dataset import Problem
from snellen.core.options import Selection
from snellen.exams.illusionbench import names
from snellen.exams.illusionbench.data import LAYOUT, choose_subsets, sources

OTHER_IMAGES = (".bmp", ".gif", ".tif", ".tiff", ".avif", ".heic")


def check(where: Path) -> Iterator[Problem]:
    """The problems of all subsets, with file and row."""
    for subset in choose_subsets(where, Selection()):
        yield from _ignored(where, subset)
        yield from LAYOUT.check(where, subset)


def _ignored(where: Path, subset: str) -> Iterator[Problem]:
    """Files of a subset that look like images and are not read, a line a folder."""
    found = sources(where, subset)
    read = {path for source in found for path in (source.files or (source.path,))}
    folders = {where / subset, *(s.path if s.files else s.path.parent for s in found)} - {where}
    lost: dict[Path, list[Path]] = {}
    for path in sorted({p for folder in folders for p in folder.rglob("*")}):
        if path not in read and path.suffix.lower() in (*names.ENDINGS, *OTHER_IMAGES):
            lost.setdefault(path.parent, []).append(path)
    for folder, paths in lost.items():
        endings = sorted({p.suffix.lower() for p in paths})
        why = f"only {', '.join(names.ENDINGS)} are read"
        if set(endings) <= set(names.ENDINGS):
            why = "a parquet file of the same split is read instead"
        what = f"{len(paths)} image files are not read ({paths[0].name}, ...): {why}"
        yield Problem(folder.relative_to(where).as_posix(), what, fatal=False)
