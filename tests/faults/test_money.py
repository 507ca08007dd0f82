"""Money against servers that bill: whatever they say of it, the cap holds, what was paid for is kept, and the sum is right."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.faults.chance import each
from tests.support.endpoint import Endpoint, completion
from tests.support.forks import Forks
from tests.support.sets import write_set

COUNT = 40
LIES: tuple[Any, ...] = (None, -1.0, 0.0, "0.01", 10**400, float("nan"), [], {"usd": 1})
GOOD_TELLING = 0.6


class Till:
    """Bills by chance, and tells the truth, a lie or nothing; breaks some replies after they were billed."""

    def __init__(self, draw: Random) -> None:
        self._draw = draw
        self.price = draw.choice((0.001, 0.004, 0.02))
        self.honest = draw.random() < GOOD_TELLING
        self.breaks = draw.choice((0.0, 0.0, 0.2))
        self.charged = 0.0
        self.at_start: list[float] = []

    def __call__(self, _request: dict[str, Any], _times: int) -> tuple[int, dict[str, str], bytes]:
        self.at_start.append(self.charged)
        self.charged += self.price
        told = self.price if self.honest else self._draw.choice((self.price, *LIES))
        body = completion("Color", cost=None)
        body["usage"]["cost"] = told
        if self._draw.random() < self.breaks:
            return self._draw.choice((200, 500)), {}, json.dumps({"usage": body["usage"]}).encode()
        return 200, {}, json.dumps(body).encode()


def billed(forks: Forks, data: Path, home: Path, draw: Random) -> None:
    till, cap, width = Till(draw), draw.choice((0.01, 0.05, 0.2)), draw.choice((1, 4, 32))
    with Endpoint(script=till) as endpoint:
        words = ("run", "salbench", "--data", data, "--model", "api/m", "--base-url", endpoint.url, "--out", home)
        more = ("--max-cost", cap, "--concurrency", width, "--tries", 2)
        for _ in range(3):
            before = len(endpoint.requests)
            forks.run(*words, *more, cache=home / "cache").well(0, 2, 3)
        assert all(charged <= cap * 1.0001 for charged in till.at_start), "something was sent past the cap"
        if till.honest:  # only the first call, whose price nobody knew, may cost more than there is
            assert till.charged <= max(cap, till.price) * 1.0001, f"{till.charged} of {cap} were charged"
            run = next(p for p in home.iterdir() if (p / "answers.jsonl").exists())
            lines = [json.loads(line) for line in (run / "answers.jsonl").read_bytes().splitlines()]
            noted = sum(call.get("cost") or 0.0 for a in lines for call in a.get("calls", ()) if not call.get("stored"))
            assert abs(noted - till.charged) < 1e-9, f"{till.charged} were charged, {noted} written down"
            assert len(endpoint.requests) == before, "asked on, with nothing left to spend"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_set(tmp_path_factory.mktemp("money") / "set", COUNT)


def test_a_server_that_bills(forks: Forks, data: Path, tmp_path: Path) -> None:
    billed(forks, data, tmp_path, Random("every day"))


@pytest.mark.faults
def test_servers_that_bill(forks: Forks, data: Path, tmp_path: Path) -> None:
    each("bills", lambda draw, n: billed(forks, data, tmp_path / str(n), draw), 0.25)
