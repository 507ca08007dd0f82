"""The installed command against servers of OpenAI's documented forms: faults of their own kinds, kills, refused parameters."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen, start
from tests.support.responses_server import AZURE_FILTER, THOUGHT, Provider, responses_reply
from tests.support.sets import write_set

COUNT = 200
PRICE = (2.0, 8.0)
DATED = "2024-10-21"


def words(data: Path, model: str, address: str, out: Path, *more: object) -> tuple[object, ...]:
    return ("run", "salbench", "--data", data, "--model", model, "--base-url", address, "--out", out, *more)


def lines(out: Path) -> list[dict[str, Any]]:
    """The whole lines of the run's answers."""
    files = list(out.glob("*/answers.jsonl"))
    return [json.loads(line) for f in files for line in f.read_bytes().split(b"\n")[:-1] if line]


def kill_after(out: Path, n: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None and len(lines(out)) < n:
        time.sleep(0.01)
    assert process.poll() is None, "it finished before the kill"
    process.send_signal(signal.SIGKILL)
    process.communicate()


@pytest.mark.parametrize(
    ("model", "path", "variables"),
    [
        ("openai/gpt-5", "/v1/responses", {"OPENAI_API_KEY": "sk-1"}),
        ("azure/my-gpt", "/openai/v1/chat/completions", {"AZURE_OPENAI_API_KEY": "k-1"}),
        (
            "azure/my-gpt",
            f"/openai/deployments/my-gpt/chat/completions?api-version={DATED}",
            {"AZURE_OPENAI_AD_TOKEN": "t-1", "OPENAI_API_VERSION": DATED},
        ),
        ("vllm/own", "/v1/chat/completions", {"VLLM_API_KEY": "k-1"}),
    ],
)
def test_faults_and_kills_answer_every_sample_once_and_bill_what_the_server_counted(
    tmp_path: Path, model: str, path: str, variables: dict[str, str]
) -> None:
    data = write_set(tmp_path / "set", COUNT)
    out, cache = tmp_path / "runs", tmp_path / "cache"
    with Provider(answer="Size", delay=0.02, trouble=0.05) as server:
        address = server.root if model.startswith("azure") else server.url
        command = words(data, model, address, out, "--price", "/".join(map(str, PRICE)), "--concurrency", 8)
        kill_after(out, 60, start(*command, cache=cache, **variables))
        kept, asked = {a["id"] for a in lines(out) if "failure" not in a}, len(server.requests)
        done = snellen(*command, cache=cache, **variables)
        assert done.returncode == 0, done.stderr
        assert set(server.targets) == {path}
        # what was on file is not asked again: each of the others once, and once more for each fault
        faults = sum(server.faulted.values())
        assert COUNT - len(kept) <= len(server.requests) - asked <= COUNT - len(kept) + faults
        assert len(server.faulted) >= 5, "the faults were not of all kinds"
    answers = lines(out)
    assert len({a["id"] for a in answers if "failure" not in a}) == COUNT
    good = [a for a in answers if "failure" not in a]
    assert len(good) == COUNT
    assert {(a["text"], a["thinking"]) for a in good} == {("Size", THOUGHT)}
    summary = json.loads(next(out.glob("*/summary.json")).read_text())
    assert summary["complete"]
    bills = [server.bills[a["calls"][0]["response_id"]] for a in good]
    for answer, bill in zip(good, bills, strict=True):
        usage = answer["calls"][0]["usage"]
        assert (usage["input_tokens"], usage["cached_tokens"]) == (bill["input"], bill["cached"])
        assert (usage["output_tokens"], usage["reasoning_tokens"]) == (bill["output"], bill["reasoning"])
    counted = sum(PRICE[0] * b["input"] + PRICE[1] * b["output"] for b in bills) / 1e6
    assert sum(a["calls"][0]["cost"] for a in good) == pytest.approx(counted, abs=1e-9)
    assert summary["totals"]["cost"] == pytest.approx(counted, abs=0.005)


@pytest.mark.parametrize("model", ["openai/model-of-tomorrow", "openai-chat/model-of-tomorrow", "azure/d", "api/m"])
def test_the_default_command_where_temperature_is_refused(tmp_path: Path, model: str) -> None:
    data = write_set(tmp_path / "set", 12)
    keys = {"OPENAI_API_KEY": "sk-1", "AZURE_OPENAI_API_KEY": "k-1", "SNELLEN_API_KEY": "k-1"}
    with Provider(answer="Size", refuses=("temperature",)) as server:
        address = server.root if model.startswith("azure") else server.url
        done = snellen(*words(data, model, address, tmp_path / "runs"), cache=tmp_path / "cache", **keys)
    assert done.returncode == 0, done.stderr
    assert f"{model} refused temperature, so it was left out" in done.stderr + done.stdout
    assert all("failure" not in a and a["text"] == "Size" for a in lines(tmp_path / "runs"))
    summary = json.loads(next((tmp_path / "runs").glob("*/summary.json")).read_text())
    assert summary["complete"]
    assert "INCOMPLETE" not in done.stdout
    manifest = json.loads(next((tmp_path / "runs").glob("*/run.json")).read_text())
    identity = manifest["subject"]["identity"]
    assert identity["parameters"]["temperature"] == 0.0
    assert "temperature" not in identity["applied"]
    # every sample is asked once, and those that were under way when it was refused once more
    assert len([r for r in server.requests if "temperature" not in r]) == 12


def test_a_run_with_cut_off_and_filtered_replies_keeps_each_as_what_it_is(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 9)
    turn = iter(range(1000))
    ways: list[dict[str, Any]] = [
        {},
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []},
        {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
    ]

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        number = next(turn)
        return responses_reply("Size", request["model"], number=number) | ways[number % 3]

    with Provider(replies=reply) as server:
        snellen(
            *words(data, "openai/gpt-4o", server.url, tmp_path / "runs"),
            cache=tmp_path / "cache",
            OPENAI_API_KEY="sk-1",
        )
    answers = lines(tmp_path / "runs")
    kinds = [(a.get("finish_reason"), a.get("refused", False), a.get("text", "")) for a in answers]
    assert sorted(kinds) == sorted([("stop", False, "Size"), ("length", False, ""), ("content_filter", True, "")] * 3)


def test_azures_filter_is_no_error(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 20)
    turn = iter(range(1000))
    with Provider(answer="Size", script=lambda _r, _n: AZURE_FILTER if next(turn) == 3 else None) as server:
        done = snellen(
            *words(data, "azure/d", server.root, tmp_path / "runs"),
            cache=tmp_path / "cache",
            AZURE_OPENAI_API_KEY="k-1",
        )
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 20
    refused = [a for a in lines(tmp_path / "runs") if a.get("refused")]
    assert len(refused) == 1
    assert "filtered for violence medium" in refused[0]["text"]
