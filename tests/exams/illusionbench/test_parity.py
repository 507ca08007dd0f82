"""Equality with every published implementation, row by row, and prompts byte by byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen

from snellen.core.errors import SnellenError
from snellen.core.extras import rows_of
from snellen.core.types import Mark, Outcome
from snellen.exams.illusionbench.exam import EXAM
from snellen.exams.illusionbench.names import KEPT, parse
from snellen.exams.illusionbench.prompts import text_of
from snellen.exams.illusionbench.rows import prediction
from snellen.stats.tally import summarised

PARITY = Path(__file__).parents[2] / "parity"
GOLDEN = json.loads((PARITY / "illusionbench.json").read_text())
WORDS = json.loads((PARITY / "illusionbench_prompts.json").read_text())


ORIGINALS = ("original", "original-icl", "lmms-first", "lmms-strict", "lmms-head")


@pytest.mark.parametrize("protocol", ORIGINALS)
def test_every_golden_row_through_the_mark_command(protocol: str, tmp_path: Path) -> None:
    rows = [{k: c[k] for k in ("id", "subset", "task", "shape", "scene", "response")} for c in GOLDEN["cases"]]
    done = snellen(
        "mark", "illusionbench", "--protocol", protocol, cache=tmp_path, stdin="\n".join(map(json.dumps, rows))
    )
    assert done.returncode == 0, done.stderr
    for line, case in zip(done.stdout.splitlines(), GOLDEN["cases"], strict=True):
        mark = json.loads(line)
        compare(protocol, case, mark["metrics"], mark["reading"])


def compare(protocol: str, case: dict[str, Any], metrics: dict[str, Any], reading: Any) -> None:
    """Hold a mark against what the original's code gave."""
    expected, task = case[protocol], case["task"]
    other = "scene" if task == "shape" else "shape"
    if protocol == "original":
        assert metrics["bucket"] == expected["bucket"], case
        assert metrics[f"{task}_recall"] == expected["counts_for_this_task"], case
        assert bool(metrics["multi_word"]) == expected["not_single_word"], case
    elif protocol == "original-icl":
        assert metrics["shape_recall"] == expected["shape"], case
        assert metrics["scene_recall"] == expected["scene"], case
    else:
        assert metrics[f"{task}_recall"] == expected[f"{task}_recall"], case
        assert metrics[f"{other}_recall"] is None
    if protocol == "lmms-strict":
        assert reading == expected["extracted"]


@pytest.mark.parametrize("protocol", ORIGINALS)
def test_every_golden_row(protocol: str) -> None:
    for case in GOLDEN["cases"]:
        sample, reply = rows_of(EXAM).sample(case), rows_of(EXAM).reply(case)
        verdict = EXAM.protocols[protocol].judge(reply, sample)
        compare(protocol, case, verdict.metrics, verdict.reading)


@pytest.mark.parametrize("prompt", ["original", "lmms-strict", "lmms-first", "lmms-head-cot", "lmms-strict-cot"])
def test_prompts_are_the_originals_byte_by_byte(prompt: str) -> None:
    for subset, tasks in WORDS[prompt].items():
        for task, text in tasks.items():
            assert text_of(prompt, subset, task) == text


def test_in_context_instructions_are_the_originals_byte_by_byte() -> None:
    assert {subset: sorted(tasks) for subset, tasks in WORDS["icl"].items()} == {
        subset: ["both", "scene", "shape"] for subset in KEPT
    }
    for subset, tasks in WORDS["icl"].items():
        for task, text in tasks.items():
            assert text_of("icl", subset, task) == text


@pytest.mark.parametrize("row", GOLDEN["names"], ids=lambda r: r["image_name"] or "empty")
def test_names_are_read_as_lmms_eval_reads_them(row: dict[str, object]) -> None:
    name, expected = str(row["image_name"]), row["expected"]
    if isinstance(expected, list):
        assert list(parse(name)[:2]) == expected
    else:
        with pytest.raises(ValueError, match="in the name"):
            parse(name)


@pytest.mark.parametrize("row", GOLDEN["decoded"], ids=lambda r: f"{r['mode']}: {r['decoded_text']}")
def test_raw_texts_are_read_as_by_the_original(row: dict[str, str | None]) -> None:
    assert prediction(str(row["decoded_text"]), str(row["mode"])) == row["expected_prediction"]


def test_a_row_gives_its_response_or_its_raw_text_as_read() -> None:
    assert rows_of(EXAM).reply({"response": "BMW"}) == "BMW"
    assert rows_of(EXAM).reply({"error": "x"}) is None
    assert rows_of(EXAM).reply({"decoded_text": "the 'NASA' logo", "response": "BMW"}) == "nasa"
    with pytest.raises(SnellenError, match='field "mode" must be one of'):
        rows_of(EXAM).reply({"decoded_text": "x", "mode": "gpt"})


def test_raw_texts_through_the_mark_command(tmp_path: Path) -> None:
    truth = {"id": 1, "subset": "Illusion_LOGO", "task": "shape", "shape": "nasa", "scene": "Forest"}
    rows = [truth | {"decoded_text": "'NASA' logo"}, truth | {"decoded_text": "USER: q", "mode": "llava1.5"}]
    words = ("mark", "illusionbench", "--protocol", "original")
    done = snellen(*words, cache=tmp_path, stdin="\n".join(map(json.dumps, rows)))
    assert [json.loads(line)["outcome"] for line in done.stdout.splitlines()] == ["correct", "empty"], done.stderr
    refused = snellen(*words, cache=tmp_path, stdin=json.dumps(truth | {"decoded_text": "x", "mode": "gpt"}))
    assert refused.returncode == 2
    assert 'field "mode" must be one of other, llava1.5, llava1.6' in refused.stderr


@pytest.mark.parametrize("row", GOLDEN["aggregate"], ids=lambda r: str(r["values"]))
def test_the_mean_is_lmms_evals_but_left_out_where_it_is_nan(row: dict[str, Any]) -> None:
    protocol = EXAM.protocols["lmms-head"]
    marked = []
    for i, value in enumerate(row["values"]):
        truth = {"id": i, "subset": "Illusion_IN", "task": "shape", "shape": "cat", "scene": "Ocean"}
        metrics = {"shape_recall": None if value is None else float(value)}
        marked.append((rows_of(EXAM).sample(truth), Mark(str(i), Outcome.WRONG, None, metrics)))
    found = [g.metrics.get("shape_recall") for g in summarised(protocol, marked) if set(g.by) == {"split", "task"}]
    means = [metric.value for metric in found if metric is not None]
    assert means == ([] if row["expected"] == "nan" else [pytest.approx(row["expected"])])
