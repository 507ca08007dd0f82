"""Logs that the tools wrote themselves: the same samples, their scores to the last digit, ours beside them."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest
from tests.importers.conftest import LOGS, Imports

import snellen
from snellen.core.errors import SnellenError
from snellen.engine.mark.verify import verify
from snellen.importers.reading import read_log
from snellen.importers.record import read_samples

RESULTS = next((LOGS / "lmms").glob("*results.json"))


def test_inspect_scores_are_made_again_to_the_last_digit(imported: Imports) -> None:
    done = imported("inspect", LOGS / "inspect.eval")
    figures = {f.name: f for f in done.record.figures}
    assert (done.record.rows, done.record.samples, done.record.matched) == (12, 12, {"id": 12})
    assert figures["includes: accuracy"].logged == 1 / 3  # what the log itself says
    assert figures["exact: mean"].logged == 1 / 12
    assert all(f.agrees and f.n == 12 for f in figures.values())
    assert done.run.manifest.data.samples == 12
    assert done.run.summary.complete


def test_lmms_eval_scores_are_made_again_to_the_last_digit(imported: Imports) -> None:
    done = imported("lmms-eval", RESULTS)
    logged = json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    assert done.record.samples == 24
    for figure in done.record.figures:
        assert figure.logged == logged[figure.part][f"{figure.name},none"]
    again = {(f.part, f.name): f for f in done.record.figures if f.computed is not None}
    assert {name for _part, name in again} == {"exact_match", "sample_precision", "sample_recall", "sample_f1"}
    assert all(f.agrees and f.n == 12 for f in again.values())
    assert again["p3", "sample_f1"].logged == 0.33333333000000004


def test_our_lmms_eval_protocol_gives_their_scores_on_their_own_log(imported: Imports) -> None:
    """Their reader, their formulas, their odd choice of categories for O3: not one figure differs."""
    done = imported("lmms-eval", RESULTS)
    scores = {part: group.metrics for group, part in _groups(done.run, "lmms-eval@lmms-eval")}
    logged = json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    names = {
        "exact_match": "exact_match",
        "sample_f1": "f1",
        "all_cat_f1": "macro_f1",
        "all_cat_recall": "macro_recall",
    }
    names |= {"sample_precision": "precision", "sample_recall": "recall", "all_cat_precision": "macro_precision"}
    for task, part in (("p3", "P3"), ("o3", "O3")):
        for theirs, ours in names.items():
            assert scores[part][ours].value == pytest.approx(logged[task][f"{theirs},none"], abs=1e-15), (task, theirs)


def _groups(run: snellen.Run, protocol: str) -> list[tuple[object, str]]:
    found = next(p for p in run.protocols if p.protocol == protocol)
    return [(g, g.by["config"]) for g in found.groups if g.whole]


def test_verdicts_part_where_readers_do(imported: Imports) -> None:
    done = imported("lmms-eval", RESULTS)
    rows = {(a.protocol.partition("@")[0], a.part): a for a in done.against}
    assert (rows["lmms-eval", "P3"].same, rows["lmms-eval", "O3"].same) == (12, 12)
    robust = rows["robust", "P3"]
    assert (robust.same, robust.only_theirs, len(robust.only_ours)) == (10, (), 2)
    replies = {a.id: a.text for a in done.run.answers()}
    assert {replies[i] for i in robust.only_ours} == {"**Orientation**", "Size."}


def test_the_prompt_is_found_by_its_words(imported: Imports) -> None:
    assert imported("inspect", LOGS / "inspect.eval").record.wording == "same"
    theirs = imported("lmms-eval", RESULTS).record
    assert (theirs.prompt, theirs.wording) == ("lmms-eval", "same")
    assert imported("inspect", LOGS / "inspect.eval", prompt="plan-v2").record.wording == "other"


def test_both_forms_of_inspects_log_hold_the_same() -> None:
    zipped, plain = (read_log("inspect", [LOGS / name]) for name in ("inspect.eval", "inspect.json"))
    assert len(plain.rows) == 1
    assert zipped.rows[0] == plain.rows[0]
    assert plain.model == "openai-api/rival/easily-fooled"
    assert all(f.agrees for f in plain.figures)


def test_epochs_are_repeats_and_both_scores_are_over_all_of_them(imported: Imports) -> None:
    done = imported("inspect", LOGS / "inspect-epochs.eval")
    assert (done.record.samples, done.record.rows) == (2, 4)
    assert all(f.agrees for f in done.record.figures)
    assert any("2 epochs" in note for note in done.record.notes)
    assert done.run.summary.asked == {"question": 2, "question#2": 2}
    assert done.run.summary.complete
    assert {p.repeats for p in done.run.protocols} == {2}
    theirs = list(read_samples(done.run.folder))
    assert [(one.id, one.repeat) for one in theirs] == [
        (i, r) for r in (1, 2) for i in dict.fromkeys(t.id for t in theirs)
    ]
    (accuracy,) = (f for f in done.record.figures if f.name == "includes: accuracy")
    assert fmean(float(bool(one.right)) for one in theirs) == accuracy.logged
    assert {row.n for row in done.against} == {4}
    assert all(row.same + len(row.only_theirs) + len(row.only_ours) == 4 for row in done.against)
    assert verify(done.run.path).total == 0
    again = imported("inspect", LOGS / "inspect-epochs.eval")
    assert again.again and again.run.path == done.run.path
    assert len(list(again.run.answers())) == 4


def test_one_epoch_can_be_taken_by_itself(imported: Imports) -> None:
    done = imported("inspect", LOGS / "inspect-epochs.eval", epoch=2)
    assert done.run.summary.asked == {"question": 2}
    assert all(f.agrees for f in done.record.figures)
    assert done.run.path != imported("inspect", LOGS / "inspect-epochs.eval", epoch=1).run.path
    with pytest.raises(SnellenError, match="has 1, 2"):
        imported("inspect", LOGS / "inspect-epochs.eval", epoch=3)


def test_a_file_of_samples_alone_has_no_totals(imported: Imports, lmms: Path) -> None:
    lmms.unlink()
    done = imported("lmms-eval", next(lmms.parent.glob("*_p3.jsonl")))
    assert (done.record.samples, done.record.figures[0].logged) == (12, None)
    assert done.record.figures[0].computed == 1 / 3
    assert any("no totals" in note for note in done.record.notes)


def test_totals_that_the_samples_do_not_give_are_said(imported: Imports, lmms: Path) -> None:
    document = json.loads(lmms.read_text(encoding="utf-8"))
    document["results"]["p3"]["exact_match,none"] = 0.34
    document["configs"]["p3"]["metric_list"][0]["aggregation"] = "mean"
    lmms.write_text(json.dumps(document), encoding="utf-8")
    wrong = [f for f in imported("lmms-eval", lmms).record.figures if f.agrees is False]
    assert [(f.part, f.name, f.logged, f.computed) for f in wrong] == [("p3", "exact_match", 0.34, 1 / 3)]
