"""What a reader of a page already has in the folder where its examples are tried: data and runs, made here. No model is asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.compare.conftest import right
from tests.compare.test_example import a, b
from tests.docs.blocks import said

from snellen.core.options import Selection
from snellen.core.types import Sample
from snellen.exams.salbench.data import SalBenchData


def shell(command: str, folder: Path) -> None:
    """A step that has to work."""
    code, printed = said(command, folder)
    assert code == 0, printed


def three_models(folder: Path) -> None:
    """runs/A, runs/B and runs/C: A says much and is hard to read, B is brief, C is always right."""
    shell("snellen data make salbench --count 120 --seed 1 --out S", folder)
    samples = list(SalBenchData(folder / "S", Selection(splits=("P3",), tasks=("D",))).light())
    everyone: dict[str, Callable[[int, Sample], str]] = {"a": a, "b": b, "c": lambda _i, s: right(s)}
    for name, says in everyone.items():
        lines = [json.dumps({"id": s.id, "text": says(i, s)}) for i, s in enumerate(samples)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        how = "--data S --split P3 --task D --protocol paper,robust --out made"
        shell(
            f"snellen run salbench {how} --model replay/{name}.jsonl && mkdir -p runs && mv made/salbench_* runs/{name.upper()}",
            folder,
        )


DESKS: dict[str, Callable[[Path], None]] = {
    "comparing.md": three_models,
    "explaining.md": three_models,
}
