"""A method put together from a locator (what looks), a strategy (where it looks) and a threshold (when it would rather not say)."""

from __future__ import annotations

from snellen.core.errors import SnellenError
from snellen.exams.grounding.methods.base import Method, MethodView, Tools
from snellen.exams.grounding.methods.crops import Strategy
from snellen.exams.grounding.methods.looks import Locator, Look, Trail
from snellen.exams.grounding.methods.timing import TimedTools
from snellen.exams.grounding.prompts import PLANNER
from snellen.exams.grounding.reading.predictions import Prediction


class Composed(Method):
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
        self.most = min(strategy.most, max_calls or strategy.most)
        only_planned = locator.prompt[1] == 0 and "planner" in self.needs
        self.prompt = (PLANNER, 1) if only_planned else locator.prompt

    async def locate(self, view: MethodView, tools: Tools) -> Prediction:
        """Search, then refuse what is too unsure."""
        timed, trail = TimedTools(tools), Trail(view, self.max_calls)
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
