"""Read server responses: JSON, numbers, errors and model lists. Pure; text from servers is bounded and the key taken out.

Nothing that a server sends may end a run or go unbilled. Impossible numbers are read as missing, invalid
Unicode is mended, and a reply that cannot be used still reports its cost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

import msgspec

from snellen.core.records import REFUSED
from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Parsed, Price
from snellen.core.text import one_line
from snellen.core.types import Failure, Token, Usage
from snellen.stats.entropy import bound_from_top
from snellen.subjects.remote.format import TREATED, ErrorBody

_CONTEXT = (
    "context length",
    "context_length",
    "maximum context",
    "input token count",
    "exceeds the maximum number of tokens",
    "too many tokens",
    "context window",
    "prompt is too long",
)
_FILTER = (
    "content_filter",
    "content_policy",
    "content policy",
    "content management policy",
    "responsibleaipolicyviolation",
    "requires moderation",
    "input was flagged",
    "flagged_input",
    "moderation_blocked",
)
_NO_CREDIT = (
    "insufficient_quota",
    "credit balance is too low",
    "billing_hard_limit",
    "billing_not_active",
    "insufficient_credits",
    "billing hard limit",
    "insufficient credits",
    "account is not active",
    "insufficient balance",
    "payment required",
    "used all available credits",
)
_NO_IMAGES = re.compile(
    r"\b(?:image input|vision|multimodal(?: input)?) (?:is )?not supported"
    r"|(?:does not|doesn't) support (?:image inputs?|images|vision)(?=$|[.,;:!'\"(]| -| for )"
    r"|image_url is only supported by certain models|no endpoints found that support image input"
    r"|is not a multimodal model|at most 0 images?\b|unknown variant `image_url`|required for image input",
    re.IGNORECASE,
)
"""Messages, with statuses from 400 to 500, that a model takes no images at all; not that it does not take this image."""
_TIMED_OUT = re.compile(r"408|499|504|524|\w*time_?d?_?out\w*|deadline_exceeded", re.IGNORECASE)
_UNKNOWN_MODEL = re.compile(r"\binvalid model(?: name|: )|\bmodel \S+ does not exist\b", re.IGNORECASE)
_WRONG_KEY = re.compile(
    r"no connected db|authentication error|(?:incorrect|invalid) api key|api key not valid", re.IGNORECASE
)
"""Messages about a wrong key with status 400. LiteLLM knows no key but its master key if it has no database."""
LARGEST_ERROR = 100_000
MOST_TOKENS = 10**9  # of one call; anything higher is not a token count
MOST_COST = 1e6  # USD of one call, likewise
MOST_WHOLE = 2**53
_REPEATED = "the reply repeated the API key; it was taken out"
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


# ---------------------------------------------------------------- values


def _json(body: bytes) -> Any:
    """Read JSON, even if it holds half a surrogate pair or bytes that are not UTF-8: models cut characters in two."""
    try:
        return msgspec.json.decode(body)
    except _UNREADABLE as error:
        reason = f"not JSON ({one_line(str(error), 80)})"
    try:
        return _mended(json.loads(body.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        raise BrokenReply(reason) from None


def decoded(body: bytes) -> dict[str, Any]:
    """Read a JSON object; raise BrokenReply if it is not one."""
    data = _json(body)
    if not isinstance(data, dict):
        raise BrokenReply("not a JSON object")
    return data


def _mended(data: Any) -> Any:
    """Return the data with a mark in the place of every lone surrogate, which no file could hold."""
    if isinstance(data, str):
        return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(data, list):
        return [_mended(item) for item in data]
    if isinstance(data, dict):
        return {_mended(name): _mended(value) for name, value in data.items()}
    return data


def short(value: Any, key: Secret) -> str | None:
    """Return a name or a word from a server, bounded and without the key."""
    return key.redact_reply(value)[:300] if isinstance(value, str) else None


def tier(value: Any, key: Secret) -> str | None:
    """Return the service tier that answered, as a provider: the prices of tiers differ."""
    said = short(value, key)
    return f"service tier {said}" if said else None


def whole(value: Any) -> int | None:
    """Return a count; None if the endpoint sent no valid one."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def number(value: Any) -> float | None:
    """Return a number that a calculation can use; None for anything else, also for one of 400 digits."""
    if type(value) is float:
        return value if isfinite(value) else None
    return float(value) if type(value) is int and -MOST_WHOLE <= value <= MOST_WHOLE else None


