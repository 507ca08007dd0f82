"""Two Ray nodes beside one, on this machine: does twice the nodes give twice the rate?

The endpoint accepts all requests and answers each after a fixed time, so the rate is limited by the requests in flight: SLOTS for
each node. Requests are of 120 KB (noise images of 90 KB). Rates are by the endpoint's clock. One node and two nodes take turns, and the
best of each is kept: other work on the machine can only slow a side down. Exits 1 if two nodes give less than 0.9 of twice one node's rate.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from endpoint import Endpoint
from processes import SNELLEN, environment, measure, say, script

SLOTS, SERVICE = 16, 0.5
TARGET = 0.9
ROUNDS = 16
"""Uses of each slot in one measurement."""
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # Ray then takes the loopback address for the machine's
NODE: dict[str, Any] = {"node_ip_address": "127.0.0.1", "num_gpus": 0, "object_store_memory": 200_000_000}


def rate(work: Path, endpoint: Endpoint, address: str, nodes: int, turn: int) -> float:
    """Return the requests per second of the real command on this many nodes."""
    samples = SLOTS * nodes * ROUNDS
    endpoint.reset(1_000_000, SERVICE)
    command = [SNELLEN, "run", "salbench", "--data", str(work / str(samples)), "--model", "api/bench", "--protocol"]
    command += ["paper", "--base-url", f"{endpoint.root}/v1", "--out", str(work / f"runs{nodes}-{turn}")]
    command += ["--on", "ray", "--concurrency", str(SLOTS * nodes)]
    more = {"SNELLEN_CACHE_DIR": str(work / f"cache{nodes}-{turn}"), "RAY_ADDRESS": address}
    spent = measure(command, environment(**more))
    seen = endpoint.seen()
    if seen.completed != samples:
        raise SystemExit(f"{seen.completed} calls for {samples} samples:\n{spent.err[-2000:]}")
    ideal = SLOTS * nodes / SERVICE
    say(
        f"{nodes} node{'s' * (nodes > 1)}: {seen.rate:.1f} requests/s, {seen.rate / ideal:.2f} of the {ideal:.0f} that its slots allow; "
        f"at most {seen.most_in_flight} in flight"
    )
    return float(seen.rate)


def main() -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    work = Path(tempfile.mkdtemp(prefix="ray-"))  # short: a socket's path has at most 107 characters
    os.environ |= {"RAY_TMPDIR": str(work), "RAY_USAGE_STATS_ENABLED": "0"} | LOOPBACK
    counts = [SLOTS * nodes * ROUNDS for nodes in (1, 2)]
    script("material.py", "images", work, max(counts), *counts)
    cluster = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args=NODE | {"num_cpus": 0, "include_dashboard": False}
    )
    best = {1: 0.0, 2: 0.0}
    try:
        cluster.add_node(num_cpus=1, **NODE)
        with Endpoint() as endpoint:
            for turn in range(repeats):
                best[1] = max(best[1], rate(work, endpoint, cluster.address, 1, turn))
                second = cluster.add_node(num_cpus=1, **NODE)
                best[2] = max(best[2], rate(work, endpoint, cluster.address, 2, turn))
                cluster.remove_node(second)
    finally:
        cluster.shutdown()
        shutil.rmtree(work, ignore_errors=True)
    ratio = best[2] / (2 * best[1])
    print(f"one node {best[1]:.1f}/s, two nodes {best[2]:.1f}/s: {ratio:.2f} of twice one node's (target {TARGET})")
    return 0 if ratio >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
