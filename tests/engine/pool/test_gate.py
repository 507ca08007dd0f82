"""The gate of a Ray cluster: a busy head is tried again, and what it said last is what a user reads."""

from __future__ import annotations

import contextlib
from typing import Any
from unittest.mock import MagicMock

import pytest

from snellen.core.errors import SnellenError
from snellen.engine import ray_pool

TRACEBACK = 'Initialization failure from server:\nTraceback (most recent call last):\n  File "proxier.py", line 772\nRuntimeError: too slow\n\n'


class Gate:
    """A cluster that refuses so many times."""

    def __init__(self, refusals: int, why: Exception) -> None:
        self.refusals, self.why, self.asked = refusals, why, 0

    def init(self, address: str, **_quiet: Any) -> None:
        self.asked += 1
        if self.asked <= self.refusals:
            raise self.why


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_pool, "LOOK", 0.0)


def connected(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(ray_pool, "_module", lambda name: gate if name == "ray" else MagicMock())
    with contextlib.ExitStack() as folders:
        return ray_pool._connected("ray://head:10001", folders)


@pytest.mark.parametrize("refusals", [0, 1, 2])
def test_a_busy_gate_is_tried_three_times(refusals: int, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(refusals, ConnectionAbortedError(TRACEBACK))
    assert connected(gate, monkeypatch) is gate
    assert gate.asked == refusals + 1


def test_a_gate_that_never_opens_is_told_by_its_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(9, ConnectionAbortedError(TRACEBACK))
    with pytest.raises(SnellenError) as told:
        connected(gate, monkeypatch)
    assert gate.asked == 3
    assert str(told.value).endswith("(ConnectionAbortedError: RuntimeError: too slow)")


def test_what_is_no_refusal_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(9, ConnectionError("ray client connection timeout"))
    with pytest.raises(
        SnellenError,
        match=r"ray client connection timeout.*; if the cluster asks for a token, set RAY_AUTH_MODE=token$",
    ):
        connected(gate, monkeypatch)
    assert gate.asked == 1
