"""The same replies give the same bytes, whatever the concurrency, the order of arrival, the hash seed, the locale and the time zone."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.faults.chance import each
from tests.faults.conftest import Made
from tests.faults.damage import listing
from tests.support.command import SNELLEN, environment
from tests.support.endpoint import Endpoint, completion, fingerprint

PORT = re.compile(rb"127\.0\.0\.1:\d+")
TIMES = re.compile(rb'\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|\+00:00)?|"seconds": ?(\{[^}]*\}|[0-9.e+-]+)')
WORDS = (
    "Color",
    "yes because it is so",
    "A",
    "(20, 30)",
    '{"left": "a cup", "right": "a red cup"}',
    "cat",
    "",
    "neutral",
)
PLACES = (
    ("C", "UTC"),
    ("C.UTF-8", "Asia/Kathmandu"),
    ("tr_TR.UTF-8", "America/St_Johns"),
    ("de_DE.ISO-8859-1", "Pacific/Apia"),
)
TIMED = ("comparison.json", "table.md", "table.txt", "_grounding.json")
"""Grounding's exports with the time that an answer took."""
LEFT_OUT = (*TIMED, "metrics.json", ".xlsx", "run.json", "summary.json", "answers.jsonl", ".lock")


def reply(request: dict[str, Any], _times: int) -> tuple[int, dict[str, str], bytes]:
    """What is said depends on the question alone; when, on chance."""
    chosen = Random(fingerprint(request)).choice(WORDS)
    return 200, {}, json.dumps(completion(chosen)).encode()


def results(home: Path, data: Path, exam: str, concurrency: int, place: tuple[str, str], seed: int) -> dict[str, Any]:
    """Files of a run, as a process of its own wrote them, without the times and ports in them."""
    with Endpoint(script=reply, delay=random.Random(seed).random() * 0.02) as endpoint:
        words = [
            "run",
            exam,
            "--data",
            data,
            "--model",
            "api/m",
            "--base-url",
            endpoint.url,
            "--concurrency",
            concurrency,
        ]
        env = {"PYTHONHASHSEED": str(seed), "LC_ALL": place[0], "LANG": place[0], "TZ": place[1]}
        ended = subprocess.run(
            [SNELLEN, *map(str, words), "--controls", "blank", "--out", str(home)],
            env=environment(home / "cache", **env),
            capture_output=True,
            timeout=120,
            check=False,
        )
    assert ended.returncode in (0, 3), ended.stderr
    run = next(p for p in home.iterdir() if (p / "run.json").exists())
    files = {n: c for n, c in listing(run).items() if c is not None and not n.endswith(LEFT_OUT)}
    summary = json.loads((run / "summary.json").read_bytes())
    for name in ("totals", "concurrency", "digest", "backends", "answers_bytes"):
        summary.pop(name, None)
    summary = _without_seconds(summary)
    clean = {n: TIMES.sub(b"", PORT.sub(b"", c)) for n, c in files.items()}
    return {**clean, "summary": TIMES.sub(b"", PORT.sub(b"", json.dumps(summary).encode()))}


def _without_seconds(value: Any) -> Any:
    """How long answers took is a metric of some exams."""
    if isinstance(value, dict):
        return {k: _without_seconds(v) for k, v in value.items() if not k.startswith("seconds")}
    return [_without_seconds(v) for v in value] if isinstance(value, list) else value


def agree(sets: Made, home: Path, exam: str, draw: Random) -> None:
    first = results(home / "a", sets[exam], exam, 1, PLACES[0], 0)
    second = results(
        home / "b", sets[exam], exam, draw.choice((4, 64)), draw.choice(PLACES[1:]), draw.randrange(1, 999)
    )
    assert sorted(first) == sorted(second)
    differ = [name for name in first if first[name] != second[name]]
    assert not differ, f"{exam}: {differ}"


def test_one_exam(sets: Made, tmp_path: Path) -> None:
    agree(sets, tmp_path, "vqax", Random("every day"))


@pytest.mark.faults
@pytest.mark.parametrize("exam", ["actx", "esnlive", "grounding", "illusionbench", "own", "salbench", "vcr"])
def test_every_exam(sets: Made, tmp_path: Path, exam: str) -> None:
    each(f"same bytes of {exam}", lambda draw, n: agree(sets, tmp_path / str(n), exam, draw), 0.01)
