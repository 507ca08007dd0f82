"""The run folder: manifest, samples, append-only answers, marks, summary. Reading one never executes anything.

An answer is one line, written with one system call as soon as it is there, so a killed process loses only what was in flight. A truncated
last line is cut off when the folder is opened for writing.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
from array import array
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

import msgspec

from snellen.core.arm import Arm
from snellen.core.errors import SnellenError, Stopped
from snellen.core.records import ChangedFile, Manifest, Summary, Totals, read_manifest, read_summary, written
from snellen.core.types import Answer, Failure, Mark, Sample, Struct, Usage
from snellen.data.line_offsets import NOWHERE, Key, Places
from snellen.engine.runs.backends import Backends
from snellen.engine.runs.writing import opened_to_append, remove, replacing, unlink_link

T = TypeVar("T")
_ENCODER = msgspec.json.Encoder()
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
SAMPLES = msgspec.json.Decoder(Sample)
ANSWERS = msgspec.json.Decoder(Answer)
MARKS = msgspec.json.Decoder(Mark)


class _CallTotals(Struct, frozen=True):
    """The part of a call that totals and the count of backends need."""

    kind: str = ""
    model: str = ""
    model_returned: str | None = None
    provider: str | None = None
    fingerprint: str | None = None
    usage: Usage = Usage()
    cost: float | None = None
    cost_source: str | None = None
    latency: float | None = None
    tries: int = 0
    unsure: int = 0
    at_most: float | None = None
    stored: bool = False
    at: int = 0
    server: str = ""


class _AnswerHead(Struct, frozen=True):
    """The part of an answer line that resuming needs. The rest is skipped, not parsed."""

    id: str
    prompt: str
    failure: Failure | None = None
    calls: tuple[_CallTotals, ...] = ()


_HEADS = msgspec.json.Decoder(_AnswerHead)


@dataclass
class Scan:
    """The content of the answers file up to `end`: the offset of the last line of each (sample, prompt), and whether that is a failure."""

    last: Places = field(default_factory=Places)
    totals: Totals = field(default_factory=Totals)
    unreadable: int = 0
    backends: Backends = field(default_factory=Backends)
    end: int = 0

    @property
    def failed(self) -> int:
        """The number of questions with a failure and no answer."""
        return sum(self.last.failures.values())

    @property
    def answered(self) -> int:
        return len(self.last) - self.failed

    def done(self, prompts: Collection[str]) -> int:
        """Return how many questions of some prompts have an answer."""
        counts, failures = self.last.counts, self.last.failures
        return sum(n - failures[prompt] for prompt, n in counts.items() if prompt in prompts)


class Stamp(NamedTuple):
    """A file's stamp, which changes when the file does."""

    inode: int
    size: int
    modified: int
    changed: int


def stamp(path: Path) -> Stamp | None:
    """Return the stamp of a file, or None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def marked_as(protocol: str, repeat: int = 1) -> str:
    """Return the name of a protocol's marks: `paper`, and `paper#2` for the second repeat."""
    return f"{protocol}#{repeat}" if repeat > 1 else protocol


