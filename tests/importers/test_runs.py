"""An imported run is a run: it can be verified, marked again, shown, and compared with one of our own."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.importers.conftest import LOGS, Imports

import snellen
from snellen.comparison.gating import gate_runs
from snellen.core.errors import SnellenError
from snellen.engine.mark.verify import verify
from snellen.engine.remark import remark
from snellen.present.model.run_facts import facts_of

INSPECT = LOGS / "inspect.eval"


def native(run: snellen.Run, salbench: Path, tmp_path: Path) -> snellen.Run:
    """The same replies, asked by us."""
    file = tmp_path / "same.jsonl"
    lines = [json.dumps({"id": a.id, "text": a.text}) for a in run.answers()]
    file.write_text("\n".join(lines), encoding="utf-8")
    return snellen.evaluate(
        "salbench", model=f"replay/{file}", data=salbench, splits=("P3",), tasks=("D",), out=tmp_path / "own"
    )


def test_it_verifies_against_its_data(imported: Imports, salbench: Path) -> None:
    done = imported("inspect", INSPECT)
    found = verify(done.run.path, exports=True)
    assert found.total == 0
    assert any("12 samples" in line for line in found.checked)


def test_a_changed_answer_no_longer_verifies(imported: Imports) -> None:
    path = imported("inspect", INSPECT).run.path
    answers = path / "answers.jsonl"
    answers.write_bytes(answers.read_bytes().replace(b"The object differs in color.", b"Size", 1))
    assert verify(path).total > 0


def test_compared_with_a_run_of_the_same_replies_nothing_differs(
    imported: Imports, salbench: Path, tmp_path: Path
) -> None:
    done = imported("inspect", INSPECT)
    own = native(done.run, salbench, tmp_path)
    found = snellen.compare(done.run.path, own.path)
    assert found.samples == 12
    assert {row.protocol for row in found.rows} == {"paper", "lmms-eval", "plan-v2", "robust"}
    assert all(row.difference == 0 for row in found.rows)
    ours, theirs = ({name: s.value for name, s in run.scores().items()} for run in (own, done.run))
    assert ours == theirs


def test_a_wording_of_their_own_is_said_when_compared(imported: Imports, salbench: Path, tmp_path: Path) -> None:
    rows = [
        json.dumps({"id": f"P3/syn-p3-s5-{i:05}", "response": "Color", "prompt": "What is odd?"}) for i in range(12)
    ]
    file = tmp_path / "odd.jsonl"
    file.write_text("\n".join(rows), encoding="utf-8")
    done = imported("csv", file)
    assert done.record.wording == "other"
    own = native(done.run, salbench, tmp_path)
    notes = " ".join(snellen.compare(done.run.path, own.path).notes)
    assert "worded its questions otherwise" in notes


def test_marked_again_nothing_changes_and_more_protocols_can_be_added(imported: Imports) -> None:
    done = imported("inspect", INSPECT, protocols=("paper",))
    assert [p.protocol for p in done.run.protocols] == ["paper"]
    assert remark(done.run.path).counts == {"paper": (12, 0)}
    remark(done.run.path, ("robust@question",))
    assert [p.protocol for p in snellen.open_run(done.run.path).protocols] == ["paper", "robust"]


def test_the_same_log_is_the_same_run_whatever_its_name(imported: Imports, tmp_path: Path) -> None:
    first = imported("inspect", INSPECT)
    answers = (first.run.path / "answers.jsonl").read_bytes()
    copy = tmp_path / "renamed.eval"
    copy.write_bytes(INSPECT.read_bytes())
    second = imported("inspect", copy)
    assert (first.again, second.again, second.run.path) == (False, True, first.run.path)
    assert (first.run.path / "answers.jsonl").read_bytes() == answers


def test_an_import_that_was_cut_short_is_completed(imported: Imports) -> None:
    done = imported("inspect", INSPECT)
    answers = done.run.path / "answers.jsonl"
    whole = answers.read_bytes()
    answers.write_bytes(whole[:500])
    again = imported("inspect", INSPECT)
    assert sorted(answers.read_bytes().splitlines()) == sorted(whole.splitlines())
    assert again.run.summary.complete


def test_truths_may_come_from_the_log_and_then_no_paper_stands_beside(imported: Imports, tmp_path: Path) -> None:
    rows = [
        {"id": i, "split": "P3", "answer": "color", "response": r} for i, r in enumerate(["Color", "Size", "colour."])
    ]
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = imported("csv", file, data=None)
    assert (done.record.truth, done.run.manifest.truth_from_log) == ("log", True)
    assert {a.protocol: a.right for a in done.against} == {"paper": 1, "lmms-eval": 1, "plan-v2": 1, "robust": 2}
    assert not done.run.summary.published
    assert any("came from the log" in line for line in verify(done.run.path).unchecked)


def test_a_log_of_one_part_needs_no_data_set(imported: Imports) -> None:
    done = imported("inspect", INSPECT, data=None)  # its samples' metadata name the config
    assert {a.protocol: a.right for a in done.against} == {"paper": 1, "lmms-eval": 1, "plan-v2": 3, "robust": 3}
    theirs = imported("lmms-eval", next((LOGS / "lmms").glob("*results.json")), data=None)  # as its tasks' names do
    assert {a.part for a in theirs.against} == {"P3", "O3"}


def test_without_data_and_without_targets_it_says_what_is_missing(imported: Imports, tmp_path: Path) -> None:
    file = tmp_path / "bare.csv"
    file.write_text("id,response,split\n1,Color,P3\n", encoding="utf-8")
    with pytest.raises(SnellenError, match=r'"answer".* is missing.*--data DIR'):
        imported("csv", file, data=None)
    file.write_text("id,response,answer\n1,Color,color\n", encoding="utf-8")
    with pytest.raises(SnellenError, match='field "split" must be'):
        imported("csv", file, data=None)


def test_what_the_log_leaves_open_is_said_wherever_the_run_is_shown(imported: Imports, tmp_path: Path) -> None:
    done = imported("inspect", INSPECT, data=None, out=tmp_path / "log")
    notes = " ".join(snellen.explain(done.run).notes)
    assert "The run was imported from a log of inspect, which" in notes
    assert "The truths of the run are those of its log, not of a data set." in notes
    facts = dict(facts_of(done.run, done.run.summary))
    assert facts["real or synthetic"].startswith("not known")


def test_a_log_without_all_answers_judges_nobody_and_says_why(imported: Imports, tmp_path: Path) -> None:
    path = imported("inspect", INSPECT).run.path
    summary = snellen.open_run(path).summary
    snellen.open_run(path).folder.write_record(msgspec.structs.replace(summary, complete=False))
    other = imported("inspect", LOGS / "inspect-epochs.eval").run.path
    with pytest.raises(SnellenError, match="the log that it was imported from has no answer to the rest"):
        gate_runs(other, path, max_drop=0.02)
