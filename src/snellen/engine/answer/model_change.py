"""Whether the server that gave a run's answers has another model under the same name by now.

The question costs nothing: it is the model list, of a server of one's own alone. One that is down or does not tell is left in peace.
"""

from __future__ import annotations

import contextlib
import time
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.subject import Endpoint
from snellen.engine.call.looping import run_loop
from snellen.engine.call.preflight import preflight
from snellen.engine.call.server import differ, mark_of
from snellen.engine.call.trust import is_own
from snellen.engine.plan.plan import Plan
from snellen.engine.runs.folder import RunFolder

PATIENCE = 5.0
"""Seconds that a server gets to say what it has."""


class _ModelChange(NamedTuple):
    """What tells that a model is another one. Only a digest and the like are sure; a time may be that of the server's start."""

    what: str
    sure: bool


def swapped(plan: Plan) -> _ModelChange | None:
    """Tell whether the model is another one than at the time of the run's answers; None where it is not, or that is not known.

    What was paid for, through a gateway, is kept in any case.
    """
    folder, endpoint = RunFolder(plan.folder), plan.subject.endpoint
    if endpoint is None or len(plan.subject.endpoints) > 1 or not is_own(endpoint.connection.url):
        return None
    if not folder.has("run.json") or not folder.answers_bytes:
        return None
    scan = folder.scan()
    then = scan.backends.server
    if not then or scan.totals.cost:
        return None
    run_loop(_ask(endpoint))
    now = mark_of(endpoint.listed, time.time())
    how = differ(then, now)
    return _ModelChange(f"its server said '{then}', and now '{now}'", how == "surely") if how else None


async def _ask(endpoint: Endpoint) -> None:
    from snellen.engine.call.client import Client

    transport = Client(endpoint.connection, PATIENCE)
    try:
        with contextlib.suppress(SnellenError):  # what is wrong is told when it is asked, if it is
            await preflight(transport, [endpoint])
    finally:
        await transport.close()
