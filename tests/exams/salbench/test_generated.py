"""The copied protocols on thousands of generated replies: bit for bit what the originals' own code said of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.soup import about_features, flags

from snellen.core.types import Sample
from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.protocols import PROTOCOLS

GENERATED = json.loads((Path(__file__).parents[2] / "parity" / "generated.json").read_text())
COUNT, SEED = GENERATED["count"], GENERATED["seed"]


@pytest.mark.parametrize(("split", "most"), [("P3", 1), ("O3", 3)])
@pytest.mark.parametrize(
    ("protocol", "original"), [("paper", "lmms-eval"), ("lmms-eval", "lmms-eval"), ("plan-v2",) * 2]
)
def test_every_generated_reply_is_marked_as_the_original_marks_it(
    split: str, most: int, protocol: str, original: str
) -> None:
    labels = labels_of(split)
    expected = {k: flags(v, COUNT) for k, v in GENERATED["salbench"][split].items()}
    for i, (reply, answer) in enumerate(about_features(labels, most, COUNT, SEED)):
        verdict = PROTOCOLS[protocol].judge(reply, Sample(id="x", tags={"split": split}, truth=answer))
        assert verdict.correct == expected[f"{original} exact"][i], (reply, answer)
        for label in labels:
            assert (label in verdict.reading) == expected[f"{original} {label}"][i], reply
