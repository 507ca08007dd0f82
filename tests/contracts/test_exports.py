"""Every exam, ours and a plugin's, comes out in the one tidy schema, in every format."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from snellen.core.exam import Exam
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.run import run_plan
from snellen.engine.runs.run import Run
from snellen.present.files.export import SUFFIXES, exported, rows_of

MODELS = {
    "grounding": "method/center",
    "d3": "replay/{data}/captions/reference.json",
    "dots": "baseline/constant:3",
}


@pytest.fixture
def run(exam: Exam, sets: dict[str, Path], tmp_path: Path) -> Run:
    data = sets[exam.name]
    model = MODELS.get(exam.name, "baseline/constant:yes because it is so").format(data=data)
    return run_plan(make_plan(RunRequest(exam.name, model, data, out=tmp_path / "runs"))).run


def test_every_score_and_every_mark_is_exported(run: Run) -> None:
    summary = run.summary
    rows = rows_of([run], samples=True)
    assert len(rows.scores) == sum(len(g.metrics) for p in summary.protocols for g in p.groups)
    headlines = {(r.protocol, r.part): r.value for r in rows.scores if r.headline and r.whole and not r.control}
    assert headlines == {(p, part or "all"): s.value for (p, part), s in run.scores().items()}
    assert all(bool(r.synthetic) == run.manifest.data.synthetic for r in rows.scores)
    samples = rows.samples or []
    for protocol in summary.protocols:
        own = [r for r in samples if r.protocol == protocol.protocol]
        marks = list(run.marks(protocol.protocol))
        assert [(r.id, r.outcome, r.metrics) for r in own] == [(m.id, m.outcome, m.metrics) for m in marks]
    replies = {(a.id, a.prompt): a.text for a in run.answers()}
    assert all(r.reply == replies[r.id, r.prompt + (f"+{r.control}" if r.control else "")] for r in samples)


def test_every_format_can_be_written(run: Run, exam: Exam) -> None:
    rows = rows_of([run], samples=True)
    for form in SUFFIXES:
        assert exported(rows_of([run]), form)
    table = pq.read_table(io.BytesIO(exported(rows, "parquet")))
    assert table.num_rows == len(rows.samples or ())
    assert [r["value"] for r in json.loads(exported(rows, "json"))["scores"]] == [r.value for r in rows.scores]
    for text in (exported(rows_of([run]), "latex").decode(), exported(rows_of([run]), "md").decode()):
        assert ("SYNTHETIC" in text) == run.manifest.data.synthetic
        assert text.count("n = ") + text.count("n: ") >= 1 and exam.name in text
    assert len(run.to_pandas(samples=True)) == table.num_rows
    assert "<table>" in run._repr_html_()
