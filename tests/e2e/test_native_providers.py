"""The installed command at local servers of Anthropic's and Google's form: 5 % faults, killed and resumed, every token counted."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.support.anthropic_server import AnthropicServer
from tests.support.command import snellen, start
from tests.support.gemini_server import GeminiServer
from tests.support.native import Native
from tests.support.sets import write_set

COUNT = 200
IN, OUT = 3.0, 15.0
PROVIDERS = {
    "anthropic/claude-sonnet-5-5": (AnthropicServer, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "gemini/gemini-3.8-flash": (GeminiServer, "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
}


def words(model: str, data: Path, out: Path, *more: object) -> tuple[object, ...]:
    price = f"{IN}/{OUT}"
    return ("run", "salbench", "--data", data, "--model", model, "--out", out, "--price", price, *more)


def lines(out: Path) -> list[dict[str, Any]]:
    files = list(out.glob("*/answers.jsonl"))
    return [json.loads(x) for x in files[0].read_bytes().split(b"\n")[:-1] if x] if files else []


def kill_at(out: Path, n: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None and len(lines(out)) < n:
        time.sleep(0.01)
    assert process.poll() is None, "it finished before it was killed"
    process.send_signal(signal.SIGKILL)
    process.communicate()


def cost(tokens: dict[str, int]) -> float:
    return (IN * tokens["input"] + OUT * tokens["output"]) / 1e6


@pytest.mark.parametrize("model", PROVIDERS)
def test_killed_twice_under_faults_all_are_answered_once_and_billed_as_the_server_counted(
    tmp_path: Path, model: str
) -> None:
    kind, key, address = PROVIDERS[model]
    data, out, cache = write_set(tmp_path / "set", COUNT), tmp_path / "runs", tmp_path / "cache"
    with kind(share=0.05, delay=0.05) as server:
        places = {key: server.key, address: server.url}
        for n in (40, 110):
            kill_at(out, n, start(*words(model, data, out), cache=cache, **places))
        done = snellen(*words(model, data, out), cache=cache, **places)
        assert done.returncode == 0, done.stderr
        check_faults(server)
    answers = [a for a in lines(out) if "failure" not in a]
    assert Counter(Counter(a["id"] for a in answers).values()) == {1: COUNT}
    for answer in answers:
        (call,) = answer["calls"]
        counted = server.billed[call["response_id"]]
        assert (answer["text"], answer["thinking"]) == ("Color", server.thinking)
        assert (call["usage"]["input_tokens"], call["usage"]["output_tokens"]) == (counted["input"], counted["output"])
        assert call["usage"]["reasoning_tokens"] == counted["thinking"]
        assert call["usage"]["cached_tokens"] == counted["cached"]
        assert call["cost"] == pytest.approx(cost(counted), abs=1e-12)
    assert len({a["calls"][0]["response_id"] for a in answers}) == COUNT
    assert "".join(f.read_text() for f in out.glob("*/*.json*")).count(server.key) == 0


@pytest.mark.parametrize("model", PROVIDERS)
def test_the_bill_is_the_servers_to_the_cent(tmp_path: Path, model: str) -> None:
    kind, key, address = PROVIDERS[model]
    data, out = write_set(tmp_path / "set", COUNT), tmp_path / "runs"
    with kind(share=0.05) as server:
        places = {key: server.key, address: server.url}
        done = snellen(*words(model, data, out), cache=tmp_path / "cache", **places)
        assert done.returncode == 0, done.stderr
        check_faults(server)
    totals = json.loads(next(out.glob("*/summary.json")).read_text())["totals"]
    assert len(server.billed) == COUNT
    assert totals["cost"] == pytest.approx(sum(map(cost, server.billed.values())), abs=1e-9)
    calls = [c for a in lines(out) for c in a["calls"]]
    # a dropped connection that was kept from before counts as stale: the client sends the request again by itself
    unsure = sum(c.get("unsure", 0) for c in calls)
    assert server.went_wrong["cut"] + server.went_wrong["garbled"] <= unsure <= server.lost
    statuses = Counter(t.get("status") for c in calls for t in c.get("failed", ()))
    assert all(statuses[response[0]] == server.went_wrong[name] for name, response in server.errors().items())


def check_faults(server: Native) -> None:
    assert set(server.went_wrong) == {*server.errors(), "dropped", "garbled", "cut"}
    assert sum(server.went_wrong.values()) >= COUNT * 0.05
