"""The answer store: replies by request key in one SQLite file in the user's cache folder.

Replies are copied here rather than indexed in run folders, so deleting a run loses no paid answer (docs/performance.md has
the measurement). Writes go through one thread; a reader sees what is still on its way. A store that cannot be written is
reported once and done without: the run folder alone keeps everything.
"""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from snellen.core.exam import Reply

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Reply)
BATCH = 256
GATHER = 0.1


def cache_folder() -> Path:
    """`SNELLEN_CACHE_DIR`, else the user's cache folder."""
    moved = os.environ.get("SNELLEN_CACHE_DIR")
    if moved:
        return Path(moved)
    from platformdirs import user_cache_path

    return user_cache_path("snellen", appauthor=False)


class Store:
    """Replies that were paid for. Used from one event loop; closes flushed."""

    def __init__(self, folder: Path) -> None:
        self.problem: str | None = None
        self._path = folder / "answers.sqlite"
        self._queue: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self._on_the_way: dict[str, bytes] = {}
        self._reader: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._reader = self._connect()
            self._reader.execute("CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, reply BLOB NOT NULL)")
        except (OSError, sqlite3.Error) as error:
            self.problem = f"the answer store {self._path} cannot be used ({error})"
            self._reader = None
        self._thread = threading.Thread(target=self._write, daemon=True, name="snellen-store")
        self._thread.start()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    def get(self, key: str) -> Reply | None:
        """The stored reply to a request, if any."""
        waiting = self._on_the_way.get(key)
        if waiting is not None:
            return _DECODER.decode(waiting)
        if self._reader is None:
            return None
        row = self._reader.execute("SELECT reply FROM replies WHERE key = ?", (bytes.fromhex(key),)).fetchone()
        if row is None:
            return None
        try:
            return _DECODER.decode(row[0])
        except msgspec.MsgspecError:
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply (replacing an older one)."""
        if self._reader is None:
            return
        data = _ENCODER.encode(reply)
        self._on_the_way[key] = data
        self._queue.put((key, data))

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Those of the keys that are not stored."""
        return [k for k in keys if self.get(k) is None]

    def _write(self) -> None:
        connection: sqlite3.Connection | None = None
        while True:
            first = self._queue.get()
            batch = [first]
            until = time.monotonic() + GATHER
            while len(batch) < BATCH and batch[-1] is not None:
                try:
                    batch.append(self._queue.get(timeout=max(0.0, until - time.monotonic())))
                except queue.Empty:
                    break
            rows = [item for item in batch if item is not None]
            try:
                if rows and self._reader is not None:
                    connection = connection or self._connect()
                    connection.execute("BEGIN IMMEDIATE")
                    connection.executemany(
                        "INSERT OR REPLACE INTO replies VALUES (?, ?)", [(bytes.fromhex(k), v) for k, v in rows]
                    )
                    connection.execute("COMMIT")
            except sqlite3.Error as error:
                self.problem = (
                    f"the answer store {self._path} cannot be written ({error}); the run folder keeps the answers"
                )
                if connection is not None and connection.in_transaction:
                    connection.execute("ROLLBACK")
            for key, data in rows:
                if self._on_the_way.get(key) is data:
                    self._on_the_way.pop(key, None)
            if batch[-1] is None:
                if connection is not None:
                    connection.close()
                return

    def close(self) -> None:
        """Write what is on its way and let go of the file."""
        self._queue.put(None)
        self._thread.join()
        if self._reader is not None:
            self._reader.close()
            self._reader = None
