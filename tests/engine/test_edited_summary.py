"""An edited summary is noticed by `report` and `remark`."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.support.command import snellen
from tests.support.sets import write_set


def edited(folder: Path) -> Path:
    """A run whose summary claims 98.8 %."""
    write_set(folder / "data", 9)
    words = [
        "run",
        "salbench",
        "--data",
        folder / "data",
        "--model",
        "baseline/constant:Color",
        "--out",
        folder / "runs",
    ]
    done = snellen(*words, "--json", cache=folder / "cache")
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    summary = run / "summary.json"
    changed, n = re.subn(r'"value": 0\.\d+', '"value": 0.98765', summary.read_text())
    assert n
    summary.write_text(changed)
    return run


def test_report_refuses_it(tmp_path: Path) -> None:
    run = edited(tmp_path)
    done = snellen("report", run, "--out", tmp_path / "page.html", cache=tmp_path / "cache")
    assert done.returncode == 2
    assert "summary.json: it was changed after Snellen wrote it" in done.stderr
    assert f"snellen mark {run}" in done.stderr
    assert not (tmp_path / "page.html").exists()


def test_remark_repairs_it_says_so_and_keeps_the_evidence(tmp_path: Path) -> None:
    run = edited(tmp_path)
    done = snellen("mark", run, cache=tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    assert "it was changed after Snellen wrote it" in done.stderr
    assert "summary.json.old" in done.stderr
    assert '"value": 0.98765' in (run / "summary.json.old").read_text()
    assert '"value": 0.98765' not in (run / "summary.json").read_text()
    assert snellen("report", run, "--out", tmp_path / "page.html", cache=tmp_path / "cache").returncode == 0
