"""What several tests of the wire need: each client in turn, and certificates."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support.wire import make_certificate

from snellen.engine.call.transport import CLIENTS


@pytest.fixture(params=CLIENTS)
def client_name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with each client, as SNELLEN_HTTP chooses it."""
    monkeypatch.setenv("SNELLEN_HTTP", request.param)
    return str(request.param)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not here to make a test certificate")
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("localhost", "me"):
        make_certificate(folder, name)
    return folder
