"""Sealed sheets: a digest of the seed is published before the exam, the seed itself after it.

Whoever holds the digest then knows that the sheets were not picked after the answers, and nobody could have drawn them before.
"""

from __future__ import annotations

import hashlib
import secrets

from snellen.core.errors import SnellenError

PREFIX = "snellen eye exam, seed "
BITS = 63
"""As many as a seed in a file of JSON may have: far too many to be tried one by one."""


def new_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbits(BITS)


def seal(seed: int) -> str:
    """The digest of a seed.

    >>> seal(1)[:16], len(seal(1))
    ('d84e325056d34d2d', 64)
    """
    return hashlib.sha256(f"{PREFIX}{seed}".encode()).hexdigest()


def check_seal(seed: int, sealed: str) -> None:
    """Refuse a seed that is not the one that was sealed."""
    if sealed and seal(seed) != sealed.strip().lower():
        raise SnellenError(
            f"--seed-commit: {sealed[:16]}... is not the seal of --seed {seed}, which is {seal(seed)[:16]}..."
        )
