"""Cheap tests before patterns: in most replies a pattern would find nothing."""

from __future__ import annotations

from collections.abc import Iterable


def is_there(hints: Iterable[str], text: str) -> bool:
    """Tell whether a search for a pattern is worthwhile. (A loop, since this is called for every reply, several times.)"""
    for hint in hints:  # noqa: SIM110
        if hint in text:
            return True
    return False