class RunFolder:
    """Files of one run. Opened for writing as a context manager, which takes the lock.

    With `derived`, marks, summary and exports are made in that folder, and the run is not changed.
    """

    def __init__(self, path: Path, derived: Path | None = None) -> None:
        self.path = path
        self.derived = derived or path
        self.answers_path = path / "answers.jsonl"
        self.samples_path = path / "samples.jsonl"
        self._fd: int | None = None
        self._size = 0
        self._lock: Any = None
        self._records: dict[str, tuple[Stamp | None, Any]] = {}
        """The records that were read, each with its file's stamp at that time. A report asks for a summary dozens of times."""

    # ------------------------------------------------------------ reading

    def manifest(self) -> Manifest:
        """Read run.json. Raise SnellenError if the folder is not a run."""
        return self._record("run.json", read_manifest)

    def summary(self) -> Summary:
        """Read summary.json."""
        return self._record("summary.json", read_summary)

    @property
    def answers_bytes(self) -> int:
        """The size of the answers file: it grows with every answer."""
        return self.answers_path.stat().st_size if self.answers_path.exists() else 0

    def answers_end(self) -> int:
        """Return the end of the last whole line of the answers file."""
        return sum(map(len, raw_lines(self.answers_path)))

    def has(self, name: str) -> bool:
        return (self.path / name).is_file()

    def _record(self, name: str, read: Callable[[bytes], T]) -> T:
        path = self.path / name
        try:
            now = stamp(path)
            if now is None or self._records.get(name, (None, None))[0] != now:
                self._records[name] = now, read(path.read_bytes())
            found: T = self._records[name][1]
            return found
        except (FileNotFoundError, NotADirectoryError):
            why = f"it has no {name}" if self.path.is_dir() else "there is no such folder"
            raise SnellenError(f"{self.path} is not a run folder: {why}") from None
        except ChangedFile as error:
            raise SnellenError(
                f"{path}: {error}, so its numbers cannot be trusted; 'snellen mark {self.path}' makes it again from the answers"
            ) from None
        except UNREADABLE as error:
            again = f"'snellen mark {self.path}' makes it again"
            cure = again if name == "summary.json" else "the run cannot be used"
            raise SnellenError(f"{path} is damaged or from another version of Snellen ({error}); {cure}") from None

    def samples(self) -> Iterator[Sample]:
        """Yield the light samples of the run, with truth. Equal tags and truths share one object."""
        tags: dict[tuple[str, ...], dict[str, str]] = {}
        truths: dict[str, str] = {}
        for number, line in enumerate(raw_lines(self.samples_path), 1):
            try:
                sample = SAMPLES.decode(line)
            except UNREADABLE as error:
                raise SnellenError(f"{self.samples_path} line {number} is damaged ({error})") from None
            shared = tags.setdefault((*sample.tags, *sample.tags.values()), sample.tags)
            truth = truths.setdefault(sample.truth, sample.truth) if isinstance(sample.truth, str) else sample.truth
            yield Sample(id=sample.id, tags=shared, truth=truth, facts=sample.facts)

    def answers(self, scan: Scan | None = None, keys: Iterable[Key] | None = None) -> Iterator[Answer]:
        """Read every answer that counts: the last line of each (sample, prompt).

        With `keys`, yield only theirs, in that order. Keys without an answer are skipped.
        """
        last = (scan or self.scan()).last
        places = last.in_order() if keys is None else (place for k in keys if (place := last.get(k)) is not None)
        return (answer for answer in self.answers_at(places) if answer is not None)

    def answered(self, scan: Scan) -> Iterator[Key]:
        """Return the questions that have an answer, under the names in the file."""
        return ((answer.id, answer.prompt) for answer in self.answers(scan) if answer.failure is None)

    def answers_at(self, places: Iterable[int]) -> Iterator[Answer | None]:
        """Read the answers whose lines begin at these places, as `records_at` does."""
        return records_at(self.answers_path, ANSWERS, places)

    def scan(self, known: Scan | None = None) -> Scan:
        """Read the heads of all answers, or continue after `known`.

        Answers to an earlier wording of a prompt do not count, but their cost does.
        """
        found = known or Scan()
        since = (
            {name: w.since for name, w in self.manifest().wordings.items() if w.since} if self.has("run.json") else {}
        )
        last, totals, decode = found.last, found.totals, _HEADS.decode
        costs, seconds = array("d", [totals.cost]), array("d", [totals.call_seconds])
        for line in raw_lines(self.answers_path, found.end):
            place, found.end = found.end, found.end + len(line)
            try:
                head = decode(line)
            except UNREADABLE:
                found.unreadable += 1
                continue
            key = (head.id, head.prompt)
            old = bool(since) and place < since.get(Arm.parse(head.prompt).prompt, 0)
            if head.failure is not None and last.answered(key):
                continue
            if not old:
                last.put(key, place, failed=head.failure is not None)
            for call in head.calls:
                totals.add(call)
                if not old:
                    found.backends.add(call)
                if not call.stored:
                    costs.append(call.cost or 0.0)
                    seconds.append(call.latency or 0.0)
        last.settle()
        totals.cost, totals.call_seconds = math.fsum(costs), math.fsum(seconds)  # the same in any order of the answers
        return found

    def marks_path(self, protocol: str, repeat: int = 1) -> Path:
        return self.derived / "marks" / f"{marked_as(protocol, repeat)}.jsonl"

    def marks(self, protocol: str, repeat: int = 1) -> Iterator[Mark]:
        """Yield the stored marks of one protocol: those of the first repeat, or of a later one."""
        path = self.marks_path(protocol, repeat)
        if not path.is_file():
            raise SnellenError(f"{self.path} has no marks of protocol '{protocol}'; 'snellen mark' makes them")
        with path.open("rb") as file:
            for line in file:
                try:
                    yield MARKS.decode(line)
                except UNREADABLE:
                    raise SnellenError(f"{path} is damaged; 'snellen mark {self.path}' makes it again") from None

    def marked(self, columns: Sequence[tuple[str, int]]) -> Iterator[tuple[Sample, dict[tuple[str, int], Mark]]]:
        """Read each sample with its marks side by side, one sample at a time. A column is a protocol and a repeat (from 1)."""
        streams = {column: self.marks(*column) for column in columns}
        heads = {column: next(stream, None) for column, stream in streams.items()}
        for sample in self.samples():
            found = {column: head for column, head in heads.items() if head is not None and head.id == sample.id}
            heads.update({column: next(streams[column], None) for column in found})
            if found:
                yield sample, found
        if any(head is not None for head in heads.values()):
            raise SnellenError(f"{self.path}: marks are out of order; 'snellen mark {self.path}' makes them again")

    # ------------------------------------------------------------ writing

    def __enter__(self) -> RunFolder:
        from filelock import FileLock, Timeout

        try:
            self.path.mkdir(parents=True, exist_ok=True)
            unlink_link(self.path / ".lock")
            self._lock = FileLock(self.path / ".lock")
            self._lock.acquire(timeout=0)
        except Timeout:
            raise SnellenError(f"another process is writing to {self.path}; wait for it, or stop it first") from None
        except OSError as error:
            why = error.strerror or error
            raise SnellenError(f"cannot write to {self.path} ({why}); choose another --out") from None
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._fd)
            os.close(self._fd)
            self._fd = None
        self._lock.release()

    def start_appending(self) -> int:
        """Cut off a truncated last line and get ready to append. Return the number of bytes cut."""
        self._fd = opened_to_append(self.path, self.answers_path.name)
        size = os.fstat(self._fd).st_size
        keep = _end_of_last_line(self._fd, size)
        if keep < size:
            os.ftruncate(self._fd, keep)
        self._size = keep
        return size - keep

    def append(self, *answers: Answer) -> None:
        """Append answers with one system call. A full disk stops the run, with no half line left behind."""
        if self._fd is None:
            raise RuntimeError("the run folder is not open for appending")
        lines = b"".join(_ENCODER.encode(answer) + b"\n" for answer in answers)
        written = 0
        try:
            written = os.write(self._fd, lines)
            reason = None if written == len(lines) else "no room for a whole line"
        except OSError as error:
            reason = error.strerror or str(error)
        whole = lines[:written].rfind(b"\n") + 1
        self._size += whole
        if reason is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._size)
            raise Stopped(
                f"cannot write {self.answers_path} ({reason}): free some space and run the same command; "
                "all earlier answers are kept"
            )

    def write_record(self, record: Manifest | Summary) -> None:
        """Replace run.json or summary.json atomically."""
        self.write("run.json" if isinstance(record, Manifest) else "summary.json", written(record))

    def write(self, name: str, content: bytes) -> None:
        """Replace a file atomically."""
        self.write_chunks(name, [content])

    def clear(self, name: str) -> None:
        """Remove a folder of derived files."""
        remove(self.derived, name)

    def write_samples(self, samples: Iterable[Sample], *, facts: bool = False) -> None:
        """Write ids, tags and truths, and the facts if marking uses them, so that it needs no data set."""
        self.write_chunks(self.samples_path.name, (_sample_line(sample, facts) for sample in samples))

    def append_samples(self, samples: Iterable[Sample]) -> None:
        """Append samples that were chosen during the run, before they are asked."""
        self.append_lines(self.samples_path.name, (_sample_line(sample, True) for sample in samples))

    def append_lines(self, name: str, lines: Iterable[bytes]) -> None:
        """Append lines to a file other than the answers. A truncated last line of a killed process is cut off."""
        content, number = b"".join(lines), -1
        try:
            number = opened_to_append(self.path, name)
            os.ftruncate(number, _end_of_last_line(number, os.fstat(number).st_size))
            if os.write(number, content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            why = f"cannot write {self.path / name} ({error.strerror})"
            raise Stopped(f"{why}: free some space and run the same command") from None
        finally:
            if number >= 0:
                os.close(number)

    def write_chunks(self, name: str, chunks: Iterable[bytes]) -> None:
        """Replace a file atomically by a stream of chunks."""
        try:
            with replacing(self.derived, name) as out:
                out.writelines(chunks)
        except OSError as error:
            why = f"cannot write {self.derived / name} ({error.strerror})"
            raise Stopped(f"{why}: free some space and run the same command") from None


def _sample_line(sample: Sample, facts: bool) -> bytes:
    """Return a sample's line in the file, without images."""
    kept = Sample(id=sample.id, tags=sample.tags, truth=sample.truth, facts=sample.facts if facts else {})
    return _ENCODER.encode(kept) + b"\n"


def _is_there(path: Path) -> bool:
    """Tell whether a file exists. Refuse a device or a pipe, which has no end."""
    if path.exists() and not (path.is_file() or path.is_dir()):  # a folder is an error of its own when it is opened
        raise SnellenError(f"{path}: not a regular file")
    return path.exists()


def records_at(path: Path, decoder: msgspec.json.Decoder[T], places: Iterable[int]) -> Iterator[T | None]:
    """Read the records whose lines begin at these places. Yield None for NOWHERE and for a line that cannot be read."""
    if not _is_there(path):
        return
    at = 0
    # a small buffer: it is read again at every jump, and in the order of the samples nearly every line is a jump
    with path.open("rb", buffering=1 << 13) as file:
        for place in places:
            if place == NOWHERE:
                yield None
                continue
            if place != at:
                file.seek(place)
            line = file.readline()
            at = place + len(line)
            try:
                yield decoder.decode(line)
            except UNREADABLE:
                yield None


def raw_lines(path: Path, begin: int = 0) -> Generator[bytes, None, None]:
    """Yield the whole lines of a file from an offset. A truncated last line is left out. A file that does not exist has none."""
    if not _is_there(path):
        return
    with path.open("rb", buffering=1 << 20) as file:
        file.seek(begin)
        for line in file:
            if line.endswith(b"\n"):
                yield line


def _end_of_last_line(fd: int, size: int) -> int:
    """Return the offset after the last newline."""
    end = size
    while end > 0:
        start = max(0, end - 65536)
        block = os.pread(fd, end - start, start)
        at = block.rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0
