"""Canonical JSON and its SHA-256: the same content gives the same digest, whatever the order of keys."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """Return JSON bytes with sorted keys and no white space."""
    return _ENCODER.encode(value)


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of a value, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def rank(seed: int, key: str) -> bytes:
    """Return a position in a seeded shuffle that depends on the key alone, so that smaller selections nest in larger ones."""
    return hashlib.sha256(f"{seed}\x1f{key}".encode()).digest()
