"""`snellen probe` as a user meets it, and what later runs of the endpoint make of it."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen, start
from tests.support.endpoint import Endpoint
from tests.support.probed_endpoint import Manners, endpoint
from tests.support.sets import write_set

QUICK = ("--parts", "stop,coordinates")
CANARY = "sk-canary-0123456789abcdef"


def probe(server: Endpoint, cache: Path, *words: object, **more: str) -> Any:
    return snellen("probe", "api/reader", "--base-url", server.url, *words, cache=cache, **more)


def screens(folder: Path) -> Path:
    made = snellen("data", "make", "grounding", "--out", folder, "--count", 2, cache=folder.parent / "made")
    assert made.returncode == 0, made.stderr
    return folder


def test_the_whole_command(tmp_path: Path) -> None:
    with endpoint(Manners(order="reversed")) as server:
        done = probe(server, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("api/reader: 1 found: order\n")
    assert "31 calls, about" in done.stderr and "what they cost is not known" in done.stderr
    assert "for grounding: --method-option format=pixels" in done.stdout
    assert len(server.requests) == 31


def test_a_dry_run_calls_nobody_and_tells_the_price(tmp_path: Path) -> None:
    done = snellen("probe", "openai-chat/gpt-4o", "--dry-run", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "31 calls" in done.stdout and "USD (at most" in done.stdout and "nothing was called" in done.stdout
    machine = snellen("probe", "openai-chat/gpt-4o", "--dry-run", "--json", cache=tmp_path)
    assert json.loads(machine.stdout)["calls"] == 31


def test_json_is_the_record_that_is_kept(tmp_path: Path) -> None:
    with endpoint(Manners(space="thousand")) as server:
        done = probe(server, tmp_path, *QUICK, "--json")
    said = json.loads(done.stdout)
    assert [(r["part"], r["verdict"]) for r in said["results"]] == [("coordinates", "found"), ("stop", "fine")]
    assert said["proposal"] == {"space": "relative_1000", "format": "qwen3-vl"}
    kept = json.loads(Path(said["file"]).read_text())
    assert kept["results"] == said["results"] and kept["model"] == "reader"


def test_a_later_probe_that_differs_is_told(tmp_path: Path) -> None:
    manners = Manners()
    with endpoint(manners) as server:
        assert "as on" not in probe(server, tmp_path, *QUICK).stdout
        assert "as on" in probe(server, tmp_path, *QUICK).stdout
        assert probe(server, tmp_path, "--parts", "stop").returncode == 0  # says nothing of coordinates
        manners.space = "unit"
        changed = probe(server, tmp_path, *QUICK)
        assert "CHANGED since" in changed.stdout and "fractions" in changed.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("probe", "api/x", "--base-url", "http://127.0.0.1:9/v1", "--parts", "sizes"), "did you mean 'size'"),
        (("probe", "baseline/chance"), "calls no endpoint"),
        (("probe", "method/vlm"), "grounding only"),
        (("probe", "api/x", "--base-url", "http://127.0.0.1:9/v1", "--device", "cpu"), "--device has no effect"),
        (("probe", "api/x", "--base-url", "http://127.0.0.1:9/v1"), "no server at"),
        (("probe", "openai/gpt-4o"), "needs a key"),
    ],
)
def test_what_cannot_be_probed_is_said_in_one_line(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = snellen(*words, cache=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr


def test_a_temperature_that_is_refused_is_no_hindrance(tmp_path: Path) -> None:
    with endpoint(Manners(rejects=frozenset({"temperature"}))) as server:
        done = probe(server, tmp_path, "--parts", "stop,temperature")
    assert done.returncode == 0, done.stderr
    assert "rejected" in done.stdout and "nothing found" in done.stdout


def test_the_cap_stops_it_and_nothing_paid_is_paid_again(tmp_path: Path) -> None:
    price = 0.01
    with endpoint(cost=price) as server:
        first = probe(server, tmp_path, "--max-cost", 0.1)
        assert first.returncode == 3 and "--max-cost 0.1 USD reached" in first.stderr
        paid = len(server.requests)
        assert 0 < paid * price <= 0.1 + 1e-9
        again = probe(server, tmp_path, "--max-cost", 0.1)
        assert again.returncode == 3 and len(server.requests) == paid
        done = probe(server, tmp_path, "--max-cost", 1)
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 31
        assert f"{paid} kept from before the interruption" in done.stdout
        fresh = probe(server, tmp_path, "--fresh")
        assert fresh.returncode == 0 and len(server.requests) == 62


def test_paid_tries_without_a_usable_reply_count_when_the_command_is_repeated(tmp_path: Path) -> None:
    price = 0.04
    billed = json.dumps({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 9, "cost": price}}).encode()
    with Endpoint(script=lambda _request, _asked: (200, {}, billed)) as server:
        codes = [probe(server, tmp_path, "--max-cost", 0.1, "--tries", 1).returncode for _ in range(4)]
    assert codes == [2, 2, 3, 3]
    assert len(server.requests) * price <= 0.1


def test_ctrl_c_keeps_what_was_answered(tmp_path: Path) -> None:
    with endpoint(cost=0.001) as server:
        server.delay = 0.15
        words = ("probe", "api/reader", "--base-url", server.url, "--concurrency", 1)
        begun = start(*words, cache=tmp_path)
        while len(server.requests) < 6:
            time.sleep(0.05)
        begun.send_signal(signal.SIGINT)
        _out, said = begun.communicate(timeout=60)
        assert begun.returncode == 130 and "the same command goes on" in said
        server.delay = 0.0
        done = snellen(*words, cache=tmp_path)
        assert done.returncode == 0, done.stderr
        kept = int(re.findall(r"(\d+) kept from before", done.stdout)[0])
        assert kept >= 4 and len(server.requests) <= 31 + 2


def test_the_key_is_in_no_file(tmp_path: Path) -> None:
    with endpoint() as server:
        done = probe(server, tmp_path, *QUICK, SNELLEN_API_KEY=CANARY)
        assert done.returncode == 0, done.stderr
        assert server.headers[0]["authorization"] == f"Bearer {CANARY}"
    assert CANARY not in done.stdout + done.stderr
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert files and not any(CANARY.encode() in p.read_bytes() for p in files)


# ---------------------------------------------------------------- later runs


def test_a_run_names_the_probe_which_is_no_part_of_its_name(tmp_path: Path) -> None:
    data, cache = write_set(tmp_path / "set", 2), tmp_path / "cache"
    with endpoint() as server:
        script = server.script

        def run(out: str) -> Path:
            server.script = None
            done = snellen(
                "run", "salbench", "--data", data, "--model", "api/reader", "--base-url", server.url, "--out", tmp_path / out,
                cache=cache,
            )  # fmt: skip
            assert done.returncode == 0 and "warning" not in done.stderr, done.stderr
            server.script = script
            return next((tmp_path / out).iterdir())

        before = run("before")
        record = json.loads(probe(server, cache, *QUICK, "--json").stdout)
        after = run("after")
    assert before.name == after.name
    one, other = (json.loads((p / "run.json").read_text())["subject"]["identity"] for p in (before, after))
    assert other == one | {"probe": [{"model": "reader", "at": record["at"], "digest": record["digest"]}]}


def test_a_run_warns_of_an_endpoint_that_changed_and_of_a_format_that_does_not_fit(tmp_path: Path) -> None:
    data, cache = screens(tmp_path / "screens"), tmp_path / "cache"
    manners = Manners()
    with endpoint(manners) as server:
        script = server.script

        def run(format: str) -> str:
            server.script = None
            done = snellen(
                "run", "grounding", "--data", data, "--limit", 1, "--model", "api/reader", "--base-url", server.url,
                "--method-option", f"format={format}", "--out", tmp_path / "runs", "--fresh", cache=cache,
            )  # fmt: skip
            assert done.returncode == 3, done.stderr  # it says "Color" where a point is wanted
            server.script = script
            return "\n".join(line for line in done.stderr.splitlines() if line.startswith("warning: "))

        assert run("pixels") == ""
        assert probe(server, cache, *QUICK).returncode == 0
        assert probe(server, cache, "--parts", "stop").returncode == 0
        assert run("pixels") == run("gpt") == ""
        wrong = run("qwen3-vl")
        assert "format=qwen3-vl reads them otherwise; use --method-option format=pixels" in wrong
        assert len(wrong.splitlines()) == 1
        manners.space = "thousand"
        assert probe(server, cache, *QUICK).returncode == 0
        both = run("pixels").splitlines()
        assert len(both) == 2
        assert "differs from that of" in both[0] and "use --method-option format=qwen3-vl" in both[1]
        assert len(run("qwen3-vl").splitlines()) == 1
