"""What runs in a Ray actor: a worker that exchanges requests, or one that answers as a subject. Knows nothing of Ray."""

from __future__ import annotations

import asyncio

from snellen import __version__
from snellen.engine.pool.exchanging import Exchanging
from snellen.subjects.answering import Answering


class Actor:
    """A worker on a node of the cluster."""

    def __init__(self) -> None:
        self._work: Exchanging | Answering = Exchanging()

    async def begin(self, job: bytes) -> str:
        """Be a subject, where a job is given. Gives the version of Snellen that the node has."""
        if job:
            self._work = await asyncio.to_thread(Answering, job)
        return __version__

    async def ask(self, message: bytes) -> bytes:
        """The reply to a message."""
        return await self._work.ask(message)
