"""`--serve`: a model server that is started for a run, waited for, and stopped whatever ends the run (keeper.py: also by `kill -9`).

It listens where the subject looks for it, on this machine only, so a run is the same one whoever started the server. What it prints goes
to a file, with every key taken out, and its last lines into the message where it does not start or ends too early.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from snellen.core.errors import Interrupted, SnellenError
from snellen.core.secret import Secret, is_key_like, redact_all, without_keys
from snellen.core.subject import Subject
from snellen.core.text import one_line
from snellen.engine.call.keeper import watched
from snellen.subjects import servers

LOOPBACK = "127.0.0.1"
HOME = ("localhost", LOOPBACK)
START = 3600.0
"""Seconds that a server may take until it answers: large models are fetched and compiled first."""
STOP = 20.0
"""Seconds that it gets to end by itself."""
LOOK, SOON = 0.5, 2.0
LAST = 8
"""Lines of it that a message shows."""
KEYS = ("--api-key", "--admin-api-key", "--hf-token")


def command_of(tool: str, model: str, port: int, more: Sequence[str]) -> list[str]:
    """The server's own command line; an error where it is not installed."""
    program, *words = servers()[tool]
    beside = Path(sys.executable).with_name(program)
    found = shutil.which(program) or (str(beside) if beside.is_file() else None)
    if program == "python":
        found = sys.executable if importlib.util.find_spec(tool) else None
    if found is None:
        missing = f"this Python has no {tool}" if program == "python" else f"there is no '{tool}' on the PATH"
        raise SnellenError(f"--serve {tool}: {missing}; 'pip install {tool}' brings it (it needs a GPU)")
    return [found, *words, model, "--host", LOOPBACK, "--port", str(port), *more]


def check_server(tool: str, subject: Subject) -> int:
    """The port that a server for the subject listens on; an error where it cannot be started for that one."""
    endpoint = subject.endpoint
    if endpoint is None or subject.spec.partition("/")[0] != tool:
        raise SnellenError(f"--serve {tool} means nothing for {subject.spec}: it is for --model {tool}/NAME")
    address = urlsplit(endpoint.connection.url)
    if address.scheme != "http" or address.hostname not in HOME:
        raise SnellenError(
            f"--serve {tool} starts a server on this machine, and --base-url names {address.netloc}: leave one of them out"
        )
    return address.port or 80


@contextlib.contextmanager
def served(
    serve: Sequence[str], subject: Subject, log: Path, stopped: Callable[[], bool], notes: list[str]
) -> Iterator[None]:
    """Start the server that `serve` names, with its further words, for as long as the block lasts; nothing where it names none.

    `stopped` says that nobody wants to wait any longer. Where the server ended before the block did, a note says so.
    """
    if not serve:
        yield
        return
    tool, *more = serve
    port = check_server(tool, subject)
    if any(word.startswith(KEYS) or is_key_like(word) for word in more):
        raise SnellenError(
            f"--serve {tool}: a key on a command line can be seen by others and would be recorded; set {tool.upper()}_API_KEY (or HF_TOKEN)"
        )
    server = _Server(tool, command_of(tool, subject.endpoints[0].model, port, more), port, log)
    try:
        server.wait(stopped)
        subject.identity["served"] = redact_all(" ".join([tool, *server.words]))  # type: ignore[index]  # those of endpoints are dicts
        try:
            yield
        except SnellenError as error:
            if not server.ended(SOON):
                raise
            raise SnellenError(f"{tool} ended before the run did{server.said}\nand so: {error}") from None
        if server.code is not None:
            notes.append(f"{tool} ended before the run did{server.said}")
    finally:
        server.stop()


class _Server:
    """The process, and what it prints."""

    def __init__(self, tool: str, command: list[str], port: int, log: Path) -> None:
        self._tool, self._port, self._log = tool, port, log
        self.words = command[1:]
        if _answers(port):
            raise SnellenError(
                f"--serve {tool}: something listens at {LOOPBACK}:{port} already. Leave out --serve to ask it, "
                f"or name another port, such as --base-url http://{LOOPBACK}:{port + 1}/v1"
            )
        log.parent.mkdir(parents=True, exist_ok=True)
        self._last: deque[str] = deque(maxlen=LAST)
        self._process = subprocess.Popen(  # noqa: S603 (the server that the user named, no shell)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=_environment(tool),
            start_new_session=os.name
            == "posix",  # so that it and all that it starts end together, and not by a Ctrl-C for us
        )
        self._keeper = watched(self._process.pid)
        self._reader = threading.Thread(target=self._read, name="snellen-server", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with self._log.open("w", encoding="utf-8") as file:
            for line in self._process.stdout or ():
                clean = redact_all(line)
                with contextlib.suppress(
                    OSError
                ):  # a full disk must not stop the server, which waits until its lines are read
                    file.write(clean)
                    file.flush()
                if clean.strip():
                    self._last.append(one_line(clean, 200))

    @property
    def code(self) -> int | None:
        """What it ended with; None while it runs."""
        code = self._process.poll()
        if code is not None:
            self._release()
        return code

    def ended(self, within: float) -> bool:
        """Whether it has ended, or does so in a moment: who ends closes its door first."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(within)
        return self.code is not None

    def _release(self) -> None:
        """End the keeper: the number of a group that is gone may be given to another."""
        if self._keeper is not None:
            self._keeper.kill()
            self._keeper.communicate()
            self._keeper = None

    @property
    def said(self) -> str:
        """How it ended, and its last lines."""
        self._reader.join(1.0)
        lines = "".join(f"\n  {line}" for line in self._last) or " nothing"
        return f" (exit code {self.code}). {self._log} has what it printed; the end of that:{lines}"

    def wait(self, stopped: Callable[[], bool]) -> None:
        """Until it answers; raises SnellenError where it never will, and Interrupted where nobody wants to wait."""
        until = time.monotonic() + START
        while not self._healthy():
            if self.code is not None:
                raise SnellenError(f"{self._tool} did not start{self.said}")
            if stopped():
                raise Interrupted(
                    "interrupted while the server was starting: nothing was asked, the same command goes on"
                )
            if time.monotonic() > until:
                raise SnellenError(f"{self._tool} did not answer within {START / 60:g} minutes{self.said}")
            time.sleep(LOOK)

    def _healthy(self) -> bool:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy is for others
        try:
            with opener.open(f"http://{LOOPBACK}:{self._port}/health", timeout=5) as response:
                return bool(response.status == 200)
        except (OSError, HTTPException):
            return False

    def stop(self) -> None:
        """End it and all that it started."""
        try:
            self._signal(signal.SIGTERM)
            self._process.wait(STOP)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            self._process.wait()
            self._release()
            self._reader.join(1.0)

    def _signal(self, kind: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self._process.pid, kind)
            else:
                self._process.send_signal(kind)


def _environment(tool: str) -> dict[str, str]:
    """No keys of other services; those that stay (its own, the hub's) are taken out of what it prints."""
    own = f"{tool.upper()}_API_KEY"
    kept = without_keys(os.environ, tokens=True) | {name: os.environ[name] for name in (own,) if name in os.environ}
    for name, value in kept.items():
        if name.endswith(("_API_KEY", "_TOKEN")):
            Secret(value)  # from now on `redact_all` knows it
    return kept


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=2):
        return True
    return False
