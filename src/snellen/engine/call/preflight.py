"""Checks before the first question: the server is reachable, accepts the key, knows the model, and what it charges."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from snellen.core.errors import SnellenError
from snellen.core.subject import Endpoint
from snellen.engine.call.exchange import Fault, Wire

LONGEST_WAIT = 30.0
"""Seconds to wait for a model list. A run can do without it."""


async def preflight(transport: Wire, endpoints: Sequence[Endpoint], cap: float | None = None) -> None:
    """Get the model list of endpoints at one address. An error that stops a run here would stop every call.

    Under a `cap` on money, no call is paid for if its cost cannot be counted.
    """
    for endpoint in endpoints:
        if cap is not None and endpoint.unpriced:
            raise SnellenError(
                f"--max-cost cannot be kept: the price of {endpoint.kind}/{endpoint.model} is not known. "
                "Give --price IN/OUT (USD per million tokens)"
            )
    connection = endpoints[0].connection
    try:
        response = await asyncio.wait_for(transport.models(), LONGEST_WAIT)
    except TimeoutError:
        return
    except Fault as fault:
        if fault.refused:
            raise SnellenError(f"no server at {connection.url}: {connection.start_hint}") from None
        return  # the calls themselves report anything else
    for endpoint in endpoints:
        if response.status == 200:
            endpoint.learn(response.body)
        elif reason := endpoint.not_listed(response.status, response.body):
            raise SnellenError(reason)
