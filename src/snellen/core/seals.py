"""Sealed sheets: a digest of the seed is published before the exam, the seed itself after it.

The digest proves that the sheets were not picked after the answers, and it does not let anyone draw them before.
"""

from __future__ import annotations

import hashlib
import secrets

from snellen.core.errors import SnellenError

PREFIX = "snellen eye exam, seed "
BITS = 63
"""The size of the largest seed in a JSON file: far too many values to try one by one."""


def new_seed() -> int:
    """Return a seed that cannot be guessed."""
    return secrets.randbits(BITS)


def seal(seed: int) -> str:
    """Return the digest of a seed.

    >>> seal(1)[:16], len(seal(1))
    ('d84e325056d34d2d', 64)
    """
    return hashlib.sha256(f"{PREFIX}{seed}".encode()).hexdigest()


def check_seal(seed: int, sealed: str) -> None:
    """Refuse a seed that does not match its seal."""
    if sealed and seal(seed) != sealed.strip().lower():
        raise SnellenError(
            f"--seed-commit: {sealed[:16]}... is not the seal of --seed {seed}, which is {seal(seed)[:16]}..."
        )
