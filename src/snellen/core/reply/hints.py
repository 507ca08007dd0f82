"""Cheap tests that come before patterns: most replies have nothing that a pattern would find."""

from __future__ import annotations

from collections.abc import Iterable


def is_there(hints: Iterable[str], text: str) -> bool:
    """Whether it is worth while to look for a pattern. (A loop, since this is called for every reply, several times.)"""
    for hint in hints:  # noqa: SIM110
        if hint in text:
            return True
    return False
