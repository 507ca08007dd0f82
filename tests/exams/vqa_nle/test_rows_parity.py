"""Thousands of generated rows: our marks are those of the originals' code, whose counts and digests are in tests/parity/vqa_rows.json."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.vqa_rows import replies, rows

from snellen.core.extras import rows_of
from snellen.exams.vqa_nle import vqa_official
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VQAX, VqaNle
from snellen.exams.vqa_nle.marking.base import target_of
from snellen.exams.vqa_nle.reading import VqaReading

FACTS = json.loads((Path(__file__).parents[2] / "parity" / "vqa_rows.json").read_text(encoding="utf-8"))
ROWS = rows(5000)


def digest(values: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:24]


@pytest.mark.parametrize(
    ("fact", "exam", "metric", "which", "field"),
    [
        ("nlxgpt_any_annotator", VQAX, "accuracy", 0, "answers"),
        ("nlxgpt_majority", VQAX, "majority_accuracy", 0, "answers"),
        ("nlxgpt_actx", ACTX, "accuracy", 1, "activity"),
        ("nlxgpt_esnlive", ESNLIVE, "accuracy", 2, "label"),
    ],
)
def test_nlxgpt_marks_as_its_code_does(fact: str, exam: VqaNle, metric: str, which: int, field: str) -> None:
    protocol = exam.protocols["nlxgpt"]
    marks = []
    for i, row in enumerate(ROWS):
        truth = getattr(row, field)
        sample = rows_of(exam).sample({"id": i, "answers": list(truth) if field == "answers" else truth})
        value = protocol.judge(replies(row)[which], sample).metrics[metric]
        marks.append(int(value == 1.0))
    assert [sum(marks), digest(marks)] == FACTS[fact]


def test_the_official_normalisation_and_soft_accuracy() -> None:
    every = [vqa_official.normalise(a) for row in ROWS for a in (*row.answers, row.said)]
    assert [len(every), digest(every)] == FACTS["official_normalised"]
    soft = [round(vqa_official.soft_accuracy(row.said, row.answers) or 0.0, 9) for row in ROWS]
    assert [round(sum(soft), 6), digest(soft)] == FACTS["official_soft_accuracy"]


def test_e_vils_task_score_is_the_soft_accuracy_of_normalised_answers() -> None:
    """Its soft labels are 0.3, 0.6, 0.9 and 1 for one, two, three and more annotators; any of them lets an explanation count."""
    protocol = VQAX.protocols["e-vil"]
    scores, right = [], []
    for i, row in enumerate(ROWS):
        sample = rows_of(VQAX).sample({"id": i, "answers": list(row.answers)})
        scores.append(round(protocol.soft(VqaReading(row.said, None), row.answers) or 0.0, 9))
        accepted = protocol.accepted(target_of(sample))
        right.append(int(vqa_official.normalise(row.said) in accepted))
    assert [round(sum(scores), 6), digest(scores)] == FACTS["e_vil_task_score"]
    assert [sum(right), digest(right)] == FACTS["e_vil_right"]
