"""The records of a run's batches: `batches.json` lists the batches, `batches/MARK.jsonl` the questions in each.

A batch is recorded before it is submitted and again when its id is known. So the next process after a kill in between can find it at the
provider and does not pay twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.types import ImageSent, Struct
from snellen.engine.runs.folder import UNREADABLE, RunFolder

FILE = "batches.json"


class BatchEntry(Struct, frozen=True):
    """One batch. `prepared`: not submitted. `planned`: possibly submitted. `sent`: submitted. `done`: its results are among the answers.

    `wordings` has the digests of its prompts' wordings: an answer to an earlier wording does not count for a later one. `left_out` are
    parameters that were requested but are not in its requests.
    """

    mark: str
    at: int
    count: int
    bound: float | None = None
    wordings: dict[str, str] = msgspec.field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    state: Literal["prepared", "planned", "sent", "done"] = "planned"
    id: str = ""


class BatchedQuestion(Struct, frozen=True):
    """A question that is in a batch. Questions that ask the same share one key, and are one request of the batch."""

    key: str
    id: str
    prompt: str
    shots: tuple[str, ...] = ()
    images: tuple[ImageSent, ...] = ()


_ENTRIES = msgspec.json.Decoder(tuple[BatchEntry, ...])
_INSIDE = msgspec.json.Decoder(BatchedQuestion)
_ENCODER = msgspec.json.Encoder()


def has_open(folder: RunFolder) -> bool:
    """Tell whether a run has something under way at a provider, or whether that cannot be determined."""
    try:
        return bool(BatchRecords(folder).open)
    except SnellenError:
        return True


class BatchRecords:
    """The batch records in a run folder."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder, self.file = folder, folder.path / FILE
        self._entries: dict[str, BatchEntry] = {}
        if folder.has(FILE):
            try:
                self._entries = {e.mark: e for e in _ENTRIES.decode(self.file.read_bytes())}
            except UNREADABLE as error:
                raise SnellenError(
                    f"{self.file} is damaged ({error}): what is under way at the provider is not known; "
                    "repair it, or begin anew with --fresh"
                ) from None

    @property
    def open(self) -> list[BatchEntry]:
        """The batches whose results are still to come."""
        return [e for e in self._entries.values() if e.state != "done"]

    @property
    def ids(self) -> set[str]:
        """The ids of all batches of the run."""
        return {e.id for e in self._entries.values() if e.id}

    def plan(self, entry: BatchEntry, inside: list[BatchedQuestion]) -> None:
        """Record a batch before it is submitted."""
        self._folder.write_chunks(self._name(entry), (_ENCODER.encode(one) + b"\n" for one in inside))
        self.note(entry)

    def note(self, entry: BatchEntry) -> None:
        """Record the state of a batch."""
        self._entries[entry.mark] = entry
        self._write()

    def forget(self, entry: BatchEntry) -> None:
        """Remove a batch that was never submitted."""
        self._entries.pop(entry.mark, None)
        self._write()

    def inside(self, entry: BatchEntry) -> Iterator[BatchedQuestion]:
        """Yield the questions in a batch."""
        path = self.path(entry)
        try:
            with path.open("rb") as file:
                for line in file:
                    yield _INSIDE.decode(line)
        except (OSError, *UNREADABLE) as error:
            raise SnellenError(f"{path} cannot be read ({error}): which questions are in the batch is lost") from None

    def path(self, entry: BatchEntry) -> Path:
        """Return the file of a batch's questions. If a user has deleted it, the batch is given up."""
        return self._folder.path / self._name(entry)

    def _name(self, entry: BatchEntry) -> str:
        return f"batches/{entry.mark}.jsonl"

    def _write(self) -> None:
        self._folder.write(FILE, _ENCODER.encode(tuple(self._entries.values())) + b"\n")
