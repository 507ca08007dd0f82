"""`snellen protocols --blind`: what subjects that never look would score, told without a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen

from snellen.core.extras import probes_of, truths_of
from snellen.engine.mark.audit import audit
from snellen.engine.plan.plan import choose
from snellen.exams import load


def rows_of(name: str, *protocols: str) -> dict[tuple[str, str], dict[str, Any]]:
    exam = load(name)
    found = audit(exam, list(truths_of(exam)), choose(exam, protocols))
    return {(r["protocol"], r["part"]): r for r in found}


@pytest.fixture(scope="module")
def illusion() -> dict[tuple[str, str], dict[str, Any]]:
    return rows_of("illusionbench", "lmms-first", "lmms-strict", "lmms-head", "robust", "lmms-strict@original")


def test_chance_is_computed(illusion: dict[tuple[str, str], dict[str, Any]]) -> None:
    assert illusion["lmms-strict", "Illusion_ICON · shape"]["chance"] == pytest.approx(1 / 6)
    assert illusion["robust", "Illusion_IN · shape"]["chance"] == pytest.approx(1 / 27)


def test_a_prompt_without_options_has_no_chance_and_no_list(illusion: dict[tuple[str, str], dict[str, Any]]) -> None:
    row = illusion["lmms-first", "Illusion_IN · scene"]
    assert (
        row["chance"] is row["list every option"] is row["contradict yourself"] is row["contradict one option"] is None
    )
    assert row["best constant"] == pytest.approx(1 / 11)
    assert row["won by"] == "a constant list", "whoever knows the names can list them"


def test_each_constant_answer_is_told_and_a_list_is_none(illusion: dict[tuple[str, str], dict[str, Any]]) -> None:
    row = illusion["lmms-head", "Illusion_IN · shape"]
    assert row["best constant"] == pytest.approx(1 / 16)
    assert row["list every option"] == 1.0
    assert len(row["constants"]) == 27
    assert row["constants"]["Cat"] == pytest.approx(1 / 16)
    assert row["constants"]["Ocean"] == 0.0


def test_a_contradiction_keeps_the_form_that_the_prompt_wants(illusion: dict[tuple[str, str], dict[str, Any]]) -> None:
    strict = illusion["lmms-strict", "Illusion_IN · shape"]
    assert strict["contradict yourself"] == strict["contradict one option"] == pytest.approx(1 / 16)
    robust = illusion["robust", "Illusion_IN · shape"]
    assert robust["contradict yourself"] == robust["contradict one option"] == 0.0


def test_the_prompt_that_was_named_is_audited(illusion: dict[tuple[str, str], dict[str, Any]]) -> None:
    other = illusion["lmms-strict@original", "Illusion_IN · shape"]
    assert other["chance"] == other["best constant"] == 0.0, (
        "nobody says 'Answer:' to a prompt that does not ask for it"
    )


def test_what_needs_the_truths_of_a_data_set_says_so(tmp_path: Path) -> None:
    (d3,) = rows_of("d3", "strict").values()
    assert (d3["chance"], d3["best constant"]) == (0.25, None)
    for name in ("grounding", "vqax"):
        assert all(r["best constant"] is None and r["chance"] is None for r in rows_of(name).values())
    done = snellen("protocols", "grounding", "--blind", "--protocol", "click", cache=tmp_path)
    assert "--data DIR" in done.stdout
    assert "Nothing could be tried, and so nothing is said, of click." in done.stdout


def test_parts_that_no_probe_has_are_audited_too() -> None:
    exam = load("grounding")
    sample = probes_of(exam)[0]
    elsewhere = sample.truth | {"boxes": [[1.0, 1.0, 9.0, 9.0]]}
    other = type(sample)(id="m", tags=sample.tags | {"split": "medium"}, truth=elsewhere, facts=sample.facts)
    (row,) = audit(exam, [sample, other], choose(exam, ("click",)), real=True)
    assert row["n"] == 2
    assert row["best constant"] is not None


def test_json_names_all(tmp_path: Path) -> None:
    done = snellen("protocols", "esnlive", "--blind", "--protocol", "strict", "--json", cache=tmp_path)
    (row,) = json.loads(done.stdout)
    assert list(row["constants"].values()) == pytest.approx([1 / 3] * 3)
