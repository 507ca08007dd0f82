"""A run folder that Snellen 0.1 made still opens: its scores are read, shown and marked again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import snellen
from snellen.present.page.report import write_report
from snellen.present.terminal.run import print_run

OLD = Path(__file__).parent / "run_0_1"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    shutil.copytree(OLD, tmp_path / "run")
    return tmp_path / "run"


def test_its_records_are_read(old: Path) -> None:
    run = snellen.open_run(old)
    assert (run.manifest.format, run.manifest.benchmark, run.manifest.data.samples) == (1, "salbench", 3)
    assert run.manifest.options.limit == 3
    assert run.summary.layout == 2
    assert [p.protocol for p in run.protocols] == ["paper", "seed"]
    assert [g.by for g in run.protocols[0].groups if g.whole] == [{"config": "P3"}]
    before = json.loads((OLD / "summary.json").read_text())["protocols"][0]["groups"][0]["metrics"]["macro_f1"]["value"]
    assert run.scores()["paper", "P3"].value == before
    assert {row.control for row in run.controls} == {"blank"}


def test_it_is_shown(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = snellen.open_run(old)
    print_run(run)
    print_run(run, verbose=True)
    assert "macro" in capsys.readouterr().out
    write_report([run], tmp_path / "page.html")
    assert "baseline/constant:color" in (tmp_path / "page.html").read_text()


def test_it_is_marked_again_with_the_same_scores_under_todays_names(old: Path) -> None:
    before = {p: s.value for p, s in snellen.open_run(old).scores().items()}
    marks = (old / "marks" / "seed.jsonl").read_bytes()
    assert snellen.remark(old).changes == []
    run = snellen.open_run(old)
    assert (run.manifest.benchmark, run.summary.layout) == ("salbench", 6)
    assert [p.protocol for p in run.protocols] == ["paper", "plan-v2"]
    assert {p: s.value for p, s in run.scores().items()} == {
        ("plan-v2" if name == "seed" else name, part): value for (name, part), value in before.items()
    }
    assert (old / "marks" / "plan-v2.jsonl").read_bytes() == marks
