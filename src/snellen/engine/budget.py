"""The cap on money: what is spent, what is in flight, and whether one more call fits.

A call in flight is reserved at the dearest price seen so far; before any price is seen, at the bound computed from the price
table; where there is none either, the first call goes alone to learn the price. So a run stops within one call's price
of its cap, and goes past it only by as much as a call costs more than every call before it.
"""

from __future__ import annotations

import asyncio

from snellen.core.errors import SnellenError, Stopped


class BudgetReached(Stopped):
    """The next call does not fit under the cap."""


class Budget:
    """Admits calls under a cap. With `cap` None it only counts."""

    def __init__(self, cap: float | None = None, spent: float = 0.0, dearest: float | None = None) -> None:
        self.cap, self.spent = cap, spent
        self.unknown = 0
        self._dearest = dearest
        self._reserved = 0.0
        self._in_flight = 0
        self._settled = asyncio.Event()

    async def admit(self, bound: float | None) -> float:
        """Wait until the call fits, and reserve its price; raises BudgetReached when it never will."""
        if self.cap is None:
            return 0.0
        while True:
            if self.unknown and self._dearest is None:
                raise SnellenError(
                    "--max-cost cannot be kept: the endpoint reports no cost and the model's price is not known; "
                    "give --price IN/OUT (USD for a million tokens). The answers so far are kept"
                )
            price = self._dearest if self._dearest is not None else bound
            if price is None and self._in_flight == 0 and self.spent < self.cap:
                price = 0.0
            if price is not None and self.spent + self._reserved + price <= self.cap * (1 + 1e-9):
                self._reserved += price
                self._in_flight += 1
                return price
            if self._in_flight == 0:
                raise BudgetReached(
                    f"--max-cost {self.cap:g} USD reached: {self.spent:.6g} USD spent and the next call would go past it; "
                    "everything is kept, the same command with a higher --max-cost goes on"
                )
            self._settled.clear()
            await self._settled.wait()

    def settle(self, reserved: float, cost: float | None) -> None:
        """A call ended: free its reservation and count its cost (None: not known)."""
        if cost is None:
            self.unknown += 1
        else:
            self.spent += cost
            self._dearest = max(cost, self._dearest or 0.0)
        self.release(reserved)

    def release(self, reserved: float) -> None:
        """A call ended without cost."""
        if self.cap is not None:
            self._reserved = max(0.0, self._reserved - reserved)
            self._in_flight -= 1
            self._settled.set()
