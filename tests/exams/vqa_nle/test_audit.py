"""What constant answers win under each protocol, without a data set."""

from __future__ import annotations

import pytest

from snellen.core.extras import truths_of
from snellen.engine.mark.audit import audit
from snellen.engine.plan.plan import choose
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VCR, VQAX, VqaNle
from snellen.exams.vqa_nle.protocols import protocols_of

PROTOCOLS = protocols_of("")  # of no exam in particular


@pytest.mark.parametrize("exam", [VQAX, ACTX, ESNLIVE, VCR], ids=lambda e: e.name)
def test_an_audit_needs_no_data_set(exam: VqaNle) -> None:
    rows = audit(exam, truths_of(exam), choose(exam, (), None))
    assert {r["protocol"] for r in rows} == set(PROTOCOLS)
    for row in rows:
        assert row["metric"] == exam.protocols[row["protocol"]].headline
        strict = row["protocol"] in ("strict", "nlxgpt", "e-vil")
        assert row["won by"] is None or not strict, row
