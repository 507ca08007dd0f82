"""The copied readers on thousands of generated replies: what the originals' own code made of them is kept as digests and some rows."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.nle_replies import generated

from snellen.exams.vqa_nle.names import TASKS
from snellen.exams.vqa_nle.reading import multimodal_vqa_eval as original
from snellen.exams.vqa_nle.reading import nlxgpt

FACTS = json.loads((Path(__file__).parents[2] / "parity" / "nle_generated.json").read_text(encoding="utf-8"))
REPLIES = list(generated(FACTS["count"], FACTS["seed"]))


def with_explanation(reply: str, choices: tuple[str, ...], task: str) -> list[str]:
    found = original.postprocess_prediction(reply, task, choices)
    return [
        found.answer,
        found.explanation,
        ("unknown" if found.choice is None else "abcd"[found.choice]) if task == "vcr" else found.answer,
    ]


def answer_only(reply: str, choices: tuple[str, ...], task: str) -> str:
    return original.postprocess_answer_only(reply, task, choices)


def digest(rows: list[Any]) -> str:
    return hashlib.sha256(json.dumps(rows, ensure_ascii=True).encode()).hexdigest()


@pytest.mark.parametrize(("at", "task", "explained", "alone", "split"), FACTS["rows"])
def test_some_rows(at: int, task: str, explained: list[str], alone: str, split: list[str]) -> None:
    reply, choices = REPLIES[at]
    assert with_explanation(reply, choices, task) == explained
    assert answer_only(reply, choices, task) == alone
    assert list(nlxgpt.split(reply, task)) == split


@pytest.mark.parametrize("task", TASKS)
def test_all_replies(task: str) -> None:
    facts = FACTS["digests"][task]
    assert digest([with_explanation(r, c, task) for r, c in REPLIES]) == facts["multimodal-vqa-eval"]
    assert digest([answer_only(r, c, task) for r, c in REPLIES]) == facts["answer-only"]
    assert digest([list(nlxgpt.split(r, task)) for r, _c in REPLIES]) == facts["nlxgpt"]


def test_the_vote_counts_empty_answers() -> None:
    assert original.majority_answer(["", "", "yes"]) == ""
    assert original.majority_answer([{"answer": None}, {"answer": None}, {"answer": "no"}, {"text": "x"}]) == ""
