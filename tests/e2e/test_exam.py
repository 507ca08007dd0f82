"""`snellen exam` as a user starts it, against an observer behind a local server: killed, resumed, in budget, verified."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen, start
from tests.support.endpoint import Endpoint
from tests.support.observer import Observer

FACULTIES = "letters,orientation,size"


def words(endpoint: Endpoint, out: Path, *more: object) -> tuple[object, ...]:
    asked = ("--faculties", FACULTIES, "--questions", 24, "--seed", 5, "--out", out)
    return ("exam", "--model", "api/eye", "--base-url", endpoint.url, *asked, *more)


def records(out: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for path in out.glob(f"*/{name}") for line in path.read_bytes().split(b"\n")[:-1]]


def thresholds(out: Path) -> Any:
    path = next(out.glob("*/exports/prescription.json"))
    return json.loads(path.read_text(encoding="utf-8"))


def test_an_exam_killed_at_four_moments_ends_as_one_that_was_not_and_asks_nothing_again(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    with Endpoint(script=Observer(whole).script) as endpoint:
        done = snellen(*words(endpoint, whole), cache=tmp_path / "cache1")
        assert done.returncode == 0, done.stderr
        questions = len(endpoint.requests)
    with Endpoint(script=Observer(parts).script, delay=0.03) as endpoint:
        for kill in range(4):
            process = start(*words(endpoint, parts), cache=tmp_path / "cache2")
            wanted = len(records(parts, "answers.jsonl")) + 1 + kill % 4
            while process.poll() is None and len(records(parts, "answers.jsonl")) < wanted:
                time.sleep(0.01)
            assert process.poll() is None, "it ended before it was killed"
            process.send_signal(signal.SIGKILL)
            process.communicate()
        done = snellen(*words(endpoint, parts), cache=tmp_path / "cache2")
        assert done.returncode == 0, done.stderr
        again = Counter(endpoint.asked.values())
        lost = sum(times - 1 for times in endpoint.asked.values())
    answered = Counter(line["id"] for line in records(parts, "answers.jsonl"))
    assert set(answered.values()) == {1}
    assert len(answered) == questions == 3 * (24 + 3)
    assert sum(again.values()) == questions  # no sheet was asked that the other exam did not ask
    assert lost <= 4 * 16  # only what was in flight when it was killed
    assert records(parts, "samples.jsonl") == records(whole, "samples.jsonl")
    assert thresholds(parts) == thresholds(whole)


def test_the_cap_holds_and_the_same_command_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "runs"
    with Endpoint(script=Observer(out).script) as endpoint:
        done = snellen(*words(endpoint, out, "--max-cost", "0.03"), cache=tmp_path / "cache")
        assert done.returncode == 3, done.stderr
        assert len(endpoint.requests) <= 30
        done = snellen(*words(endpoint, out), cache=tmp_path / "cache")
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) == 3 * (24 + 3)


def test_a_sealed_exam_is_checked_before_and_after(tmp_path: Path) -> None:
    out, cache = tmp_path / "runs", tmp_path / "cache"
    made = json.loads(snellen("exam", "--seal", "--json", cache=cache).stdout)
    asked = ("--faculties", "letters", "--questions", 16, "--out", out)
    with Endpoint(script=Observer(out).script) as endpoint:
        model = ("exam", "--model", "api/eye", "--base-url", endpoint.url, *asked)
        wrong = snellen(*model, "--seed", 4, "--seed-commit", made["seal"], cache=cache)
        assert wrong.returncode == 2
        assert "is not the seal" in wrong.stderr
        assert not endpoint.requests
        right = snellen(*model, "--seed", made["seed"], "--seed-commit", made["seal"], cache=cache)
        assert right.returncode == 0, right.stderr
    run = next(out.glob("eye_*"))
    assert snellen("verify", run, cache=cache).returncode == 0
    manifest = run / "run.json"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace(str(made["seed"]), str(made["seed"] ^ 1)), encoding="utf-8")
    other = snellen("verify", run, cache=cache)
    assert other.returncode == 1
    assert "seal" in other.stdout + other.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--faculties", "smell"), "smell"),
        (("--questions", "3"), "from 16"),
        (("--sizes", "12"), "--sizes 12"),
        (("--codecs", "gif"), "--codecs gif"),
        (("--seed-commit", "00"), "is not the seal"),
        ((), "who is to be examined"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path: Path, flags: tuple[str, ...], said: str) -> None:
    model = ("--model", "baseline/chance") if flags else ()
    done = snellen("exam", *model, *flags, "--out", tmp_path / "runs", cache=tmp_path / "cache")
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "runs").exists()
