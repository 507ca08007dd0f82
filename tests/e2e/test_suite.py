"""A suite as a user runs it: four exams, three servers, killed twice, under one cap, and one page and one comparison of all."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen, start
from tests.support.endpoint import Endpoint

EXAMS = ("salbench", "illusionbench", "vqax", "actx")
PRICE = 0.001
CONCURRENCY = 4


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small synthetic set of each exam."""
    folder = tmp_path_factory.mktemp("data")
    for exam in EXAMS:
        made = snellen("data", "make", exam, "--count", 4, "--out", folder / exam, cache=folder / "cache")
        assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def servers() -> Iterator[list[Endpoint]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Endpoint(answer="Color", cost=PRICE, delay=0.03)) for _ in range(3)]


def suite(folder: Path, data: Path, servers: list[Endpoint], exams: tuple[str, ...] = EXAMS) -> Path:
    lines = ["[suite]", 'name = "three servers"', f'out = "{folder / "out"}"', "limit = 2", "max_cost = 5"]
    lines.append(f"concurrency = {CONCURRENCY}")
    for exam in exams:
        lines += ["[[exam]]", f'name = "{exam}"', f'data = "{data / exam}"']
    for number, server in enumerate(servers):
        lines += ["[[model]]", f'spec = "api/model-{number}"', f'base_url = "{server.url}"']
    file = folder / "suite.toml"
    file.write_text("\n".join(lines))
    return file


def asked(servers: list[Endpoint]) -> int:
    return sum(len(server.requests) for server in servers)


def width(text: str, folder: Path) -> int:
    """The longest line but for those with a command to copy, which is not broken."""
    return max(len(line) for line in text.splitlines() if str(folder) not in line)


def run(file: Path, *words: object) -> tuple[int, dict[str, Any], str]:
    done = snellen("run", file, "--json", *words, cache=file.parent / "cache")
    return done.returncode, json.loads(done.stdout), done.stderr


def test_killed_twice_it_goes_on_and_one_page_compares_all(tmp_path: Path, data: Path, servers: list[Endpoint]) -> None:
    file = suite(tmp_path, data, servers)
    for so_many in (40, 90):
        process = start("run", file, cache=tmp_path / "cache")
        until = time.monotonic() + 120
        while asked(servers) < so_many and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        assert process.poll() is None, process.communicate()[1]
        process.kill()
        process.communicate()
    code, found, said = run(file)
    assert code == 0, said
    assert [(r["exam"], r["model"]) for r in found["runs"]] == [
        (exam, f"api/model-{n}") for exam in EXAMS for n in range(3)
    ]
    assert all(r["complete"] for r in found["runs"])
    questions = sum(r["calls"] + r["stored"] for r in found["runs"])
    lost = 2 * 3 * CONCURRENCY
    trial = 3 * len(found["runs"])  # a server of one's own is asked again what the store has of a run that was killed
    assert questions <= asked(servers) <= questions + lost + trial
    assert found["cost"] <= 5

    before = asked(servers)
    code, second, _ = run(file)
    assert (code, asked(servers), second["cost"]) == (0, before, found["cost"])
    assert all(r["state"].startswith("from 20") for r in second["runs"]), "it says of when the answers are"

    page = tmp_path / "page.html"
    report = snellen("report", tmp_path / "out", "--out", page, cache=tmp_path / "cache")
    assert report.returncode == 0, report.stderr
    html = page.read_text()
    assert all(html.count(f"api/model-{n}") >= len(EXAMS) for n in range(3))

    compared = snellen("compare", tmp_path / "out", cache=tmp_path / "cache", COLUMNS="80")
    assert compared.returncode == 0, compared.stderr
    assert all(exam in compared.stdout for exam in EXAMS)
    assert width(compared.stdout, tmp_path) <= 80


def test_one_cap_holds_for_all_runs_and_all_sessions(tmp_path: Path, data: Path, servers: list[Endpoint]) -> None:
    file = suite(tmp_path, data, servers, ("salbench", "vqax"))
    code, found, said = run(file, "--max-cost", 0.02)
    assert code == 3, said
    assert asked(servers) * PRICE <= 0.02
    assert asked(servers) >= 14, "the cap is used"
    assert "budget reached" in [r["state"] for r in found["runs"]]
    assert any("--max-cost 0.02 USD reached" in (r["why"] or "") for r in found["runs"])

    before = asked(servers)
    code, found, said = run(file, "--max-cost", 0.021)
    assert code == 3, said
    assert asked(servers) <= 21, "what earlier sessions spent counts"
    assert asked(servers) >= before

    code, found, said = run(file)
    assert code == 0, said
    assert found["complete"]


def test_a_server_that_is_down_ends_its_runs_alone(tmp_path: Path, data: Path, servers: list[Endpoint]) -> None:
    file = suite(tmp_path, data, servers[:2], ("salbench", "vqax"))
    file.write_text(file.read_text().replace(servers[1].url, "http://127.0.0.1:9/v1"))
    code, found, said = run(file)
    assert code == 3, said
    states = {(r["exam"], r["model"]): r["state"] for r in found["runs"]}
    assert states == {
        ("salbench", "api/model-0"): "done",
        ("salbench", "api/model-1"): "failed",
        ("vqax", "api/model-0"): "done",
        ("vqax", "api/model-1"): "failed",
    }
    assert "no server at http://127.0.0.1:9" in found["runs"][1]["why"]


def test_ctrl_c_ends_all_and_the_same_command_goes_on(tmp_path: Path, data: Path, servers: list[Endpoint]) -> None:
    import signal

    file = suite(tmp_path, data, servers, ("salbench", "vqax"))
    for server in servers:
        server.delay = 0.3
    process = start("run", file, cache=tmp_path / "cache")
    until = time.monotonic() + 60
    while asked(servers) < 12 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted" in out
    assert "the same command goes on" in out
    for server in servers:
        server.delay = 0.0
    code, found, said = run(file)
    assert code == 0, said
    assert found["complete"]


def test_the_small_case_and_what_it_would_take(tmp_path: Path, data: Path, servers: list[Endpoint]) -> None:
    words = ["run", "salbench,vqax", "--data", data, "--limit", 2, "--out", tmp_path / "runs"]
    words += ["--model", "api/a", "--model", "api/b", "--base-url", servers[0].url]
    dry = snellen(*words, "--dry-run", cache=tmp_path / "cache", COLUMNS="80")
    assert dry.returncode == 0, dry.stderr
    assert asked(servers) == 0
    assert "4 runs, estimate, nothing was called" in dry.stdout
    assert width(dry.stdout, tmp_path) <= 80
    counted = json.loads(snellen(*words, "--dry-run", "--json", cache=tmp_path / "cache").stdout)
    done = snellen(*words, cache=tmp_path / "cache", COLUMNS="80")
    assert done.returncode == 0, done.stderr
    assert asked(servers) == counted["total"]["calls"]
    assert width(done.stdout, tmp_path) <= 80
    assert "4 done" in done.stdout
    later = json.loads(snellen(*words, "--dry-run", "--json", cache=tmp_path / "cache").stdout)
    assert sum(r["answered"] for r in later["runs"]) == counted["total"]["calls"]
