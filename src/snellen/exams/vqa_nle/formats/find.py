"""The annotation files of a task: the file's name gives the split, its fields give the format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.folder import check_folder
from snellen.exams.vqa_nle.formats.files import rows_in
from snellen.exams.vqa_nle.formats.records import FORMATS, VqaFormat, VqaRecord, problem, read
from snellen.exams.vqa_nle.names import SPLITS, TASKS

SPLIT_NAMES = {"dev": "val", "valid": "val", "validation": "val", "valtest": "test"} | {s: s for s in SPLITS}


class AnnotationFile(NamedTuple):
    """One annotation file; `label` is its name in messages."""

    path: Path
    label: str
    split: str
    format: VqaFormat

    def records(self) -> Iterator[VqaRecord | Problem]:
        """Yield its records, and the problems in it."""
        return read(self.format, self.path, self.label, self.split)


class Files(NamedTuple):
    """The file to read for each split that is present, and the problems of other files by split."""

    sources: dict[str, AnnotationFile]
    problems: list[tuple[str, Problem]]

    def why_not(self, split: str) -> str | None:
        """Return the reason why the file of a split cannot be used."""
        return next((str(p) for s, p in self.problems if s == split and s not in self.sources), None)


def _split_of(task: str, name: str, prefixed: bool) -> str | None:
    """Return the split in a file's name; `prefixed` requires the task's name before it.

    >>> [_split_of("vcr", n, False) for n in ("vcr_dev_split.json", "vcr_valtest.json", "val.jsonl", "vcr_notes.json")]
    ['val', 'test', 'val', None]
    """
    prefix = TASKS[task].prefix if prefixed else f"(?:{TASKS[task].prefix}|exp_)?"
    found = re.fullmatch(rf"{prefix}({'|'.join(SPLIT_NAMES)})(?:_split)?\.(?:json|jsonl|csv)", name, re.IGNORECASE)
    return SPLIT_NAMES[found.group(1).lower()] if found else None


def find(task: str, where: Path) -> Files:
    """Find the files of a task: in `nle_data/VQA-X/` (any case), `VQA-X/`, or with the task's name in `nle_data/` or the folder itself."""
    check_folder(where, task)
    try:
        for folder, prefixed in _folders(task, where):
            files = sorted(p for p in folder.iterdir() if p.is_file())
            candidates = [(s, p) for p in files if (s := _split_of(task, p.name, prefixed)) is not None]
            if candidates:
                return _choose(task, where, candidates)
    except OSError as error:
        raise SnellenError(f"{error.filename}: cannot be read ({error.strerror})") from None
    expected = where / "nle_data" / TASKS[task].expected
    raise SnellenError(f"{where}: no annotations of {task}; expected files such as {expected}")


def _folders(task: str, where: Path) -> Iterator[tuple[Path, bool]]:
    roots = [root for root in (where / "nle_data", where) if root.is_dir()]
    for root in roots:
        below = sorted(p for p in root.iterdir() if p.name.lower() in TASKS[task].folders and p.is_dir())
        yield from ((folder, False) for folder in below)
    yield from ((root, True) for root in roots)


def _choose(task: str, where: Path, candidates: list[tuple[str, Path]]) -> Files:
    """Return the file of each split. If there are several, choose the one whose format is declared first."""
    found: list[AnnotationFile] = []
    problems: list[tuple[str, Problem]] = []
    for split, path in candidates:
        label = path.relative_to(where).as_posix()
        try:
            found.append(AnnotationFile(path, label, split, _format_of(task, path, label)))
        except SnellenError as error:
            what = str(error).removeprefix(str(path)).removeprefix(label)
            problems.append((split, problem(label, what.lstrip(",: "))))
    sources: dict[str, AnnotationFile] = {}
    for source in sorted(found, key=lambda s: (SPLITS.index(s.split), FORMATS.index(s.format))):
        used = sources.get(source.split)
        if used is not None:
            note = f"not read: {used.label} is '{used.split}' here"
            problems.append((source.split, Problem(source.label, note, fatal=False)))
        elif source.format.refused:
            problems.append((source.split, problem(source.label, source.format.refused)))
        else:
            sources[source.split] = source
    return Files(sources, problems)


def _format_of(task: str, path: Path, label: str) -> VqaFormat:
    """Return the format of a file by its first record; raise SnellenError if that is not known."""
    names = frozenset(next((row.fields for row in rows_in(path, label)), ()))
    if not names:
        raise SnellenError(f"{label}: holds no records")
    known = [form for form in FORMATS if form.task == task]
    for form in known:
        if form.knows(names):
            return form
    formats, have = ", ".join(form.name for form in known), ", ".join(sorted(names)[:12])
    raise SnellenError(f"{label}: not a known format of {task} ({formats}): records with {have}"[:400])
