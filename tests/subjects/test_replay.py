from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.sets import write_set

import snellen
from snellen.core.errors import SnellenError


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.json", json.dumps([{"id": "P3/img00000", "text": "Color"}, {"id": "P3/img00001", "text": "Size"}])),
        ("r.json", json.dumps({"P3/img00000": "Color", "P3/img00001": "Size"})),
        (
            "r.jsonl",
            '{"id": "P3/img00000", "response": "Color"}\n\n{"sample_id": "P3/img00001", "raw_response": "Size"}\n',
        ),
        ("r.csv", '\ufeffid,text\nP3/img00000,Color\nP3/img00001,"Size"\n'),
    ],
)
def test_forms(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    run = snellen.evaluate(
        "salbench", model=f"replay/{tmp_path / name}", data=write_set(tmp_path / "d", 3), out=tmp_path / "runs"
    )
    got = {a.id: a for a in run.answers()}
    assert (got["P3/img00000"].text, got["P3/img00001"].text) == ("Color", "Size")
    missing = got["P3/img00002"].failure
    assert missing is not None
    assert missing.kind == "not-recorded"
    assert run.summary.protocols[0].groups[0].outcomes["error"] == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.json", "{", "cannot be read as json"),
        ("r.jsonl", '{"id": "a"}', "record 1: needs an id"),
        ("r.json", "[1]", "record 1: expected an object"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(SnellenError, match=message):
        snellen.evaluate(
            "salbench", model=f"replay/{tmp_path / name}", data=write_set(tmp_path / "d", 3), out=tmp_path / "r"
        )
