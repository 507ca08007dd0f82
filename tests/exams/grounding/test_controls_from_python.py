"""Controls work for grounding from Python as from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.command import snellen

import snellen as api


@pytest.mark.parametrize("controls", [["blank"], ["blank", "shuffled"]])
def test_controls_from_python(tmp_path: Path, controls: list[str]) -> None:
    made = snellen("data", "make", "grounding", "--out", tmp_path / "set", "--count", 12, cache=tmp_path)
    assert made.returncode == 0, made.stderr
    run = api.evaluate(
        "grounding",
        model="method/center",
        data=tmp_path / "set",
        controls=controls,
        splits=["easy"],
        out=tmp_path / "runs",
    )
    rows = [row for row in run.summary.controls if row.protocol == "click"]
    assert [row.control for row in rows] == controls
    assert all(row.n == run.summary.samples for row in rows)
    assert run.summary.complete
