"""Every exam, ours and a plugin's, asked twice: who says the same both times scores as if asked once, with no spread and no narrower."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from snellen.comparison.comparing import compare_runs
from snellen.comparison.explaining import explain_run
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.results import GroupSummary, declared
from snellen.engine.mark.integrity import check_summary
from snellen.engine.mark.verify import verify
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.run import run_plan
from snellen.engine.runs.run import Run
from snellen.present.files.export import rows_of
from snellen.present.model.findings import SAID_ELSEWHERE, findings
from snellen.present.model.paper_table import paper_tables
from tests.contracts.test_exports import MODELS


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """The runs of `runs`, by exam: each is made once a process."""
    return {"": (tmp_path_factory.mktemp("recorded"),) * 2}


@pytest.fixture
def runs(exam: Exam, sets: dict[str, Path], recorded: dict[str, tuple[Path, Path]], tmp_path: Path) -> tuple[Run, Run]:
    """The same replies, recorded once and twice, in folders that a test may change."""
    if exam.name not in recorded:
        recorded[exam.name] = _record(exam, sets[exam.name], recorded[""][0] / exam.name)
    once, twice = (Run(shutil.copytree(path, tmp_path / path.name)) for path in recorded[exam.name])
    return once, twice


def _record(exam: Exam, data: Path, folder: Path) -> tuple[Path, Path]:
    folder.mkdir()
    model = MODELS.get(exam.name, "baseline/constant:yes because it is so").format(data=data)
    first = run_plan(make_plan(RunRequest(exam.name, model, data, out=folder / "first"))).run
    once = [{"id": a.id, "prompt": a.prompt, "text": a.text} for a in first.answers() if a.failure is None]
    twice = [*once, *({**a, "prompt": f"{a['prompt']}#2"} for a in once)]
    found = []
    for name, lines, repeats in (("once", once, 1), ("twice", twice, 2)):
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        request = RunRequest(exam.name, f"replay/{path}", data, out=folder / "runs", repeats=repeats)
        found.append(run_plan(make_plan(request)).run.path)
    return found[0], found[1]


def test_who_says_the_same_twice_scores_as_if_asked_once(runs: tuple[Run, Run]) -> None:
    once, twice = (run.summary for run in runs)
    assert twice.questions == 2 * once.questions
    assert [p.protocol for p in twice.protocols] == [p.protocol for p in once.protocols]
    for one, two in zip(once.protocols, twice.protocols, strict=True):
        assert (one.repeats, two.repeats) == (1, 2)
        assert [(g.by, g.n, g.whole) for g in two.groups] == [(g.by, g.n, g.whole) for g in one.groups]
        for before, after in zip(one.groups, two.groups, strict=True):
            assert after.outcomes == {name: 2 * n for name, n in before.outcomes.items()}
            assert after.metrics.keys() == before.metrics.keys()
            assert (after.bounds is None) == (before.bounds is None)
            if after.consistency is not None:
                assert after.consistency.same == after.consistency.n == after.n
            for key in before.metrics:
                _same(before, after, key, declared(one.metrics, key).kind == "mean")
    assert verify(runs[1].path).total == 0


def _same(before: GroupSummary, after: GroupSummary, key: str, mean: bool) -> None:
    was, now = before.metrics[key], after.metrics[key]
    if was.value is None:
        assert now.value is None
        return
    for name in ("value", "low", "high", "floor"):
        end = getattr(was, name)
        assert getattr(now, name) == (None if end is None else pytest.approx(end, abs=1e-9)), (key, name)
    assert (now.n, now.unit) == (was.n, was.unit)
    if mean and after.consistency is not None:
        assert now.interval == was.interval
    assert now.spread is not None
    assert now.spread.sd == pytest.approx(0, abs=1e-9)


def test_it_does_not_differ_from_itself(runs: tuple[Run, Run]) -> None:
    found = compare_runs([run.path for run in runs])
    assert found.rows
    assert {round(row.difference, 12) for row in found.rows} == {0.0}
    assert all(row.p == 1 for row in found.rows)


def test_what_is_said_of_it_is_what_was_said_of_one_asking(exam: Exam, runs: tuple[Run, Run]) -> None:
    said = [
        [f.text for f in findings(run.summary, exam) if f.kind == "silent" or f.kind not in SAID_ELSEWHERE]
        for run in runs
    ]
    assert said[0] == said[1]
    once, twice = (paper_tables(rows_of([run]).scores) for run in runs)
    assert [[line.figures for line in t.lines] for t in twice] == [[line.figures for line in t.lines] for t in once]
    assert all("asked 2 times" in " ".join(t.caption) for t in twice)
    assert all("asked" not in " ".join(t.caption) for t in once)


def test_its_marks_give_its_summary_and_a_changed_one_of_a_later_time_is_seen(
    exam: Exam, runs: tuple[Run, Run]
) -> None:
    run = runs[1]
    check_summary(run, run.summary, exam)
    path = run.folder.marks_path(run.summary.plain[0].protocol, 2)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    first = lines[0]["outcome"]
    lines[0]["outcome"] = "refused" if first != "refused" else "empty"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(SnellenError, match="do not give its summary"):
        check_summary(run, run.summary, exam)


def test_its_explanation_begins_with_the_number_that_the_run_shows(runs: tuple[Run, Run]) -> None:
    try:
        once, twice = (explain_run(run.path) for run in runs)
    except SnellenError as error:  # an exam without a score that is a share
        assert "nothing to explain" in str(error)
        return
    assert twice.headline.value == pytest.approx(once.headline.value, abs=1e-12)
    assert (once.repeats, twice.repeats) == (1, 2)
    assert len(twice.readings) == len(once.readings)
    assert {r.prompt for r in twice.readings} == {r.prompt for r in once.readings}
