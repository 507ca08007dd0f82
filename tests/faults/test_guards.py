"""The suite notices when a guard is gone: each case holds, and fails once its guard is taken out of the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.faults import scenarios
from tests.faults.conftest import Finished, Made
from tests.faults.damage import copied
from tests.faults.guards import GUARDS
from tests.faults.test_endpoint import survives
from tests.faults.test_money import billed
from tests.support.forks import Forks
from tests.support.hostile_endpoint import HostileEndpoint
from tests.support.sets import write_set

Case = Callable[[Forks, Finished, Made, Path], None]


def cap(forks: Forks, _finished: Finished, _sets: Made, home: Path) -> None:
    for number in range(3):
        billed(forks, write_set(home / "set", 40), home / str(number), Random(number))


def keys(forks: Forks, _finished: Finished, _sets: Made, home: Path) -> None:
    with HostileEndpoint(scenarios.KEYS) as endpoint:
        survives(forks, endpoint, write_set(home / "set", 3), home, "key-model")
        survives(forks, endpoint, write_set(home / "set", 3), home, "key-500")


def links(forks: Forks, finished: Finished, _sets: Made, home: Path) -> None:
    here = copied(finished["salbench"], home / "run")
    (home / "precious").write_bytes(b"mine")
    (here / "summary.json").unlink()
    (here / "summary.json").symlink_to(home / "precious")
    forks.run("mark", here, cache=home / "cache").well(0, 2)
    assert (home / "precious").read_bytes() == b"mine", "written through a link"


def disk(forks: Forks, finished: Finished, _sets: Made, home: Path) -> None:
    forks.run("show", finished["salbench"], cache=home, out="/dev/full").well(2)


def damage(forks: Forks, finished: Finished, _sets: Made, home: Path) -> None:
    here = copied(finished["vqax"], home / "run")
    (here / "run.json").write_text(json.dumps({"exam": 5}))
    forks.run("mark", here, cache=home / "cache").well(2)


def kept(forks: Forks, _finished: Finished, _sets: Made, home: Path) -> None:
    with HostileEndpoint({}) as endpoint:
        endpoint.good.add("well")
        data = write_set(home / "set", 3)
        words = (
            "run",
            "salbench",
            "--data",
            data,
            "--model",
            "api/m",
            "--base-url",
            endpoint.url("well"),
            "--no-store",
        )
        for _ in range(2):
            forks.run(*words, "--out", home / "runs", cache=home / "cache").well(0, 3)
        assert endpoint.requests("well") == 3, "asked again"


CASES: dict[str, Case] = {c.__name__: c for c in (cap, keys, links, disk, damage, kept)}


def test_every_guard_has_its_case() -> None:
    assert set(CASES) == set(GUARDS)


@pytest.mark.faults
@pytest.mark.parametrize("name", GUARDS)
def test_a_guard_that_is_gone_is_noticed(
    forks: Forks, finished: Finished, sets: Made, tmp_path: Path, name: str
) -> None:
    _ = finished["salbench"], finished["vqax"]  # made while all guards are in
    CASES[name](forks, finished, sets, tmp_path / "guarded")
    with forks.without(name), pytest.raises(AssertionError) as noticed:
        CASES[name](forks, finished, sets, tmp_path / "bare")
    assert str(noticed.value)
