"""`--serve`: a model server that is started for a run, waited for, and stopped when the run ends.

It listens on this machine only, at the address that the subject uses. Its output goes to a private file, from which keys are removed in the
end. If it does not start or ends too early, the error message shows the last lines.
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
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from snellen.core.errors import Interrupted, SnellenError
from snellen.core.secret import HUBS, Secret, is_key_like, redact_all, without_keys
from snellen.core.subject import Subject
from snellen.core.text import one_line
from snellen.subjects import servers

LOOPBACK, KEYS = "127.0.0.1", ("--api-key", "--admin-api-key", "--hf-token")
START, STOP, LOOK, SOON = 3600.0, 20.0, 0.5, 2.0  # seconds, because large models are downloaded and compiled first


def check_server(tool: str, subject: Subject) -> int:
    """Return the port for a server for the subject. Raise SnellenError if the subject cannot have one."""
    endpoint = subject.endpoint
    if endpoint is None or subject.spec.partition("/")[0] != tool:
        raise SnellenError(f"--serve {tool} has no effect for {subject.spec}: it is for --model {tool}/NAME")
    address = urlsplit(endpoint.connection.url)
    if address.scheme != "http" or address.hostname not in ("localhost", LOOPBACK):
        raise SnellenError(f"--serve {tool} starts a server here, and --base-url names {address.netloc}: leave one out")
    return address.port or 80


@contextlib.contextmanager
def served(
    serve: Sequence[str], subject: Subject, log: Path, stopped: Callable[[], bool], notes: list[str]
) -> Iterator[None]:
    """Run the server named by `serve`, with its further arguments, for as long as the block lasts. Do nothing if `serve` is empty."""
    if not serve:
        yield
        return
    tool, *more = serve
    port = check_server(tool, subject)
    if any(word.startswith(KEYS) or is_key_like(word) for word in more):
        raise SnellenError(
            f"--serve {tool}: a key on a command line can be seen; set {tool.upper()}_API_KEY or HF_TOKEN"
        )
    with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=2):
        told = f"something listens at {LOOPBACK}:{port} already"
        raise SnellenError(f"--serve {tool}: {told}; leave out --serve, or name another port with --base-url")
    words = [*servers()[tool][1:], subject.endpoints[0].model, "--host", LOOPBACK, "--port", str(port), *more]
    server = _started(tool, words, log)
    try:
        until = time.monotonic() + START
        while not _healthy(port):
            if server.poll() is not None or time.monotonic() > until:
                raise SnellenError(f"{tool} did not start{_said(server, log)}")
            if stopped():
                raise Interrupted("interrupted while the server was starting; the same command goes on")
            time.sleep(LOOK)
        subject.identity["served"] = redact_all(" ".join([tool, *words]))  # type: ignore[index]  # those of endpoints are dicts
        try:
            yield
        except SnellenError as error:
            with contextlib.suppress(subprocess.TimeoutExpired):  # a server stops listening before it exits
                server.wait(SOON)
                raise SnellenError(f"{tool} ended before the run did{_said(server, log)}\nand so: {error}") from None
            raise
        if server.poll() is not None:
            notes.append(f"{tool} ended before the run did{_said(server, log)}")
    finally:
        for kind in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
                os.killpg(server.pid, kind)
                server.wait(STOP)
        log.write_text(redact_all(log.read_text(errors="replace")))


def _started(tool: str, words: list[str], log: Path) -> subprocess.Popen[bytes]:
    """Start a server without keys of other services, in a session of its own. Ctrl-C is for us, and the server ends with all its
    processes.
    """
    name = servers()[tool][0]
    found = shutil.which(name) or shutil.which(name, path=Path(sys.executable).parent)
    program = importlib.util.find_spec(tool) and sys.executable if name == "python" else found
    if program is None or os.name != "posix":
        raise SnellenError(f"--serve {tool}: {tool} is not installed: pip install {tool} (it needs Linux and a GPU)")
    own = f"{tool.upper()}_API_KEY"
    kept = without_keys(os.environ, tokens=True) | {name: os.environ[name] for name in (own,) if name in os.environ}
    for name in (own, *HUBS):
        Secret(kept.get(name, ""))  # from now on `redact_all` knows it
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
        how = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": subprocess.STDOUT, "start_new_session": True}
        return subprocess.Popen([program, *words], env=kept, **how)  # type: ignore[call-overload, no-any-return]  # noqa: S603


def _said(server: subprocess.Popen[bytes], log: Path) -> str:
    lines = [one_line(line, 200) for line in redact_all(log.read_text(errors="replace")).splitlines() if line.strip()]
    end = "".join(f"\n  {line}" for line in lines[-8:])
    return f" (exit code {server.returncode}). {log} has what it printed; the end of that:{end}"


def _healthy(port: int) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # proxies are for other addresses
    with contextlib.suppress(OSError, HTTPException):
        return bool(opener.open(f"http://{LOOPBACK}:{port}/health", timeout=5).status == 200)
    return False
