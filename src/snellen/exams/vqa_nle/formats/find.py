"""Finds the annotation files of a task: the split by the file's name, the format by its content."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.folder import check_folder
from snellen.exams.vqa_nle.formats import esnlive, json_files, vcr
from snellen.exams.vqa_nle.formats.base import Item, VqaFormat, problem, readable
from snellen.exams.vqa_nle.names import SPLITS

SPLIT_NAMES = {"dev": "val", "valid": "val", "validation": "val", "valtest": "test"} | {s: s for s in SPLITS}
ENDINGS = (".json", ".jsonl", ".csv")

# where a split is there in several formats, the first of these is read
FORMATS: tuple[VqaFormat, ...] = (
    json_files.VQAX,
    json_files.ACTX,
    json_files.ACTX_ORIGINAL,
    esnlive.CSV,
    json_files.E_VIL_ESNLIVE,
    json_files.ESNLIVE,
    vcr.OFFICIAL,
    json_files.E_VIL_VCR,
    json_files.VCR,
)
FOLDERS = {
    "vqax": ("vqa-x", "vqax"),
    "actx": ("act-x", "actx"),
    "esnlive": ("esnli-ve", "e-snli-ve", "esnlive"),
    "vcr": ("vcr", "vcr1annots"),
}
EXPECTED = {
    "vqax": "nle_data/VQA-X/vqaX_val.json",
    "actx": "nle_data/ACT-X/actX_test.json",
    "esnlive": "nle_data/eSNLI-VE/esnlive_test.csv",
    "vcr": "nle_data/VCR/val.jsonl",
}
_PREFIX = {"vqax": r"vqa-?x[_-]", "actx": r"act-?x[_-]", "esnlive": r"e-?snli-?ve[_-]", "vcr": r"vcr[_-]"}
_HEAD = 1 << 20
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"\s*")


class AnnotationFile(NamedTuple):
    """One annotation file; `label` is how messages call it."""

    path: Path
    label: str
    split: str
    format: VqaFormat

    def items(self) -> Iterator[Item]:
        """Its records, and what is wrong in it."""
        return self.format.read(self.path, self.label)


class Files(NamedTuple):
    """What a folder holds of a task: the file read for each split, files that no reader knows, and files passed over."""

    sources: dict[str, AnnotationFile]
    unusable: list[tuple[str, Problem]]
    passed_over: list[Problem]

    @property
    def problems(self) -> list[Problem]:
        """All that is wrong with the files as such."""
        return [*(p for _split, p in self.unusable), *self.passed_over]

    def why_not(self, split: str) -> str | None:
        """What is wrong with the file of a split that cannot be used."""
        return next((str(p) for s, p in self.unusable if s == split and s not in self.sources), None)

    @property
    def splits(self) -> list[str]:
        """The splits that are there."""
        return [s for s in SPLITS if s in self.sources]


def split_of(task: str, name: str, prefixed: bool) -> str | None:
    """The split that a file's name says; `prefixed` wants the task's name before it.

    >>> [split_of("vcr", n, False) for n in ("vcr_dev_split.json", "vcr_valtest.json", "val.jsonl", "vcr_notes.json")]
    ['val', 'test', 'val', None]
    """
    stem, _, ending = name.rpartition(".")
    if f".{ending.lower()}" not in ENDINGS:
        return None
    prefix = _PREFIX[task] if prefixed else f"(?:{_PREFIX[task]}|exp_)?"
    found = re.fullmatch(f"{prefix}({'|'.join(SPLIT_NAMES)})(?:_split)?", stem, flags=re.IGNORECASE)
    return SPLIT_NAMES[found.group(1).lower()] if found else None


def find(task: str, where: Path) -> Files:
    """The files of a task: in `nle_data/VQA-X/` (any case), in `VQA-X/`, or with the task's name in `nle_data/` or the folder itself."""
    check_folder(where, task)
    try:
        for folder, prefixed in _folders(task, where):
            files = sorted(p for p in folder.iterdir() if p.is_file())
            candidates = [(s, p) for p in files if (s := split_of(task, p.name, prefixed)) is not None]
            if candidates:
                return _choose(task, where, candidates)
    except OSError as error:
        raise SnellenError(f"{error.filename}: cannot be read ({error.strerror})") from None
    raise SnellenError(f"{where}: no annotations of {task}; expected files such as {where / EXPECTED[task]}")


