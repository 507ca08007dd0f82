"""Tiny models of the real classes, loaded by path and asked in batches."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.subjects.local.rendered import ROWS, Row
from tests.support.sets import write_set
from tests.support.tiny_models import png

import snellen
from snellen.core.errors import SnellenError
from snellen.core.subject import Reply, Request
from snellen.core.types import Answer, Picture, Question, Text, Turn
from snellen.subjects.local.check import check_batching
from snellen.subjects.local.model import EncodedBatch, Model
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.local.subject import LocalSubject

torch: Any = pytest.importorskip("torch")
pytest.importorskip("transformers")

TOKENS = 12
NAMES = ["llava", "qwen"]


def question(number: int, text: str | None = None, *, pictures: int = 1, history: bool = False) -> Question:
    """Texts and images of different sizes."""
    shown = tuple(
        Picture(data=png(10 * number + i, (40 + 30 * (number % 3), 30)), name=f"{number}.png") for i in range(pictures)
    )
    before = (
        Turn(role="user", parts=(Text(text="Question: Is there a dog?"), Picture(data=png(99), name="shot.png"))),
        Turn(role="assistant", parts=(Text(text="yes because a dog is visible"),)),
    )
    asked = text if text is not None else "Question: " + "What color is the bus? " * (1 + number % 5)
    return Question(
        id=f"q{number}",
        exam="test",
        prompt="p",
        parts=(Text(text=asked), *shown),
        history=before if history else (),
        shots=("shot",) if history else (),
    )


async def nobody(request: Request) -> Reply:
    raise AssertionError("a local model calls nobody")


def ask(subject: LocalSubject, questions: Sequence[Question]) -> list[Answer]:
    """As the engine does it: all at once, then close."""

    async def every() -> list[Answer]:
        try:
            return await asyncio.gather(*(subject.answer(q, subject.prepare(q), nobody) for q in questions))
        finally:
            await subject.close()

    return asyncio.run(every())


def subject_of(folder: Path, **settings: Any) -> LocalSubject:
    return LocalSubject(str(folder), LocalSettings(**({"max_tokens": TOKENS, "batch": 8} | settings)))


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize("name", NAMES)
def test_batches_change_nothing(models: dict[str, Path], name: str) -> None:
    questions = [question(i) for i in range(12)]
    alone = ask(subject_of(models[name], batch=1), questions)
    together = ask(subject_of(models[name], batch=8), questions)
    assert all(a.calls[0].provider.endswith("batch of 1") for a in alone if a.calls[0].provider)
    assert any(a.calls[0].provider.endswith("batch of 8") for a in together if a.calls[0].provider)
    for one, other in zip(alone, together, strict=True):
        assert (one.id, one.text, one.finish_reason) == (other.id, other.text, other.finish_reason)
        assert one.failure is None
        assert one.calls[0].usage == other.calls[0].usage
        assert one.calls[0].key == other.calls[0].key
        for a, b in zip(one.tokens, other.tokens, strict=True):
            assert a.text == b.text
            assert a.entropy == pytest.approx(b.entropy, abs=1e-3)
            assert a.logprob == pytest.approx(b.logprob, abs=1e-3)
    assert {a.finish_reason for a in alone} == {"stop", "length"}
    assert len({a.text for a in alone}) >= 6


@pytest.mark.parametrize("name", NAMES)
def test_entropies_are_those_of_the_full_logits(models: dict[str, Path], name: str) -> None:
    """Every token checked by one plain pass over prompt and reply, without a cache, a batch or `generate`."""
    import transformers

    subject = subject_of(models[name])
    answers = subject.answer_all([question(i) for i in range(6)], 6)
    model = transformers.AutoModelForImageTextToText.from_pretrained(models[name]).eval()
    ours = subject.load()
    ends = set(model.generation_config.eos_token_id)
    for number, answer in enumerate(answers):
        rendered = ours.render(subject.prepare(question(number)))
        inputs = dict(ours.encode([rendered]).inputs)
        start = inputs["input_ids"].shape[1]
        assert start == rendered.shape.length == answer.calls[0].usage.input_tokens
        tokens: list[int] = []
        for step in range(len(answer.tokens) + (answer.finish_reason == "stop")):
            grown = _grown(inputs, tokens)
            with torch.no_grad():
                logs = model(**grown).logits[0, -1].double().log_softmax(-1)
            entropy = float(-(logs.exp() * logs).sum())
            tokens.append(int(logs.argmax()))
            if step < len(answer.tokens):
                assert answer.tokens[step].entropy == pytest.approx(entropy, abs=1e-4)
                assert answer.tokens[step].logprob == pytest.approx(float(logs.max()), abs=1e-4)
                assert tokens[-1] not in ends
            else:
                assert tokens[-1] in ends
        kept = tokens[: len(answer.tokens)]
        assert answer.text == ours._tokenizer.decode(kept, skip_special_tokens=True)


def _grown(inputs: dict[str, Any], tokens: list[int]) -> dict[str, Any]:
    more = torch.tensor([tokens], dtype=torch.long)
    grown = dict(inputs)
    grown["input_ids"] = torch.cat([inputs["input_ids"], more], 1)
    grown["attention_mask"] = torch.ones_like(grown["input_ids"])
    if "mm_token_type_ids" in grown:
        grown["mm_token_type_ids"] = torch.cat([inputs["mm_token_type_ids"], torch.zeros_like(more)], 1)
    return grown


@pytest.mark.parametrize("name", NAMES)
def test_the_model_sees_the_picture_the_examples_and_several_pictures(models: dict[str, Path], name: str) -> None:
    text = "Question: What color is the bus?"
    one, other = (question(i, text) for i in (0, 3))
    asked = [one, other, question(0, text, history=True), question(0, text, pictures=2), question(0, text, pictures=0)]
    answers = subject_of(models[name]).answer_all(asked, 8)
    assert [len(a.calls[0].images) for a in answers] == [1, 1, 2, 2, 0]
    assert all(a.failure is None for a in answers)
    first = [(a.text, a.tokens[0].entropy if a.tokens else None) for a in answers]
    assert len(set(first)) == 5
    assert answers[2].shots == ("shot",)


def test_pieces_make_the_text(models: dict[str, Path]) -> None:
    for answer in subject_of(models["llava"]).answer_all([question(i) for i in range(8)], 4):
        assert "".join(t.text for t in answer.tokens) == answer.text
        assert all(t.entropy is not None and t.entropy >= -1e-6 and t.logprob <= 0 for t in answer.tokens)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_llava_prompts_are_rendered_as_its_own_template_does(models: dict[str, Path], row: Row) -> None:
    turns, text, rendered = row
    history = tuple(Turn(role=r, parts=(Text(text=t),)) for r, t in turns)  # type: ignore[arg-type]
    picture = Picture(data=png(1), name="x.png")
    asked = Question(id="q", exam="b", prompt="p", parts=(Text(text=text), picture), history=history)
    subject = _shared(models["llava"])
    assert subject.load().render(subject.prepare(asked)).text == rendered


_LOADED: dict[Path, LocalSubject] = {}


def _shared(folder: Path) -> LocalSubject:
    """One that stays loaded, for tests that do not change it."""
    if folder not in _LOADED:
        _LOADED[folder] = subject_of(folder)
    return _LOADED[folder]


def test_qwen_prompts_keep_the_order_of_parts_and_the_system_turn(models: dict[str, Path]) -> None:
    picture = Picture(data=png(1), name="x.png")
    parts = (Text(text="a"), picture, Text(text="b"), picture)
    subject = _shared(models["qwen"])
    asked = Question(id="q", exam="b", prompt="p", parts=parts, system="be brief")
    image = "<|vision_start|><|image_pad|><|vision_end|>"
    assert subject.load().render(subject.prepare(asked)).text == (
        f"<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\na{image}b{image}<|im_end|>\n<|im_start|>assistant\n"
    )


# ---------------------------------------------------------------- the record


def test_the_ledger(models: dict[str, Path]) -> None:
    subject = subject_of(models["llava"])
    drawn = Picture(data=png(1, mode="P"), name="p.png", transforms=("boxes drawn",))
    asked = Question(id="q", exam="b", prompt="p", parts=(Text(text="Question:"), drawn))
    (answer,) = ask(subject, [asked])
    (call,) = answer.calls
    assert (call.kind, call.endpoint, call.model, call.tries, call.failed) == ("hf", "cpu", "tiny-llava", 1, ())
    assert (call.cost, call.cost_source) == (0.0, "local")
    assert call.model_returned == subject.identity["sha256"]
    assert call.latency is not None
    assert call.usage.output_tokens == len(answer.tokens) + (answer.finish_reason == "stop")
    (image,) = call.images
    assert (image.codec, image.width, image.height, image.bytes) == ("png", 40, 30, len(drawn.data))
    assert image.transforms[:2] == ("boxes drawn", "mode P to RGB")
    assert image.transforms[2].startswith("resized to 28x28 by CLIPImageProcessor")


def test_the_identity_says_what_was_chosen_and_does_not_move(models: dict[str, Path]) -> None:
    subject = subject_of(models["qwen"])
    before = dict(subject.identity)
    assert before == {
        "kind": "hf",
        "model": "tiny-qwen",
        "sha256": before["sha256"],
        "device": "cpu",
        "dtype": "float32",
        "attention": "sdpa",
        "parameters": {"max_tokens": TOKENS, "temperature": 0.0},
    }
    assert subject.spec == "hf/tiny-qwen"
    ask(subject, [question(0)])
    listed = subject.identity.pop("listed")
    assert subject.identity == before
    assert listed["class"] == "Qwen3VLForConditionalGeneration"
    assert listed["chat_template"] == "the model's own"
    assert (listed["torch"], listed["batch"]) == (torch.__version__, 8)
    assert "tiny-qwen" in subject.about()
    assert "float32, sdpa attention, batches of 8" in subject.about()


def test_a_closed_subject_can_be_asked_again(models: dict[str, Path]) -> None:
    subject = subject_of(models["llava"], batch="auto")
    before = subject.parallel
    first = ask(subject, [question(i) for i in range(9)])
    assert subject.parallel > before
    assert [a.text for a in ask(subject, [question(i) for i in range(9)])] == [a.text for a in first]


def test_draws_are_seeded_and_do_not_depend_on_the_batch(models: dict[str, Path]) -> None:
    questions = [question(i) for i in range(6)]

    def texts(seed: int, batch: int) -> list[str]:
        return [a.text for a in subject_of(models["qwen"], temperature=1.0, seed=seed).answer_all(questions, batch)]

    assert texts(1, 1) == texts(1, 6) != texts(2, 6)
    assert subject_of(models["qwen"], temperature=1.0, seed=1).identity["parameters"]["seed"] == 1


def test_half_precision(models: dict[str, Path]) -> None:
    subject = subject_of(models["llava"], dtype="bfloat16")
    assert subject.identity["dtype"] == "bfloat16"
    assert all(a.failure is None for a in ask(subject, [question(i) for i in range(3)]))


# ---------------------------------------------------------------- what goes wrong


def test_one_bad_question_does_not_take_others_along(models: dict[str, Path]) -> None:
    broken = bytearray(png(5))
    broken[60:-40] = bytes(len(broken) - 100)
    bad = Picture(data=bytes(broken), name="broken.png")
    questions = [question(i) for i in range(4)]
    asked = [
        *questions[:2],
        Question(id="broken", exam="b", prompt="p", parts=(Text(text="Question: What?"), bad)),
        question(8, "What " * 3000),
        question(9, "What does <image> mean?"),
        *questions[2:],
    ]
    answers = subject_of(models["llava"]).answer_all(asked, 8)
    kinds = [a.failure.kind if a.failure else None for a in answers]
    assert kinds == [None, None, "bad-image", "too-long", "bad-prompt", None, None]
    good = [a.text for a in answers if a.failure is None]
    assert good == [a.text for a in _shared(models["llava"]).answer_all(questions, 4)]
    assert answers[3].failure is not None
    assert "more than the model's 2048" in answers[3].failure.reason


def test_what_is_no_image_is_said_before_it_is_asked(models: dict[str, Path]) -> None:
    no_image = Question(id="q", exam="b", prompt="p", parts=(Picture(data=b"hello", name="x.png"),))
    with pytest.raises(SnellenError, match=r"x\.png: image does not decode"):
        _shared(models["llava"]).prepare(no_image)
    (answer,) = _shared(models["llava"]).answer_all([no_image], 1)
    assert answer.failure is not None
    assert answer.failure.kind == "bad-image"


class Cramped:
    """A model whose memory holds so many rows, and never the prompt of one question."""

    def __init__(self, model: Model, rows: int, never: str = "") -> None:
        self._model, self._rows, self._never = model, rows, never
        self.tried: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def decode(self, batch: EncodedBatch, closing: threading.Event) -> Any:
        self.tried.append(len(batch.rows))
        if len(batch.rows) > self._rows or any(self._never and self._never in r.text for r in batch.rows):
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")
        return self._model.decode(batch, closing)


def test_memory_that_runs_out_loses_no_question(models: dict[str, Path]) -> None:
    questions = [question(i) for i in range(17)]
    expected = [a.text for a in _shared(models["llava"]).answer_all(questions, 4)]
    subject = subject_of(models["llava"], batch=16)
    cramped = Cramped(subject.load(), 3)
    subject._model = cramped  # type: ignore[assignment]
    answers = ask(subject, questions)
    assert [a.text for a in answers] == expected
    assert all(a.failure is None for a in answers)
    assert 16 in cramped.tried
    assert subject.identity["listed"]["batch"] <= 3
    assert 16 in subject.identity["listed"]["out_of_memory_at"]
    tried_again = [a.calls[0] for a in answers if a.calls[0].failed]
    assert tried_again
    assert all(c.tries == 1 + len(c.failed) for c in tried_again)
    assert tried_again[0].failed[0].reason == "out of memory in a batch of 16"


def test_a_question_that_does_not_fit_alone_is_a_failure(models: dict[str, Path]) -> None:
    subject = subject_of(models["llava"])
    subject._model = Cramped(subject.load(), 8, never="unfittable")  # type: ignore[assignment]
    answers = subject.answer_all([question(0), question(1, "unfittable"), question(2)], 3)
    assert [a.failure.kind if a.failure else None for a in answers] == [None, "out-of-memory", None]


def test_scores_that_overflow_are_a_failure_and_no_answer(models: dict[str, Path]) -> None:
    subject = subject_of(models["llava"])
    with torch.no_grad():
        next(w for w in reversed(list(subject.load().parameters())) if w.dim() == 2)[7] = float("nan")
    for answer in subject.answer_all([question(0), question(1)], 2):
        assert answer.failure is not None
        assert answer.failure.kind == "not-a-number"


def test_closing_stops_what_runs(models: dict[str, Path]) -> None:
    subject = subject_of(models["qwen"], max_tokens=1500, batch=2)
    begun = threading.Event()
    model = subject.load()
    inner = model.decode
    model.loaded = model.loaded._replace(ends=frozenset())
    model._model.generation_config.eos_token_id = None

    def decode(batch: EncodedBatch, closing: threading.Event) -> Any:
        begun.set()
        return inner(batch, closing)

    model.decode = decode  # type: ignore[method-assign]

    async def interrupted() -> None:
        tasks = [asyncio.create_task(subject.answer(q, subject.prepare(q), nobody)) for q in map(question, range(5))]
        await asyncio.to_thread(begun.wait)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        started = subject._started()
        await subject.close()
        assert not started.result()._thread.is_alive()

    asyncio.run(interrupted())
    assert subject._model is None


def test_a_run_that_is_stopped_while_the_model_loads(models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    subject = subject_of(models["llava"])
    go = threading.Event()
    load = subject.load
    monkeypatch.setattr(subject, "load", lambda: load() if go.wait(60) else None)

    async def interrupted() -> Any:
        task = asyncio.create_task(subject.answer(question(0), subject.prepare(question(0)), nobody))
        await asyncio.sleep(0)
        started = subject._started()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await subject.close()
        assert not started.done()
        return started

    started = asyncio.run(interrupted())
    go.set()
    started.result(60)._thread.join(60)
    assert not started.result()._thread.is_alive()


def test_weights_that_cannot_be_loaded_stop_the_run(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("llava")
    (folder / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(SnellenError, match="hf/changed-llava: cannot be loaded") as error:
        ask(subject_of(folder), [question(0)])
    assert "\n" not in str(error.value)


def test_a_model_of_another_kind(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("llava")
    (folder / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(SnellenError, match="cannot be loaded"):
        subject_of(folder).load()


def test_a_model_that_wants_to_run_code(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("llava")
    config = json.loads((folder / "config.json").read_text())
    own = {"AutoConfig": "own.Config", "AutoModelForImageTextToText": "own.Model", "AutoProcessor": "own.P"}
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "own", "auto_map": own}))
    (folder / "own.py").write_text("raise SystemExit('ran')")
    with pytest.raises(SnellenError, match="needs code from its repository"):
        subject_of(folder).load()


def test_early_llava_exports_lack_a_template_and_a_patch_size(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("llava")
    expected = [a.text for a in subject_of(folder).answer_all([question(0), question(1)], 2)]
    (folder / "chat_template.jinja").unlink()
    known = json.loads((folder / "processor_config.json").read_text())
    for name in ("patch_size", "vision_feature_select_strategy", "num_additional_image_tokens"):
        known.pop(name)
    (folder / "processor_config.json").write_text(json.dumps(known))
    subject = subject_of(folder)
    assert [a.text for a in subject.answer_all([question(0), question(1)], 2)] == expected
    assert subject.identity["listed"]["chat_template"] == "snellen's for LLaVA-1.5"


def test_another_model_without_a_template(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("qwen")
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(SnellenError, match=r"hf/changed-qwen: no chat template"):
        subject_of(folder).load()


# ---------------------------------------------------------------- checks and runs


def test_check_batching(models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    subject = subject_of(models["llava"], batch=4)
    questions = [question(i) for i in range(9)]
    found = check_batching(subject, iter(questions), 6)
    assert (found.asked, found.failed, found.batch, found.different, found.rate) == (6, 0, 4, (), 0.0)
    assert found.entropy_gap < 1e-3
    assert str(found).startswith("batching: 0 of 6 answers differ alone and in batches of 4 (0.0%)")

    class Careless(Cramped):
        def decode(self, batch: EncodedBatch, closing: threading.Event) -> Any:
            replies = self._model.decode(batch, closing)
            return [replies[0], *(r._replace(text=r.text + "!") for r in replies[1:])]

    subject._model = Careless(subject.load(), 8)  # type: ignore[assignment]
    found = check_batching(subject, questions, 8)
    assert len(found.different) == 6
    assert found.rate == 0.75


@pytest.mark.parametrize("name", NAMES)
def test_a_run(models: dict[str, Path], tmp_path: Path, name: str) -> None:
    data = write_set(tmp_path / "d", 12)
    run = snellen.evaluate("salbench", model=f"hf/{models[name]}", data=data, out=tmp_path / "runs")
    answers = list(run.answers())
    assert len(answers) >= 12
    assert all(a.failure is None and a.calls[0].kind == "hf" for a in answers)
    assert all(t.entropy is not None for a in answers for t in a.tokens)
    assert run.manifest.subject.identity["dtype"] == "float32"
    assert "changed" not in run.path.name
    again = snellen.evaluate("salbench", model=f"hf/{models[name]}", data=data, out=tmp_path / "runs")
    assert again.path == run.path
    assert list(again.answers()) == answers
