"""Whatever a server sends, a reader of Anthropic's or Google's form gives a reply or says that it is broken, without the key."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.anthropic_server import message
from tests.support.gemini_server import content
from tests.support.remote import remote

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply
from snellen.subjects.remote.settings import Settings

KEY = "sk-hostile-0123456789abcdef"
SUBJECTS = {
    kind: remote(kind, model, Settings(key=Secret(KEY)))
    for kind, model in (("anthropic", "claude-haiku-4-5"), ("gemini", "gemini-2.5-flash"))
}
NAMES = st.sampled_from(
    [
        "type",
        "error",
        "content",
        "text",
        "thinking",
        "stop_reason",
        "usage",
        "input_tokens",
        "candidates",
        "parts",
        "finishReason",
        "thought",
        "details",
        "reason",
        "violations",
        "fieldViolations",
        "field",
        "quotaId",
        "retryDelay",
        "message",
        "status",
        "code",
        "logprobsResult",
        "chosenCandidates",
        "topCandidates",
        "promptFeedback",
        "blockReason",
        "usageMetadata",
        "promptTokenCount",
        "name",
        "max_tokens",
        "outputTokenLimit",
        "stop_details",
    ]
)
WORDS = st.sampled_from(
    [
        "thinking",
        "text",
        "end_turn",
        "refusal",
        "STOP",
        "SAFETY",
        "36s",
        "INVALID_ARGUMENT",
        "temperature is not supported",
        KEY,
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def spoilt(reply: dict[str, Any], paths: list[int], value: Any) -> dict[str, Any]:
    """A good reply with one place of it replaced."""
    copy = json.loads(json.dumps(reply))
    place: Any = copy
    for step in paths[:-1]:
        keys = list(place) if isinstance(place, dict) else list(range(len(place))) if isinstance(place, list) else []
        if not keys or not isinstance(place[keys[step % len(keys)]], dict | list):
            break
        place = place[keys[step % len(keys)]]
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    if keys:
        place[keys[paths[-1] % len(keys)]] = value
    return copy


def read(kind: str, body: bytes) -> None:
    subject = SUBJECTS[kind]
    try:
        parsed = subject.parse(body)
        assert KEY not in repr(parsed)
    except BrokenReply as broken:
        assert KEY not in str(broken)
    for status in (400, 429, 500):
        assert KEY not in repr(subject.explain(status, body))
        remote(kind, subject.model, Settings(key=Secret(KEY))).drop_refused_parameter(status, body)
    with suppress(SnellenError):
        subject.learn(body)


@pytest.mark.parametrize("kind", ["anthropic", "gemini"])
@given(value=VALUES)
def test_any_json(kind: str, value: Any) -> None:
    read(kind, json.dumps(value).encode())


@pytest.mark.parametrize("kind", ["anthropic", "gemini"])
@given(paths=st.lists(st.integers(0, 9), min_size=1, max_size=5), value=VALUES)
def test_a_reply_with_something_odd_in_it(kind: str, paths: list[int], value: Any) -> None:
    good = message("Color", "hm") if kind == "anthropic" else content("Color", "hm")
    read(kind, json.dumps(spoilt(good, paths, value)).encode())


@pytest.mark.parametrize("kind", ["anthropic", "gemini"])
@pytest.mark.parametrize("body", [b"", b"[", b"[" * 5000, b"\xff\xfe", b'{"error": "\xff"}', b"null", b"[[]]"])
def test_no_json(kind: str, body: bytes) -> None:
    read(kind, body)
