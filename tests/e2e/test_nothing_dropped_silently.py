"""Nothing is dropped, mixed up or overlooked without a word."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.support.sets import write_config

import snellen
from snellen import exams
from snellen.core.errors import SnellenError
from snellen.core.extras import maker_of
from snellen.core.options import Selection
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.run import run_plan
from snellen.exams.d3.exam import EXAM as D3
from snellen.exams.salbench.exam import EXAM as SALBENCH
from snellen.exams.vqa_nle.exports.tables import short_name
from snellen.subjects.local.chat import LARGEST, check_template
from snellen.subjects.replay import Replay


def test_models_of_different_folders_are_two_in_a_shared_table() -> None:
    specs = [f"hf/{folder}/mine/llava" for folder in ("", "/data", "/backup", "/data/old")]
    assert len({short_name(spec) for spec in specs}) == len(specs)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.json", '{"a": "one", "a": "two"}'),
        ("r.json", '[{"id": "a", "text": "one"}, {"id": "a", "text": "two"}]'),
        ("r.jsonl", '{"id": "a", "text": "one"}\n{"id": "a", "text": "two"}\n'),
        ("r.csv", "id,text\na,one\na,two\n"),
    ],
)
def test_two_replies_to_one_question_are_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(SnellenError, match="keep one"):
        Replay(tmp_path / name)


def test_the_same_reply_twice_is_one(tmp_path: Path) -> None:
    row = {"id": "a", "text": "one"}
    (tmp_path / "r.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(row)}\n")
    assert Replay(tmp_path / "r.jsonl").recorded_ids == {"a"}


def test_a_key_that_d3_has_twice_is_refused(tmp_path: Path) -> None:
    maker_of(D3).make(tmp_path, count=3, seed=1, workers=1)
    file = tmp_path / "dataset.json"
    known = json.loads(file.read_text())
    first = json.dumps(next(iter(known)))
    file.write_text(file.read_text().rstrip()[:-1] + f", {first}: {{}}}}")
    with pytest.raises(SnellenError, match="twice"):
        D3.open(tmp_path, Selection())


@pytest.mark.parametrize("names", [["a", "a", "a#2"], ["a#2", "a", "a"], ["a", "a", "a", "a#3", "a#2", "a#2"]])
def test_rows_that_are_called_like_a_repeat_keep_ids_of_their_own(tmp_path: Path, names: list[str]) -> None:
    given: list[object] = list(names)
    write_config(tmp_path / "set", "P3", len(names), image_id=given)
    ids = [s.id for s in SALBENCH.open(tmp_path / "set", Selection()).light()]
    assert len(set(ids)) == len(names)
    run = run_plan(make_plan(RunRequest("salbench", "baseline/constant:Color", tmp_path / "set", out=tmp_path))).run
    assert run.summary.complete


@pytest.mark.parametrize("name", ["actx", "d3", "esnlive", "grounding", "own", "vcr", "vqax"])
def test_a_picture_that_was_changed_at_equal_size_is_another_set(tmp_path: Path, name: str) -> None:
    exam = exams.load(name)
    maker_of(exam).make(tmp_path, count=2, seed=1, workers=1)
    before = exam.open(tmp_path, Selection()).fingerprint
    assert exam.open(tmp_path, Selection()).fingerprint == before
    for picture in (p for p in tmp_path.rglob("*") if p.suffix in (".png", ".jpg")):
        data = bytearray(picture.read_bytes())
        data[-20] ^= 1
        picture.write_bytes(data)
    assert exam.open(tmp_path, Selection()).fingerprint != before


@pytest.mark.parametrize("name", ["chat_template.jinja", "chat_template.json"])
def test_a_chat_template_without_end_is_not_read(tmp_path: Path, name: str) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(SnellenError, match="which no model needs"):
        check_template(tmp_path)


def test_weights_are_read_from_safetensors_alone() -> None:
    """Wherever a model is loaded: other files of weights are pickles."""
    package = Path(snellen.__file__).parent
    loads = re.compile(r"Auto(?!Processor|Tokenizer|Config|ImageProcessor)\w+\.from_pretrained\((.{300})", re.DOTALL)
    found = [(p.name, m[1]) for p in package.rglob("*.py") for m in loads.finditer(p.read_text("utf-8"))]
    assert len(found) >= 2
    assert [name for name, words in found if "use_safetensors=True" not in words] == []


def test_some_of_many_small_row_groups(tmp_path: Path) -> None:
    """The right rows come, each with its picture."""
    write_config(tmp_path / "set", "P3", 500, rows_a_group=5)
    data = SALBENCH.open(tmp_path / "set", Selection(limit=20))
    assert [s.id for s in data.full(lambda _id: True)] == [s.id for s in data.light()]
    assert len(data) == 20
