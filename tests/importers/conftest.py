"""Logs that Inspect and lmms-eval wrote themselves (bench/rivals made them), and the synthetic set that they were made on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.command import snellen as command

from snellen.importers.importing import ImportedRun, ImportRequest, import_log

LOGS = Path(__file__).parent / "logs"
Imports = Callable[..., ImportedRun]


@pytest.fixture(scope="session")
def salbench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set")
    made = ("data", "make", "salbench", "--count", 12, "--seed", 5, "--out", folder / "S")
    done = command(*made, cache=folder / "cache")
    assert done.returncode == 0, done.stderr
    return folder / "S"


@pytest.fixture
def imported(salbench: Path, tmp_path: Path) -> Imports:
    """A log as a run; the data set is ours unless another is named."""

    def take(tool: str, *files: Path, **how: object) -> ImportedRun:
        given = {"exam": "salbench", "data": salbench, "out": tmp_path / "runs", **how}
        return import_log(ImportRequest(tool, files, **given))  # type: ignore[arg-type]

    return take


@pytest.fixture
def lmms(tmp_path: Path) -> Path:
    """lmms-eval's three files, to change; the totals."""
    shutil.copytree(LOGS / "lmms", tmp_path / "lmms")
    return next((tmp_path / "lmms").glob("*results.json"))
