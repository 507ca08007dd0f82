"""Verify a run: everything that is derived is made again, elsewhere, and compared with the files of the run.

Marks and summary are made by the code that `run` and `remark` use, in a temporary folder. Nothing is written into the run folder, not even
a lock, so a copy on a read-only medium will do. What only the data set can show is compared if the data set is at hand.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from snellen import exams
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError, Stopped
from snellen.core.figures import counted
from snellen.core.records import ChangedFile, Manifest, read_summary
from snellen.engine.mark import marking
from snellen.engine.mark.differing import ABSENT, Plain, VerifyResult
from snellen.engine.mark.verify_data import compare_data
from snellen.engine.plan.plan import ProtocolRun, targets_from_manifest
from snellen.engine.runs.folder import UNREADABLE, RunFolder, Scan

_SUMMARY = "summary.json"
_NOT_DERIVED = ("concurrency", "digest")
"""Fields that are not derived: the limiter's record is not known from anything else, and the digest covers it."""
_STILL = "answers came in while it was looked at: wait until the run is done"


def verify(path: Path, data: Path | None = None, *, exports: bool = False) -> VerifyResult:
    """Compare a run folder with the results of its answers and its data set. Raise SnellenError if that is impossible."""
    try:
        return _verified(path, data, exports)
    except Stopped as error:  # the temporary folder has no room
        raise SnellenError(str(error)) from None
    except OSError as error:
        raise SnellenError(f"{path} cannot be checked: {error.filename or 'a file'}: {error.strerror}") from None


def _verified(path: Path, data: Path | None, exports: bool) -> VerifyResult:
    folder = RunFolder(path)
    known = folder.manifest()
    if not folder.has(_SUMMARY):
        raise SnellenError(
            f"{path} has no {_SUMMARY} yet, so there is nothing to verify: 'snellen mark {path}' makes it"
        )
    if data is not None and not data.exists():
        raise SnellenError(f"--data {data}: no such folder")
    exam = exams.load(known.exam)
    targets = targets_from_manifest(exam, known, path)
    scan, size = folder.scan(), folder.answers_bytes
    found = VerifyResult()
    for was, now in zip(known.protocols, targets, strict=True):  # the rules that made the marks, and the installed ones
        rules = ({"version": entry.version, "code": entry.code} for entry in (was, now.entry))
        found.compare("run.json", f"protocols.{was.name}", *rules)
    found.checked.append(counted(len(targets), "protocol"))
    if scan.unreadable:
        found.add("answers.jsonl", "lines that cannot be read", scan.unreadable, 0)
    with tempfile.TemporaryDirectory(prefix="snellen-verify-") as place:
        again = RunFolder(path, Path(place))
        document = _document(folder)
        if _answers_missing(document, scan, found):
            found.unchecked.append("marks and summary: they were made of answers that are not there any more")
        else:
            limiter = document.get("concurrency")
            marking.mark_run(again, exam, targets, scan=scan, concurrency=limiter, exports=exports)
            _compare_marks(folder, again, known, targets, found)
            _compare_summaries(folder, Path(place), document, found)
            if exports:
                _compare_exports(path, Path(place), found)
    compare_data(folder, exam, known, scan, data, found)
    if folder.answers_bytes != size:
        raise SnellenError(f"{path}: {_STILL}")
    return found


# ---------------------------------------------------------------- answers


def _answers_missing(document: dict[str, Any], scan: Scan, found: VerifyResult) -> bool:
    """Find missing answers that the summary counts, prompt by prompt. Without them every mark and score would differ."""
    there = Counter(scan.last.counts)
    asked = document.get("asked")
    counts = asked.items() if isinstance(asked, dict) else ()
    lost = [(prompt, n, there[prompt]) for prompt, n in counts if isinstance(n, int) and n > there[prompt]]
    for prompt, recorded, now in lost:
        found.add("answers.jsonl", f"{recorded - now:,} answers to prompt '{prompt}' are missing", recorded, now)
    return bool(lost)


# ---------------------------------------------------------------- marks


