"""The shipped model on ONNX Runtime: token for token what it says through transformers, and it needs neither torch nor transformers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.every_exam import EXAMS, questions
from tests.support.sets import png

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import maker_of
from snellen.core.installing import install_command
from snellen.core.types import Answer, Picture, Question, Text
from snellen.subjects import build
from snellen.subjects.local.source import folder_digest, packaged

pytest.importorskip("onnxruntime")
TINY = "onnx/snellen-tiny"


class Short(Exam):
    """An exam with replies long enough for every exam's."""

    name = "short"
    max_tokens = 64


def subject_of(spec: str) -> Any:
    return build(spec, Short())


def answers(subject: Any, asked: Sequence[Question]) -> list[Answer]:
    """As the engine asks: as many at once as the subject takes."""

    async def every() -> list[Answer]:
        turn = asyncio.Semaphore(subject.parallel)

        async def one(question: Question) -> Answer:
            async with turn:
                found: Answer = await subject.answer(question, subject.prepare(question), None)
                return found

        found = await asyncio.gather(*map(one, asked))
        await subject.close()
        return found

    return asyncio.run(every())


def question(text: str, *pictures: bytes) -> Question:
    shown = tuple(Picture(data=data, name=f"{i}.png") for i, data in enumerate(pictures))
    return Question(id="q", exam="short", prompt="p", parts=(Text(text=text), *shown))


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> list[Question]:
    return questions(tmp_path_factory.mktemp("every-exam"), each=5)


@pytest.fixture(scope="module")
def by_onnx(asked: list[Question]) -> list[Answer]:
    return answers(subject_of(TINY), asked)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the shipped model's folder, to change something in it."""
    return Path(shutil.copytree(packaged("snellen-tiny"), tmp_path / "mine"))


def said(answer: Answer) -> tuple[Any, ...]:
    """What must be equal whichever library ran the model."""
    used = [call.usage for call in answer.calls]
    return answer.id, answer.text, [t.text for t in answer.tokens], answer.finish_reason, answer.failure, used


# ---------------------------------------------------------------- equal to transformers


def test_it_says_token_for_token_what_it_says_through_transformers(
    asked: list[Question], by_onnx: list[Answer]
) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    torch.set_num_threads(1)
    by_torch = subject_of("hf/snellen-tiny").answer_all(asked, 8)
    assert {q.exam for q in asked} == set(EXAMS)
    assert len({(q.exam, q.prompt) for q in asked}) > 20
    assert len({a.text for a in by_onnx}) > 30
    for one, other in zip(by_onnx, by_torch, strict=True):
        assert said(one) == said(other)
        for a, b in zip(one.tokens, other.tokens, strict=True):
            assert a.logprob == pytest.approx(b.logprob, abs=1e-4)
            assert a.entropy == pytest.approx(b.entropy, abs=1e-4)


def test_the_same_questions_fail_for_the_same_reasons() -> None:
    pytest.importorskip("transformers")
    bad = [
        question("What is <image> here?", png(1)),
        question("word " * 1200, png(1)),
        question("Question: Is there a dog?", png(1)[:-30]),
        question("no picture at all"),
    ]
    found = answers(subject_of(TINY), bad)
    kinds = [a.failure.kind if a.failure else None for a in found]
    assert kinds == ["bad-prompt", "too-long", "bad-image", None]
    assert [said(a) for a in found] == [said(a) for a in subject_of("hf/snellen-tiny").answer_all(bad, 4)]


# ---------------------------------------------------------------- without torch

BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers", "tokenizers", "onnx", "safetensors"):
            raise ImportError(f"{name} is blocked")
