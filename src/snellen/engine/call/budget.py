"""The cap on money: what is spent, what is in flight, and whether one more call fits.

Every try is budgeted before it is sent, at the highest cost seen so far. Before there is one, the price table gives the amount. Every reply
is counted, including replies that cannot be used. The first call goes alone, and at most twice as many calls are in flight as were
answered. So one cheap or free reply does not release hundreds of calls. A run exceeds its cap only by as much as the calls in flight cost
more than every call before them.

A reply of unknown cost ends the run, unless a price bounds it. A try whose reply was lost or is invalid may have been billed, so it counts
as much as the most expensive call. While the cost of a call is not known, only a few tries may be lost, and one more each time that the run
is resumed.

Concurrent runs may share one cap: a `SharedBudget` holds the budgets of all of them, each in its own thread. A call is then admitted only
if it fits beside what all others have spent and have in flight. Once one call does not fit, nothing more is asked.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading

from snellen.core.errors import SnellenError, Stopped
from snellen.core.records import Totals

AHEAD = 2
BLIND = 6
"""The number of tries that may be lost before the cost of any is known."""


class BudgetReached(Stopped):
    """The next call does not fit under the cap."""


class SharedBudget:
    """One cap over the budgets of several runs. A run that is alone has its own.

    `reached` is set when a call did not fit. From then on nothing is admitted.
    """

    def __init__(self, cap: float | None) -> None:
        self.cap = cap
        self.reached = False
        self.lock = threading.RLock()
        self._held: dict[str, Budget] = {}

    def hold(self, name: str, budget: Budget) -> None:
        """Set the budget of a run by its name. A run that is not under way counts with what it has spent."""
        with self.lock:
            self._held[name] = budget

    @property
    def held(self) -> tuple[Budget, ...]:
        """The budgets of all runs."""
        with self.lock:
            return tuple(self._held.values())

    @property
    def spent(self) -> float:
        """The money that all runs have spent."""
        return sum(budget.spent for budget in self.held)

    def wake(self) -> None:
        """Let every run check again whether its next call fits."""
        for budget in self.held:
            budget.wake()


class Budget:
    """Admits calls under a cap. With `cap` None it admits all.

    `unknown` is the number of earlier tries of unknown cost and without a bound. `at_most` is what those with a bound may have cost
    together. `unpriced` is set if some of them were answered all the same: then nothing is admitted. `shared` is the budget of several
    runs, of which this is the run `name`. Its cap takes precedence.
    """

    def __init__(
        self,
        cap: float | None = None,
        spent: float = 0.0,
        dearest: float | None = None,
        unknown: int = 0,
        unpriced: bool = False,
        at_most: float = 0.0,
        *,
        shared: SharedBudget | None = None,
        name: str = "",
    ) -> None:
        self._shared = SharedBudget(cap) if shared is None else shared
        self.cap, self.spent = self._shared.cap, spent
        self.dearest = dearest
        self.in_flight = 0
        self._bound, self._at_most = 0.0, at_most
        self._unknown = unknown
        self._unpriced = unpriced
        self._blind = max(BLIND, unknown + 1)
        self._learned = 0
        self._settled = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting = 0
        self._shared.hold(name, self)

    async def admit(self, bound: float | None) -> None:
        """Wait until a call fits. Raise BudgetReached when it never will. `bound` is what it may cost by the price table."""
        if self.cap is None:
            return
        self._loop = asyncio.get_running_loop()
        self._waiting += 1
        try:
            while True:
                self._settled.clear()  # before the check, so that a call that ends in another thread right after it is not missed
                if self._admitted(self.cap, bound):
                    return
                await self._settled.wait()
        finally:
            self._waiting -= 1

    def _admitted(self, cap: float, bound: float | None) -> bool:
        with self._shared.lock:
            if not self._shared.reached and self._fits(cap * (1 + 1e-9), bound):
                self.in_flight += 1
                self._bound = max(self._bound, bound or 0.0)
                return True
            if not self._shared.reached and any(budget.in_flight for budget in self._shared.held):
                return False
            self._shared.reached = True
        self._shared.wake()
        raise self.reached(bound, "call")

    def reached(self, bound: float | None, what: str) -> BudgetReached:
        """Return the error for a next call or question that does not fit. `bound` is what it may cost by the price table."""
        lost = self._may_have_spent(bound)
        unknown = f", up to {lost:.6g} USD for tries of unknown cost," if lost else ""
        return BudgetReached(
            f"--max-cost {self.cap:g} USD reached: {self._shared.spent:.6g} USD spent{unknown} and the next {what} "
            "would go past it; everything is kept, the same command with a higher --max-cost goes on"
        )

    def wake(self) -> None:
        """Let waiting calls check again after one has ended, here or in another run."""
        if self._waiting and self._loop is not None:
            with contextlib.suppress(RuntimeError):  # its loop has ended
                self._loop.call_soon_threadsafe(self._settled.set)

    @property
    def promised(self) -> float:
        """The money that is spent, may have been spent, or is in flight."""
        each = self._bound if self.dearest is None else self.dearest
        return self.spent + self._may_have_spent(self._bound) + self.in_flight * each

    def _fits(self, cap: float, bound: float | None) -> bool:
        self._refuse_if_blind(bound)
        if self.in_flight >= max(1, AHEAD * self._learned):
            return False
        each = self.dearest
        if each is None:
            each = max(one.dearest or 0.0 for one in self._shared.held) if bound is None else bound
        mine = self.spent + self._may_have_spent(bound) + (self.in_flight + 1) * each
        return sum(budget.promised for budget in self._shared.held if budget is not self) + mine <= cap

    def _refuse_if_blind(self, bound: float | None) -> None:
        """Stop if a reply has neither a cost nor a price, or if too many tries were lost before the first known cost."""
        if self._unpriced:
            raise SnellenError(
                "--max-cost cannot be kept: the endpoint does not say what a call costs and the model's price is not known "
                "(or not for the service tier that answered); give --price IN/OUT (USD per million tokens). The answers so far are kept"
            )
        if bound is None and self.dearest is None and self._unknown >= self._blind:
            raise Stopped(
                f"--max-cost cannot be kept: the replies to {self._unknown} tries were lost before any said what a call costs; "
                "everything is kept, the same command tries once more, or give --price IN/OUT (USD per million tokens)"
            )

    def _may_have_spent(self, bound: float | None) -> float:
        """Return what tries of unknown cost may have cost. Each one without a bound counts as much as a call now, or as the most expensive
        one.
        """
        return self._at_most + self._unknown * max(self.dearest or 0.0, bound or 0.0)

    def bill(self, cost: float | None, bound: float | None = None) -> None:
        """Count a try without a usable reply that was billed, or may have been (None). Without a cost, its bound counts, if it has one."""
        if cost is None and bound is None:
            self._unknown += 1
        elif cost is None:
            self._at_most += bound or 0.0
        else:
            self.spent += cost
            self.dearest = max(cost, self.dearest or 0.0)

    def settle(self, cost: float | None, bound: float | None = None) -> None:
        """Count an answered call. If the endpoint did not report its cost, the bound counts."""
        self.bill(cost, bound)
        known = bound if cost is None else cost
        if known is None:
            self._unpriced = True
        else:
            self._learned += 1
            self.dearest = max(known, self.dearest or 0.0)
        self.release()

    def release(self) -> None:
        """Record that a call is no longer in flight."""
        if self.cap is not None:
            with self._shared.lock:
                self.in_flight -= 1
            self._shared.wake()


def budget_of(
    known: Totals, cap: float | None, shared: SharedBudget | None = None, name: str = "", *, price_given: bool = False
) -> Budget:
    """Return the budget of a resumed run, from the cost of its calls so far. A price that is given by now applies to those calls, too."""
    return Budget(
        cap,
        known.cost,
        known.dearest_call,
        known.unbounded,
        known.unpriced > 0 and not price_given,
        known.unknown_at_most,
        shared=shared,
        name=name,
    )
