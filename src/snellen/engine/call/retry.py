"""Failures worth a retry, and how long to wait before it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RETRIED = frozenset({408, 409, 425, 429})
THROTTLES = frozenset({429, 503, 529})  # 529: Anthropic's "overloaded"
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
LONGEST_RETRY_AFTER = 600.0


def worth_retrying(status: int | None) -> bool:
    """Tell whether a failure is worth a retry: 408, 409, 425, 429, 5xx and network faults (None). Never 400, 401, 403, 404, 413, 422.

    >>> [worth_retrying(s) for s in (None, 429, 503, 529, 400, 401)]
    [True, True, True, True, False, False]
    """
    return status is None or status in RETRIED or 500 <= status <= 599


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that the server asks to wait, from milliseconds, a number or a date. Return None if it does not say.

    >>> retry_after({"Retry-After": "7"}), retry_after({"retry-after-ms": "250", "retry-after": "1"})
    (7.0, 0.25)
    """
    precise = headers.get("retry-after-ms") or headers.get("Retry-After-Ms")
    if precise is not None:
        try:
            return max(0.0, float(precise) / 1000)
        except ValueError:
            pass  # then the other header counts
    raw = headers.get("Retry-After") or headers.get("retry-after")
    if raw is None:
        return None
    try:
        return max(0.0, float(raw))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(raw)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
    except (TypeError, ValueError, OverflowError, IndexError):
        return None  # not a date, or one that is not in any calendar


def wait_before(attempt: int, asked: float | None, jitter: float) -> float:
    """Return the seconds before try `attempt` + 1: the server's own figure, else doubling with jitter in [0, 1).

    >>> wait_before(1, None, 0.0), wait_before(3, None, 0.0), wait_before(1, 5.0, 0.5)
    (0.25, 1.0, 5.25)
    """
    if asked is not None:
        return asked + 0.5 * jitter
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (attempt - 1)) * (0.5 + 0.5 * jitter)


async def pause(seconds: float, stopped: asyncio.Event) -> None:
    """Wait, but stop waiting as soon as the run is stopped."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stopped.wait(), seconds)
