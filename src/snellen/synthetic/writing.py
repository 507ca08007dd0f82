"""Writing a set of drawn scenes into a folder: on all cores, in order, and never over something else.

A folder made here carries a small file that says so; a folder with anything in it and without that file is left alone.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import asdict

from snellen.core.errors import SnellenError
from snellen.core.types import Struct

MARKER = "snellen_synthetic.json"
_CHUNK = 8
_Key = TypeVar("_Key")
_Made = TypeVar("_Made")


class Origin(Struct, frozen=True):
    """What a folder says of where it comes from."""

    generator: str
    version: int
    seed: int
    count: int


def claim(out: Path, origin: Origin) -> Path:
    """Makes the folder and marks it; refuses one that holds anything but (part of) the very same set. Gives the marker."""
    if origin.count < 1:
        raise SnellenError(f"count must be at least 1, not {origin.count}")
    if origin.seed < 0:
        raise SnellenError(f"seed must not be negative, and {origin.seed} is")
    if out.exists() and not out.is_dir():
        raise SnellenError(f"{out} is not a folder: choose another --out folder")
    marker = out / MARKER
    if marker.exists():
        found = _read(marker)
        if found != asdict(origin):
            told = ", ".join(f"{name} {found.get(name)}" for name in Origin.__struct_fields__)
            wanted = ", ".join(f"{name} {value}" for name, value in asdict(origin).items())
            raise SnellenError(f"{out} holds another synthetic set ({told}; wanted: {wanted}): choose another folder")
    elif out.exists() and any(out.iterdir()):
        raise SnellenError(f"{out} holds files that were not made here: choose another folder for the synthetic set")
    write_json(marker, asdict(origin))
    return marker


def _read(marker: Path) -> dict[str, Any]:
    try:
        found = json.loads(marker.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise SnellenError(f"{marker} cannot be read: choose another folder for the synthetic set")
    return found


def write_text(path: Path, text: str) -> Path:
    """Writes a file whose name appears when it is whole."""
    return write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> Path:
    """Writes JSON, one way."""
    return write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def write_bytes(path: Path, data: bytes) -> Path:
    """Writes a file whose name appears when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(data)
    draft.replace(path)
    return path


def in_order(work: Callable[[_Key], _Made], keys: Sequence[_Key], workers: int | None = None) -> Iterator[_Made]:
    """work(key) for every key, in their order, made by several processes with only a few chunks under way at a time.

    `work` must be a function of a module. Without `workers` a short list is made right here.
    """
    chunks = [keys[start : start + _CHUNK] for start in range(0, len(keys), _CHUNK)]
    wanted = max(1, min(workers if workers is not None else _cores(), len(chunks)))
    if wanted == 1 or (workers is None and len(keys) <= 2 * _CHUNK):
        for key in keys:
            yield work(key)
        return
    waiting: deque[Future[list[_Made]]] = deque()
    with ProcessPoolExecutor(wanted, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            for chunk in chunks:
                waiting.append(pool.submit(_chunk, work, chunk))
                if len(waiting) > 2 * wanted:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _chunk(work: Callable[[_Key], _Made], keys: Sequence[_Key]) -> list[_Made]:
    return [work(key) for key in keys]


def _cores() -> int:
    """Cores that this process may use (not every system can tell; then all there are)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
