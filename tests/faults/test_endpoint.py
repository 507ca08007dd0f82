"""Whatever an endpoint says: no hang, no traceback, a known exit code, no key on disk, no usable reply asked for twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.faults import scenarios
from tests.faults.chance import SEED, each
from tests.support.forks import Forks
from tests.support.hostile_endpoint import HostileEndpoint
from tests.support.sets import write_set

COUNT = 3
TRIES = 2
CODES = {"status-401-0": 2, "status-403-0": 2, "status-402-0": 3, "gzip": 0, "no-length": 0, "content-0": 3}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_set(tmp_path_factory.mktemp("hostile") / "set", COUNT)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[HostileEndpoint]:
    known = dict(scenarios.ALL)
    with HostileEndpoint(known) as found:
        known.update(scenarios.redirects(found.trap))
        yield found


def answered(out: Path) -> set[str]:
    """Ids of the samples whose replies are on file."""
    lines = [json.loads(line) for file in out.glob("*/answers.jsonl") for line in file.read_bytes().splitlines()]
    return {a["id"] for a in lines if "failure" not in a}


def survives(forks: Forks, endpoint: HostileEndpoint, data: Path, home: Path, name: str) -> None:
    """The scenario is played to a run, then the endpoint is well again and the same command goes on."""
    out, cache = home / name / "runs", home / name / "cache"
    words = ("run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url(name), "--out", out)
    more = ("--tries", TRIES, "--timeout", 2, "--logprobs", 2, "--concurrency", 3)
    env = {"SNELLEN_API_KEY": scenarios.KEY}
    first = forks.run(*words, *more, "--api-key", scenarios.KEY, cache=cache, env=env, seconds=90, memory=3 << 30)
    first.well(*((CODES[name],) if name in CODES else (0, 2, 3)))
    asked, kept = endpoint.requests(name), answered(out)
    assert asked <= COUNT * TRIES * 3, (
        f"asked {asked} times"
    )  # a parameter that is refused is left out and asked without
    endpoint.good.add(name)
    second = forks.run(*words, *more, "--api-key", scenarios.KEY, cache=cache, env=env, seconds=90)
    second.well(0, 3)
    assert answered(out) >= kept, "an answer is lost"
    assert endpoint.requests(name) - asked <= COUNT - len(kept), "a reply that was there is asked for again"
    for file in (home / name).rglob("*"):
        assert not file.is_file() or scenarios.KEY.encode() not in file.read_bytes(), f"the key is in {file}"
    assert scenarios.KEY not in first.out + first.err + second.out + second.err, "the key is shown"
    assert not endpoint.trapped, f"a redirect was followed: {endpoint.trapped}"


@pytest.mark.parametrize("name", scenarios.SHORT)
def test_some_of_each_kind(forks: Forks, endpoint: HostileEndpoint, data: Path, tmp_path: Path, name: str) -> None:
    survives(forks, endpoint, data, tmp_path, name)


@pytest.mark.faults
@pytest.mark.parametrize("part", range(6))
def test_many_scenarios(forks: Forks, endpoint: HostileEndpoint, data: Path, tmp_path: Path, part: int) -> None:
    names = sorted({*scenarios.ALL, *scenarios.redirects(0)} - set(scenarios.SHORT))[part::6]
    Random(SEED).shuffle(names)

    def check(_draw: Random, number: int) -> None:
        try:
            if number < len(names):
                survives(forks, endpoint, data, tmp_path, names[number])
        except AssertionError as error:
            raise AssertionError(f"{names[number]}: {error}") from None

    each(f"scenarios {part}", check, 0.2)


@pytest.mark.faults
def test_hostile_lists_of_models(forks: Forks, endpoint: HostileEndpoint, data: Path, tmp_path: Path) -> None:
    names = sorted({*scenarios.WIRE, *scenarios.SHAPES, *scenarios.KEYS})

    def check(draw: Random, number: int) -> None:
        name = draw.choice(names)
        endpoint.models.add(name)
        endpoint.good.discard(name)
        try:
            survives(forks, endpoint, data, tmp_path / str(number), name)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None
        finally:
            endpoint.models.discard(name)
            endpoint.asked.clear()

    each("lists of models", check, 0.1)
