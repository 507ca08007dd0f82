"""Numbers and files do not depend on the order in which answers arrive."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

import snellen
from snellen.core.extras import maker_of
from snellen.core.protocol import Group, Key, Protocol, Seen
from snellen.core.results import Metric, Score
from snellen.core.types import Mark, Outcome, Sample
from snellen.exams import load
from snellen.stats.tally import summarised


class Mixed(Protocol):
    """Right or wrong, graded and measured values in clusters, and a sum over rows of the protocol's own."""

    headline = "hit"
    metrics = (
        *(Metric(name=name) for name in ("hit", "grade")),
        Metric(name="away", unit="px", interval="normal"),
        Metric(name="sum", kind="own"),
    )

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        return super().seen(sample, mark)._replace(cluster=sample.tags["image"])

    def groups(self, sample: Sample) -> Iterator[Key]:
        yield (("split", "s"),)
        yield (("split", "s"), ("kind", sample.tags["kind"]))

    def order(self, key: Key) -> int:
        return len(key)

    def own_scores(self, group: Group) -> Mapping[str, Score]:
        return {"sum": Score(value=sum(seen.values["away"] * count for seen, count in group.rows()), n=group.n)}


def test_the_same_marks_in_any_order_give_the_same_summary() -> None:
    dice = random.Random(6)
    marked = []
    for i in range(300):
        hit, name = float(dice.random() < 0.7), f"sample {i}"
        values = {"hit": hit, "grade": dice.choice((0.0, 0.3, 0.6, 0.9, 1.0)), "away": dice.expovariate(0.01)}
        sample = Sample(id=name, tags={"image": f"image {i % 37}", "kind": dice.choice("abc")}, truth="x")
        outcome = Outcome.CORRECT if hit else Outcome.WRONG
        marked.append((sample, Mark(id=name, outcome=outcome, metrics=dict(values))))
    found = set()
    for _ in range(20):
        dice.shuffle(marked)
        found.add(msgspec.json.encode(summarised(Mixed("m"), marked)))
    assert len(found) == 1


@pytest.mark.parametrize(
    ("exam", "subject", "controls"),
    [("esnlive", {"model": "baseline/chance"}, ("blank", "options")), ("grounding", {"method": "center"}, ())],
)
def test_a_run_has_the_same_files_whatever_came_first(
    exam: str, subject: dict[str, Any], controls: tuple[str, ...], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    maker_of(load(exam)).make(data, count=2 if exam == "grounding" else 12, seed=3, workers=1)
    run = snellen.evaluate(exam, data=data, controls=controls, out=tmp_path / "runs", **subject)
    snellen.remark(run.path)
    before = written(run.path)
    assert any(name.startswith("exports/") for name in before)
    dice, answers = random.Random(7), run.path / "answers.jsonl"
    lines = answers.read_bytes().splitlines(keepends=True)
    for _ in range(2):
        dice.shuffle(lines)
        answers.write_bytes(b"".join(lines))
        snellen.remark(run.path)
        after = written(run.path)
        assert [name for name in before if before[name] != after.get(name)] == []


def written(folder: Path) -> dict[str, bytes]:
    """Everything that is derived from the answers."""
    files = [folder / "summary.json", *folder.glob("marks/**/*"), *folder.glob("exports/**/*")]
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in files if f.is_file()}
