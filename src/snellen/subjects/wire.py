"""The chat wire format, read: replies, errors and model lists. Pure; text from servers is bounded and the key taken out.

Nothing that a server sends may end a run or go unbilled: numbers that no reply can mean are read as not said, text that is not
quite Unicode is mended, and a reply that cannot be used still says what it cost.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import msgspec

from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Parsed, Price
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
MOST_TOKENS = 10**9  # of one call; what claims more is no count of tokens
MOST_COST = 1e6  # USD of one call, likewise
MOST_WHOLE = 2**53
REPEATED = "the reply repeated the API key; it was taken out"
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def parse_reply(body: bytes, key: Secret) -> Parsed:
    """A 200 response. Some services put an error object into it; that is an error with its own status."""
    data = _decoded(body)
    if not isinstance(data, dict):
        raise BrokenReply("not a JSON object")
    if data.get("error"):
        return _inner_error(data["error"], key, _bill(data))
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BrokenReply("no choices in the reply", _bill(data))
    choice = choices[0]
    if choice.get("error") or choice.get("finish_reason") == "error":
        return _inner_error(choice.get("error") or "the upstream provider failed", key, _bill(data))
    message = choice.get("message")
    if not isinstance(message, dict):
        raise BrokenReply("no message in the reply", _bill(data))
    refusal = message.get("refusal")
    said = _content(message.get("content")) or (refusal if isinstance(refusal, str) else "")
    text = key.redact_reply(said)
    tokens, taken_out = _tokens(choice.get("logprobs"), key)
    usage, cost = _usage(data)
    return Parsed(
        text=text,
        finish_reason=_text(choice.get("finish_reason"), key),
        refused=bool(refusal) or choice.get("finish_reason") == "content_filter",
        tokens=tokens,
        usage=usage,
        cost=cost,
        cost_source=None if cost is None else "endpoint",
        note=REPEATED if taken_out or text != said else None,
        model=_text(data.get("model"), key),
        provider=_text(data.get("provider"), key) or _text(data.get("system_fingerprint"), key),
        response_id=_text(data.get("id"), key),
    )


def _decoded(body: bytes) -> Any:
    """JSON, also where it holds half a surrogate pair or bytes that are no UTF-8: models cut characters in two."""
    try:
        return msgspec.json.decode(body)
    except _UNREADABLE as error:
        reason = f"not JSON ({one_line(str(error), 80)})"
    try:
        return _mended(json.loads(body.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        raise BrokenReply(reason) from None


def _mended(data: Any) -> Any:
    """The same with a mark in the place of every lone surrogate, which no file could hold."""
    if isinstance(data, str):
        return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(data, list):
        return [_mended(item) for item in data]
    if isinstance(data, dict):
        return {_mended(name): _mended(value) for name, value in data.items()}
    return data


def _usage(data: dict[str, Any]) -> tuple[Usage, float | None]:
    """What a response says of its tokens and its cost, whatever else it is."""
    said = data.get("usage")
    if not isinstance(said, dict):
        return Usage(), None
    cost = _number(said["cost"]) if "cost" in said else None
    if cost is not None and not 0 <= cost <= MOST_COST:
        cost = None
    tokens = Usage(input_tokens=_whole(said.get("prompt_tokens")), output_tokens=_whole(said.get("completion_tokens")))
    return tokens, cost


def _bill(data: dict[str, Any]) -> Parsed:
    """The bill of a response that cannot be used."""
    usage, cost = _usage(data)
    return Parsed(usage=usage, cost=cost, cost_source=None if cost is None else "endpoint")


def _inner_error(error: Any, key: Secret, bill: Parsed) -> Parsed:
    """An error object inside a response that came with status 200."""
    said = error if isinstance(error, dict) else {"message": str(error)}
    code = said.get("code")
    status = code if isinstance(code, int) and 400 <= code <= 599 else 502
    failure = Failure(kind="endpoint", reason=_clean(said.get("message") or "error", key))
    return bill._replace(error=failure, status=status)


def _content(content: Any) -> str:
    """Text, null, or a list of parts."""
    if isinstance(content, list):
        return "".join(p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str))
    return content if isinstance(content, str) else ""


def _text(value: Any, key: Secret) -> str | None:
    return key.redact_reply(value)[:300] if isinstance(value, str) else None


def _whole(value: Any) -> int | None:
    """A count; None where the endpoint said nothing that can be one."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def _number(value: Any) -> float | None:
    """A number that a calculation can use; None for what is none, also for one of 400 digits."""
    if type(value) is float:
        return value if isfinite(value) else None
    return float(value) if type(value) is int and -MOST_WHOLE <= value <= MOST_WHOLE else None


def _tokens(logprobs: Any, key: Secret) -> tuple[tuple[Token, ...], bool]:
    """The tokens (none where one cannot be read, or where they spell the key), and whether the key was among them."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list):
        return (), False
    if not all(map(_is_pair, content)):
        return (), False  # with some of the tokens gone, the rest would say something else
    whole = "".join(text for text, _p in map(_pair, content))
    if key.redact_reply(whole) != whole:
        return (), True
    tokens, taken_out = [], False
    for item in content:
        token, changed = _token(item, key)
        tokens.append(token)
        taken_out = taken_out or changed
    return tuple(tokens), taken_out


def _token(item: dict[str, Any], key: Secret) -> tuple[Token, bool]:
    """A token with the bounds of its entropy that the named alternatives allow; and whether an alternative held the key."""
    text, logprob = _pair(item)
    named = item.get("top_logprobs")
    said = [_pair(t) for t in named if _is_pair(t)] if isinstance(named, list) else []
    top = tuple((key.redact_reply(t), p) for t, p in said)
    low, high = bound_from_top([p for _t, p in top]) if top else (None, None)
    return Token(text=text, logprob=logprob, top=top, entropy=low, entropy_high=high), list(top) != said


def _is_pair(item: Any) -> bool:
    logprob = _number(item.get("logprob")) if isinstance(item, dict) else None
    return logprob is not None and logprob <= 1.0  # above 0 by rounding only


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
        cost = billed_anyway(body).cost or 0.0
        return Parsed(text=said, refused=True, finish_reason="content_filter", cost=cost, cost_source="refused")
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
    return billed_anyway(body)._replace(error=Failure(kind=kind, reason=reason), status=status)


def billed_anyway(body: bytes) -> Parsed:
    """What the body of a failed response says of its cost; most say nothing."""
    try:
        data = msgspec.json.decode(body) if b'"usage"' in body else None
    except _UNREADABLE:
        data = None
    return _bill(data) if isinstance(data, dict) else Parsed()


def listed(entry: dict[str, Any], key: Secret) -> dict[str, Any]:
    """What a model list says of a model, as far as it tells models apart, without the key."""
    found: dict[str, Any] = {}
    for name in ("id", "created", "owned_by", "root", "canonical_slug"):
        value = entry.get(name)
        if isinstance(value, str):
            found[name] = key.redact_reply(value)[:300]
        elif type(value) is int and abs(value) < MOST_WHOLE:
            found[name] = value
    return found


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
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    if not (0 <= per_input <= MOST_COST and 0 <= per_output <= MOST_COST):
        return None
    return Price(per_input * 1e6, per_output * 1e6, "the endpoint's model list")
