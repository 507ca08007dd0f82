"""Floors of mixed questions: each kind has its own, whatever else is in the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.own_sets import CHOICE, lines

import snellen as api
from snellen.core.outcomes import mark_reply
from snellen.core.types import Sample
from snellen.engine.mark import plain_floors
from snellen.exams.own.protocols import PROTOCOLS as OWN


@pytest.mark.parametrize("first_look", [plain_floors.FIRST_LOOK, 10])
def test_numbers_and_texts_have_floors_beside_questions_with_options(
    first_look: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_floors, "FIRST_LOOK", first_look)
    numbers = [{"image": "1.png", "question": "How many?", "answer": n} for n in (2, 2, 2, 5)]
    texts = [{"image": "2.png", "question": "What?", "answer": word} for word in ("cup", "cup", "dog", "hat")]
    options = [{**CHOICE, "answer": "red"}, *[CHOICE] * 3]
    rows = [row for four in zip(numbers, texts, options, strict=True) for row in four] * 2
    data = lines(tmp_path / "mine", *rows)
    run = api.evaluate("own", data=data, model="baseline/constant:2", out=tmp_path / "runs")
    groups = run.summary.protocols[0].groups
    found = {g.by["task"]: (g.metrics["accuracy"].floor, g.metrics["accuracy"].floor_answer) for g in groups if g.whole}
    assert {task: floor for task, (floor, _said) in found.items()} == {"number": 0.75, "text": 0.5, "choice": 0.75}
    assert float(found["number"][1] or 0) == 2
    assert found["text"][1] == "cup"


def test_the_floor_of_numbers_with_a_tolerance_tries_what_lies_between_the_commonest() -> None:
    numbers = [
        Sample(id=str(i), tags={"task": "number"}, truth=float(i), facts={"tolerance": 40.0}) for i in range(100)
    ]
    tried = plain_floors._constants([plain_floors._AskedSample(sample, None, ()) for sample in numbers])
    right = [
        sum(mark_reply(OWN["robust"], s, constant.say(None)).metrics["accuracy"] for s in numbers) for constant in tried
    ]
    assert max(right) == 81


@pytest.mark.parametrize(
    ("truths", "tolerance", "most"), [((5, 5, 5, 10, 10, 40), 3, 5), ((1, 2, 3), 0.5, 2), ((10, 19, 28, 50), 5, 2)]
)
def test_the_floor_of_numbers_is_the_best_constant(truths: tuple[float, ...], tolerance: float, most: int) -> None:
    numbers = [
        Sample(id=str(i), tags={"task": "number"}, truth=float(truth), facts={"tolerance": tolerance})
        for i, truth in enumerate(truths)
    ]
    tried = plain_floors._constants([plain_floors._AskedSample(sample, None, ()) for sample in numbers])
    right = [
        sum(mark_reply(OWN["robust"], s, constant.say(None)).metrics["accuracy"] for s in numbers) for constant in tried
    ]
    assert max(right) == most
