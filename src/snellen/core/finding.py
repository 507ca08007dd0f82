"""What a person should know of a run, each in a sentence: the word between those who find it (`show`, an exam) and those who show it."""

from __future__ import annotations

from typing import NamedTuple

BAD, DOUBT, GOOD, FACT = "bad", "doubt", "good", "fact"
WEIGHTS = (BAD, DOUBT, GOOD, FACT)
"""How much a finding weighs, the heaviest first: scores that mean little, what to doubt, what speaks for them, and plain facts."""


class Finding(NamedTuple):
    """One sentence, or two. `kind` says what it is about, for those who say it elsewhere already; `place` is the section of a run's
    page that has more of it.
    """

    weight: str
    kind: str
    text: str
    place: str = "scores"
