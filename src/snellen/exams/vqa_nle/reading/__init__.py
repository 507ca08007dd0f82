"""From a reply to an answer and an explanation. Pure: one file for each way of reading."""

from __future__ import annotations

from typing import NamedTuple


class VqaReading(NamedTuple):
    """What a protocol reads in a reply: answer and explanation (None where there is none), for VCR also the choice's number."""

    answer: str | None
    explanation: str | None
    choice: int | None = None
