"""Runs to look at: two of one exam, made once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.sets import write_set
from tests.viewer.served import Served, served

import snellen

SAMPLES = 120


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs of 120 samples, their data set beside it."""
    folder = tmp_path_factory.mktemp("viewed")
    write_set(folder / "data", SAMPLES)
    for model in ("baseline/chance", "baseline/constant:Color"):
        snellen.evaluate("salbench", model=model, data=folder / "data", out=folder / "runs", use_store=False)
    return folder / "runs"


@pytest.fixture(scope="session")
def viewer(runs: Path) -> Iterator[Served]:
    with served(runs) as found:
        yield found


@pytest.fixture(scope="session")
def keys(viewer: Served) -> list[str]:
    """The keys of the two runs, the one that guesses first."""
    found = viewer.viewer.run_index.found().runs
    return [run.key for run in sorted(found, key=lambda run: "constant" in run.path.name)]
