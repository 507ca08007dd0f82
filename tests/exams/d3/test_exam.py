"""What D3 offers: its options and what they mean, its maker, and what there is to look up."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.extras import of

from snellen.core.errors import SnellenError
from snellen.core.extras import ExamRequest, OptionMeaning, hub_data_of, maker_of, probes_of, truths_of
from snellen.core.options import Selection
from snellen.core.prompt import shots_of
from snellen.exams.d3.exam import EXAM


def test_the_option_sets_is_a_task() -> None:
    def tasks(given: tuple[str, ...], **options: object) -> tuple[tuple[str, ...], dict[str, object]]:
        found = of(EXAM, OptionMeaning).applied(ExamRequest("m", None, Selection(tasks=given), options))
        return found.selection.tasks, dict(found.options)

    assert tasks((), sets=True) == (("set",), {})
    assert tasks(("pair",), sets=True, scorers=("siglip",)) == (("pair", "set"), {"scorers": ("siglip",)})
    assert tasks(("set",), sets=True) == (("set",), {})
    assert tasks(("pair",), sets=False) == (("pair",), {})
    assert tasks((), max_missing=1) == ((), {"max_missing": 1})


def test_options_and_names() -> None:
    assert [o.name for o in EXAM.options] == ["scorers", "scorer_mode", "sets", "max_missing", "images"]
    assert [(o.name, o.least, o.most) for o in maker_of(EXAM).options] == [("sets", None, None)]
    assert shots_of(EXAM.prompts.values()) == [0]
    assert truths_of(EXAM) == probes_of(EXAM)
    assert {p.prompt for p in EXAM.protocols.values()} == {"pair"}
    assert all("evidence" in p.needs for p in EXAM.protocols.values())
    with pytest.raises(SnellenError, match="D3 is not on the hub"):
        hub_data_of(EXAM).find(None)


def test_pairs_are_made_or_sets(tmp_path: Path) -> None:
    maker_of(EXAM).make(tmp_path / "pairs", count=1, seed=2, workers=1)
    maker_of(EXAM).make(tmp_path / "sets", count=1, seed=2, workers=1, sets=3)
    found = {name: EXAM.open(tmp_path / name, Selection()) for name in ("pairs", "sets")}
    assert {n: [s.tags["task"] for s in data.light()] for n, data in found.items()} == {
        "pairs": ["pair"],
        "sets": ["set of 3"],
    }
    assert all(data.synthetic for data in found.values())
