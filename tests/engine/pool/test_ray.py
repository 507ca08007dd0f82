"""Runs on a Ray cluster of two nodes: nothing is lost with a node, limits hold over all of them, and no key stays anywhere."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cluster import Nodes, two_nodes
from tests.support.command import snellen, start
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

pytest.importorskip("ray", reason="Ray is not installed (extra ray)")
KEY = "sk-ray-0123456789abcdefghij"


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with two_nodes() as made:
        yield made


def answers(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for path in out.glob("*/answers.jsonl") for line in path.read_text().splitlines()]


def files_with(word: str, *folders: Path) -> list[Path]:
    found = []
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and word.encode() in path.read_bytes():
                found.append(path)
    return found


def test_a_node_that_is_killed_loses_nothing_but_what_was_in_flight(tmp_path: Path, nodes: Nodes) -> None:
    data, out, cache = write_set(tmp_path / "set", 150), tmp_path / "runs", tmp_path / "cache"
    with Endpoint(delay=0.1, cost=0.001) as endpoint:
        words = (
            "run",
            "salbench",
            "--data",
            data,
            "--model",
            "api/fake",
            "--base-url",
            endpoint.url,
            "--protocol",
            "paper",
        )
        more = ("--out", out, "--on", "ray", "--concurrency", 8, "--max-cost", 100)
        process = start(*words, *more, cache=cache, SNELLEN_API_KEY=KEY, **nodes.environment)
        begin = time.monotonic()
        while sum(endpoint.answered.values()) < 40 and process.poll() is None and time.monotonic() - begin < 60:
            time.sleep(0.05)
        assert process.poll() is None
        nodes.kill()
        _told, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    kept = answers(out)
    assert len(kept) == len({(a["id"], a["prompt"]) for a in kept}) == len(endpoint.asked)
    assert not any("failure" in a for a in kept)
    assert 0 < sum(endpoint.asked.values()) - len(endpoint.asked) <= 8
    assert endpoint.most_at_once <= 8
    assert all(headers["authorization"] == f"Bearer {KEY}" for headers in endpoint.headers)
    assert files_with(KEY, tmp_path, nodes.session) == []
