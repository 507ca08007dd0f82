"""Runs on a Ray cluster of two nodes: nothing is lost with a node, limits hold over all of them, and no key stays anywhere."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cluster import Nodes, two_nodes
from tests.support.command import installed as snellen
from tests.support.command import start
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

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


def test_the_runs_of_a_suite_share_the_cluster_and_its_purse(tmp_path: Path, nodes: Nodes) -> None:
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
