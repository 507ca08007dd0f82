"""A batch before and after it is sent: the requests in it, and the number of result lines that came back."""

from __future__ import annotations

from typing import BinaryIO

from snellen.core.batch import BatchApi
from snellen.engine.ask.questions import PreparedQuestion
from snellen.engine.runs.batch_books import BatchedQuestion


class BatchDraft:
    """A batch being assembled: the bytes for the provider, and the entry for the run's batch records."""

    def __init__(self, api: BatchApi) -> None:
        self._api = api
        self.entries: list[bytes] = []
        self.keys: set[str] = set()
        self.inside: list[BatchedQuestion] = []
        self.size = 0
        self.bound: float | None = 0.0

    def takes(self, body: bytes) -> bool:
        """Tell whether one more request fits. A request that is larger than any batch goes alone."""
        if not self.entries:
            return True
        return len(self.entries) < self._api.most and self.size + len(body) + 512 <= self._api.largest

    def join(self, item: PreparedQuestion) -> None:
        """Add a question whose request is already in the batch: one key has one result."""
        question, request = item.question, item.prepared
        self.inside.append(
            BatchedQuestion(
                key=request.key, id=question.id, prompt=question.prompt, shots=question.shots, images=request.images
            )
        )

    def add(self, item: PreparedQuestion, body: bytes, bound: float | None) -> None:
        """Add a question and its request."""
        entry = self._api.entry(item.prepared.key, body)
        self.entries.append(entry)
        self.keys.add(item.prepared.key)
        self.join(item)
        self.size += len(entry) + len(self._api.between)
        self.bound = None if bound is None or self.bound is None else self.bound + bound

    @property
    def payload(self) -> bytes:
        return self._api.opening + self._api.between.join(self.entries) + self._api.closing


def lines_in(api: BatchApi, file: BinaryIO, begin: int) -> tuple[int, int]:
    """Count the lines after an offset: those that were processed, and all of them. A truncated last line is left out."""
    file.seek(begin)
    worked = every = last_worked = 0
    last = b""
    for line in file:
        if line.strip():
            last, last_worked = line, int(not any(word in line for word in api.unworked))
            worked, every = worked + last_worked, every + 1
    try:
        api.result(last)
    except ValueError:
        worked, every = worked - last_worked, max(0, every - 1)
    return worked, every
