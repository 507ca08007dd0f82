"""A placeholder key such as `color` or `none` is not taken out of replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_config

from snellen.core.secret import Secret
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.run import run_plan
from snellen.engine.runs.folder import RunFolder
from snellen.subjects.compatible import CHAT

PLACEHOLDERS = [
    "color",
    "none",
    "EMPTY",
    "test",
    "ollama",
    "stop",
    "dummy",
    "not-needed",
    "Color, Shape",
    "placeholder",
]
REAL = ["sk-or-v1-0123456789abcdef", "hf_AbCdEfGhIjKl", "a3f9c2e17b5d4086", "QmFzZTY0IGtleSB3aXRob3V0", "token-abc123"]


def said(text: str, **more: Any) -> bytes:
    body = completion(text, **more)
    body["choices"][0]["logprobs"] = {"content": [{"token": text, "logprob": -0.5}]}
    return json.dumps(body | {"model": f"served-{text}"}).encode()


@pytest.mark.parametrize("key", PLACEHOLDERS)
def test_a_word_stays_in_the_reply(key: str) -> None:
    parsed = CHAT.parse(said(f"It is {key}.", finish="stop"), Secret(key))
    assert parsed.text == f"It is {key}."
    assert parsed.tokens[0].text == f"It is {key}."
    assert parsed.finish_reason == "stop"
    assert parsed.model == f"served-It is {key}."
    assert parsed.note is None


@pytest.mark.parametrize("key", REAL)
def test_a_key_is_taken_out_and_the_record_says_so(key: str) -> None:
    parsed = CHAT.parse(said(f"It is {key}."), Secret(key))
    assert parsed.text == "It is [key]."
    assert key not in str(parsed)
    assert parsed.note is not None
    assert "taken out" in parsed.note


@pytest.mark.parametrize(("key", "right"), [("color", 12), ("sk-or-v1-0123456789abcdef", 12)])
def test_the_score_does_not_depend_on_the_key(tmp_path: Path, key: str, right: int) -> None:
    write_config(tmp_path / "set", "P3", 12, answer=["color"] * 12)
    with Endpoint(answer="color") as endpoint:
        options = {"base_url": endpoint.url, "api_key": key}
        request = RunRequest("salbench", "api/m", tmp_path / "set", ("paper",), options=options, out=tmp_path / "runs")
        plan = make_plan(request)
        run_plan(plan)
    folder = RunFolder(plan.folder)
    assert {a.text for a in folder.answers()} == {"color"}
    assert sum(m.outcome == "correct" for m in folder.marks("paper")) == right
