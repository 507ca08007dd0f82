"""Before the first question: is the server there, does it take the key, does it know the model, what does it charge."""

from __future__ import annotations

from snellen.core.errors import SnellenError
from snellen.core.subject import Endpoint
from snellen.engine.call.exchange import Fault, Wire


async def preflight(endpoint: Endpoint, transport: Wire, cap: float | None = None) -> None:
    """Ask for the model list. What stops a run here would stop every call; anything else is left to the calls.

    Under a `cap` on money, no call is paid whose cost cannot be counted.
    """
    if cap is not None and endpoint.unpriced:
        raise SnellenError(
            f"--max-cost cannot be kept: the price of {endpoint.kind}/{endpoint.model} is not known. "
            "Give --price IN/OUT (USD per million tokens)"
        )
    try:
        response = await transport.models()
    except Fault as fault:
        if fault.refused:
            raise SnellenError(f"no server at {endpoint.connection.url}: {endpoint.connection.start_hint}") from None
        response = None
    if response is None:
        return
    if response.status == 200:
        endpoint.learn(response.body)
    elif reason := endpoint.not_listed(response.status, response.body):
        raise SnellenError(reason)
