"""An estimate counts few-shot examples as they are sent."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from tests.support.billing import words_in
from tests.support.made_sets import made

from snellen import exams
from snellen.core.images import sniff
from snellen.core.options import Selection
from snellen.core.subject import Subject
from snellen.engine.ask.questions import questions
from snellen.engine.plan.estimate import estimate
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.subjects.image_tokens import image_tokens

MODEL = "openai-chat/gpt-4o"
FRAME = 4  # tokens around a message, as OpenAI counts them


def counted(body: bytes) -> int:
    """The tokens of a request as a server counts them: every message with its frame, its words and its pictures."""
    import msgspec

    tokens = 3
    for message in msgspec.json.decode(body)["messages"]:
        content = message["content"]
        parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        tokens += FRAME
        for part in parts:
            if part["type"] == "text":
                tokens += words_in(part["text"])
            else:
                head = sniff(base64.b64decode(part["image_url"]["url"].partition(",")[2]))
                tokens += image_tokens(MODEL, head.width, head.height)
    return tokens


def ratio(exam: str, data: Path, prompt: str | None, shots: int = 0, controls: tuple[str, ...] = ()) -> float:
    """Tokens that are really sent by tokens that were estimated."""
    request = RunRequest(
        exam,
        MODEL,
        data,
        protocols=(next(iter(exams.load(exam).protocols)),),
        prompt=prompt,
        controls=controls,
        selection=Selection(limit=12, shots=shots),
    )
    plan = make_plan(request, offline=True)
    said = estimate(plan, 64)
    feed, sent = plan.feed(lambda _key: False), 0
    while chunk := feed.pull():
        sent += sum(counted(item.prepared.body) for item in chunk)
    return sent / said["input_tokens"]


@pytest.mark.parametrize("exam", ["vqax", "actx", "esnlive"])
@pytest.mark.parametrize("prompt", ["zero", "1shot", "3shot", "3shot-images"])
def test_what_is_sent_is_what_was_estimated(tmp_path: Path, exam: str, prompt: str) -> None:
    made(exam, tmp_path, count=8, seed=1)
    assert 0.95 <= ratio(exam, tmp_path, prompt) <= 1.05


def test_controls_and_examples_in_one_turn_too(tmp_path: Path) -> None:
    made("salbench", tmp_path, count=12, seed=1)
    assert 0.95 <= ratio("salbench", tmp_path, None, shots=3) <= 1.05
    assert 0.95 <= ratio("salbench", tmp_path, None, controls=("none", "blank")) <= 1.05


def test_the_bound_of_a_call_counts_them_too(tmp_path: Path) -> None:
    made("vqax", tmp_path, count=8, seed=1)
    request = RunRequest("vqax", MODEL, tmp_path, prompt="3shot", selection=Selection(limit=2))
    plan = make_plan(request, offline=True)
    for item in plan.feed(lambda _key: False).pull():
        price = plan.subject.price
        assert price is not None
        assert item.prepared.cost_bound >= price.of(counted(item.prepared.body), 0)
    for question in questions(plan.exam, plan.data, plan.arms, lambda _key: True, plan.applies, 0):
        assert Subject().input_tokens(question) > 1000
