"""OpenAI's Responses API: `POST /responses`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Hosting, Parsed
from snellen.core.types import Failure
from snellen.subjects import model_quirks
from snellen.subjects.openai_batches import OpenAIBatches
from snellen.subjects.remote import reading
from snellen.subjects.remote.format import ErrorBody, Parameters, WireFormat
from snellen.subjects.remote.kind import RemoteKind
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import DETAIL, LOGPROBS, Settings

POLICY = frozenset({"bio_policy", "misalignment_policy_violation", "image_content_policy_violation"})
"""Codes of errors from a policy, not from a machine."""
OF_THE_REQUEST = re.compile(r"invalid|image|context_length")
"""Parts of the codes of errors in the request."""


class _ResponsesFormat(WireFormat):
    """The Responses API. It has no seed and no stop sequences. OpenAI keeps nothing (`store` is false)."""

    droppable: Mapping[str, tuple[str, ...]] = {
        "temperature": ("temperature",),
        "logprobs": ("top_logprobs", "include"),
        "reasoning summary": ("reasoning.summary",),
        "reasoning": ("reasoning.effort",),
    }

    def path(self, model: str) -> str:
        return "/responses"

    def fixed(self, model: str, service: Service) -> Mapping[str, Any]:
        return {"model": model, "store": False}

    def parameters(self, model: str, settings: Settings, service: Service) -> Parameters:
        thinks = model_quirks.thinks(model)
        thinking = settings.thinking_budget(thinks)
        sent: dict[str, Any] = {"max_output_tokens": settings.max_tokens + thinking}
        temperature, not_applied = model_quirks.temperature(model, settings.temperature)
        sent |= temperature
        if settings.top_logprobs:
            sent |= {"top_logprobs": settings.top_logprobs, "include": ["message.output_text.logprobs"]}
        effort = None if settings.reasoning is None else model_quirks.effort(settings.reasoning)
        if effort == "none":
            sent["reasoning"] = {"effort": effort}
        elif effort is not None or thinks:  # the API never returns the thoughts themselves, only a summary
            sent["reasoning"] = ({"effort": effort} if effort else {}) | {"summary": "auto"}
        return Parameters(sent, not_applied, settings.max_tokens, thinking)

    # ------------------------------------------------------------ a question

    def opening(self, system: str | None) -> bytes:
        told = b"" if system is None else b'"instructions":' + msgspec.json.encode(system) + b","
        return told + b'"input":['

    def turn(self, role: str) -> tuple[bytes, bytes]:
        """Return the frame of a turn. Earlier model replies are one message a text: input parts are refused there, and so is plain text."""
        return (b"", b"") if role == "assistant" else (f'{{"role":"{role}","content":['.encode(), b"]}")

    def text(self, role: str, text: str) -> bytes:
        if role == "assistant":
            return b'{"role":"assistant","content":' + msgspec.json.encode(text) + b"}"
        return b'{"type":"input_text","text":' + msgspec.json.encode(text) + b"}"

    def picture(self, mime: str, detail: str | None) -> tuple[bytes, bytes]:
        head = b'{"type":"input_image","detail":' + msgspec.json.encode(detail or "auto")
        return head + f',"image_url":"data:{mime};base64,'.encode(), b'"}'

    # ------------------------------------------------------------ replies

    def parse(self, body: bytes, key: Secret) -> Parsed:
        data = reading.decoded(body)
        bill = reading.billed(data, reading.RESPONSES_USAGE)._replace(
            model=reading.short(data.get("model"), key),
            provider=reading.tier(data.get("service_tier"), key),
            response_id=reading.short(data.get("id"), key),
        )
        status = data.get("status")
        if data.get("error") or status == "failed":
            return _failed(data.get("error"), key, bill)
        if status == "cancelled":
            return bill._replace(error=Failure(kind="endpoint", reason="the response was cancelled"), status=502)
        output = data.get("output")
        if not isinstance(output, list):
            raise BrokenReply("no output in the reply", bill)
        if status in ("in_progress", "queued"):
            raise BrokenReply(f"the reply is {status}, not finished", bill)
        parts = list(_parts(output))
        said = "".join(_texts(parts, "output_text", "text"))
        refusal = "".join(_texts(parts, "refusal", "refusal"))
        finish = _finish(data, key)
        found = reading.replied(bill, key, said or refusal, _thought(output), _logprobs(parts))
        return found._replace(finish_reason=finish, refused=bool(refusal) or finish == "content_filter")

    def error(self, status: int, body: bytes, key: Secret) -> ErrorBody:
        said = reading.error_body(body, key)
        if status in (400, 403) and _by_policy(said.code, said.message):
            return said._replace(kind="refused")
        return said._replace(kind="unknown-model") if status == 405 else said

    def advice(self, status: int, error: ErrorBody, model: str, elsewhere: bool) -> str:
        if status in (404, 405) and elsewhere and error.code != "model_not_found":
            return f"a server that has no /responses is asked with --model api/{model} or openai-chat/{model}"
        return ""


# ---------------------------------------------------------------- the contents of a response


def _parts(output: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the parts of the messages in a response."""
    for item in output:
        content = item.get("content") if isinstance(item, dict) and item.get("type") == "message" else None
        if isinstance(content, list):
            yield from (part for part in content if isinstance(part, dict))


