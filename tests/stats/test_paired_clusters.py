"""Differences between arms do not take questions on one image for independent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
import pytest

from snellen.core.arm import Arm
from snellen.core.exam import Exam
from snellen.core.prompt import Prompt
from snellen.core.protocol import Key, Protocol, Seen
from snellen.core.results import ProtocolSummary
from snellen.core.types import Mark, Outcome, Sample
from snellen.engine.mark.control_comparison import compare
from snellen.engine.plan.plan import ProtocolRun
from snellen.engine.runs.folder import RunFolder

IMAGES, QUESTIONS = 40, 15
Column = tuple[str, int]
SAMPLES = {
    f"{image}/{i}": Sample(id=f"{image}/{i}", tags={"image": str(image)}, truth="x")
    for image in range(IMAGES)
    for i in range(QUESTIONS)
}


class Clustered(Protocol):
    def seen(self, sample: Sample, mark: Mark) -> Seen:
        return super().seen(sample, mark)._replace(cluster=sample.tags["image"])

    def groups(self, sample: Sample) -> Iterator[Key]:
        yield (("split", "s"),)


class Folder:
    """The marks of a run under two arms."""

    def __init__(self, **marks: list[Mark]) -> None:
        self._marks = marks

    def marked(self, columns: Sequence[Column]) -> Iterator[tuple[Sample, dict[Column, Mark]]]:
        for at, sample in enumerate(SAMPLES.values()):
            yield sample, {c: self._marks["control" if "+" in c[0] else "plain"][at] for c in columns}


def marks(hits: list[float]) -> list[Mark]:
    return [
        Mark(id=name, outcome=Outcome.WRONG, metrics={"score": hit}) for name, hit in zip(SAMPLES, hits, strict=True)
    ]


@pytest.mark.parametrize("correlation", [0.05, 0.2, 0.5])
def test_intervals_of_differences_hold_the_truth_where_questions_share_images(correlation: float) -> None:
    dice, held, times = np.random.default_rng(5), 0, 120
    exam, protocol = Exam(), Clustered("c")
    exam.prompts = {"question": Prompt("question", "", lambda _sample, _shots: "?")}
    targets = (ProtocolRun(protocol, Arm("question")), ProtocolRun(protocol, Arm("question", "blank")))
    results = [
        ProtocolSummary(protocol=t.name, version="1", prompt=t.arm.text, headline="score", groups=()) for t in targets
    ]
    part = np.array([0.05, 0.25, 0.7]) * (1 - correlation) / correlation
    for _ in range(times):
        gained, lost, _same = dice.multinomial(QUESTIONS, dice.dirichlet(part, size=IMAGES)).T
        before = [float(i >= g) for g in gained for i in range(QUESTIONS)]
        after = [float(i < QUESTIONS - n) for n in lost for i in range(QUESTIONS)]
        folder = cast(RunFolder, Folder(plain=marks(before), control=marks(after)))
        (row,) = compare(folder, exam, targets, results, set())
        assert row.difference == pytest.approx((gained.sum() - lost.sum()) / len(SAMPLES))
        held += row.low <= -0.2 <= row.high
    assert held >= 0.9 * times
