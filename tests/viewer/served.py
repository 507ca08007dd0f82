"""The viewer on a port of its own, in a thread, for as long as a test needs it."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from snellen.present.viewer.app import Viewer
from snellen.present.viewer.guard import Guard, Keys
from snellen.present.viewer.serving import listening, server_of


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Asked:
    """A running server, and how to ask it."""

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        self.base = f"http://127.0.0.1:{keys.port}"

    def ask(self, target: str, method: str = "GET", cookie: bool = True, body: bytes = b"", **headers: str) -> Reply:
        """A request with exactly this target and these headers (`_` for `-`), sent as they are."""
        connection = http.client.HTTPConnection("127.0.0.1", self.keys.port, timeout=60)
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            sent = {"host": f"127.0.0.1:{self.keys.port}"} | {k.replace("_", "-"): v for k, v in headers.items()}
            if cookie:
                sent.setdefault("cookie", f"{self.keys.cookie}={self.keys.secret}")
            for name, value in sent.items():
                if value:
                    connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


class Served(Asked):
    """A running viewer."""

    def __init__(self, viewer: Viewer, keys: Keys) -> None:
        super().__init__(keys)
        self.viewer = viewer

    def page(self, target: str) -> str:
        """A page once it is no longer being read."""
        for _again in range(600):
            reply = self.ask(target)
            assert reply.status == 200, reply.text
            if "is being read" not in reply.text:
                return reply.text
            time.sleep(0.05)
        raise AssertionError(f"{target} is never ready")


@contextmanager
def running(guarded: Callable[[Keys], Guard], command: str) -> Iterator[Keys]:
    """Whatever stands behind a guard, on a port of its own."""
    listener = listening(0)
    keys = Keys(listener.getsockname()[1], command)
    server = server_of(guarded(keys))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield keys
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


@contextmanager
def served(folder: Path, **given: Any) -> Iterator[Served]:
    viewer = Viewer(folder, **given)
    try:
        with running(lambda keys: Guard(viewer.app(), keys), "view") as keys:
            yield Served(viewer, keys)
    finally:
        viewer.close()
