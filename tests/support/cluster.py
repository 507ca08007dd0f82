"""Two Ray nodes on this machine, on the loopback address only."""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Nodes:
    """A cluster of a head, where drivers connect, and one more node that can be killed."""

    cluster: Any
    other: Any
    session: Path
    client: str

    @property
    def environment(self) -> dict[str, str]:
        """For a command that is to find it by `--on ray`."""
        return {"RAY_ADDRESS": self.cluster.address}

    def kill(self) -> None:
        """End the other node without grace: all of its processes at once, as when a machine loses its power."""
        raylet = self.other.all_processes["raylet"][0].process.pid
        for pid in (raylet, *(pid for pid, parent in _parents() if parent == raylet)):
            os.kill(pid, signal.SIGKILL)
        self.cluster.remove_node(self.other, allow_graceful=False)
        self.other = None

    def whole(self) -> Nodes:
        """With another node in place of one that was killed."""
        self.other = self.other or _node(self.cluster)
        return self


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    """Start both; end them, whatever happens."""
    short = Path(tempfile.mkdtemp(prefix="ray-"))  # a socket's path has at most 107 characters
    os.environ |= {"RAY_TMPDIR": str(short)} | _LOOPBACK
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    made = importlib.import_module("ray.cluster_utils").Cluster
    cluster = made(
        initialize_head=True,
        head_node_args={**_USUAL, "include_dashboard": False, "ray_client_server_port": port},
    )
    try:
        yield Nodes(cluster, _node(cluster), short, f"ray://127.0.0.1:{port}")
    finally:
        cluster.shutdown()
        for name in ("RAY_TMPDIR", *_LOOPBACK):
            del os.environ[name]
        shutil.rmtree(short, ignore_errors=True)


_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Where Ray believes that there can be no cluster, it takes the loopback address for the machine's."""
_USUAL = {"num_cpus": 1, "num_gpus": 0, "node_ip_address": "127.0.0.1", "object_store_memory": 80_000_000}


def _parents() -> Iterator[tuple[int, int]]:
    """Every process and its parent."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text()
        except OSError:
            continue  # it has just ended
        yield int(folder.name), int(status.rpartition(")")[2].split()[1])


def _node(cluster: Any) -> Any:
    return cluster.add_node(**_USUAL)
