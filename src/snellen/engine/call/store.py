"""The answer store: replies by request key in one SQLite file in the user's cache folder.

Replies are copied here, not indexed in run folders, so deleting a run loses no paid answer (docs/performance.md has the measurement). All
writes go through one thread, and a reader sees writes that are still queued. A store that cannot be written is reported once, and the run
goes on without it: the run folder alone keeps everything.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import msgspec

from snellen.core.subject import Reply

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Reply)
EVERY = 0.1


def cache_folder() -> Path:
    """Return `SNELLEN_CACHE_DIR`, else the user's cache folder."""
    moved = os.environ.get("SNELLEN_CACHE_DIR")
    if moved:
        return Path(moved)
    from platformdirs import user_cache_path

    return user_cache_path("snellen", appauthor=False)


class Store:
    """Replies that were paid for. Used from one event loop and its feed thread. Closing flushes it."""

    def __init__(self, folder: Path) -> None:
        self.problem: str | None = None
        self._path = folder / "answers.sqlite"
        self._waiting: dict[str, bytes] = {}
        self._looked_up: dict[str, bytes | None] = {}
        self._put: set[str] = set()
        self._closing = threading.Event()
        self._reading = threading.Lock()
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

    def look_up(self, keys: list[str]) -> None:
        """Read some keys ahead, in one query. `get` then needs no query for them."""
        if not keys:
            return
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, reply FROM replies WHERE key IN ({marks})"  # noqa: S608 (question marks only)
        try:
            with self._reading:  # a connection that is closed while in use ends the whole program
                if self._reader is None:
                    return
                found = {k.hex(): v for k, v in self._reader.execute(query, [bytes.fromhex(k) for k in keys])}
        except sqlite3.Error as error:
            self.problem = f"the answer store {self._path} cannot be read ({error}); delete it to start a new one"
            self._reader = None
            return
        self._looked_up.update((k, found.get(k)) for k in keys)

    def get(self, key: str) -> Reply | None:
        """Return the stored reply to a request, if any."""
        data = self._waiting.get(key)
        if data is None:
            if key not in self._looked_up or key in self._put:
                # never looked up, or looked up before this process stored it
                self.look_up([key])
            data = self._looked_up.pop(key, None)
        if data is None:
            return None
        try:
            return _DECODER.decode(data)
        except msgspec.MsgspecError:
            return None

    def is_new(self, key: str) -> bool:
        """Tell whether this process stored the reply."""
        return key in self._put

    def put(self, key: str, reply: Reply) -> None:
        """Store a reply. It replaces an older one."""
        if self._reader is not None:
            self._waiting[key] = _ENCODER.encode(reply)
            self._put.add(key)

    def _write(self) -> None:
        """Write queued replies, a few times a second. (There is no signal for each reply: waking this thread would cost the loop more.)"""
        connection: sqlite3.Connection | None = None
        last = False
        while not last:
            last = self._closing.wait(EVERY)
            rows = list(self._waiting.items())
            if not rows:
                continue
            try:
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
                if self._waiting.get(key) is data:
                    del self._waiting[key]
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Write queued replies and close the file."""
        self._closing.set()
        self._thread.join()
        with self._reading:  # a look-up in another thread ends first
            if self._reader is not None:
                self._reader.close()
                self._reader = None
