"""Replies that were recorded elsewhere, as a subject: JSON, JSON lines or CSV of id and text."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Callable, Iterable
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
from snellen.subjects.baselines import said

IDS = ("id", "sample_id")
TEXTS = ("text", "response", "raw_response", "prediction", "reply")
LINES = (".jsonl", ".ndjson")
Reads = Callable[[Any], Iterable[RecordedReply] | None]


class Replay(Subject):
    """A subject that gives the recorded text for a question's id. A question without one is an error, not a wrong answer."""

    def __init__(self, path: Path, recorded: Reads | None = None) -> None:
        """Read the file. `recorded` parses an exam's own file of replies; it returns None for any other document."""
        if not path.is_file():
            raise SnellenError(f"replay/{path}: no such file")
        self.spec = f"replay/{path}"
        raw = path.read_bytes()
        own = _own_form(path, raw, recorded)
        self.only_recorded = bool(own)  # an exam's own file may cover only a few samples
        self._replies = own or read_replies(path, raw)
        self.identity: dict[str, Any] = {"kind": "replay", "sha256": hashlib.sha256(raw).hexdigest()}
        self.recorded_ids = frozenset(name for name, _prompt in self._replies)
        prompts = {prompt for _name, prompt in self._replies if prompt}
        self._times = max((Arm.parse(prompt).repeat for prompt in prompts), default=1)

    def why_same(self, repeats: int) -> str:
        if repeats <= self._times:
            return ""
        there = f"{self._times} replies" if self._times > 1 else "one reply"
        return f"{self.spec} has {there} to a question, whatever it is asked again"

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        text = self._replies.get((question.id, question.prompt), self._replies.get((question.id, None)))
        if text is None:
            return failed(question, "not-recorded", f"{self.spec} has no reply for this id")
        return said(question, text)


def _own_form(path: Path, raw: bytes, recorded: Reads | None) -> dict[tuple[str, str | None], str]:
    """Return replies in the exam's own form; an empty dict if the file is not of that form."""
    if recorded is None:
        return {}
    try:
        document = msgspec.json.decode(raw) if path.suffix.lower() == ".json" else rows_of(path, raw)
    except (
        msgspec.DecodeError,
        UnicodeDecodeError,
        RecursionError,
        SnellenError,
    ):  # the reader of plain replies reports the error
        return {}
    try:
        return {(r.id, r.prompt): r.text for r in recorded(document) or ()}
    except SnellenError as error:
        raise SnellenError(f"replay/{path}: {error}") from None


def read_replies(path: Path, raw: bytes) -> dict[tuple[str, str | None], str]:
    """Return recorded replies by (id, prompt); the prompt is None if the file does not name it."""
    replies: dict[tuple[str, str | None], str] = {}
    if path.suffix.lower() == ".json" and (twice := repeated_key(raw)) is not None:
        raise SnellenError(f"replay/{path}: the key {one_line(twice, 80)!r} is there twice; keep one")
    # in a run's own answers file, the last answer to a question is the one that counts
    of_a_run = path.name == "answers.jsonl" and (path.parent / "run.json").is_file()
    for number, row in enumerate(rows_of(path, raw), 1):
        reply = reply_of(row, f"replay/{path} record {number}")
        if reply is None:
            continue
        if not of_a_run and replies.get((reply.id, reply.prompt), reply.text) != reply.text:
            raise SnellenError(
                f"replay/{path} record {number}: another reply to {one_line(reply.id, 80)!r} came before; keep one of them"
            )
        replies[reply.id, reply.prompt] = reply.text
    return replies


def reply_of(row: Any, where: str) -> RecordedReply | None:
    """Return the reply that a row records; None for a recorded failure, which is not a reply."""
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
    """Return the rows of a file of replies, as they are; `kind` is the subject's prefix, for messages."""
    suffix = path.suffix.lower()
    try:
        if suffix == ".csv":
            return list(csv.DictReader(raw.decode("utf-8-sig").splitlines(keepends=True)))
        if suffix in LINES:
            return [
                msgspec.json.decode(line)
                for line in raw.splitlines()
                if line.strip() and not line.lstrip().startswith(b"#")
            ]
        data = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, csv.Error) as error:
        raise SnellenError(f"{kind}/{path} cannot be read as {suffix[1:] or 'JSON'}: {error}") from None
    if isinstance(data, dict):
        return [{"id": k, "text": v} for k, v in data.items()]
    return list(data) if isinstance(data, list) else [data]


class _ReplayKind(SubjectKind):
    """The kind `replay/FILE`."""

    prefix = "replay"
    forms = MappingProxyType({"replay/FILE": "recorded replies: JSON, JSON lines or CSV with id and text"})

    def build(self, name: str, given: BuildContext) -> Subject:
        own = given.exam.extra(ReplayFormat)
        return Replay(Path(name), own.read if own is not None else None)


KIND = _ReplayKind()
