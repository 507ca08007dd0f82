"""Tests that need an extra which some machines lack: there is no CPU build of torch for every Python."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

needs_local = pytest.mark.skipif(
    not (find_spec("torch") and find_spec("transformers")), reason="the extra 'local' is not installed"
)
