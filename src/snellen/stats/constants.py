"""The best constant answer: among those that the prompt allows, and among all."""

from __future__ import annotations

from snellen.core.results import Floor

SAME = 1e-12
"""Scores this near to each other are equal: the answer that was tried first stays."""


class ConstantScores:
    """Constant answers to one metric, tried one by one."""

    def __init__(self) -> None:
        self._allowed: tuple[float, str] | None = None
        self._any: tuple[float, str] | None = None

    def add(self, value: float, answer: str, *, allowed: bool = True) -> None:
        """Add the score of always giving this answer."""
        if self._any is None or value > self._any[0] + SAME:
            self._any = value, answer
        if allowed and (self._allowed is None or value > self._allowed[0] + SAME):
            self._allowed = value, answer

    @property
    def any(self) -> bool:
        """True once an answer was tried."""
        return self._any is not None

    @property
    def floor(self) -> Floor:
        """The best that is allowed, and beside it the best of all where that is more."""
        if self._any is None:
            raise ValueError("nothing was tried")
        allowed = self._allowed or (0.0, "")
        return Floor(*allowed, *(self._any if self._any[0] > allowed[0] + SAME else ()))