def _folders(task: str, where: Path) -> Iterator[tuple[Path, bool]]:
    roots = [where / "nle_data", where]
    for root in roots:
        if root.is_dir():
            yield from ((p, False) for p in sorted(root.iterdir()) if p.name.lower() in FOLDERS[task] and p.is_dir())
    yield from ((root, True) for root in roots if root.is_dir())


def _choose(task: str, where: Path, candidates: list[tuple[str, Path]]) -> Files:
    found: list[AnnotationFile] = []
    unusable: list[tuple[str, Problem]] = []
    for split, path in candidates:
        label = path.relative_to(where).as_posix()
        try:
            found.append(AnnotationFile(path, label, split, recognise(task, path, label)))
        except SnellenError as error:
            unusable.append((split, problem(label, str(error).removeprefix(f"{label}: "))))
    sources: dict[str, AnnotationFile] = {}
    passed_over: list[Problem] = []
    for source in sorted(found, key=lambda s: FORMATS.index(s.format)):
        used = sources.setdefault(source.split, source)
        if used is not source:
            passed_over.append(Problem(source.label, f"not read: {used.label} is '{used.split}' here", fatal=False))
    return Files(sources, unusable, passed_over)


# ---------------------------------------------------------------- content


def recognise(task: str, path: Path, label: str) -> VqaFormat:
    """The format of a file, by its first record; raises SnellenError where no reader knows it."""
    kind, fields = peek(path, label)
    for candidate in FORMATS:
        if candidate.task == task and candidate.knows(kind, fields):
            return candidate
    names = {"object": "a JSON object", "list": "a JSON list", "lines": "JSON lines", "csv": "a table"}
    known = ", ".join(f.name for f in FORMATS if f.task == task)
    have = ", ".join(sorted(fields)[:12]) or "nothing"
    raise SnellenError(f"{label}: not a known format of {task} ({known}): {names[kind]} of records with {have}"[:400])


def peek(path: Path, label: str) -> tuple[str, frozenset[str]]:
    """The kind of a file (object, list, lines, csv) and the fields of its first record, from its beginning alone."""
    with readable(label), path.open("rb") as file:
        text = file.read(_HEAD).decode("utf-8-sig", errors="ignore")
    start = _skip(text, 0)
    if start == len(text):
        raise SnellenError(f"{label}: the file is empty")
    if text[start] not in "{[":
        return "csv", _header(text, label)
    try:
        kind, record = _first_record(text, start)
    except (ValueError, RecursionError, IndexError) as error:
        raise SnellenError(f"{label}: not valid JSON at its beginning ({error or 'nested too deeply'})") from None
    if not isinstance(record, dict):
        raise SnellenError(f"{label}: holds no records")
    return kind, frozenset(record)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _first_record(text: str, start: int) -> tuple[str, Any]:
    at = _skip(text, start + 1)
    if text[at] in "]}":
        return "object", None
    if text[start] == "[":
        return "list", _DECODER.raw_decode(text, at)[0]
    _key, at = _DECODER.raw_decode(text, at)
    at = _skip(text, at)
    if text[at] != ":":
        raise ValueError(f"':' expected at character {at}")
    value = _DECODER.raw_decode(text, _skip(text, at + 1))[0]
    return ("object", value) if isinstance(value, dict) else ("lines", _DECODER.raw_decode(text, start)[0])


def _header(text: str, label: str) -> frozenset[str]:
    try:
        row = next(csv.reader([text.splitlines()[0]]), [])
    except csv.Error as error:
        raise SnellenError(f"{label}: neither JSON nor CSV ({error})") from None
    return frozenset(name.strip() for name in row if name.strip())