sys.meta_path.insert(0, Blocked())
import msgspec
from snellen import evaluate, scorers
from snellen.core.types import Question
run = evaluate("d3", model="onnx/snellen-tiny", data=sys.argv[1], out=sys.argv[2])
assert not {"torch", "transformers"} & set(sys.modules)
print(msgspec.json.encode([[str(k), s.n] for k, s in run.scores().items()]).decode())
"""


def test_subject_and_scorer_run_where_torch_and_transformers_cannot_be_imported(tmp_path: Path) -> None:
    from snellen import exams

    maker_of(exams.load("d3")).make(tmp_path / "d3", count=6, seed=3, workers=1)
    words = [sys.executable, "-c", BLOCKED, str(tmp_path / "d3"), str(tmp_path / "runs")]
    env = os.environ | {"SNELLEN_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert any(n == 6 for _, n in json.loads(done.stdout.splitlines()[-1]))
    [manifest] = (tmp_path / "runs").glob("*/run.json")
    record = json.loads(manifest.read_text())
    assert record["subject"]["identity"]["kind"] == "onnx"
    assert record["subject"]["identity"]["sha256"] == folder_digest(Path(packaged("snellen-tiny")), (".onnx",))
    assert record["scorers"][0]["identity"]["runtime"] == "onnxruntime"


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(
        MissingExtra, match=re.escape(f"onnx/snellen-tiny) needs the extra 'onnx': {install_command('onnx')}")
    ):
        subject_of(TINY)
    assert build(TINY, Short(), offline=True).spec == TINY, "one that is not asked needs nothing"


# ---------------------------------------------------------------- records


def test_records_tell_the_two_ways_apart_and_name_the_weights(asked: list[Question], by_onnx: list[Answer]) -> None:
    pytest.importorskip("transformers")
    onnx, torch = subject_of(TINY), subject_of("hf/snellen-tiny")
    assert onnx.identity["kind"] == "onnx"
    assert onnx.identity["sha256"] != torch.identity["sha256"], "the graphs are part of it"
    assert onnx.prepare(asked[0]).key != torch.prepare(asked[0]).key
    assert str(Path(packaged("snellen-tiny")).parent) not in json.dumps(onnx.identity)
    ledger = by_onnx[0].calls[0]
    assert (ledger.kind, ledger.model, ledger.model_returned) == ("onnx", "snellen-tiny", onnx.identity["sha256"])
    assert (ledger.provider or "").startswith("onnxruntime ")
    assert ledger.images[0].transforms[-1] == "resized to 112x112 by Pillow"
    assert onnx.why_same(3)


def test_it_can_be_asked_again_after_it_was_closed(asked: list[Question], by_onnx: list[Answer]) -> None:
    subject = subject_of(TINY)
    first, again = answers(subject, asked[:3]), answers(subject, asked[:3])
    assert [said(a) for a in first] == [said(a) for a in again] == [said(a) for a in by_onnx[:3]]


def test_loading_and_answering_print_nothing(asked: list[Question], capfd: pytest.CaptureFixture[str]) -> None:
    answers(subject_of(TINY), asked[:1])
    assert capfd.readouterr() == ("", "")


# ---------------------------------------------------------------- other folders


def test_a_folder_of_the_same_layout_is_a_model_of_its_own(
    copied: Path, asked: list[Question], by_onnx: list[Answer]
) -> None:
    same = subject_of(f"onnx/{copied}")
    assert same.spec == "onnx/mine"
    assert same.identity["sha256"] == subject_of(TINY).identity["sha256"]
    assert [a.text for a in answers(same, asked[:3])] == [a.text for a in by_onnx[:3]]
    weights = copied / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-100_000:] = bytes(100_000)  # the end of the eye's weights
    weights.write_bytes(data)
    other = subject_of(f"onnx/{copied}")
    assert other.identity["sha256"] != same.identity["sha256"]
    assert [a.tokens for a in answers(other, asked[:3])] != [a.tokens for a in by_onnx[:3]]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("config.json", None, "no config.json in that folder; docs/local.md says what onnx/ takes"),
        ("config.json", {"model_type": "qwen3_vl"}, "a 'qwen3_vl' model, and no LLaVA"),
        ("config.json", {"text_config": {}}, "missing required field .* at `[$].text_config`"),
        ("chat_template.jinja", None, "no chat_template.jinja in that folder"),
        ("generation_config.json", {"eos_token_id": "</s>"}, r"generation_config.json: not of the layout"),
        ("language.onnx", None, r"language.onnx: ONNX Runtime cannot load it"),
        ("model.safetensors", None, r"vision.onnx: ONNX Runtime cannot load it"),
    ],
)
def test_a_folder_of_another_layout_gets_one_line(
    copied: Path, name: str, change: dict[str, Any] | None, message: str
) -> None:
    path = copied / name
    if change is None:
        path.unlink()
    else:
        path.write_bytes(msgspec.json.encode(json.loads(path.read_text()) | change))
    with pytest.raises(SnellenError, match=message) as caught:
        subject_of(f"onnx/{copied}")
    assert "\n" not in str(caught.value)


def test_a_graph_of_something_else_gets_one_line(copied: Path) -> None:
    shutil.copy(copied / "vision.onnx", copied / "language.onnx")
    with pytest.raises(SnellenError, match=r"language\.onnx: takes pixels, and not ids, places, seen, past"):
        subject_of(f"onnx/{copied}")


def test_graphs_of_other_weights_get_one_line(copied: Path) -> None:
    weights = copied / "model.safetensors"
    data = weights.read_bytes()
    length = int.from_bytes(data[:8], "little")
    weights.write_bytes((length + 8).to_bytes(8, "little") + data[8 : 8 + length] + b" " * 8 + data[8 + length :])
    with pytest.raises(SnellenError, match=r"vision\.onnx: made for another model\.safetensors than the one beside it"):
        subject_of(f"onnx/{copied}")


@pytest.mark.parametrize(
    ("spec", "message"),
    [("onnx", "which model. Write onnx/snellen-tiny or onnx/DIR"), ("onnx//nowhere/at/all", "no such folder")],
)
def test_names_that_mean_nothing(spec: str, message: str) -> None:
    with pytest.raises(SnellenError, match=message):
        subject_of(spec)
