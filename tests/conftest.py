"""Every test has its own answer store and data folder, and no key of the user's; none depends on how busy the machine is."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.made_sets import HOME

# in the background of a script Ctrl-C is ignored, and the commands that tests start would ignore it, too
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("the same cases", ANY_MACHINE, max_examples=30, derandomize=True, database=None)
settings.register_profile("by chance", ANY_MACHINE, max_examples=400)  # make test-faults
settings.load_profile("the same cases")

SETS = pytest.StashKey[str]()
KEYS = ("_API_KEY", "_AUTH_TOKEN", "_BASE_URL")
OTHERS = ("OLLAMA_HOST", "HF_TOKEN")


def pytest_configure(config: pytest.Config) -> None:
    if HOME not in os.environ:
        os.environ[HOME] = config.stash[SETS] = tempfile.mkdtemp(prefix="made-sets-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if SETS in config.stash:
        shutil.rmtree(config.stash[SETS], ignore_errors=True)


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNELLEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SNELLEN_DATA_DIR", str(tmp_path / "data"))
    for name in [
        n for n in os.environ if n.endswith(KEYS) or n.startswith(("OPENAI_", "AZURE_OPENAI_")) or n in OTHERS
    ]:
        monkeypatch.delenv(name)
