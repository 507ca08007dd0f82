"""Look for a batch whose id was lost: by our label, else by its place in the provider's list, its size and its keys. No clock counts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import NamedTuple

import msgspec

from snellen.core.batch import BatchApi, BatchState
from snellen.core.errors import SnellenError, Stopped
from snellen.engine.answer.batch_wire import BatchWire
from snellen.engine.runs.batch_books import BatchEntry, BatchRecords

LOOK_AGAIN = (0.0, 2.0, 5.0, 10.0, 15.0, 30.0)
"""Seconds to wait before each look: a provider's list may show a new batch late."""
MOST_PAGES = 200


class RunningBatch(NamedTuple):
    """A batch that is under way, and whether it is known to be ours: it may just be of our batch's size."""

    entry: BatchEntry
    sure: bool = True


class Search:
    """Looks for the batches of a run at its provider."""

    def __init__(self, wire: BatchWire, api: BatchApi, books: BatchRecords, stopped: asyncio.Event) -> None:
        self._wire, self._api, self._books, self._stopped = wire, api, books, stopped
        self.foreign: set[str] = set()
        """Batches that turned out to be others'."""
        self.doubtful: list[BatchEntry] = []
        """Batches that may exist, though the provider's list does not show them."""

    async def latest(self) -> str:
        """Return the id of the provider's latest batch; empty where there is none, or no list."""
        try:
            page = await self._wire.read(self._api.listing(), self._api.listed)
        except Stopped:
            raise
        except SnellenError:
            return ""
        return page.states[0].id if page.states else ""

    async def find(self, entry: BatchEntry) -> list[RunningBatch]:
        """Return the batch of an entry without id, or all that may be it where the provider keeps no label."""
        for wait in LOOK_AGAIN:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), wait)
            if found := await self._look(entry):
                return found
        self.doubtful.append(entry)
        return []

    async def _look(self, entry: BatchEntry) -> list[RunningBatch]:
        alike = []
        async for state in self._since(entry.before):
            found = msgspec.structs.replace(entry, state="sent", id=state.id)
            if state.mark == entry.mark:
                self._books.note(found)
                return [RunningBatch(found)]
            if not state.mark and state.total == entry.count and state.id not in self._books.ids | self.foreign:
                alike.append(RunningBatch(found, sure=False))
        return alike

    async def _since(self, before: str) -> AsyncGenerator[BatchState, None]:
        """The provider's batches from the latest back to those of one's time, by the provider's own clock."""
        after, earliest = "", None
        for _ in range(MOST_PAGES):
            page = await self._wire.read(self._api.listing(after), self._api.listed)
            for state in page.states:
                if earliest is not None and state.created < earliest:
                    return
                if state.id == before:
                    earliest = state.created
                else:
                    yield state
            after = page.after
            if not after:
                return

    def stop_if_doubtful(self) -> None:
        """Stop where handing questions in again might pay for them twice."""
        if self.doubtful:
            entry = self.doubtful[0]
            raise Stopped(
                f"A batch of {entry.count} questions (label {entry.mark}) may exist at the provider, but its list does not show it. "
                "Nothing was handed in again, and the same command looks again. If the provider's console shows no such batch, "
                f"delete {self._books.path(entry)}: the same command then hands the questions in again"
            )
