"""Runs of salbench by batches, in this process, and a server's answers in them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import snellen
from snellen.engine.runs.run import Run
from tests.support.batch_server import AnthropicBatchServer, BatchServer, OpenAIBatchServer
from tests.support.endpoint import completion

EACH = (833 * 2 + 8) / 1e6 / 2


def chat(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return 200, completion("Color", request["model"])


def message(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return 200, {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [{"type": "text", "text": "Color"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 833, "output_tokens": 1},
    }


def evaluate(server: BatchServer, tmp_path: Path, **more: Any) -> Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate_aloud(server, tmp_path, **more)


def evaluate_aloud(server: BatchServer, tmp_path: Path, **more: Any) -> Run:
    """Evaluate, with warnings shown."""
    claude = isinstance(server, AnthropicBatchServer)
    given: dict[str, Any] = {
        "model": "anthropic/claude-haiku-4-5" if claude else "openai-chat/gpt-4o",
        "base_url": server.origin if claude else f"{server.origin}/v1",
        "data": tmp_path / "d",
        "out": tmp_path / "runs",
        "api_key": "sk-test-0123456789abcdef",
        "price": "2/8",
        "batch_api": True,
    }
    return snellen.evaluate("salbench", **(given | more))


def folder(tmp_path: Path) -> Path:
    return next(p for p in (tmp_path / "runs").glob("salbench_*") if ".old" not in p.name)


def openai() -> OpenAIBatchServer:
    return OpenAIBatchServer(chat)


def claude() -> AnthropicBatchServer:
    return AnthropicBatchServer(message)
