"""A method put together from a locator (what looks), a strategy (where it looks) and a threshold (when it would rather not say)."""

from __future__ import annotations

from snellen.core.errors import SnellenError
from snellen.exams.grounding.methods.base import Tools, View
from snellen.exams.grounding.methods.crops import Strategy
from snellen.exams.grounding.methods.looks import Locator, Look, Trail
from snellen.exams.grounding.methods.timing import Timed
from snellen.exams.grounding.prompts import PLANNER
from snellen.exams.grounding.reading.predictions import Prediction


class Composed:
    """One named method."""

    def __init__(
        self,
        name: str,
        locator: Locator,
        strategy: Strategy,
        threshold: float | None = None,
        max_calls: int | None = None,
    ) -> None:
        self.name, self.locator, self.strategy = name, locator, strategy
        self.threshold, self.max_calls = threshold, max_calls
        self.needs = tuple(dict.fromkeys((*locator.needs, *strategy.needs)))

    @property
    def most(self) -> int:
        """How many looks a sample takes at most."""
        return self.strategy.most if self.max_calls is None else min(self.strategy.most, self.max_calls)

    @property
    def prompt(self) -> tuple[str, int]:
        """What is said to a model at a look: the locator's words, or the planner's where only that is asked."""
        return (PLANNER, 1) if self.locator.prompt[1] == 0 and "planner" in self.needs else self.locator.prompt

    async def locate(self, view: View, tools: Tools) -> Prediction:
        """Search, then refuse what is too unsure."""
        timed = Timed(tools)
        trail = Trail(view, self.max_calls)
        try:
            look = await self.strategy.search(self.locator, trail, timed)
        except SnellenError as error:  # a screenshot that does not decode
            look = Look("error", reason=str(error))
        return trail.prediction(self.name, self._held(look), seconds=timed.seconds)

    def _held(self, look: Look) -> Look:
        """A found point under the threshold is a refusal; without any confidence a threshold cannot be applied."""
        if self.threshold is None or look.status != "found":
            return look
        if look.confidence is None:
            why = "a confidence threshold is set, and this answer has no confidence (the endpoint gave no token probabilities)"
            return look._replace(status="error", point=None, box=None, reason=why)
        if look.confidence < self.threshold:
            why = f"confidence {look.confidence:.2f} is under the threshold {self.threshold:.2f}"
            return look._replace(status="refused", point=None, box=None, reason=why)
        return look
