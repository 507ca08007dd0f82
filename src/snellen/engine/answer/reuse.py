"""What a run says of its answers' age: what was asked now, what was taken from the store, what was there already."""

from __future__ import annotations

import time

from snellen.core.records import Totals


def this_time(calls: int, there: int, given: str, reused: Totals) -> list[str]:
    """Return what was asked now and what was not; nothing where all was asked now, as the run's totals say that.

    `there` are the answers that the run had before, `given` is when, and `reused` counts those from the store.
    """
    if not (there or reused.stored):
        return []
    said = [f"{calls} call{'s were' if calls != 1 else ' was'} made now"]
    if reused.stored:
        said.append(f"{_answers(reused.stored)} taken from the store{given_on(reused)}")
    if there:
        said.append(f"{_answers(there)} there already{given}")
    return ["; ".join(said)]


def nothing_asked(there: int, given: str) -> list[str]:
    """Say that nothing was asked: the endpoint may have another model behind the same name by now."""
    every = "the one answer was" if there == 1 else f"all {there} answers were"
    return [f"nothing was asked: {every} there already{given}; --fresh asks again"]


def _answers(count: int) -> str:
    return "1 answer was" if count == 1 else f"{count} answers were"


def given_on(totals: Totals) -> str:
    """Say when answers were given, as the end of a sentence; nothing where that is not known.

    >>> given_on(Totals(oldest=1_767_225_600, newest=1_767_225_601)), given_on(Totals())
    (', given on 2026-01-01', '')
    """
    days = [time.strftime("%Y-%m-%d", time.gmtime(at)) for at in (totals.oldest, totals.newest) if at]
    return (
        "" if not days else f", given on {days[0]}" if days[0] == days[-1] else f", given from {days[0]} to {days[-1]}"
    )
