"""Findings about a run, each in a sentence: passed from the code that finds them (`show`, an exam) to the code that shows them."""

from __future__ import annotations

from typing import NamedTuple

BAD, DOUBT, GOOD, FACT = "bad", "doubt", "good", "fact"
WEIGHTS = (BAD, DOUBT, GOOD, FACT)
"""The weights of findings, the heaviest first: unreliable scores, doubts about them, support for them, and plain facts."""


class Finding(NamedTuple):
    """One sentence, or two. `kind` names the subject, so that code that reports it elsewhere can skip it. `place` is the section of a
    run's page that has more of it.
    """

    weight: str
    kind: str
    text: str
    place: str = "scores"
