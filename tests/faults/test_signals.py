"""Signals at random moments while asking, marking, exporting and reporting: nothing lost, nothing doubled, the same bytes at the end."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.faults.chance import each
from tests.faults.conftest import Finished
from tests.faults.damage import copied, listing
from tests.support.endpoint import Endpoint, fingerprint
from tests.support.forks import Forks
from tests.support.sets import write_set

ENDINGS = (0, 2, 3, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)
KINDS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
COUNT = 40
TIMED = (".xlsx", "metrics.json")
"""Exports that say when they were written, or what the calls took."""
TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|127\.0\.0\.1:\d+")


def derived(run: Path) -> dict[str, bytes | None]:
    """Marks and exports of a run, without its time and the server's port."""
    found = {n: c for n, c in listing(run).items() if n.startswith(("marks/", "exports/")) and not n.endswith(TIMED)}
    return {n: None if c is None else TIME.sub(b"", c) for n, c in found.items()}


def good_answers(out: Path) -> Counter[str]:
    lines = [line for file in out.glob("*/answers.jsonl") for line in file.read_bytes().split(b"\n")[:-1]]
    return Counter(a["id"] for a in map(json.loads, lines) if "failure" not in a)


def asked_under_fire(forks: Forks, data: Path, home: Path, reference: Path, draw: Random) -> None:
    with Endpoint(delay=0.02) as endpoint:
        url = ("--base-url", endpoint.url, "--concurrency", draw.choice((1, 4, 16)))
        words = ("run", "salbench", "--data", data, "--model", "api/fake", *url, "--out", home / "runs")
        seen: dict[str, set[str]] = {}
        for _ in range(draw.randrange(1, 5)):
            shots = [(draw.random() * 1.2, draw.choice(KINDS)) for _ in range(draw.choice((1, 1, 2)))]
            forks.run(*words, cache=home / "cache", signals=shots).well(*ENDINGS)
            seen[str(len(endpoint.requests))] = set(good_answers(home / "runs"))
        forks.run(*words, cache=home / "cache").well(0)
        pictures = {f: i for i, f in enumerate(dict.fromkeys(map(fingerprint, endpoint.requests)))}
        last = {f: n for n, f in enumerate(map(fingerprint, endpoint.requests))}
    found = good_answers(home / "runs")
    assert set(found.values()) == {1}, "an answer is doubled"
    assert len(found) == COUNT, "an answer is lost"
    assert len(pictures) == COUNT
    for asked, answered in seen.items():
        again = sum(n >= int(asked) for n in last.values())
        assert again <= COUNT - len(answered), "what was answered is asked again"
    assert derived(next((home / "runs").iterdir())) == derived(reference)


@pytest.fixture(scope="module")
def asked(forks: Forks, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A set, and the run that nobody disturbed."""
    home = tmp_path_factory.mktemp("asked")
    data = write_set(home / "set", COUNT)
    with Endpoint() as endpoint:
        words = ("run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url)
        forks.run(*words, "--out", home / "runs", cache=home / "cache").well(0)
    return data, next((home / "runs").iterdir())


def test_asking_is_killed_and_goes_on(forks: Forks, asked: tuple[Path, Path], tmp_path: Path) -> None:
    asked_under_fire(forks, asked[0], tmp_path, asked[1], Random("every day"))


@pytest.mark.faults
def test_asking_under_fire(forks: Forks, asked: tuple[Path, Path], tmp_path: Path) -> None:
    each("asking", lambda draw, n: asked_under_fire(forks, asked[0], tmp_path / str(n), asked[1], draw), 0.12)


@pytest.mark.faults
@pytest.mark.parametrize("exam", ["salbench", "vqax", "grounding"])
def test_marking_under_fire(forks: Forks, finished: Finished, tmp_path: Path, exam: str) -> None:
    run = finished[exam]
    wanted = derived(run)

    def check(draw: Random, _number: int) -> None:
        here = copied(run, tmp_path / run.name)
        shot = (draw.random() * 0.4, draw.choice(KINDS))
        forks.run("mark", here, cache=tmp_path, signals=[shot]).well(*ENDINGS)
        for name in ("answers.jsonl", "samples.jsonl"):
            assert (here / name).read_bytes() == (run / name).read_bytes(), f"{name} was changed"
        json.loads((here / "run.json").read_bytes())
        forks.run("mark", here, cache=tmp_path).well(0)
        assert derived(here) == wanted
        assert not [n for n in listing(here) if n.endswith(".part")], "something half done stays"

    each(f"marking {exam}", check, 0.12)


@pytest.mark.faults
@pytest.mark.parametrize(
    "words",
    [
        ("report", "{run}", "--out", "{out}"),
        ("export", "{run}", "--format", "csv", "--out", "{out}"),
        ("export", "{run}", "--format", "parquet", "--out", "{out}"),
    ],
    ids=["report", "csv", "parquet"],
)
def test_a_page_or_a_table_is_whole_or_not_there(
    forks: Forks, finished: Finished, tmp_path: Path, words: tuple[str, ...]
) -> None:
    out = tmp_path / ("page.html" if words[0] == "report" else f"table.{words[3]}")
    filled = [w.format(run=finished["salbench"], out=out) for w in words]
    forks.run(*filled, cache=tmp_path / "cache").well(0)
    whole = out.read_bytes()

    def check(draw: Random, _number: int) -> None:
        out.unlink(missing_ok=True)
        if old := draw.random() < 0.5:
            out.write_bytes(b"as it was")
        shot = (draw.random() * 0.6, draw.choice(KINDS))
        ended = forks.run(*filled, cache=tmp_path / "cache", signals=[shot]).well(*ENDINGS)
        found = out.read_bytes() if out.exists() else None
        assert found in (whole, b"as it was" if old else None), f"half of it ({ended.code} {shot}): {ended.err}"

    each(f"{words[0]} {words[-3]}", check, 0.12)
