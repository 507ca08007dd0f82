"""JSON objects that name a key twice: readers keep the last value and silently drop the others."""

from __future__ import annotations

import json


def repeated_key(raw: bytes) -> str | None:
    """Return a key that one object of a JSON document names twice; None if there is none, or if it is not JSON.

    >>> repeated_key(b'{"a": 1, "b": {"a": 2}}'), repeated_key(b'{"b": 1, "a": {}, "b": 2}')
    (None, 'b')
    """
    found: list[str] = []

    def look(pairs: list[tuple[str, object]]) -> None:
        if len({key for key, _ in pairs}) < len(pairs):
            seen: set[str] = set()
            found.extend(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]

    try:
        json.loads(raw, object_pairs_hook=look)
    except (ValueError, RecursionError):
        return None
    return found[0] if found else None
