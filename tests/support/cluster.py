"""Two Ray nodes on this machine, on the loopback address only."""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Nodes:
    """A cluster of a head, where drivers connect, and one more node that can be killed.

    It runs in a separate process: Ray forks, and a process that has loaded as much as a test worker may not survive that.
    """

    process: subprocess.Popen[str]
    address: str
    session: Path
    client: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a command that should find the cluster by `--on ray`."""
        return {"RAY_ADDRESS": self.address} | self.own

    @property
    def own(self) -> dict[str, str]:
        """The environment that Ray itself needs for this cluster."""
        return {"RAY_TMPDIR": str(self.session)} | _LOOPBACK

    def kill(self) -> None:
        """Kill all processes of the other node at once, as when a machine loses its power."""
        self._do("kill")

    def whole(self) -> Nodes:
        """Return the cluster, with another node in place of a killed one."""
        self._do("whole")
        return self

    def _do(self, what: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        assert _said(self.process, what) == "", "the cluster has ended"


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    """Start both nodes, and end them in any case."""
    short = Path(tempfile.mkdtemp(prefix="ray-"))  # a socket's path has at most 107 characters
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.cluster"],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"RAY_TMPDIR": str(short)} | _LOOPBACK,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address, client = _said(process, "ready").split()
        yield Nodes(process, address, short, client)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)
        shutil.rmtree(short, ignore_errors=True)


def _said(process: subprocess.Popen[str], word: str) -> str:
    """Return the text that the process prints after a word; skip other lines, which are Ray's."""
    for line in process.stdout or ():
        if line.startswith(f"{word}:"):
            return line.partition(":")[2].strip()
    raise AssertionError(f"the cluster's process ended with {process.wait()}")


# ---------------------------------------------------------------- in the process of the cluster


def _serve() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    made = importlib.import_module("ray.cluster_utils").Cluster
    head = {**_USUAL, "include_dashboard": False, "ray_client_server_port": port}
    cluster = made(initialize_head=True, head_node_args=head)
    try:
        other = cluster.add_node(**_USUAL)
        print(f"ready: {cluster.address} ray://127.0.0.1:{port}", flush=True)
        for line in sys.stdin:
            word = line.strip()
            if word == "kill":
                _kill(cluster, other)
                other = None
            elif other is None:
                other = cluster.add_node(**_USUAL)
            print(f"{word}:", flush=True)
    finally:
        cluster.shutdown()


def _kill(cluster: Any, node: Any) -> None:
    raylet = node.all_processes["raylet"][0].process.pid
    for pid in (raylet, *(pid for pid, parent in _parents() if parent == raylet)):
        os.kill(pid, signal.SIGKILL)
    cluster.remove_node(node, allow_graceful=False)


_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "60"}
"""Where Ray believes that there can be no cluster, it uses the loopback address as the machine's. The process that its gate starts for a
client may take more than half a minute beside other tests."""
_USUAL = {"num_cpus": 1, "num_gpus": 0, "node_ip_address": "127.0.0.1", "object_store_memory": 80_000_000}


def _parents() -> Iterator[tuple[int, int]]:
    """Yield every process and its parent."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text()
        except OSError:
            continue  # it has just ended
        yield int(folder.name), int(status.rpartition(")")[2].split()[1])


if __name__ == "__main__":
    _serve()
