"""Made-up subjects on a synthetic SalBench set: what they say is written down, so what a comparison must say is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.made_sets import made

import snellen
from snellen.core.options import Selection
from snellen.core.types import Sample
from snellen.exams.salbench.data import SalBenchData

LABELS = ("Orientation", "Color", "Size")
Says = Callable[[int, Sample], str]
Runs = Callable[..., Path]


def right(sample: Sample) -> str:
    return str(sample.truth).capitalize()


def wrong(sample: Sample) -> str:
    return next(name for name in LABELS if name != right(sample))


def chatty(answer: str) -> str:
    """A reply that says it plainly and that the paper's rules cannot read."""
    return f"The odd one out differs in its {answer.lower()}."


@pytest.fixture(scope="session")
def salbench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("salbench", tmp_path_factory.mktemp("set") / "S", count=120, seed=1)


@pytest.fixture
def subject(tmp_path: Path, salbench: Path) -> Runs:
    """A run of a made-up subject: its name, what it says, and how it was run."""

    def run(name: str, says: Says, *, data: Path = salbench, tasks: tuple[str, ...] = ("D",), **how: object) -> Path:
        given = {"protocols": ("paper", "robust"), "splits": ("P3",), **how}
        samples = SalBenchData(data, Selection(splits=given["splits"], tasks=tasks)).light()  # type: ignore[arg-type]
        replies = tmp_path / f"{name}.jsonl"
        lines = [json.dumps({"id": s.id, "text": says(i, s)}) for i, s in enumerate(samples)]
        replies.write_text("\n".join(lines), encoding="utf-8")
        run = snellen.evaluate(
            "salbench", model=f"replay/{replies}", data=data, tasks=tasks, out=tmp_path / "runs", **given
        )  # type: ignore[arg-type]
        return run.path

    return run
