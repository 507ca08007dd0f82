"""What several tests of the wire need: certificates."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support.wire import make_certificate


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not here to make a test certificate")
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("localhost", "me"):
        make_certificate(folder, name)
    return folder
