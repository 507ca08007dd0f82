"""One fork server a worker, and small sets and runs of every exam that are made once and copied."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from snellen import exams
from snellen.core.extras import maker_of
from tests.support.forks import Forks, forking

EXAMS = ("actx", "d3", "esnlive", "grounding", "illusionbench", "own", "salbench", "vcr", "vqax")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not sys.platform.startswith("linux"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="forks, /proc and pidfd are Linux's"))


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    with forking() as found:
        yield found


class Made(dict[str, Path]):
    """Folders by exam, made when first asked for."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def __missing__(self, name: str) -> Path:
        folder = self._home / name
        maker_of(exams.load(name)).make(folder, count=3, seed=5, workers=1)
        self[name] = folder
        return folder


@pytest.fixture(scope="session")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A small data set of each exam. Copy it before you damage it."""
    return Made(tmp_path_factory.mktemp("sets"))


class Finished(dict[str, Path]):
    """Run folders by exam, made when first asked for."""

    def __init__(self, home: Path, forks: Forks, sets: Made) -> None:
        self._home, self._forks, self._sets = home, forks, sets

    def __missing__(self, name: str) -> Path:
        words = ("run", name, "--data", self._sets[name], "--model", "baseline/constant:A", "--out", self._home / name)
        self._forks.run(*words, cache=self._home / "cache").well(0, 3)
        self[name] = next((self._home / name).iterdir())
        return self[name]


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, forks: Forks, sets: Made) -> Finished:
    """A run of each exam. Copy it before you damage it."""
    return Finished(tmp_path_factory.mktemp("runs"), forks, sets)
