"""Vectors are kept by content: a second run embeds no picture again, and no text that it has embedded before."""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from snellen.core.digest import digest
from snellen.core.scorer import EmbeddedTexts, Scorer

MANY = 500


class Vectors:
    """Vectors by key in one SQLite file. Without a usable file, nothing is kept."""

    def __init__(self, folder: Path) -> None:
        self._base: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(folder / "vectors.sqlite", timeout=30, isolation_level=None)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, cut INTEGER, vector BLOB)")
        except (OSError, sqlite3.Error):
            self._base = None

    def get(self, keys: Sequence[bytes]) -> dict[bytes, tuple[bool, array[float]]]:
        """Return the vectors that are kept."""
        found: dict[bytes, tuple[bool, array[float]]] = {}
        if self._base is None:
            return found
        for start in range(0, len(keys), MANY):
            some = keys[start : start + MANY]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, cut, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608 (question marks only)
            try:
                for key, cut, raw in self._base.execute(query, list(some)):
                    vector = array("f")
                    vector.frombytes(raw)
                    found[key] = bool(cut), vector
            except (sqlite3.Error, ValueError):
                return found
        return found

    def put(self, rows: Mapping[bytes, tuple[bool, array[float]]]) -> None:
        """Keep new vectors."""
        if self._base is None or not rows:
            return
        try:
            self._base.execute("BEGIN")
            self._base.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [(k, int(cut), vector.tobytes()) for k, (cut, vector) in rows.items()],
            )
            self._base.execute("COMMIT")
        except sqlite3.Error:
            self._base = None


class CachedScorer:
    """A scorer whose vectors are kept. `embedded` counts the texts and pictures that were really computed."""

    def __init__(self, scorer: Scorer, vectors: Vectors) -> None:
        self._scorer, self._vectors = scorer, vectors
        self.name, self.identity = scorer.name, scorer.identity
        self._mark = digest(dict(scorer.identity)).encode()
        self.embedded = {"texts": 0, "images": 0}

    def texts(self, texts: Sequence[str]) -> EmbeddedTexts:
        keys = [self._key(b"text", t.encode("utf-8", "surrogatepass")) for t in texts]
        known = self._vectors.get(keys)
        new = {k: t for k, t in zip(keys, texts, strict=True) if k not in known}
        if new:
            made = self._scorer.texts(list(new.values()))
            self.embedded["texts"] += len(new)
            rows = {k: (bool(cut), array("f", v)) for k, v, cut in zip(new, made.vectors, made.truncated, strict=True)}
            self._vectors.put(rows)
            known |= rows
        return EmbeddedTexts([known[k][1] for k in keys], [known[k][0] for k in keys])

    def images(self, images: Sequence[bytes]) -> list[Any]:
        keys = [self._key(b"image", data) for data in images]
        known = self._vectors.get(keys)
        new = {k: d for k, d in zip(keys, images, strict=True) if k not in known}
        if new:
            made = self._scorer.images(list(new.values()))
            self.embedded["images"] += len(new)
            rows = {k: (False, array("f", v)) for k, v in zip(new, made, strict=True)}
            self._vectors.put(rows)
            known |= rows
        return [known[k][1] for k in keys]

    def _key(self, kind: bytes, content: bytes) -> bytes:
        return hashlib.sha256(self._mark + b"\0" + kind + b"\0" + content).digest()
