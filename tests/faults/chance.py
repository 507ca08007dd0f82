"""Cases by chance that can be repeated: FAULTS_SEED and FAULTS_CASES in the environment say which, and how many of each kind."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

SEED = os.environ.get("FAULTS_SEED", "1")
CASES = int(os.environ.get("FAULTS_CASES", "100"))
ONLY = os.environ.get("FAULTS_ONLY", "")
"""The number of the one case to repeat."""
SHOWN = 4


def each(kind: str, check: Callable[[Random, int], None], share: float = 1.0, least: int = 1) -> None:
    """Check `share` of the wanted number of cases; fails with the first few that do not hold, and how to repeat each."""
    failed: list[str] = []
    for number in [int(ONLY)] if ONLY else range(max(least, round(CASES * share))):
        try:
            check(Random(f"{SEED} {kind} {number}"), number)
        except AssertionError as error:
            failed.append(f"case {number} of '{kind}' (FAULTS_SEED={SEED} FAULTS_ONLY={number}): {error}")
            if len(failed) == SHOWN:
                break
    assert not failed, "\n\n".join(failed)
