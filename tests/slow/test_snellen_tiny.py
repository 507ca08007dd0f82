"""snellen-tiny: the shipped weights score what the file beside them says, they look, and the training script makes such weights again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import snellen
from snellen.stats.intervals import wilson

pytest.importorskip("transformers")

pytestmark = pytest.mark.slow

SHIPPED = Path(snellen.__file__).parent / "weights" / "snellen-tiny"


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return (row["exam"], *(str(v) for v in row["by"].values()))


def _stated() -> dict[tuple[str, ...], dict[str, Any]]:
    from training.snellen_tiny import HELD_OUT_FILE

    return {_key(row): row for row in json.loads((SHIPPED / HELD_OUT_FILE).read_text(encoding="utf-8"))}


def _rows(model: Path, work: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """What is stated of each part that the model is said to take, and what is found."""
    from training.snellen_tiny import EXAMS, examine

    stated = _stated()
    for exam in (e for e in EXAMS if e.exam in {key[0] for key in stated}):
        yield from ((stated[_key(row)], row) for row in examine(model, work, (exam,)) if _key(row) in stated)


def _interval(row: dict[str, Any]) -> tuple[float, float]:
    return wilson(round(row["score"] * row["n"]), row["n"])


def test_shipped_weights_score_as_stated_and_look(tmp_path: Path) -> None:
    found = list(_rows(SHIPPED, tmp_path))
    assert found
    assert len(found) == len(_stated())
    for stated, row in found:
        low, high = _interval(stated)
        assert low <= row["score"] <= high, _key(row)
        assert row["high"] < 0, f"{_key(row)} is no better than without the picture"


def test_training_makes_weights_that_score_as_stated(tmp_path: Path) -> None:
    from training.snellen_tiny import run

    run(tmp_path / "model")
    found = list(_rows(tmp_path / "model", tmp_path / "exams"))
    assert found
    for stated, row in found:
        (low, high), (own_low, own_high) = _interval(stated), _interval(row)
        assert own_low <= high and low <= own_high, _key(row)
        assert row["high"] < 0, f"{_key(row)} is no better than without the picture"


def test_same_seed_same_weights(tmp_path: Path) -> None:
    from training.snellen_tiny import run

    for name in ("one", "two"):
        run(tmp_path / name, steps=0.005, share=0.01)
    one, two = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two"))
    assert one == two


def test_shipped_model_is_small() -> None:
    assert 0 < sum(path.stat().st_size for path in SHIPPED.iterdir()) < 6_000_000
