"""The chat wire format, read: replies, errors and model lists. Pure; text from servers is bounded and the key taken out."""

from __future__ import annotations

from math import isnan
from typing import Any

import msgspec

from snellen.core.secret import Secret
from snellen.core.subject import Parsed, Price
from snellen.core.text import one_line
from snellen.core.types import Failure, Token, Usage
from snellen.stats.entropy import bound_from_top

_CONTEXT = (
    *("context length", "context_length", "maximum context"),
    *("too many tokens", "context window", "prompt is too long"),
)
_FILTER = (
    *("content_filter", "content_policy", "content policy", "content management policy"),
    *("responsibleaipolicyviolation", "requires moderation", "input was flagged", "flagged_input"),
)
LARGEST_ERROR = 100_000
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def parse_reply(body: bytes, key: Secret) -> Parsed:
    """A 200 response. Some services put an error object into it; that is an error with its own status."""
    try:
        data = msgspec.json.decode(body)
    except _UNREADABLE as error:
        raise ValueError(f"not JSON ({one_line(str(error), 80)})") from None
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")
    if data.get("error"):
        return _inner_error(data["error"], key)
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ValueError("no choices in the reply")
    choice = choices[0]
    if choice.get("error") or choice.get("finish_reason") == "error":
        return _inner_error(choice.get("error") or "the upstream provider failed", key)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ValueError("no message in the reply")
    usage: dict[str, Any] = data["usage"] if isinstance(data.get("usage"), dict) else {}
    cost = usage.get("cost")
    refusal = message.get("refusal")
    text = _content(message.get("content"))
    return Parsed(
        text=key.redact(text or (refusal if isinstance(refusal, str) else "")),
        finish_reason=_text(choice.get("finish_reason"), key),
        refused=bool(refusal) or choice.get("finish_reason") == "content_filter",
        tokens=_tokens(choice.get("logprobs"), key),
        usage=Usage(
            input_tokens=_whole(usage.get("prompt_tokens")), output_tokens=_whole(usage.get("completion_tokens"))
        ),
        cost=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0 else None,
        cost_source="endpoint" if isinstance(cost, int | float) else None,
        model=_text(data.get("model"), key),
        provider=_text(data.get("provider"), key) or _text(data.get("system_fingerprint"), key),
        response_id=_text(data.get("id"), key),
    )


def _inner_error(error: Any, key: Secret) -> Parsed:
    """An error object inside a response that came with status 200."""
    said = error if isinstance(error, dict) else {"message": str(error)}
    code = said.get("code")
    status = code if isinstance(code, int) and 400 <= code <= 599 else 502
    return Parsed(error=Failure(kind="endpoint", reason=_clean(said.get("message") or "error", key)), status=status)


def _content(content: Any) -> str:
    """Text, null, or a list of parts."""
    if isinstance(content, list):
        return "".join(p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str))
    return content if isinstance(content, str) else ""


def _text(value: Any, key: Secret) -> str | None:
    return key.redact(value)[:300] if isinstance(value, str) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _tokens(logprobs: Any, key: Secret) -> tuple[Token, ...]:
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list):
        return ()
    return tuple(_token(item, key) for item in content if _is_pair(item))


def _token(item: dict[str, Any], key: Secret) -> Token:
    """A token with the bounds of its entropy that the named alternatives allow."""
    text, logprob = _pair(item)
    top = tuple(_pair(t) for t in item.get("top_logprobs") or () if _is_pair(t))
    low, high = bound_from_top([p for _t, p in top]) if top and not any(isnan(p) for _t, p in top) else (None, None)
    return Token(text=key.redact(text), logprob=logprob, top=top, entropy=low, entropy_high=high)


def _is_pair(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("logprob"), int | float)


def _pair(item: dict[str, Any]) -> tuple[str, float]:
    return str(item.get("token", "")), float(item["logprob"])


def _clean(text: Any, key: Secret) -> str:
    return one_line(key.redact(str(text)))


def error_message(body: bytes, key: Secret) -> str:
    """The sentence in an error body, whatever its shape. The key is taken out before anything is cut."""
    whole = key.redact(body[:LARGEST_ERROR].decode("utf-8", "replace"))
    try:
        data = msgspec.json.decode(body)
    except _UNREADABLE:
        return one_line(whole)
    if isinstance(data, dict):
        inner = data.get("error", data.get("detail", data.get("message")))
        if isinstance(inner, dict):
            inner = inner.get("message") or inner.get("code")
        if inner:
            return _clean(inner, key)
    return one_line(whole)


def explain_status(status: int, body: bytes, key: Secret, model: str, url: str, key_variable: str) -> Parsed:
    """A failed response as one clear sentence, or as a refusal where a content filter spoke."""
    said = error_message(body, key)
    lowered = body[:4000].decode("utf-8", "replace").lower()
    if status in (400, 403, 413, 422) and any(word in lowered for word in _FILTER):
        return Parsed(text=said, refused=True, finish_reason="content_filter", cost=0.0, cost_source="refused")
    told = f"(status {status}: {said})"
    kind, reason = "status", f"status {status}: {said}"
    if status in (401, 403):
        kind, reason = "key", f"{url} refused the key {told}; set {key_variable} or give --api-key"
    elif status == 402:
        kind, reason = "no-credit", f"{url} asks for payment {told}; add credit and run the same command"
    elif status == 404:
        kind, reason = "unknown-model", f"{url} does not know the model '{model}' {told}; check --model and --base-url"
    elif status in (400, 413, 422) and any(word in lowered for word in _CONTEXT):
        kind, reason = "context", f"longer than the model's context {told}"
    elif status in (400, 413, 422):
        kind, reason = "bad-request", f"the endpoint rejects the request {told}"
    return Parsed(error=Failure(kind=kind, reason=reason), status=status)


def parse_models(listing: bytes) -> dict[str, dict[str, Any]]:
    """A model list by id; empty where it is not one."""
    try:
        data = msgspec.json.decode(listing)
    except _UNREADABLE:
        return {}
    entries = data.get("data") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        return {}
    return {e["id"]: e for e in entries if isinstance(e, dict) and isinstance(e.get("id"), str)}


def listed_price(entry: dict[str, Any]) -> Price | None:
    """OpenRouter's price in a model list entry: USD a token, as text."""
    pricing = entry.get("pricing")
    if not isinstance(pricing, dict):
        return None
    try:
        per_input, per_output = float(pricing["prompt"]), float(pricing["completion"])
    except (KeyError, TypeError, ValueError):
        return None
    if per_input < 0 or per_output < 0:
        return None
    return Price(per_input * 1e6, per_output * 1e6, "the endpoint's model list")
