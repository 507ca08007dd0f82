"""VCR has Q->A, QA->R and Q->AR, and synthetic rationales do not give themselves away."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen
from tests.support.sets import png

from snellen.core.errors import SnellenError
from snellen.core.extras import rows_of
from snellen.core.options import Selection
from snellen.core.outcomes import mark_answer, mark_reply
from snellen.core.results import GroupSummary
from snellen.core.types import Answer, Failure, Mark, Sample
from snellen.exams.vqa_nle.exam import VCR
from snellen.stats.tally import summarised

BOTH = Selection(tasks=("answer", "rationale"))
CHOICES = [["He", "runs", "."], ["He", "sits", "."], ["He", "eats", [1], "."], ["He", "sleeps", "."]]
REASONS = [
    ["A", "bed", "."],
    ["Legs", "are", "bent", "."],
    ["Both", "feet", "fly", "."],
    [[1], "is", "on", "a", "plate", "."],
]


def line(number: int, answer: int | None, rationale: int | None, image: int | None = None) -> dict[str, Any]:
    return {
        "annot_id": f"val-{number}",
        "img_fn": f"film/{number if image is None else image}.png",
        "objects": ["person", "cake"],
        "question": ["What", "does", [0], "do", "?"],
        "answer_choices": CHOICES,
        "answer_label": answer,
        "rationale_choices": REASONS,
        "rationale_label": rationale,
    }


def folder(where: Path, *lines: dict[str, Any]) -> Path:
    home = where / "nle_data" / "VCR"
    home.mkdir(parents=True)
    (home / "val.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    images = where / "images" / "vcr1images" / "film"
    images.mkdir(parents=True)
    for i in range(len(lines)):
        (images / f"{i}.png").write_bytes(png(i + 1))
    return where


def samples(where: Path, options: Selection) -> list[Sample]:
    data = VCR.open(where, options)
    found = list(data.full(lambda _id: True))
    assert [s.id for s in data.light()] == [s.id for s in found]
    assert len(data) == len(found)
    return found


def groups(pairs: list[tuple[Sample, Mark]], protocol: str = "strict") -> dict[str, GroupSummary]:
    return {g.by["task"]: g for g in summarised(VCR.protocols[protocol], pairs) if g.whole}


def test_the_rationale_is_asked_with_the_right_answer_and_has_its_own_truth(tmp_path: Path) -> None:
    (sample,) = samples(folder(tmp_path, line(0, 2, 3)), Selection(tasks=("rationale",)))
    assert sample.tags == {"split": "val", "task": "QA->R"}
    assert sample.truth == {"answers": ["<det1> is on a plate."], "explanations": [], "label": 3}
    for prompt in ("zero", "answer-only"):
        question = VCR.ask(prompt, sample)
        assert question.text.endswith(
            "Question: What does <det0> do?\nAnswer: He eats <det1>.\nA) A bed.\nB) Legs are bent.\nC) Both feet fly.\n"
            "D) <det1> is on a plate."
        )
        assert "because" not in question.text
        assert (question.options, question.answer_form) == (("A", "B", "C", "D"), "{}")
        assert question.pictures == sample.pictures
    assert "Answer: He eats cake1." in VCR.ask("zero-names", sample).text
    assert [name for name, p in VCR.prompts.items() if not p.asked_about(sample)] == [
        *("1shot", "3shot", "1shot-images", "3shot-images")
    ]


def test_without_asking_for_it_a_run_stays_as_it_was(tmp_path: Path) -> None:
    where = folder(tmp_path, line(0, 2, 3), line(1, 0, 0))
    found = samples(where, Selection())
    assert [s.id for s in found] == ["vcr/val/val-0", "vcr/val/val-1"]
    assert found == samples(where, Selection(tasks=("vcr",))) == samples(where, Selection(tasks=("answer",)))
    assert "paired" not in found[0].facts
    marked = [(s, mark_reply(VCR.protocols["strict"], s, "C because x")) for s in found]
    assert list(groups(marked)) == ["vcr"]


def test_a_limit_takes_answers_and_their_rationales(tmp_path: Path) -> None:
    where = folder(tmp_path, *(line(i, 0, 0) for i in range(9)))
    found = samples(where, Selection(tasks=("answer", "rationale"), limit=3, seed=1))
    names = Counter(s.id.partition("/")[2] for s in found)
    assert (len(names), set(names.values())) == (3, {2})
    assert {s.id for s in samples(where, Selection(limit=3, seed=1))} <= {s.id for s in found}
    assert [s.id for s in samples(where, Selection(tasks=("Q->AR",)))] == [s.id for s in samples(where, BOTH)]


@pytest.mark.parametrize("protocol", ["multimodal-vqa-eval", "strict", "nlxgpt", "e-vil"])
def test_both_must_be_right(tmp_path: Path, protocol: str) -> None:
    chosen = VCR.protocols[protocol]
    every = samples(folder(tmp_path, *(line(i, 0, 1) for i in range(3)), line(3, 2, 2)), BOTH)
    said = iter(("A because x", "B", "A because x", "C", "D because x", "B", "D because x", "D"))
    marked = [(s, mark_reply(chosen, s, next(said))) for s in every]
    found = groups(marked, protocol)
    assert list(found) == ["vcr", "QA->R", "Q->AR"]
    assert [(g.n, g.metrics["accuracy"].value) for g in found.values()] == [(4, 0.5), (4, 0.5), (4, 0.25)]
    joint = found["Q->AR"]
    assert (list(joint.metrics), joint.outcomes) == (["accuracy"], {"correct": 1, "wrong": 3})
    assert (joint.metrics["accuracy"].floor, joint.metrics["accuracy"].floor_answer) == (0.75, "A, then B")
    assert "valid_explanation" not in found["QA->R"].metrics


def test_non_answers_stay_non_answers_and_half_a_pair_is_left_out(tmp_path: Path) -> None:
    chosen = VCR.protocols["strict"]
    every = samples(folder(tmp_path, *(line(i, 0, 1) for i in range(3))), BOTH)
    failed = Answer(id="x", prompt="zero", failure=Failure(kind="server", reason="gone"))
    marks = [mark_reply(chosen, s, "A because x" if s.tags["task"] == "vcr" else "B") for s in every]
    marks[1] = mark_answer(chosen, every[1], failed)
    joint = groups(list(zip(every, marks, strict=True))[:5])["Q->AR"]
    assert (joint.n, joint.outcomes) == (2, {"correct": 1, "error": 1})
    assert joint.bounds == (0.5, 1.0)
    assert joint.metrics["accuracy"].n == 2


def test_pairs_of_one_image_stand_or_fall_together(tmp_path: Path) -> None:
    chosen = VCR.protocols["strict"]
    every = samples(folder(tmp_path, *(line(i, 0, 1, image=i // 5) for i in range(20))), BOTH)
    marks = [
        mark_reply(chosen, s, ("A" if int(s.id.rpartition("-")[2]) < 10 else "D") if s.tags["task"] == "vcr" else "B")
        for s in every
    ]
    score = groups(list(zip(every, marks, strict=True)))["Q->AR"].metrics["accuracy"]
    assert score.value == 0.5 and score.low is not None and score.high is not None
    assert score.high - score.low > 0.5  # four images, not twenty samples


def test_what_cannot_be_asked_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="no four rationales to choose from"):
        VCR.open(folder(tmp_path, line(0, None, None)), BOTH)
    with pytest.raises(SnellenError, match="unknown task 'reason' of vcr: choose from answer, rationale"):
        VCR.open(tmp_path, Selection(tasks=("reason",)))


def test_rows_of_rationales_can_be_marked() -> None:
    row = {
        "id": 1,
        "task": "rationale",
        "rationale_choices": REASONS,
        "objects": ["person", "cake"],
        "rationale_label": 3,
    }
    sample = rows_of(VCR).sample(row)
    assert sample.tags["task"] == "QA->R"
    assert mark_reply(VCR.protocols["strict"], sample, "D").metrics["accuracy"] == 1.0
    with pytest.raises(SnellenError, match=r"choices.*Expected `str | array`, got `int`"):
        rows_of(VCR).sample({"id": 1, "choices": [[1, 2, 3, 4]]})


def test_synthetic_rationales_do_not_give_themselves_away() -> None:
    """Two beginnings by two endings: no part of the right rationale is in it alone, and the right answer rules out two at most."""
    from snellen.synthetic.explained import vcr

    for index in range(60):
        record = vcr.made("val", 3, index).record
        texts = [" ".join(map(str, choice)).rpartition(" and ") for choice in record["rationale_choices"]]
        for side in (0, 2):
            assert set(Counter(text[side] for text in texts).values()) == {2}, texts


def test_a_run_shows_all_three_and_exports_only_answers(tmp_path: Path) -> None:
    where = folder(tmp_path / "set", *(line(i, i % 4, (i + 1) % 4) for i in range(8)))
    words = ("run", "vcr", "--data", where, "--model", "baseline/chance", "--out", tmp_path / "runs")
    done = snellen(*words, "--task", "answer,rationale", "--protocol", "strict", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    for part in ("val · vcr", "val · QA->R", "val · Q->AR"):
        assert part in done.stdout
    (run,) = (tmp_path / "runs").iterdir()
    (table,) = run.glob("exports/with_explanation/*_results/vcr_val_eval.csv")
    assert len(table.read_text().splitlines()) == 9
