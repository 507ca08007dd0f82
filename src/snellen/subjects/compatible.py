"""The chat format of OpenAI's first API, which many servers speak: `POST /chat/completions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Parsed
from snellen.core.types import Failure
from snellen.subjects import model_quirks
from snellen.subjects.remote import reading
from snellen.subjects.remote.format import ErrorBody, Parameters, WireFormat
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import Settings


class ChatFormat(WireFormat):
    """Chat completions. The differences between services are in `reasoning`, which a service's own format may replace."""

    droppable: Mapping[str, tuple[str, ...]] = {
        "temperature": ("temperature",),
        "seed": ("seed",),
        "logprobs": ("logprobs", "top_logprobs"),
        "stop": ("stop",),
        "reasoning": ("reasoning_effort", "reasoning"),
    }
    other_names: Mapping[str, str] = {
        "max_tokens": "max_completion_tokens",
        "max_completion_tokens": "max_tokens",
    }

    def path(self, model: str) -> str:
        return "/chat/completions"

    def fixed(self, model: str, service: Service) -> Mapping[str, Any]:
        return {"model": model} | ({"usage": {"include": True}} if service.reports_cost else {})

    def parameters(self, model: str, settings: Settings, service: Service) -> Parameters:
        thinking = settings.thinking_budget(model_quirks.thinks(model))
        sent: dict[str, Any] = {service.length_parameter: settings.max_tokens + thinking}
        temperature, not_applied = model_quirks.temperature(model, settings.temperature)
        sent |= temperature
        if settings.top_logprobs:
            sent |= {"logprobs": True, "top_logprobs": settings.top_logprobs}
        if settings.seed is not None:
            sent["seed"] = settings.seed
        if settings.stop:
            sent["stop"] = list(settings.stop)
        if settings.reasoning is not None:
            sent |= self.reasoning(settings.reasoning, thinking)
        return Parameters(sent, not_applied, settings.max_tokens, thinking)

    def reasoning(self, wish: str | int, budget: int) -> Mapping[str, Any]:
        """Return the fields that ask for that much thinking. A number of tokens becomes the effort that fits it."""
        return {"reasoning_effort": model_quirks.effort(wish)}

    # ------------------------------------------------------------ a question

    def opening(self, system: str | None) -> bytes:
        if system is None:
            return b'"messages":['
        return b'"messages":[' + msgspec.json.encode({"role": "system", "content": system}) + b","

    def picture(self, mime: str, detail: str | None) -> tuple[bytes, bytes]:
        right = b'"}}' if detail is None else b'","detail":' + msgspec.json.encode(detail) + b"}}"
        return f'{{"type":"image_url","image_url":{{"url":"data:{mime};base64,'.encode(), right

    # ------------------------------------------------------------ replies

    def parse(self, body: bytes, key: Secret) -> Parsed:
        """Parse a 200 response. Some services put an error object into it; that is an error with its own status."""
        data = reading.decoded(body)
        provider = reading.short(data.get("provider"), key) or reading.tier(data.get("service_tier"), key)
        bill = reading.billed(data, reading.CHAT_USAGE)._replace(provider=provider)
        if data.get("error"):
            return _inner_error(data["error"], key, bill)
        choices = data.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise BrokenReply("no choices in the reply", bill)
        choice = choices[0]
        if choice.get("error") or choice.get("finish_reason") == "error":
            failed = _inner_error(choice.get("error") or "the upstream provider failed", key, bill)
            message = choice.get("message")
            written = isinstance(message, dict) and (message.get("content") or _thought(message))
            if failed.error is not None and failed.status != 402 and written:
                raise BrokenReply(f"it ends in an error: {failed.error.reason}", bill)  # these tokens may be billed
            return failed
        message = choice.get("message", {} if choice.get("finish_reason") == "content_filter" else None)
        if not isinstance(message, dict):
            raise BrokenReply("no message in the reply", bill)
        refusal = message.get("refusal")
        said = _content(message.get("content")) or (refusal if isinstance(refusal, str) else "")
        thought = _thought(message)
        return reading.replied(bill, key, said, thought, reading.part(choice.get("logprobs"), "content"))._replace(
            finish_reason=reading.short(choice.get("finish_reason"), key),
            refused=bool(refusal) or choice.get("finish_reason") == "content_filter",
            model=reading.short(data.get("model"), key),
            fingerprint=reading.short(data.get("system_fingerprint"), key),
            response_id=reading.short(data.get("id"), key),
        )

    def error(self, status: int, body: bytes, key: Secret) -> ErrorBody:
        return reading.error_body(body, key)

    def takes(self, entry: Mapping[str, Any]) -> frozenset[str] | None:
        """Return the parameters that a model takes. OpenRouter's list names them for each model; OpenRouter drops the others."""
        named = entry.get("supported_parameters")
        return frozenset(n for n in named if isinstance(n, str)) if isinstance(named, list) and named else None


def _content(content: Any) -> str:
    """Return the text of a content: text, null, or a list of parts. Thinking parts are not part of the reply."""
    if isinstance(content, list):
        return "".join(p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str))
    return content if isinstance(content, str) else ""


def _thought(message: dict[str, Any]) -> str:
    """Return the thinking. Servers name it `reasoning_content` (SGLang, llama.cpp, LM Studio, older vLLM), `reasoning` (vLLM,
    OpenRouter, Ollama) or `thinking`, or give it as parts of that type."""
    for name in ("reasoning_content", "reasoning", "thinking"):
        value = message.get(name)
        if isinstance(value, str) and value:
            return value
    details = message.get("reasoning_details")
    found = (
        [d.get("text") or d.get("summary") for d in details if isinstance(d, dict)] if isinstance(details, list) else []
    )
    if not found and isinstance(message.get("content"), list):
        for piece in message["content"]:
            thinking = piece.get("thinking") if isinstance(piece, dict) else None
            found += [_content(thinking)] if thinking else []
    return "\n".join(f for f in found if isinstance(f, str))


def _inner_error(error: Any, key: Secret, bill: Parsed) -> Parsed:
    """Read an error inside a response with status 200. An error that reports no credit left ends the run."""
    found = reading.inner_error(error, key, bill)
    reason = found.error.reason if found.error is not None else ""
    words = f"{reading.part(error, 'code')} {reading.part(error, 'type')} {reason}"
    if found.status != 402 and not reading.no_credit(words):
        return found
    reason = f"the endpoint asks for payment or quota ({reason}); add credit and run the same command"
    return found._replace(error=Failure(kind="no-credit", reason=reason), status=402)


CHAT = ChatFormat()