def money(value: Any) -> float | None:
    """Return a cost in USD that one call can have."""
    cost = number(value)
    return cost if cost is not None and 0 <= cost <= MOST_COST else None


def part(data: Any, *names: str) -> Any:
    """Return a value nested in objects; None if one of them is missing."""
    for name in names:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def listed_page(body: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Read a page of a list: its objects, and whether there are more. Raise BrokenReply if it is not a list."""
    data = decoded(body)
    entries = data.get("data")
    if not isinstance(entries, list):
        raise BrokenReply("no list in the reply")
    return [e for e in entries if isinstance(e, dict)], data.get("has_more") is True


# ---------------------------------------------------------------- log-probabilities


def replied(bill: Parsed, key: Secret, said: str, thought: str, content: Any = None) -> Parsed:
    """Add the reply, the thinking and the log-probabilities in `content` to a bill. The key is taken out, and a note reports it."""
    text, thinking = key.redact_reply(said), key.redact_reply(thought)
    found, taken_out = _tokens(content, key)
    changed = taken_out or (text, thinking) != (said, thought)
    return bill._replace(text=text, thinking=thinking, tokens=found, note=_REPEATED if changed else None)


def _tokens(content: Any, key: Secret) -> tuple[tuple[Token, ...], bool]:
    """Return the tokens (none if one cannot be read, or if they spell the key), and whether the key was among them."""
    if not isinstance(content, list):
        return (), False
    if not all(map(_is_pair, content)):
        return (), False  # with some of the tokens gone, the rest would say something else
    spelled = "".join(text for text, _p in map(_pair, content))
    if key.redact_reply(spelled) != spelled:
        return (), True
    found, taken_out = [], False
    for item in content:
        token, changed = _token(item, key)
        found.append(token)
        taken_out = taken_out or changed
    return tuple(found), taken_out


def _token(item: dict[str, Any], key: Secret) -> tuple[Token, bool]:
    """Return a token with the bounds of its entropy that the named alternatives allow, and whether an alternative held the key."""
    text, logprob = _pair(item)
    named = item.get("top_logprobs")
    said = [_pair(t) for t in named if _is_pair(t)] if isinstance(named, list) else []
    top = tuple((key.redact_reply(t), p) for t, p in said)
    low, high = bound_from_top([p for _t, p in top]) if top else (None, None)
    return Token(text=text, logprob=logprob, top=top, entropy=low, entropy_high=high), list(top) != said


def _is_pair(item: Any) -> bool:
    logprob = number(item.get("logprob")) if isinstance(item, dict) else None
    return logprob is not None and logprob <= 1.0  # above 0 by rounding only


def _pair(item: dict[str, Any]) -> tuple[str, float]:
    return str(item.get("token", "")), float(item["logprob"])


# ---------------------------------------------------------------- errors


def error_object(body: bytes) -> dict[str, Any]:
    """Return the error object of a body, which may be in a list; an empty one if there is none."""
    try:
        data = _json(body)
    except BrokenReply:
        return {}
    error = part(data[0] if isinstance(data, list) and data else data, "error")
    return error if isinstance(error, dict) else {}


def inner_error(error: Any, key: Secret, bill: Parsed, statuses: Mapping[str, int] = {}) -> Parsed:
    """Read an error inside a response with status 200. Its code is its status, or else `statuses` has that of its type."""
    said = error if isinstance(error, dict) else {"message": str(error)}
    code = said.get("code")
    status = code if isinstance(code, int) and 400 <= code <= 599 else statuses.get(str(said.get("type")), 502)
    reason = clean(said.get("message") or "error", key)
    return bill._replace(error=Failure(kind="endpoint", reason=reason), status=status)


def clean(text: Any, key: Secret) -> str:
    """Return a message for people, on one line, without the key."""
    return one_line(key.redact(str(text)))


def error_body(body: bytes, key: Secret) -> ErrorBody:
    """Parse an error body of any shape. The key is taken out before anything is cut."""
    whole_text = key.redact(body[:LARGEST_ERROR].decode("utf-8", "replace"))
    try:
        data = msgspec.json.decode(body)
    except _UNREADABLE:
        return ErrorBody(one_line(whole_text))
    if isinstance(data, list) and data:
        data = data[0]
    if isinstance(data, dict):
        inner = data.get("error", data.get("detail", data.get("message")))
        if isinstance(inner, dict):
            code = inner.get("code") or inner.get("type") or inner.get("status")
            message = inner.get("message") or inner.get("code")
            if message:
                return ErrorBody(clean(message, key), clean(code or "", key), clean(inner.get("param") or "", key))
        elif inner:
            return ErrorBody(clean(inner, key), clean(data.get("code") or "", key), clean(data.get("param") or "", key))
    return ErrorBody(one_line(whole_text))


def explained(status: int, said: ErrorBody, body: bytes, model: str, url: str, key_names: str) -> Parsed:
    """Return a failed response as one clear sentence, or as a refusal from a content filter."""
    told_kind = (said.kind, said.status or TREATED.get(said.kind, status)) if said.kind else None
    kind, treated = _late(said) or told_kind or _hopeless(status, said.message) or _kind(status, body)
    if kind == "refused":
        bill = _billed_anyway(body)
        free = bill.cost is None and bill.usage.input_tokens is None
        return bill._replace(
            text=said.message,
            refused=True,
            finish_reason="content_filter",
            cost=0.0 if free else bill.cost,
            cost_source=REFUSED,
        )
    told = f"(status {status}: {said.message})"
    reasons = {
        "key": f"{url} refused the key {told}; set {key_names} or give --api-key",
        "no-credit": f"{url} asks for payment or quota {told}; add credit and run the same command",
        "not-allowed": f"{url} does not serve this account or place {told}",
        "unknown-model": f"{url} does not know the model '{model}' {told}; check --model and --base-url",
        "no-images": f"{url} takes no images with the model '{model}' {told}; choose one that does, or start the server for it",
        "context": f"longer than the model's context {told}",
        "bad-request": f"the endpoint rejects the request {told}",
    }
    reason = reasons.get(kind, f"status {status}: {said.message}")
    return _billed_anyway(body)._replace(error=Failure(kind=kind, reason=reason), status=treated)


def _late(said: ErrorBody) -> tuple[str, int] | None:
    """Return what a timeout is treated as, by its code: behind another status it may have been billed all the same."""
    return ("status", 504) if _TIMED_OUT.fullmatch(said.code) else None


def _hopeless(status: int, message: str) -> tuple[str, int] | None:
    """Return the kind of an error after which no call can work, if the server's message tells more than the status."""
    if status in (400, 404, 415, 422, 500, 501) and _NO_IMAGES.search(message):
        return "no-images", 415
    if status == 400 and _WRONG_KEY.match(message):
        return "key", 401
    return ("unknown-model", 404) if status == 400 and _UNKNOWN_MODEL.search(message) else None


def _kind(status: int, body: bytes) -> tuple[str, int]:
    lowered = body[:4000].decode("utf-8", "replace").lower()
    if status in (400, 403, 413, 422) and any(word in lowered for word in _FILTER):
        return "refused", status
    if status == 402 or (status in (400, 403, 429) and no_credit(lowered)):
        return "no-credit", 402
    if status in (401, 403):
        return "key", status
    if status == 404:
        return "unknown-model", status
    if status in (400, 413, 422):
        return ("context" if any(word in lowered for word in _CONTEXT) else "bad-request"), status
    return "status", status


def no_credit(said: str) -> bool:
    """Tell whether an error reports that the account has no money or quota left: asking again does not help."""
    return any(word in said.lower() for word in _NO_CREDIT)


def cost_of(usage: dict[str, Any]) -> float | None:
    """Return the cost of a call from a usage object. With the user's own key at OpenRouter, the provider's share is listed separately."""
    cost = money(usage.get("cost"))
    if cost is None or usage.get("is_byok") is not True:
        return cost
    upstream = money(part(usage, "cost_details", "upstream_inference_cost"))
    return None if upstream is None else cost + upstream


_Path = tuple[str, ...]


class UsageNames(NamedTuple):
    """The fields in which a format reports a call's tokens: fields inside `where`, by their paths.

    Input and output are sums (the first part of the input is required). For the others, the first field present counts.
    """

    input: tuple[_Path, ...]
    output: tuple[_Path, ...]
    reasoning: tuple[_Path, ...] = ()
    cached: tuple[_Path, ...] = ()
    cache_write: tuple[_Path, ...] = ()
    where: str = "usage"


CHAT_USAGE = UsageNames(
    (("prompt_tokens",),),
    (("completion_tokens",),),
    (("completion_tokens_details", "reasoning_tokens"), ("reasoning_tokens",)),
    (("prompt_tokens_details", "cached_tokens"), ("prompt_cache_hit_tokens",)),
    (("prompt_tokens_details", "cache_write_tokens"),),
)
RESPONSES_USAGE = UsageNames(
    (("input_tokens",),),
    (("output_tokens",),),
    (("output_tokens_details", "reasoning_tokens"),),
    (("input_tokens_details", "cached_tokens"),),
    (("input_tokens_details", "cache_write_tokens"),),
)
MESSAGES_USAGE = UsageNames(
    (("input_tokens",), ("cache_read_input_tokens",), ("cache_creation_input_tokens",)),
    (("output_tokens",),),
    (("output_tokens_details", "thinking_tokens"),),
    (("cache_read_input_tokens",),),
    (("cache_creation_input_tokens",),),
)
GEMINI_USAGE = UsageNames(
    (("promptTokenCount",), ("toolUsePromptTokenCount",)),
    (("candidatesTokenCount",), ("thoughtsTokenCount",)),
    (("thoughtsTokenCount",),),
    (("cachedContentTokenCount",),),
    where="usageMetadata",
)


def billed(data: Any, names: UsageNames) -> Parsed:
    """Return the tokens and the cost that a response reports, whatever else it is."""
    said = part(data, names.where)
    if not isinstance(said, dict):
        return Parsed()
    cost = cost_of(said)
    usage = Usage(
        input_tokens=None if _first(said, names.input[:1]) is None else _total(said, names.input),
        output_tokens=_total(said, names.output),
        reasoning_tokens=_first(said, names.reasoning),
        cached_tokens=_first(said, names.cached),
        cache_write_tokens=_first(said, names.cache_write),
    )
    return Parsed(usage=usage, cost=cost, cost_source=None if cost is None else "endpoint")


def _first(said: dict[str, Any], paths: tuple[_Path, ...]) -> int | None:
    for path in paths:
        count = whole(part(said, *path))
        if count is not None:
            return count
    return None


def _total(said: dict[str, Any], paths: tuple[_Path, ...]) -> int | None:
    found = [count for path in paths if (count := whole(part(said, *path))) is not None]
    return sum(found) if found else None


def _billed_anyway(body: bytes) -> Parsed:
    """Return the tokens and the cost in the body of a failed response, by any provider's names; most report nothing."""
    try:
        data = msgspec.json.decode(body) if b'"usage' in body else None
    except _UNREADABLE:
        data = None
    places = data, part(data, "error"), part(data, "response")
    found = [billed(place, names) for place in places for names in (CHAT_USAGE, MESSAGES_USAGE, GEMINI_USAGE)]
    with_cost = next((bill for bill in found if bill.cost is not None), Parsed())
    return next((bill for bill in found if bill.usage != Usage()), with_cost)


# ---------------------------------------------------------------- model lists


def listed(entry: dict[str, Any], key: Secret) -> dict[str, Any]:
    """Return the facts of a model list that tell models apart, without the key."""
    found: dict[str, Any] = {}
    for name in ("id", "created", "created_at", "version", "owned_by", "root", "canonical_slug", "digest"):
        value = entry.get(name)
        if isinstance(value, str):
            found[name] = key.redact_reply(value)[:300]
        elif type(value) is int and abs(value) < MOST_WHOLE:
            found[name] = value
    return found


def models_in(listing: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a model list by id (by name in Ollama's own list); an empty dict if it is not one."""
    entries = listing.get("data", listing.get("models"))
    if not isinstance(entries, list):
        return {}
    named = ((e.get("id", e.get("name")), e) for e in entries if isinstance(e, dict))
    return {name: e for name, e in named if isinstance(name, str)}


def listed_price(entry: dict[str, Any]) -> Price | None:
    """Return OpenRouter's price in a model list entry: USD a token, as text."""
    pricing = entry.get("pricing")
    if not isinstance(pricing, dict):
        return None
    per_input, per_output = _per_million(pricing.get("prompt")), _per_million(pricing.get("completion"))
    if per_input is None or per_output is None:
        return None
    return Price(
        per_input,
        per_output,
        "the endpoint's model list",
        cached=_per_million(pricing.get("input_cache_read")),
        cache_write=_per_million(pricing.get("input_cache_write")),
        reasoning=_per_million(pricing.get("internal_reasoning")) or None,
    )


def _per_million(value: Any) -> float | None:
    try:
        price = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return price * 1e6 if 0 <= price <= MOST_COST else None
