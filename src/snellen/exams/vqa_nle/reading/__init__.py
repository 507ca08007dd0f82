"""From a reply to an answer and an explanation. Pure: one file for each reader."""

from __future__ import annotations

from typing import NamedTuple


class VqaReading(NamedTuple):
    """A reply as a protocol reads it: answer and explanation (None if missing); for VCR also the number of the choice."""

    answer: str | None
    explanation: str | None
    choice: int | None = None
