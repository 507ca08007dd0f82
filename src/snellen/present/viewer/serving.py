"""Start and stop a server on this machine's own address: the viewer's, and that of `snellen annotate`."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.core.errors import SnellenError
from snellen.present.viewer.app import Viewer
from snellen.present.viewer.guard import Guard, Keys

if TYPE_CHECKING:
    import uvicorn

HOME = "127.0.0.1"
PORT = 8378
MOST_IDLE = 64


def listening(port: int | None) -> socket.socket:
    """Return a socket that only this machine reaches: on the named port, or else on the usual one, or else on any free one."""
    for one in (port,) if port is not None else (PORT, 0):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((HOME, one))
            found.listen(64)
            return found
        except OSError as error:
            found.close()
            why = error.strerror or str(error)
    raise SnellenError(f"cannot listen on port {port} ({why}); choose another --port, or leave it out")


def serve(folder: Path, data: Path | None, port: int | None, opened: Callable[[Keys], None]) -> None:
    """Serve the viewer until Ctrl-C. `opened` is called with the session's keys as soon as the server listens."""
    sys.setswitchinterval(0.0005)  # a page makes many short reads; none should wait long while a run is being indexed
    viewer = Viewer(folder, data)
    try:
        listener = listening(port)
        until_stopped(lambda keys: Guard(viewer.app(), keys), listener, "view", opened)
    finally:
        viewer.close()


def until_stopped(
    guarded: Callable[[Keys], Guard], listener: socket.socket, command: str, opened: Callable[[Keys], None]
) -> None:
    """Serve the application that `guarded` makes from the session's keys until Ctrl-C."""
    keys = Keys(listener.getsockname()[1], command)
    try:
        opened(keys)
        server_of(guarded(keys)).run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()


def server_of(app: Guard) -> uvicorn.Server:
    """Make the server. If too many connections send no request, or only half of one, the oldest of them is closed for a new one."""
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class BoundedProtocol(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.made = self.loop.time()
            every: set[Any] = self.connections
            idle = [one for one in every if one.cycle is None or one.cycle.response_complete]
            if len(idle) > MOST_IDLE:
                oldest = min(idle, key=lambda one: one.made)
                every.discard(oldest)
                oldest.transport.abort()

    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
        limit_concurrency=256,
    )
    return uvicorn.Server(config)
