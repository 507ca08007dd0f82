"""The cap on money: what is spent, what is in flight, and whether one more call fits.

Every try is budgeted before it is sent, at the highest cost seen so far (before there is one, at what the price table allows), and
every reply is counted, also one that cannot be used. The first call goes alone, and there are never more than twice as many
calls in flight as were answered: one cheap reply, or a free one, does not let hundreds loose. So a run goes past its cap
only by as much as the calls in flight cost more than every call before them.

A reply whose cost nobody can tell ends the run, unless a price bounds it. A try whose reply was lost or is no reply may have been
billed: it counts like the dearest call. While nobody has said what a call costs, only a few tries may be lost, and one more each
time that the run is taken up again.
"""

from __future__ import annotations

import asyncio

from snellen.core.errors import SnellenError, Stopped

AHEAD = 2
BLIND = 6
"""How many tries may be lost before any has said what it costs."""


class BudgetReached(Stopped):
    """The next call does not fit under the cap."""


class Budget:
    """Admits calls under a cap. With `cap` None it admits all.

    `unknown` is how many earlier tries cost nobody knows what; `unpriced` says that some of them were answered all the same.
    """

    def __init__(
        self,
        cap: float | None = None,
        spent: float = 0.0,
        dearest: float | None = None,
        unknown: int = 0,
        unpriced: bool = False,
    ) -> None:
        self.cap, self.spent = cap, spent
        self._dearest = dearest
        self._unknown = unknown
        self._unpriced = unpriced
        self._blind = max(BLIND, unknown + 1)
        self._learned = 0
        self._in_flight = 0
        self._settled = asyncio.Event()

    async def admit(self, bound: float | None) -> None:
        """Wait until a call fits; raises BudgetReached when it never will. `bound` is what it may cost by the price table."""
        if self.cap is None:
            return
        while not self._fits(self.cap * (1 + 1e-9), bound):
            if self._in_flight == 0:
                raise BudgetReached(
                    f"--max-cost {self.cap:g} USD reached: {self.spent:.6g} USD spent{self._lost(bound)} and the next call "
                    "would go past it; everything is kept, the same command with a higher --max-cost goes on"
                )
            self._settled.clear()
            await self._settled.wait()
        self._in_flight += 1

    def _fits(self, cap: float, bound: float | None) -> bool:
        if bound is None:
            self._refuse_if_blind()
        if self._in_flight >= max(1, AHEAD * self._learned):
            return False
        each = self._dearest if self._dearest is not None else bound or 0.0
        return self.spent + self._unknown * self._worst(bound) + (self._in_flight + 1) * each <= cap

    def _refuse_if_blind(self) -> None:
        """Without a price: stop where the endpoint does not say what a call costs."""
        if self._unpriced:
            raise SnellenError(
                "--max-cost cannot be kept: the endpoint does not say what a call costs and the model's price is not known; "
                "give --price IN/OUT (USD per million tokens). The answers so far are kept"
            )
        if self._dearest is None and self._unknown >= self._blind:
            raise Stopped(
                f"--max-cost cannot be kept: the replies to {self._unknown} tries were lost before any said what a call costs; "
                "everything is kept, the same command tries once more, or give --price IN/OUT (USD per million tokens)"
            )

    def _worst(self, bound: float | None) -> float:
        return max(self._dearest or 0.0, bound or 0.0)

    def _lost(self, bound: float | None) -> str:
        if not self._unknown:
            return ""
        return f", {self._unknown} tries of unknown cost counted at {self._worst(bound):.6g} USD each,"

    def bill(self, cost: float | None) -> None:
        """A try that gave no usable reply and was billed, or may have been (None)."""
        if cost is None:
            self._unknown += 1
        else:
            self.spent += cost
            self._dearest = max(cost, self._dearest or 0.0)

    def settle(self, cost: float | None, bound: float | None = None) -> None:
        """A call was answered: count its cost, or the bound where the endpoint did not say."""
        cost = bound if cost is None else cost
        self.bill(cost)
        if cost is None:
            self._unpriced = True
        else:
            self._learned += 1
        self.release()

    def release(self) -> None:
        """A call is no longer in flight."""
        if self.cap is not None:
            self._in_flight -= 1
            self._settled.set()
