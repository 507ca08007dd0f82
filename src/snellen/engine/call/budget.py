"""The cap on money: what is spent, what is in flight, and whether one more call fits.

The first call goes alone, to learn what a call really costs. From then on each call in flight is budgeted at the
highest cost seen so far. So a run stops within one call's price of its cap, and goes past it only by as much as the calls in
flight cost more than every call before them.
"""

from __future__ import annotations

import asyncio

from snellen.core.errors import SnellenError, Stopped


class BudgetReached(Stopped):
    """The next call does not fit under the cap."""


class Budget:
    """Admits calls under a cap. With `cap` None it admits all."""

    def __init__(self, cap: float | None = None, spent: float = 0.0, dearest: float | None = None) -> None:
        self.cap, self.spent = cap, spent
        self._dearest = dearest
        self._unpriced = False
        self._in_flight = 0
        self._settled = asyncio.Event()

    async def admit(self, bound: float | None) -> None:
        """Wait until a call fits; raises BudgetReached when it never will. `bound` is what it may cost by the price table."""
        if self.cap is None:
            return
        while not self._fits(self.cap * (1 + 1e-9), bound):
            if self._in_flight == 0:
                raise BudgetReached(
                    f"--max-cost {self.cap:g} USD reached: {self.spent:.6g} USD spent and the next call would go past it; "
                    "everything is kept, the same command with a higher --max-cost goes on"
                )
            self._settled.clear()
            await self._settled.wait()
        self._in_flight += 1

    def _fits(self, cap: float, bound: float | None) -> bool:
        if self._dearest is not None:
            return self.spent + (self._in_flight + 1) * self._dearest <= cap
        if self._unpriced and bound is None:
            raise SnellenError(
                "--max-cost cannot be kept: the endpoint reports no cost and the model's price is not known; "
                "give --price IN/OUT (USD per million tokens). The answers so far are kept"
            )
        return self._in_flight == 0 and self.spent + (bound or 0.0) <= cap

    def settle(self, cost: float | None, bound: float | None = None) -> None:
        """A call was answered: count its cost, or the bound where the endpoint did not say."""
        cost = bound if cost is None else cost
        if cost is None:
            self._unpriced = True
        else:
            self.spent += cost
            self._dearest = max(cost, self._dearest or 0.0)
        self.release()

    def release(self) -> None:
        """A call ended without cost."""
        if self.cap is not None:
            self._in_flight -= 1
            self._settled.set()
