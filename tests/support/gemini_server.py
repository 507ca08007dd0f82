"""A local server of the Gemini API's documented form: generateContent, models, google.rpc.Status."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.support.native import Native, Response

RPC = "type.googleapis.com/google.rpc."


def status(code: int, word: str, message: str, *details: dict[str, Any]) -> Response:
    error: dict[str, Any] = {"code": code, "message": message, "status": word}
    if details:
        error["details"] = list(details)
    return code, {}, json.dumps({"error": error}).encode()


def reason(word: str) -> dict[str, Any]:
    return {"@type": f"{RPC}ErrorInfo", "reason": word, "domain": "googleapis.com"}


def field(name: str) -> dict[str, Any]:
    return {"@type": f"{RPC}BadRequest", "fieldViolations": [{"field": name, "description": "not supported"}]}


def quota(name: str, value: str = "20") -> dict[str, Any]:
    return {"@type": f"{RPC}QuotaFailure", "violations": [{"quotaId": name, "quotaValue": value}]}


def again(delay: str) -> dict[str, Any]:
    return {"@type": f"{RPC}RetryInfo", "retryDelay": delay}


def content(
    text: str | None = "Color",
    thinking: str | None = None,
    *,
    number: int = 1,
    finish: str | None = "STOP",
    model: str = "gemini-3.8-flash",
    **more: Any,
) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [] if thinking is None else [{"text": thinking, "thought": True}]
    parts += [] if text is None else [{"text": text, "thoughtSignature": "c2ln"}]
    candidate: dict[str, Any] = {"content": {"role": "model"} | ({"parts": parts} if parts else {}), "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    usage = {
        "promptTokenCount": 1200 + number % 7,
        "candidatesTokenCount": 5 + number % 5,
        "thoughtsTokenCount": 30,
        "cachedContentTokenCount": 200,
        "totalTokenCount": 1235 + number % 7 + number % 5,
    }
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": f"{model}-001",
        "responseId": f"resp{number:04d}",
    } | more


@dataclass
class GeminiServer(Native):
    """The server. `url` is the SDK's base address: without a version."""

    key: str = "AIzaSyD-native-0123456789"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def check(self, path: str, headers: dict[str, str]) -> Response | None:
        if headers.get("x-goog-api-key") != self.key:
            said = "API key not valid. Please pass a valid API key."
            return status(400, "INVALID_ARGUMENT", said, reason("API_KEY_INVALID"))
        if not re.fullmatch(r"/v1(?:beta)?/(?:models|tunedModels)/[\w.-]+(?::generateContent)?", path):
            return 404, {}, b"<html>not found</html>"
        return None

    def model(self, path: str) -> Response:
        name = path.rpartition("/")[2]
        if not name.startswith("gemini-"):
            said = f"models/{name} is not found for API version v1beta, or is not supported for generateContent."
            return status(404, "NOT_FOUND", said)
        info = {"name": f"models/{name}", "version": "001", "outputTokenLimit": 65_536, "thinking": True}
        return 200, {}, json.dumps(info).encode()

    def asks(self, request: dict[str, Any]) -> str:
        return json.dumps(request["contents"], sort_keys=True)

    def say(self, request: dict[str, Any], number: int) -> tuple[str, dict[str, Any]]:
        shown = request.get("generationConfig", {}).get("thinkingConfig", {}).get("includeThoughts")
        reply = content(self.answer, self.thinking if shown else None, number=number)
        return reply["responseId"], reply

    def tokens(self, reply: dict[str, Any]) -> dict[str, int]:
        usage = reply["usageMetadata"]
        return {
            "input": usage["promptTokenCount"],
            "output": usage["candidatesTokenCount"] + usage["thoughtsTokenCount"],
            "cached": usage["cachedContentTokenCount"],
            "written": 0,
            "thinking": usage["thoughtsTokenCount"],
        }

    def errors(self) -> dict[str, Response]:
        minute = quota("GenerateRequestsPerMinutePerProjectPerModel")
        return {
            "rate limit": status(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", minute, again("0.02s")),
            "overloaded": status(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
            "internal": status(500, "INTERNAL", "An internal error has occurred."),
        }
