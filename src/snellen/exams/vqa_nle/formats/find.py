"""Finds the annotation files of a task: the split by the file's name, the format by its content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.folder import check_folder
from snellen.exams.vqa_nle.formats.files import UNDECODABLE, BadRow, file_kind, rows_in
from snellen.exams.vqa_nle.formats.records import FORMATS, VqaFormat, VqaRecord, problem, read
from snellen.exams.vqa_nle.names import SPLITS, TASKS

SPLIT_NAMES = {"dev": "val", "valid": "val", "validation": "val", "valtest": "test"} | {s: s for s in SPLITS}
ENDINGS = (".json", ".jsonl", ".csv")
KINDS = {"object": "a JSON object", "list": "a JSON list", "lines": "JSON lines", "csv": "a table"}


class AnnotationFile(NamedTuple):
    """One annotation file; `label` is how messages call it."""

    path: Path
    label: str
    split: str
    kind: str
    format: VqaFormat

    def records(self) -> Iterator[VqaRecord | Problem]:
        """Yield its records, and what is wrong in it."""
        return read(self.format, self.path, self.label, self.kind, self.split)


class Files(NamedTuple):
    """What a folder holds of a task: the file read for each split, what is wrong with others by split, and files passed over."""

    sources: dict[str, AnnotationFile]
    unusable: list[tuple[str, Problem]]
    passed_over: list[Problem]

    @property
    def problems(self) -> list[Problem]:
        """All that is wrong with the files as such."""
        return [*(p for _split, p in self.unusable), *self.passed_over]

    def why_not(self, split: str) -> str | None:
        """Return what is wrong with the file of a split that cannot be used."""
        return next((str(p) for s, p in self.unusable if s == split and s not in self.sources), None)

    @property
    def splits(self) -> list[str]:
        """The splits that are there."""
        return [s for s in SPLITS if s in self.sources]


def _split_of(task: str, name: str, prefixed: bool) -> str | None:
    """Return the split that a file's name says; `prefixed` wants the task's name before it.

    >>> [_split_of("vcr", n, False) for n in ("vcr_dev_split.json", "vcr_valtest.json", "val.jsonl", "vcr_notes.json")]
    ['val', 'test', 'val', None]
    """
    prefix = TASKS[task].prefix if prefixed else f"(?:{TASKS[task].prefix}|exp_)?"
    pattern = rf"{prefix}({'|'.join(SPLIT_NAMES)})(?:_split)?(?:{'|'.join(map(re.escape, ENDINGS))})"
    found = re.fullmatch(pattern, name, flags=re.IGNORECASE)
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
    found: list[AnnotationFile] = []
    unusable: list[tuple[str, Problem]] = []
    for split, path in candidates:
        label = path.relative_to(where).as_posix()
        try:
            found.append(_recognise(task, split, path, label))
        except SnellenError as error:
            unusable.append((split, problem(label, str(error).removeprefix(f"{label}: "))))
    sources: dict[str, AnnotationFile] = {}
    passed_over: list[Problem] = []
    for source in sorted(found, key=lambda s: FORMATS.index(s.format)):
        used = sources.setdefault(source.split, source)
        if used is not source:
            passed_over.append(Problem(source.label, f"not read: {used.label} is '{used.split}' here", fatal=False))
    for split, source in list(sources.items()):
        if source.format.refused:
            del sources[split]
            unusable.append((split, problem(source.label, source.format.refused)))
    return Files(sources, unusable, passed_over)


def _recognise(task: str, split: str, path: Path, label: str) -> AnnotationFile:
    """Return a file with its format, by its first record; raise SnellenError where that is not known."""
    kind = file_kind(path, label)
    try:
        fields = next((row.fields() for row in rows_in(path, label, kind)), {})
    except (BadRow, *UNDECODABLE) as error:
        raise SnellenError(f"{label}: holds no records ({error or 'nested too deeply'})") from None
    if not fields:
        raise SnellenError(f"{label}: holds no records")
    known = [form for form in FORMATS if form.task == task]
    for form in known:
        if form.knows(kind, frozenset(fields)):
            return AnnotationFile(path, label, split, kind, form)
    names, have = ", ".join(form.name for form in known), ", ".join(sorted(fields)[:12])
    raise SnellenError(f"{label}: not a known format of {task} ({names}): {KINDS[kind]} of records with {have}"[:400])
