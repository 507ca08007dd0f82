"""Another model behind the same local name does not get the old model's scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set


def run(server: Endpoint, folder: Path, out: str) -> tuple[dict[str, Any], str]:
    words = ["run", "salbench", "--data", folder / "data", "--out", folder / out, "--model", "api/m", "--json"]
    done = snellen(*words, "--base-url", server.url, cache=folder / "cache")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_a_changed_server_is_asked_again_and_the_run_says_why(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 12)
    with Endpoint(answer="Color") as server:
        run(server, tmp_path, "first")
        server.answer = "Size"
        server.requests.clear()
        summary, said = run(server, tmp_path, "second")
        assert len(server.requests) == 12
        assert summary["totals"]["stored"] == 0
        assert "does not say what it said before" in said


def test_a_server_that_is_the_same_is_asked_three_times_only(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 12)
    with Endpoint(answer="Color") as server:
        run(server, tmp_path, "first")
        server.requests.clear()
        summary, said = run(server, tmp_path, "second")
        assert len(server.requests) == 3
        assert summary["totals"]["stored"] == 9
        assert "does not say" not in said


def test_a_rerun_that_asks_nothing_says_so_and_how_old_the_answers_are(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 3)
    with Endpoint(answer="Color") as server:
        first, said = run(server, tmp_path, "runs")
        assert "nothing was asked" not in said
        answers = Path(first["run"]) / "answers.jsonl"
        lines = [json.loads(line) for line in answers.read_text().splitlines()]
        assert all(line["calls"][0]["at"] > 1_700_000_000 for line in lines)
        for line in lines:
            line["calls"][0]["at"] = 1_767_225_600
        answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
        server.requests.clear()
        _summary, said = run(server, tmp_path, "runs")
        assert not server.requests
        assert "nothing was asked: all 3 answers were there already, given on 2026-01-01; --fresh asks again" in said


def test_what_was_paid_for_through_a_gateway_here_is_not_bought_again(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 8)
    with Endpoint(answer="Color", cost=0.01) as server:
        run(server, tmp_path, "first")
        server.answer = "Size"
        server.requests.clear()
        summary, _said = run(server, tmp_path, "second")
        assert not server.requests
        assert summary["totals"]["stored"] == 8