def _compare_marks(
    folder: RunFolder, again: RunFolder, known: Manifest, targets: tuple[ProtocolRun, ...], found: VerifyResult
) -> None:
    total = 0
    names: set[str] = set()
    for was, now in zip(known.protocols, targets, strict=True):
        repeats = max((arm.repeat for arm in map(Arm.parse, known.questions) if arm.first == now.arm), default=1)
        for repeat in range(1, repeats + 1):
            before, after = folder.marks_path(was.name, repeat), again.marks_path(now.name, repeat)
            names.add(before.name)
            total += _compare_marks_of(before, after, found)
    marks = folder.path / "marks"
    stray = sorted(p.name for p in marks.iterdir() if p.name not in names) if marks.is_dir() else []
    if stray:
        found.unchecked.append(f"marks of protocols that run.json does not name: {', '.join(stray)}")
    found.checked.append(f"{total:,} marks")


def _compare_marks_of(before: Path, now: Path, found: VerifyResult) -> int:
    """Compare line by line. Equal lines are not parsed. Return how many marks there should be."""
    file = f"marks/{before.name}"
    if not before.is_file():
        found.add(file, "the file", ABSENT, Plain("marks can be made"))
        return 0
    count = 0
    with before.open("rb") as old, now.open("rb") as new:
        for number, (one, other) in enumerate(zip_longest(old, new), 1):
            count += other is not None
            if one != other:
                _compare_lines(file, number, one, other, found)
    return count


def _compare_lines(file: str, number: int, one: bytes | None, other: bytes | None, found: VerifyResult) -> None:
    left, right = _line(one), _line(other)
    name = next((str(m["id"]) for m in (right, left) if isinstance(m, dict) and "id" in m), "")
    place = f"line {number}" + (f", sample {name}" if name else "")
    if not isinstance(left, dict) or not isinstance(right, dict):
        found.add(file, place, left, right)
    else:
        found.compare(file, place, left, right)


def _line(raw: bytes | None) -> Any:
    if raw is None:
        return ABSENT
    try:
        return msgspec.json.decode(raw)
    except UNREADABLE:
        return Plain("a line that cannot be read")


# ---------------------------------------------------------------- the summary


def _document(folder: RunFolder) -> dict[str, Any]:
    """Read summary.json as it is."""
    raw = (folder.path / _SUMMARY).read_bytes()
    try:
        document = msgspec.json.decode(raw)
        if isinstance(document, dict) and (
            document.get("concurrency") is None or isinstance(document["concurrency"], dict)
        ):
            return document
        reason: Any = "it is not a summary"
    except UNREADABLE as error:
        reason = error
    raise SnellenError(
        f"{folder.path / _SUMMARY} is damaged ({reason}), so there is nothing to compare; 'snellen mark {folder.path}' makes it again"
    )


def _compare_summaries(folder: RunFolder, place: Path, was: dict[str, Any], found: VerifyResult) -> None:
    found.checked.append("the summary")
    now = msgspec.json.decode((place / _SUMMARY).read_bytes())
    try:
        read_summary((folder.path / _SUMMARY).read_bytes())
    except ChangedFile as error:
        found.add(_SUMMARY, "digest", Plain(str(error)), Plain("as Snellen writes it"))
    except UNREADABLE as error:
        found.add(_SUMMARY, "the file", Plain(f"no summary: {error}"), Plain("a summary"))
        return
    for key in _NOT_DERIVED:
        was.pop(key, None)
        now.pop(key, None)
    found.compare(_SUMMARY, "", was, now)


def _compare_exports(path: Path, place: Path, found: VerifyResult) -> None:
    """Compare the files in the papers' formats, byte by byte."""
    was, now = _files(path / "exports"), _files(place / "exports")
    for name in sorted(was.keys() | now.keys()):
        old, new = was.get(name), now.get(name)
        if old is None or new is None:
            found.add(f"exports/{name}", "the file", *(ABSENT if f is None else Plain("a file") for f in (old, new)))
        elif old.read_bytes() != new.read_bytes():
            found.add(f"exports/{name}", "the file", Plain("another content"), Plain("what the marks give"))
    found.checked.append(f"{len(now)} exports")


def _files(folder: Path) -> dict[str, Path]:
    return {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
