"""`compare` says on how few screenshots a ranking stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from snellen.doors.openadapt.commands import main


def result(method: str, screens: int, latency: float = 400.0, dataset: str = "mine") -> dict[str, Any]:
    rows = [
        {
            "sample_id": f"s{i}",
            "element_id": f"e{j}",
            "found": j % 2 == 0,
            "latency_ms": latency,
            "element_type": "icon",
        }
        for i in range(screens)
        for j in range(4)
    ]
    empty = dict.fromkeys((f"detection_rate_{size}" for size in ("small", "medium", "large")), 0.0)
    return empty | {
        "method_name": method, "dataset_name": dataset, "detection_rate": 0.5, "mean_iou": 0.0, "mean_latency_ms": latency,
        "mean_attempts": 1.0, "detection_rate_by_type": {}, "total_elements": len(rows), "detected_elements": len(rows) // 2,
        "results": rows, "oracle": False, "protocol": {"name": "click"},
    }  # fmt: skip


def compare(folder: Path, capsys: pytest.CaptureFixture[str], **results: dict[str, Any]) -> tuple[str, str, str]:
    """What the command says, what its comparison says of it, and its table."""
    folder.mkdir()
    for name, content in results.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    with pytest.raises(SystemExit) as done:
        main(["compare", "--results_dir", str(folder), "--charts_dir", str(folder / "charts")])
    assert not done.value.code
    notes = json.loads((folder / "comparison.json").read_text())["notes"]
    chart = (folder / "charts" / "detection_rate_overall.svg").read_text()
    assert all(note[1:40] in chart for note in notes)
    return capsys.readouterr().err, " ".join(notes), (folder / "comparison.md").read_text()


def test_results_on_different_elements_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for told in compare(tmp_path / "unlike", capsys, a=result("a", 3), b=result("b", 8)):
        assert "on mine these were run on different elements (3 screenshots with 12 elements, 8 screenshots" in told
    said, notes, table = compare(tmp_path / "alike", capsys, a=result("a", 8), b=result("b", 8))
    assert (said, notes) == ("", "")
    assert "Note" not in table
    for told in compare(tmp_path / "sets", capsys, a=result("a", 8), b=result("b", 8, dataset="yours")):
        assert "these are of different data sets (mine, yours)" in told
