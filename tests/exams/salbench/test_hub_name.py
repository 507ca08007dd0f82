"""`--dataset salbench-vlm/salbench` is a hub name; a mistyped path is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from snellen.cli import options
from snellen.core.errors import SnellenError


def test_the_hubs_name_stands_for_the_data_and_no_other_name_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNELLEN_DATA_DIR", str(tmp_path))
    with pytest.raises(SnellenError, match="not fetched yet; 'snellen data get salbench' does it"):
        options.data_folder("salbench", "salbench-vlm/salbench")
    with pytest.raises(SnellenError, match="'snellen data get grounding --set screenspot-v2' does it"):
        options.data_folder("grounding", "OS-Copilot/ScreenSpot-v2")
    (tmp_path / "salbench").mkdir()
    assert options.data_folder("salbench", "salbench-vlm/SalBench") == tmp_path / "salbench"
    assert options.data_folder("salbench", None) == tmp_path / "salbench"
    with pytest.raises(SnellenError, match="no such folder"):
        options.data_folder("salbench", "data/salbench-mistyped")
