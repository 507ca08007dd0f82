"""Runs on a Ray cluster of two nodes: nothing is lost with a node, limits hold over all of them, and no key stays anywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cluster import Nodes, two_nodes
from tests.support.command import installed as snellen
from tests.support.command import start
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

from snellen.engine import ray_pool

pytest.importorskip("ray", reason="Ray is not installed (extra ray)")
KEY = "sk-ray-0123456789abcdefghij"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Nodes]:
    with two_nodes() as made:
        yield made


@pytest.fixture
def nodes(cluster: Nodes) -> Nodes:
    return cluster.whole()


def answers(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for path in out.glob("*/answers.jsonl") for line in path.read_text().splitlines()]


def files_with(word: str, *folders: Path) -> list[Path]:
    every = (path for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return [path for path in every if word.encode() in path.read_bytes()]


def test_a_local_model_answers_on_every_node(tmp_path: Path, nodes: Nodes) -> None:
    for name in ("torch", "transformers"):
        pytest.importorskip(name)
    data, out = write_set(tmp_path / "set", 8), tmp_path / "runs"
    words = ("run", "salbench", "--data", data, "--model", "hf/snellen-tiny", "--batch", 2, "--out", out, "--on", "ray")
    done = snellen(*words, cache=tmp_path / "cache", **nodes.environment)
    assert done.returncode == 0, done.stderr
    assert "2 workers" in done.stderr
    kept = answers(out)
    assert len(kept) == len({(a["id"], a["prompt"]) for a in kept}) > 0
    assert all(a["text"] and "failure" not in a for a in kept)
    (run,) = out.iterdir()
    assert json.loads((run / "run.json").read_text())["subject"]["identity"]["listed"]["workers"] == 2


def test_the_runs_of_a_suite_share_the_cluster_and_its_budget(tmp_path: Path, nodes: Nodes) -> None:
    data, out, cache = write_set(tmp_path / "set", 10), tmp_path / "runs", tmp_path / "cache"
    with Endpoint(delay=0.01, cost=0.01) as endpoint:
        words = ("run", "salbench", "--data", data, "--model", "api/one", "--model", "api/two", "--protocol", "paper")
        more = ("--base-url", endpoint.url, "--out", out, "--on", nodes.client)
        done = snellen(*words, *more, "--max-cost", 0.12, cache=cache, SNELLEN_API_KEY=KEY, **nodes.own)
        assert done.returncode == 3, done.stderr
        assert 8 <= len(endpoint.requests) <= 12
        done = snellen(*words, *more, "--max-cost", 30, cache=cache, SNELLEN_API_KEY=KEY, **nodes.own)
        assert done.returncode == 0, done.stderr
    kept = answers(out)
    assert len(kept) == len(endpoint.requests) == 2 * len(endpoint.asked)
    assert not any("failure" in a for a in kept)
    assert files_with(KEY, tmp_path, nodes.session) == []


def test_a_node_that_is_killed_loses_nothing_but_what_was_in_flight(tmp_path: Path, nodes: Nodes) -> None:
    data, out, cache = write_set(tmp_path / "set", 48), tmp_path / "runs", tmp_path / "cache"
    with Endpoint(delay=0.8, cost=0.001) as endpoint:
        words = ("run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url)
        more = ("--protocol", "paper", "--out", out, "--on", "ray", "--concurrency", 8)
        process = start(*words, *more, cache=cache, SNELLEN_API_KEY=KEY, **nodes.environment)
        begin = time.monotonic()
        while not (sum(endpoint.answered.values()) >= 8 and endpoint.busy == 8) and time.monotonic() - begin < 90:
            time.sleep(0.01)
        nodes.kill()
        _told, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    kept = answers(out)
    assert len(kept) == len({(a["id"], a["prompt"]) for a in kept}) == len(endpoint.asked) == 48
    assert not any("failure" in a for a in kept)
    assert 0 < sum(endpoint.asked.values()) - 48 <= 8  # what the node had in flight is asked again, and nothing else
    assert all(headers["authorization"] == f"Bearer {KEY}" for headers in endpoint.headers)
    assert files_with(KEY, tmp_path, nodes.session) == []


ALONE = """
import json, os, sys
from pathlib import Path
from tests.support.cluster import _parents
from snellen.engine.ray_pool import RayPool

pool = RayPool("ray")
pool.open()
mine, parents = {os.getpid()}, dict(_parents())
while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
    mine |= more
doors = {f"socket:[{row[9]}]": row[1].partition(":")[0] for name in ("tcp", "tcp6")
         for row in map(str.split, Path(f"/proc/net/{name}").read_text().splitlines()[1:]) if row[3] == "0A"}
held = {os.readlink(fd) for pid in mine for fd in Path(f"/proc/{pid}/fd").iterdir() if fd.is_symlink()}
environments = [Path(f"/proc/{pid}/environ").read_bytes() for pid in mine - {os.getpid()}]
session = Path(sys.modules["ray"]._private.worker._global_node.get_session_dir_path())
mode = session.parents[1].stat().st_mode & 0o777
longest = max(len(str(path)) for path in (session / "sockets").iterdir())
jobs = [job["Entrypoint"] for job in sys.modules["ray"]._private.state.jobs()]
print(json.dumps({"open": sorted({doors[name] for name in held & doors.keys()}), "processes": len(environments),
    "keys": sum(b"sk-ray-" in e for e in environments), "tokens": sum(b"RAY_AUTH_MODE=token" in e for e in environments),
    "after": os.environ["MY_OWN_NAME"], "left": os.environ.get("RAY_AUTH_TOKEN"), "jobs": jobs,
    "mode": mode, "folder": str(session.parents[1]), "longest": longest}), flush=True)
pool.close()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what listens is read from /proc")
def test_ray_on_this_machine_alone_is_closed_to_others_and_has_no_key(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    secret = f"from snellen.core.secret import Secret\nSecret({KEY!r})\n"
    names = ("SNELLEN_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_OWN_NAME")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-c", secret + ALONE, "--api-key", KEY],
        env=environment | dict.fromkeys(names, KEY) | {"HOME": str(home), "RAY_AUTH_MODE": "disabled"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert set(found["open"]) <= {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1, as the kernel writes it
    assert found["processes"] >= found["tokens"] >= 5  # some write their title where the kernel shows their environment
    assert (found["keys"], found["jobs"]) == (0, ["snellen"])
    assert (found["after"], found["left"]) == (KEY, None)
    assert (found["mode"], Path(found["folder"]).exists()) == (
        0o700,
        False,
    )  # only this user can enter, and it is removed
    assert found["longest"] - len(found["folder"]) + ray_pool.LONGEST + 10 <= 107  # "/r" and eight letters
    assert not (home / ".ray").exists()  # where Ray keeps a token that everybody can read
