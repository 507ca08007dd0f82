"""A local server of OpenAI's documented forms: the Responses API, chat completions, and Azure's addresses of these.

It refuses, fails and bills as they do, on 127.0.0.1 only. Its replies are checked against the official package's types in
tests/subjects/test_openai_responses.py.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.endpoint import Endpoint

Out = tuple[int, dict[str, str], bytes] | None
THOUGHT = "Is it the color? No: the size."
TIMES = {"created_at": 1_790_000_000.0}
KINDS = ("throttle", "error", "overloaded", "drop", "cut", "failed")


def error(message: str, code: str | None, kind: str = "invalid_request_error", param: str | None = None) -> bytes:
    return json.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}}).encode()


def unsupported(name: str) -> tuple[int, dict[str, str], bytes]:
    message = f"Unsupported parameter: '{name}' is not supported with this model."
    return 400, {}, error(message, "unsupported_parameter", param=name)


QUOTA = (
    429,
    {},
    error(
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
    ),
)
AZURE_FILTER = (
    400,
    {"apim-request-id": "a-1"},
    json.dumps(
        {
            "error": {
                "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
                "type": None,
                "param": "prompt",
                "code": "content_filter",
                "status": 400,
                "innererror": {
                    "code": "ResponsibleAIPolicyViolation",
                    "content_filter_result": {
                        "hate": {"filtered": False, "severity": "safe"},
                        "violence": {"filtered": True, "severity": "medium"},
                    },
                },
            }
        }
    ).encode(),
)


@dataclass
class Provider(Endpoint):
    """The server.

    `refuses` are fields that are answered with 400; `trouble` is the share of requests that fail, in turn in each of KINDS.
    """

    thought: str = THOUGHT
    refuses: tuple[str, ...] = ()
    trouble: float = 0.0
    kinds: tuple[str, ...] = KINDS
    replies: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    targets: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bills: dict[str, dict[str, int]] = {}
        self.faulted: dict[str, int] = {}
        self._dice = random.Random(self.faults.seed)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _respond(self, first: str, headers: dict[str, str], body: bytes) -> Out:
        method, target, _version = first.split(" ")
        if method == "GET":
            return await super()._respond(first, headers, body)
        path, _, query = target.partition("?")
        form = route(path, query)
        if form is None:
            return 404, {}, error(f"Unknown request URL: POST {path}.", "unknown_url")
        if form == "no version":
            return 404, {}, json.dumps({"error": {"code": "404", "message": "Resource not found"}}).encode()
        if not (headers.get("authorization", "").startswith("Bearer ") or headers.get("api-key")):
            return 401, {}, error("You didn't provide an API key.", None)
        request = json.loads(body)
        name = json.dumps(request.get("input") or request.get("messages"), sort_keys=True)
        self.requests.append(request)
        self.headers.append(headers)
        self.targets.append(target)
        self.asked[name] += 1
        async with self._gate:
            await asyncio.sleep(self.delay)
            return self._answer(form, request, name)

    def _answer(self, form: str, request: dict[str, Any], name: str) -> Out:
        wrong = "messages" if form == "responses" else "input"
        for refused in (wrong, *self.refuses):
            if holds(request, refused):
                return unsupported(refused)
        scripted = self.script(request, self.asked[name]) if self.script else None
        if scripted is not None:
            return scripted
        if self._dice.random() < self.trouble:
            kind = self.kinds[sum(self.faulted.values()) % len(self.kinds)]
            self.faulted[kind] = self.faulted.get(kind, 0) + 1
            return self._fault(kind, form, request)
        self.answered[name] += 1
        number = len(self.bills) + 1
        bill = {
            "input": 200 + number % 7,
            "cached": 64,
            "output": 40 + number % 5,
            "reasoning": 30 if self.thought else 0,
        }
        reply = responses_reply if form == "responses" else chat_reply
        data = (
            self.replies(request) if self.replies else reply(self.answer, request["model"], self.thought, bill, number)
        )
        self.bills[data["id"]] = bill
        return 200, {"x-request-id": f"req_{number}"}, json.dumps(data).encode()

    def _fault(self, kind: str, form: str, request: dict[str, Any]) -> Out:
        if kind == "throttle":
            waits = {"retry-after": "0.02", "retry-after-ms": "20", "x-ratelimit-remaining-requests": "0"}
            return 429, waits, error("Rate limit reached for requests.", "rate_limit_exceeded", "requests")
        if kind == "error":
            return 500, {}, error("The server had an error while processing your request.", None, "server_error")
        if kind == "overloaded":
            return 503, {"retry-after": "0"}, error("The engine is currently overloaded.", None, "overloaded_error")
        if kind == "drop":
            return None
        if kind == "failed" and form == "responses":
            data = responses_reply("", request["model"], "", None, 0) | {"status": "failed", "output": []}
            return 200, {}, json.dumps(data | {"error": {"code": "server_error", "message": "It failed."}}).encode()
        return 200, {}, json.dumps(chat_reply(self.answer, request["model"], "", None, 0)).encode()[:-40]


def route(path: str, query: str) -> str | None:
    if path == "/v1/responses":
        return "responses"
    if path in ("/v1/chat/completions", "/openai/v1/chat/completions"):
        return "chat"
    if re.fullmatch(r"/openai/deployments/[^/]+/chat/completions", path):
        return "chat" if re.fullmatch(r"api-version=\d{4}-\d{2}-\d{2}(-preview)?", query) else "no version"
    return None


def holds(request: Any, name: str) -> bool:
    first, _, rest = name.partition(".")
    return isinstance(request, dict) and first in request and (not rest or holds(request[first], rest))


# ---------------------------------------------------------------- replies


def message(*parts: dict[str, Any], status: str = "completed") -> dict[str, Any]:
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": status, "content": list(parts)}


def output_text(text: str, logprobs: list[Any] | None = None) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": logprobs or []}


def reasoning(*summaries: str, full: str = "") -> dict[str, Any]:
    item = {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": s} for s in summaries]}
    return item | ({"content": [{"type": "reasoning_text", "text": full}]} if full else {})


def responses_reply(
    text: str, model: str = "gpt-5", thought: str = "", bill: dict[str, int] | None = None, number: int = 1
) -> dict[str, Any]:
    counts = bill or {"input": 0, "cached": 0, "output": 0, "reasoning": 0}
    usage = {
        "input_tokens": counts["input"],
        "input_tokens_details": {"cached_tokens": counts["cached"], "cache_write_tokens": 0},
        "output_tokens": counts["output"],
        "output_tokens_details": {"reasoning_tokens": counts["reasoning"]},
        "total_tokens": counts["input"] + counts["output"],
    }
    return TIMES | {
        "id": f"resp_{number}",
        "object": "response",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": f"{model}-2025-08-07",
        "output": [*([reasoning(thought)] if thought else []), message(output_text(text))],
        "parallel_tool_calls": True,
        "service_tier": "default",
        "tool_choice": "auto",
        "tools": [],
        "usage": usage if bill else None,
    }


def chat_reply(
    text: str, model: str = "gpt-5", thought: str = "", bill: dict[str, int] | None = None, number: int = 1
) -> dict[str, Any]:
    counts = bill or {"input": 0, "cached": 0, "output": 0, "reasoning": 0}
    said: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    said |= {"reasoning_content": thought} if thought else {}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": f"{model}-2025-08-07",
        "choices": [{"index": 0, "message": said, "finish_reason": "stop", "logprobs": None}],
        "usage": {
            "prompt_tokens": counts["input"],
            "completion_tokens": counts["output"],
            "total_tokens": counts["input"] + counts["output"],
            "prompt_tokens_details": {"cached_tokens": counts["cached"]},
            "completion_tokens_details": {"reasoning_tokens": counts["reasoning"]},
        },
    }
