"""Answers of people as a subject: whose they are is always said, and nobody's answer is taken for a model's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.sets import write_set

import snellen
from snellen.core.errors import SnellenError


def write(path: Path, *rows: tuple[int, str, str]) -> Path:
    """Lines of (number of the sample, answer, person)."""
    lines = (
        {"id": f"P3/img{i:05}", "text": text, "annotator": who, "time": f"2026-11-{17 + i:02}T06:00:00+00:00"}
        for i, text, who in rows
    )
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def run(tmp_path: Path, model: str) -> Any:
    return snellen.evaluate(
        "salbench", model=model, data=write_set(tmp_path / "d", 3), out=tmp_path / "runs", use_store=False
    )


def test_a_person_has_a_row_of_their_own_that_says_who_and_when(tmp_path: Path) -> None:
    path = write(tmp_path / "answers.ann.jsonl", (0, "Color", "ann"), (1, "Size", "ann"))
    found = run(tmp_path, f"human/{path}")
    got = {a.id: a for a in found.answers()}
    assert (got["P3/img00000"].text, got["P3/img00001"].text) == ("Color", "Size")
    failure = got["P3/img00002"].failure
    assert failure is not None and failure.kind == "not-recorded"
    assert found.path.name.startswith("salbench_human-answers.ann_")
    identity = found.manifest.subject.identity
    assert identity["kind"] == "human" and identity["people"] == ["ann"]
    assert [time[:10] for time in identity["answered"]] == ["2026-11-17", "2026-11-18"]


def test_several_people_are_never_mixed_unasked(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", (0, "Color", "ann"), (0, "Size", "bob"))
    with pytest.raises(SnellenError, match="answers of ann, bob: choose one"):
        run(tmp_path, f"human/{path}")
    found = run(tmp_path, f"human/{path}:bob")
    assert {a.id: a.text for a in found.answers()}["P3/img00000"] == "Size"
    assert found.manifest.subject.identity["people"] == ["bob"]
    with pytest.raises(SnellenError, match="no answers of 'carl'; it has ann, bob"):
        run(tmp_path, f"human/{path}:carl")


def test_a_majority_counts_and_a_tie_is_no_answer(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        (0, "Color", "ann"), (0, "Size", "bob"), (0, "color ", "carl"), (1, "Size", "ann"), (1, "Color", "bob"),
    )  # fmt: skip
    found = run(tmp_path, f"human/{path}:majority")
    got = {a.id: a for a in found.answers()}
    assert got["P3/img00000"].text == "Color"
    tie = got["P3/img00001"].failure
    assert tie is not None and tie.kind == "tie"
    assert found.manifest.subject.identity["rule"] == "majority"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": "P3/img00000", "text": "Color"}', "needs 'annotator'.*replay/FILE"),
        ('{"id": "P3/img00000", "annotator": "ann"}', "record 1: needs an id"),
        ("[1]", "record 1: expected an object with id and text"),
        ("", "no answers in it"),
        ("{", "human/.* cannot be read as jsonl"),
        ('{"id": "1", "text": "a", "annotator": "x"}\n' * 2, "x answered '1' twice"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "a.jsonl").write_text(content)
    with pytest.raises(SnellenError, match=message):
        run(tmp_path, f"human/{tmp_path}/a.jsonl")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match=r"no such file; 'snellen annotate"):
        run(tmp_path, f"human/{tmp_path}/gone.jsonl")


def test_people_are_not_asked_again(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", (0, "Color", "ann"))
    with pytest.raises(SnellenError, match="one answer to a question"):
        snellen.evaluate("salbench", model=f"human/{path}", data=write_set(tmp_path / "d", 3), out=tmp_path, repeats=2)


def test_people_are_never_exported_as_a_model(tmp_path: Path) -> None:
    from snellen.present.files.portable import model_of

    found = run(tmp_path, f"human/{write(tmp_path / 'a.jsonl', (0, 'Color', 'ann'))}")
    with pytest.raises(SnellenError, match="answers of people"):
        model_of(found.manifest)
