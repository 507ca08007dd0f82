"""Replies that were recorded elsewhere, as a subject: JSON, JSON lines or CSV of id and text."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.core.extras import RecordedReply, ReplayFormat
from snellen.core.json_keys import repeated_key
from snellen.core.subject import BuildContext, Caller, Subject, SubjectKind
from snellen.core.text import one_line
from snellen.core.types import Answer, Question, failed
from snellen.data.line_offsets import Places
from snellen.subjects.baselines import said

IDS = ("id", "sample_id")
TEXTS = ("text", "response", "raw_response", "prediction", "reply")
LINES = (".jsonl", ".ndjson")
ANY = "\0"
"""Stands for a prompt that a file does not name."""
Reads = Callable[[Any], Iterable[RecordedReply] | None]


class Replay(Subject):
    """Gives the recorded text for a question's id; a question that was not recorded is an error, not a wrong answer."""

    def __init__(self, path: Path, recorded: Reads | None = None) -> None:
        """`recorded` understands an exam's own file of replies; it gives None for any other document."""
        if not path.is_file():
            raise SnellenError(f"replay/{path}: no such file")
        self.spec = f"replay/{path}"
        self._replies: MemoryReplies | FileReplies
        if path.suffix.lower() in LINES and recorded is None:
            self._replies = FileReplies(path)
            sha256 = self._replies.sha256
        else:
            raw = path.read_bytes()
            sha256 = hashlib.sha256(raw).hexdigest()
            own = _own_form(path, raw, recorded)
            self.only_recorded = bool(own)  # an exam's own file may be about a few samples
            self._replies = MemoryReplies(own or read_replies(path, raw))
        self.identity: dict[str, Any] = {"kind": "replay", "sha256": sha256}
        self._times = max((Arm.parse(prompt).repeat for prompt in self._replies.prompts if prompt), default=1)

    @property
    def recorded_ids(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset(self._replies.names())

    def unknown(self, known: Iterable[str]) -> frozenset[str]:
        return self._replies.unknown(known)

    def why_same(self, repeats: int) -> str:
        if repeats <= self._times:
            return ""
        there = f"{self._times} replies" if self._times > 1 else "one reply"
        return f"{self.spec} has {there} to a question, whatever it is asked again"

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        text = self._replies.get(question.id, question.prompt)
        if text is None:
            return failed(question, "not-recorded", f"{self.spec} has no reply for this id")
        return said(question, text)


class MemoryReplies:
    """Replies by (id, prompt); the prompt is None where the file does not say."""

    def __init__(self, texts: dict[tuple[str, str | None], str]) -> None:
        self._texts = texts
        self.prompts = {prompt for _id, prompt in texts}

    def get(self, name: str, prompt: str) -> str | None:
        return self._texts.get((name, prompt), self._texts.get((name, None)))

    def names(self) -> Iterator[str]:
        return (name for name, _prompt in self._texts)

    def unknown(self, known: Iterable[str]) -> frozenset[str]:
        return frozenset(self.names()).difference(known)


class FileReplies:
    """Replies that stay in their file of JSON lines; memory has where each is (a million replies: 17 MB, their texts some hundreds)."""

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, path.open("rb")
        self._places = Places()
        digest = hashlib.sha256()
        for number, place, reply in self._replies(digest.update):
            key = reply.id, reply.prompt or ANY
            if not _of_a_run(path) and key in self._places and self.get(*key) not in (None, reply.text):
                raise _twice(path, number, reply.id)
            self._places.put(key, place, failed=False)
        self._places.settle()
        self.sha256 = digest.hexdigest()
        self.prompts = {None if prompt == ANY else prompt for prompt in self._places.counts}

    def _replies(self, seen: Callable[[bytes], None] = lambda _line: None) -> Iterator[tuple[int, int, RecordedReply]]:
        """All replies, each with its number and its place in the file."""
        number = place = 0
        with self._path.open("rb") as lines:
            for whole in lines:
                seen(whole)
                for line in whole.splitlines(keepends=True):  # a lone carriage return ends a line, too
                    if _is_row(line):
                        number += 1
                        reply = reply_of(_decoded(self._path, line), f"replay/{self._path} record {number}")
                        if reply is not None:
                            yield number, place, reply
                    place += len(line)

    def get(self, name: str, prompt: str) -> str | None:
        place = self._places.get((name, prompt))
        place = self._places.get((name, ANY)) if place is None else place
        if place is None:
            return None
        self._file.seek(place)
        line = self._file.readline().splitlines()[0]
        reply = reply_of(_decoded(self._path, line), f"replay/{self._path}")
        return reply.text if reply is not None and reply.id == name else None

    def names(self) -> Iterator[str]:
        return (reply.id for _number, _place, reply in self._replies())

    def unknown(self, known: Iterable[str]) -> frozenset[str]:
        others = self._places.strangers(known)
        return frozenset(name for name in self.names() if hash(name) in others) if others else frozenset()


def _own_form(path: Path, raw: bytes, recorded: Reads | None) -> dict[tuple[str, str | None], str]:
    """Replies in the form of the exam's own; nothing where the file is not of that form."""
    if recorded is None:
        return {}
    try:
        document = msgspec.json.decode(raw) if path.suffix.lower() == ".json" else rows_of(path, raw)
    except (
        msgspec.DecodeError,
        UnicodeDecodeError,
        RecursionError,
        SnellenError,
    ):  # whoever reads it as plain replies says so
        return {}
    try:
        return {(r.id, r.prompt): r.text for r in recorded(document) or ()}
    except SnellenError as error:
        raise SnellenError(f"replay/{path}: {error}") from None


def read_replies(path: Path, raw: bytes) -> dict[tuple[str, str | None], str]:
    """Recorded replies by (id, prompt); the prompt is None where the file does not say."""
    replies: dict[tuple[str, str | None], str] = {}
    if path.suffix.lower() == ".json" and (twice := repeated_key(raw)) is not None:
        raise SnellenError(f"replay/{path}: the key {one_line(twice, 80)!r} is there twice; keep one")
    for number, row in enumerate(rows_of(path, raw), 1):
        reply = reply_of(row, f"replay/{path} record {number}")
        if reply is None:
            continue
        if not _of_a_run(path) and replies.get((reply.id, reply.prompt), reply.text) != reply.text:
            raise _twice(path, number, reply.id)
        replies[reply.id, reply.prompt] = reply.text
    return replies


def reply_of(row: Any, where: str) -> RecordedReply | None:
    """The reply that a row records; None for a recorded failure, which is no reply."""
    if not isinstance(row, dict):
        raise SnellenError(f"{where}: expected an object with id and text")
    name = next((row[k] for k in IDS if k in row), None)
    text = next((row[k] for k in TEXTS if k in row), None)
    if row.get("error") or row.get("failure"):
        return None
    if name is None or not isinstance(text, str):
        raise SnellenError(f"{where}: needs an id ({' or '.join(IDS)}) and a text ({', '.join(TEXTS)})")
    prompt = row.get("prompt")  # the name of a prompt, as in answers.jsonl; other tools write its text there
    is_name = isinstance(prompt, str) and len(prompt) < 40 and not re.search(r"\s", prompt)
    return RecordedReply(str(name), prompt if is_name else None, text)


def rows_of(path: Path, raw: bytes, kind: str = "replay") -> Iterable[Any]:
    """The rows of a file of replies, as they are; `kind` is the subject's prefix, for messages."""
    suffix = path.suffix.lower()
    try:
        if suffix == ".csv":
            return list(csv.DictReader(raw.decode("utf-8-sig").splitlines(keepends=True)))
        if suffix in LINES:
            return [msgspec.json.decode(line) for line in raw.splitlines() if _is_row(line)]
        data = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, csv.Error) as error:
        raise _unreadable(path, kind, error) from None
    if isinstance(data, dict):
        return [{"id": k, "text": v} for k, v in data.items()]
    return list(data) if isinstance(data, list) else [data]


def _of_a_run(path: Path) -> bool:
    """Whether it is the file of a run's answers: there the last answer to a question is the one that counts."""
    return path.name == "answers.jsonl" and (path.parent / "run.json").is_file()


def _is_row(line: bytes) -> bool:
    """Whether a line of a file of JSON lines is no empty one and no comment."""
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def _decoded(path: Path, line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unreadable(path, "replay", error) from None


def _twice(path: Path, number: int, name: str) -> SnellenError:
    return SnellenError(
        f"replay/{path} record {number}: another reply to {one_line(name, 80)!r} came before; keep one of them"
    )


def _unreadable(path: Path, kind: str, error: Exception) -> SnellenError:
    return SnellenError(f"{kind}/{path} cannot be read as {path.suffix.lower()[1:] or 'JSON'}: {error}")


class _ReplayKind(SubjectKind):
    """`replay/FILE`."""

    prefix = "replay"
    forms = MappingProxyType({"replay/FILE": "recorded replies: JSON, JSON lines or CSV with id and text"})

    def build(self, name: str, given: BuildContext) -> Subject:
        own = given.exam.extra(ReplayFormat)
        return Replay(Path(name), own.read if own is not None else None)


KIND = _ReplayKind()
