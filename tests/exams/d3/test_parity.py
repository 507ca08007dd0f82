"""Equality with the original script, row by row: recalls, ties, sets of three, the printed score, and the pickle."""

from __future__ import annotations

import json
import pickle
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from tests.support.extras import of

from snellen.core.extras import Exports, RunFacts
from snellen.core.protocol import ReplyContext
from snellen.core.records import DataEntry, Manifest, SubjectEntry, Totals
from snellen.core.types import Answer, Mark, Outcome
from snellen.exams.d3.exam import EXAM as BENCHMARK
from snellen.exams.d3.exports import PICKLE_PROTOCOL
from snellen.exams.d3.protocols import D3Protocol
from snellen.exams.d3.retrieval import printed_score, retrieve
from snellen.exams.d3.rows import evidence_from_row, sample_from_row
from snellen.stats.tally import summarised

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "d3.json").read_text())
ORIGINAL, STRICT = D3Protocol("original", "", ties=True), D3Protocol("strict", "", ties=False)


def table(row: dict[str, Any]) -> list[list[float]]:
    """Similarities from the raw features, as the original makes them."""
    texts, images = row["text_feats_raw"], row["image_feats_raw"]
    if row["normalised"]:
        texts, images = ([[x / sqrt(sum(y * y for y in v)) for x in v] for v in side] for side in (texts, images))
    return [[sum(a * b for a, b in zip(t, i, strict=True)) for i in images] for t in texts]


def reply(count: int) -> str:
    keys = ("left_image", "right_image") if count == 2 else [f"image{i + 1}" for i in range(count)]
    return json.dumps({key: f"caption of {key}" for key in keys})


@pytest.mark.parametrize("row", GOLDEN["pairs"], ids=lambda r: r["name"])
def test_every_golden_row(row: dict[str, Any]) -> None:
    for similarities in (table(row), row["cosine_matrix_text_by_image"]):
        given = {"id": row["name"], "similarities": similarities}
        sample, evidence = sample_from_row(given), evidence_from_row(given)
        verdict = ORIGINAL.judge(reply(len(similarities)), sample, ReplyContext(evidence=evidence))
        names = (
            ("left", "right") if len(similarities) == 2 else tuple(f"image{i + 1}" for i in range(len(similarities)))
        )
        assert [verdict.metrics[name] for name in names] == row["acc_1"]
        assert verdict.metrics["recall"] == pytest.approx(row["rand_50"], abs=1e-6)  # the original's mean is float32
        assert verdict.metrics["both"] == row["rand_25"]
        assert verdict.correct == bool(row["rand_25"])


def test_strict_differs_from_the_original_on_ties_only() -> None:
    differing = []
    for row in GOLDEN["pairs"]:
        given = {"id": row["name"], "similarities": table(row)}
        context = ReplyContext(evidence=evidence_from_row(given))
        verdict = STRICT.judge(reply(len(given["similarities"])), sample_from_row(given), context)
        if verdict.metrics["both"] != row["rand_25"]:
            differing.append(row["name"])
    assert differing == ["identical_captions", "identical_images", "all_identical"]


def test_the_printed_score_the_pickle_and_the_mean_are_the_originals() -> None:
    aggregate = GOLDEN["aggregate_over_random_pairs"]
    hits: dict[str, list[float]] = aggregate["uid2recall_1"]
    known = {r["name"].removeprefix("random_"): table(r) for r in GOLDEN["pairs"] if r["name"].startswith("random_")}
    # the rows that the golden file leaves out have a table made to give the original's recalls
    tables = {u: known.get(u) or [[a, 1 - a], [1 - b, b]] for u, (a, b) in hits.items()}
    assert len(tables) == aggregate["n_pairs"]
    assert all([float(h) for h in retrieve(known[u], ties=True).hits] == hits[u] for u in known)
    records = []
    for uid, similarities in tables.items():
        row = {"id": uid, "similarities": similarities}
        sample = sample_from_row(row)
        verdict = ORIGINAL.judge(reply(2), sample, ReplyContext(evidence=evidence_from_row(row)))
        outcome = Outcome.CORRECT if verdict.correct else Outcome.WRONG
        mark = Mark(id=sample.id, outcome=outcome, reading=verdict.reading, metrics=verdict.metrics)
        records.append((sample, Answer(id=sample.id, prompt="pair", text=reply(2)), mark))
    groups = summarised(ORIGINAL, ((s, m) for s, _a, m in records))
    subject = SubjectEntry(spec="replay/captions/gpt4o.json")
    data = DataEntry(source="set", fingerprint="0", samples=len(records))
    manifest = Manifest(snellen="0", created="", exam="d3", subject=subject, data=data)
    files = dict(
        of(BENCHMARK, Exports).files(RunFacts(manifest, ORIGINAL, "pair", groups, Totals(), lambda: iter(records)))
    )
    assert files["score.txt"].decode() == f"| Scores : {aggregate['printed_score_percent']}%\n"
    assert groups[0].metrics["both"].value == pytest.approx(aggregate["printed_score_percent"] / 100)
    assert groups[0].metrics["recall"].value == pytest.approx(aggregate["rand_50_mean_percent"] / 100)
    unpickled = pickle.loads(files["uid2acc/gpt4o.pkl"])  # noqa: S301 (our own bytes, in this test only)
    assert unpickled == hits == json.loads(files["uid2acc/gpt4o.json"])
    assert all(
        type(u) is str and type(v) is list and [type(x) for x in v] == [float, float] for u, v in unpickled.items()
    )
    assert files["uid2acc/gpt4o.pkl"] == pickle.dumps(hits, protocol=PICKLE_PROTOCOL)


def test_the_example_of_the_pickle() -> None:
    example = GOLDEN["pickle"]["example"]
    assert printed_score(float(all(v)) for v in example.values()) == "| Scores : 50.0%"
    assert printed_score([]) == "| Scores : nan%"


def test_the_package_never_reads_a_pickle() -> None:
    import snellen.exams.d3.exam as package

    for file in Path(package.__file__).parent.glob("*.py"):
        source = file.read_text(encoding="utf-8")
        assert "pickle.load" not in source
        assert "Unpickler" not in source
