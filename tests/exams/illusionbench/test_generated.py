"""The copied protocols on thousands of generated replies: bit for bit what the originals' own code said of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.soup import about_illusions, flags

from snellen.core.types import Sample
from snellen.exams.illusionbench.names import SHAPES
from snellen.exams.illusionbench.protocols import PROTOCOLS

GENERATED = json.loads((Path(__file__).parents[2] / "parity" / "generated.json").read_text())
COUNT, SEED = GENERATED["count"], GENERATED["seed"]


@pytest.mark.parametrize("subset", SHAPES)
@pytest.mark.parametrize("name", GENERATED["illusionbench"]["Illusion_IN"])
def test_every_generated_reply_is_marked_as_the_original_marks_it(subset: str, name: str) -> None:
    protocol, *task, kind = name.split()
    expected = flags(GENERATED["illusionbench"][subset][name], COUNT)
    for row, right in zip(about_illusions(subset, COUNT, SEED), expected, strict=True):
        tags = {"split": subset, "task": task[0] if task else kind, "shape": row.shape, "scene": row.scene}
        verdict = PROTOCOLS[protocol].judge(row.reply, Sample(id="x", tags=tags, truth={}))
        assert verdict.metrics[f"{kind}_recall"] == float(right), row
