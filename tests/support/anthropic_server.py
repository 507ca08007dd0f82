"""A local server of Anthropic's documented form: messages, models, errors."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.support.native import Native, Response


def error(status: int, kind: str, message: str, headers: dict[str, str] | None = None, **details: str) -> Response:
    inner: dict[str, Any] = {"type": kind, "message": message} | ({"details": details} if details else {})
    body = {"type": "error", "error": inner, "request_id": "req_err"}
    return status, {"request-id": "req_err", **(headers or {})}, json.dumps(body).encode()


def message(
    text: str | None = "Color",
    thinking: str | None = None,
    *,
    number: int = 1,
    stop: str = "end_turn",
    model: str = "claude-sonnet-5-5",
    **more: Any,
) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if thinking is not None:
        content.append({"type": "thinking", "thinking": thinking, "signature": "c2ln"})
    if text is not None:
        content.append({"type": "text", "text": text, "citations": None})
    usage = {
        "input_tokens": 1000 + number % 7,
        "cache_creation_input_tokens": 30,
        "cache_read_input_tokens": 200,
        "output_tokens": 40 + number % 5,
        "output_tokens_details": {"thinking_tokens": 30},
        "service_tier": "standard",
    }
    return {
        "id": f"msg_{number:04d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    } | more


@dataclass
class AnthropicServer(Native):
    """The server. `url` is the SDK's base address: without a version."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def check(self, path: str, headers: dict[str, str]) -> Response | None:
        if self.key not in (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer ")):
            return error(401, "authentication_error", "invalid x-api-key")
        if headers.get("anthropic-version") not in ("2023-06-01", "2026-10-21"):
            return error(400, "invalid_request_error", "anthropic-version: header is required")
        if path != "/v1/messages" and not path.startswith("/v1/models/"):
            return error(404, "not_found_error", "Not found")
        return None

    def model(self, path: str) -> Response:
        name = path.rpartition("/")[2]
        if not name.startswith("claude-"):
            return error(404, "not_found_error", f"model: {name}")
        info = {
            "type": "model",
            "id": name,
            "display_name": name,
            "created_at": "2026-09-28T00:00:00Z",
            "lifecycle": "active",
            "max_tokens": 64_000,
        }
        return 200, {}, json.dumps(info).encode()

    def asks(self, request: dict[str, Any]) -> str:
        return json.dumps(request["messages"], sort_keys=True)

    def refuses(self, request: dict[str, Any], headers: dict[str, str]) -> Response | None:
        """Refuse a temperature in today's version, and in any version together with thinking."""
        if "temperature" not in request:
            return None
        if headers["anthropic-version"] == "2026-10-21":
            return error(400, "invalid_request_error", "temperature: Extra inputs are not permitted")
        if request.get("thinking", {}).get("type") in ("enabled", "adaptive") and request["temperature"] != 1:
            said = "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode."
            return error(400, "invalid_request_error", said)
        return None

    def say(self, request: dict[str, Any], number: int) -> tuple[str, dict[str, Any]]:
        thinks = request.get("thinking", {}).get("type") in ("enabled", "adaptive")
        reply = message(self.answer, self.thinking if thinks else None, number=number, model=request["model"])
        return reply["id"], reply

    def tokens(self, reply: dict[str, Any]) -> dict[str, int]:
        usage = reply["usage"]
        cached, written = usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]
        return {
            "input": usage["input_tokens"] + cached + written,
            "output": usage["output_tokens"],
            "cached": cached,
            "written": written,
            "thinking": usage["output_tokens_details"]["thinking_tokens"],
        }

    def errors(self) -> dict[str, Response]:
        return {
            "rate limit": error(429, "rate_limit_error", "slow down", {"retry-after": "0.02"}),
            "overloaded": error(529, "overloaded_error", "Overloaded"),
            "internal": error(500, "api_error", "Internal server error"),
        }

    def extra_headers(self, number: str) -> dict[str, str]:
        return {"request-id": f"req_{number}"}
