"""The SalBench document's split names, default model and raw_responses.json work."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set


def test_rows_may_name_splits_as_the_document_does(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "split": "synthetic", "answer": "Color", "response": "Color"},
        {"id": "b", "split": "natural", "answer": "Focus", "response": "Color"},
    ]
    said = "".join(json.dumps(row) + "\n" for row in rows)
    done = snellen("mark", "salbench", "--protocol", "robust", stdin=said, cache=tmp_path)
    assert done.returncode == 0, done.stderr
    marks = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [m["outcome"] for m in marks] == ["correct", "wrong"]


def test_a_split_of_another_name_says_which_there_are(tmp_path: Path) -> None:
    row = json.dumps({"id": "a", "split": "synth", "answer": "Color", "response": "Color"})
    done = snellen("mark", "salbench", "--protocol", "robust", stdin=row, cache=tmp_path)
    assert done.returncode == 2
    assert '"P3" or "O3" (or "synthetic", "natural")' in done.stderr


def test_llava_7b_on_ollama_is_asked_where_nobody_is_named(tmp_path: Path) -> None:
    data = write_set(tmp_path / "data", 2)
    with Endpoint(answer="Color") as server:
        done = snellen(
            "run",
            "salbench",
            "--data",
            data,
            "--out",
            tmp_path / "runs",
            "--base-url",
            server.url,
            cache=tmp_path / "c",
        )
        assert done.returncode == 0, done.stderr
        assert {r["model"] for r in server.requests} == {"llava:7b"}
        assert "no --model was named: ollama/llava:7b is asked" in done.stderr


def test_every_protocol_has_its_raw_responses(tmp_path: Path) -> None:
    data = write_set(tmp_path / "data", 3)
    words = ["run", "salbench", "--data", data, "--model", "baseline/constant:Color", "--out", tmp_path / "runs"]
    assert snellen(*words, "--protocol", "paper,robust,plan-v2", cache=tmp_path / "c").returncode == 0
    (exports,) = (tmp_path / "runs").glob("*/exports")
    for name in ("raw_responses.json", "robust/raw_responses.json", "plan-v2/raw_responses.json"):
        rows = json.loads((exports / name).read_text())
        assert [row["raw_response"] for row in rows] == ["Color"] * 3