def _texts(parts: Any, kind: str, name: str) -> list[str]:
    """Return the texts of the parts of one type."""
    if not isinstance(parts, list):
        return []
    return [p[name] for p in parts if isinstance(p, dict) and p.get("type") == kind and isinstance(p.get(name), str)]


def _thought(output: list[Any]) -> str:
    """Return the thinking: in full if the server sends it, else as a summary."""
    told = []
    for item in output:
        if isinstance(item, dict) and item.get("type") == "reasoning":
            full = _texts(item.get("content"), "reasoning_text", "text")
            told += full or _texts(item.get("summary"), "summary_text", "text")
    return "\n\n".join(told)


def _logprobs(parts: list[dict[str, Any]]) -> list[Any]:
    found = [part.get("logprobs") for part in parts if part.get("type") == "output_text"]
    return [token for tokens in found if isinstance(tokens, list) for token in tokens]


def _finish(data: dict[str, Any], key: Secret) -> str | None:
    """Return why the reply ended, in the terms of the chat format."""
    status = data.get("status")
    if status != "incomplete":
        return "stop" if status == "completed" else reading.short(status, key)
    reason = reading.part(data.get("incomplete_details"), "reason")
    return "length" if reason == "max_output_tokens" else reading.short(reason, key) or "incomplete"


def _failed(error: Any, key: Secret, bill: Parsed) -> Parsed:
    """Read a failed response, or an error object in its place."""
    said = error if isinstance(error, dict) else {"message": str(error or "the response failed")}
    code, message = str(said.get("code") or ""), reading.clean(said.get("message") or "the response failed", key)
    if _by_policy(code, message):
        return bill._replace(text=message, refused=True, finish_reason="content_filter")
    status = 429 if code == "rate_limit_exceeded" else 400 if OF_THE_REQUEST.search(code) else 502
    kind = "bad-request" if status == 400 else "endpoint"
    return bill._replace(error=Failure(kind=kind, reason=message), status=status)


def _by_policy(code: str, message: str) -> bool:
    """Tell whether an error is a refusal. `invalid_prompt` is the code of flagged prompts, and of other errors."""
    return code in POLICY or (code == "invalid_prompt" and "polic" in message.lower())


RESPONSES = _ResponsesFormat()
OPENAI = RemoteKind(
    Service(
        "openai",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY", "EVAL_API_KEY"),
        address_variables=("OPENAI_BASE_URL",),
        needs_key=True,
        headers_from={"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"},
        batches=lambda base: OpenAIBatches("/responses", base),
        lists_models=False,
        has_prices=True,
        hosting=Hosting("provider", developer="openai", closed=("",)),
    ),
    RESPONSES,
    "a model at OpenAI, by its Responses API (OPENAI_API_KEY)",
    (LOGPROBS, DETAIL),
)
