"""Anthropic's Messages API: `POST /v1/messages`, as `anthropic/NAME`.

The parameters for thinking differ by generation: older models take a number of tokens, newer ones decide by themselves and take an effort.
If a model refuses a parameter, the other form is tried, then it is left out. Thinking is part of `max_tokens` in both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Hosting, Parsed
from snellen.subjects import model_quirks
from snellen.subjects.anthropic_batches import STATUS, AnthropicBatches
from snellen.subjects.remote import reading
from snellen.subjects.remote.fields import merged, value
from snellen.subjects.remote.format import ErrorBody, ModelListing, Parameters, ParameterVariant, WireFormat
from snellen.subjects.remote.kind import RemoteKind
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import BUDGETS, STOP, Settings

TODAY, WITH_TEMPERATURE = "2026-10-21", "2023-06-01"
LEAST_BUDGET = 1024
REDACTED = "[redacted thinking]"
"""Stands for a piece of thinking that the provider sends encrypted."""
FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",
    "refusal": "content_filter",
    "tool_use": "tool_calls",
}
NOT_WITH_THINKING = "not together with thinking"
_NO_CREDIT = re.compile(r"credit balance is too low|api usage limits|spend(?:ing)? limit", re.IGNORECASE)
_ADAPTIVE = {"type": "adaptive", "display": "summarized"}


class _MessagesFormat(WireFormat):
    """The Messages API."""

    droppable: Mapping[str, tuple[str, ...]] = {
        "temperature": ("temperature",),
        "stop": ("stop_sequences",),
        "reasoning": ("thinking", "output_config.effort"),
    }

    def path(self, model: str) -> str:
        return "/messages"

    def models_path(self, model: str) -> str:
        return f"/models/{model}"

    def headers(self, sent: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the version header. The current API version has no temperature; models that take one get the version before."""
        return {"anthropic-version": WITH_TEMPERATURE if "temperature" in sent else TODAY}

    def parameters(self, model: str, settings: Settings, service: Service) -> Parameters:
        thinking = _thinking(model, settings)
        sent: dict[str, Any] = {"max_tokens": settings.max_tokens + thinking.thinking, **thinking.sent}
        not_applied = dict(thinking.not_applied)
        if settings.temperature == 0.0 and model_quirks.refuses_temperature(model):
            not_applied["temperature"] = model_quirks.REFUSES_TEMPERATURE
        elif settings.temperature == 0.0 and value(sent, "thinking.type") in ("adaptive", "enabled"):
            not_applied["temperature"] = NOT_WITH_THINKING
        elif settings.temperature is not None:
            sent["temperature"] = settings.temperature
        if settings.stop:
            sent["stop_sequences"] = list(settings.stop)
        return thinking._replace(sent=sent, not_applied=not_applied, visible=settings.max_tokens)

    def within(self, sent: Mapping[str, Any], most: int, visible: int) -> Mapping[str, Any]:
        if sent["max_tokens"] <= most:
            return sent
        capped: dict[str, Any] = {"max_tokens": most}
        budget = value(sent, "thinking.budget_tokens")
        if budget is not None:
            capped["thinking"] = {"budget_tokens": max(LEAST_BUDGET, min(budget, most - visible))}
        return merged(sent, capped)

    # ------------------------------------------------------------ a question

    def opening(self, system: str | None) -> bytes:
        return (b'"system":' + msgspec.json.encode(system) + b"," if system is not None else b"") + b'"messages":['

    def picture(self, mime: str, detail: str | None) -> tuple[bytes, bytes]:
        return f'{{"type":"image","source":{{"type":"base64","media_type":"{mime}","data":"'.encode(), b'"}}'

    # ------------------------------------------------------------ replies

    def parse(self, body: bytes, key: Secret) -> Parsed:
        data = reading.decoded(body)
        bill = reading.billed(data, reading.MESSAGES_USAGE)._replace(provider=_tier(data.get("usage"), key))
        if data.get("type") == "error" or data.get("error"):
            return reading.inner_error(data.get("error"), key, bill, STATUS)
        content = data.get("content")
        if not isinstance(content, list):
            raise BrokenReply("no content in the reply", bill)
        stop = data.get("stop_reason")
        if not isinstance(stop, str):
            raise BrokenReply("the reply says no stop_reason: it ended early", bill)
        said, thought = _said(content), _thought(content)
        if stop == "refusal" and not said:
            explained = reading.part(data, "stop_details", "explanation")
            said = explained if isinstance(explained, str) else ""
        return reading.replied(bill, key, said, thought)._replace(
            finish_reason=FINISH.get(stop) or reading.short(stop, key),
            refused=stop == "refusal",
            model=reading.short(data.get("model"), key),
            response_id=reading.short(data.get("id"), key),
        )

    def error(self, status: int, body: bytes, key: Secret) -> ErrorBody:
        said = reading.error_body(body, key)
        kind, treated = _judged(said, reading.error_object(body)) or ("", None)
        return said._replace(kind=kind, status=treated)

    def told(self, listing: Mapping[str, Any]) -> ModelListing | None:
        return (
            ModelListing(listing, reading.whole(listing.get("max_tokens"))) if listing.get("type") == "model" else None
        )


def _thinking(model: str, settings: Settings) -> Parameters:
    """Return the parameters that ask a model to think, other ways to ask, and the wishes that cannot be met."""
    wish, unasked = settings.reasoning, model_quirks.thinks(model)
    budget = settings.thinking_budget(unasked)
    if wish is None:
        # the same as leaving it out, except for the display: the thinking should be visible
        return Parameters({"thinking": _ADAPTIVE} if unasked else {}, thinking=budget)
    if wish == "none":
        return _no_thinking(model, settings, budget) if unasked else Parameters({}, thinking=budget)
    effort = _effort(wish)
    budget = max(LEAST_BUDGET, budget)
    counted = _counted(budget)
    graded = _graded(effort)
    lower = (_graded("high"),) if effort in ("xhigh", "max") else ()
    if model_quirks.takes_thinking_budget(model):
        return Parameters(counted.fields, thinking=budget, ways={"reasoning": (graded, *lower)})
    not_applied = {}
    if isinstance(wish, int):
        not_applied["a number of tokens for reasoning"] = (
            f"models of this family take an effort, and '{effort}' is asked for"
        )
    return Parameters(graded.fields, not_applied, thinking=budget, ways={"reasoning": (*lower, counted)})


def _no_thinking(model: str, settings: Settings, budget: int) -> Parameters:
    """Switch thinking off where the model allows it. Else ask for as little as possible, with tokens for it."""
    least = settings.max_thinking if settings.max_thinking is not None else BUDGETS["low"]
    little = _graded("low")
    off = model_quirks.how_not_to_think(model)
    if not off:
        why = "models of this family always think, so the lowest effort is asked for"
        return Parameters(little.fields, {"reasoning none": why}, thinking=least)
    other = {"disabled": "between_tools", "between_tools": "disabled"}[off]
    at_last = {**little.fields, "max_tokens": settings.max_tokens + least}
    ways = (
        ParameterVariant({"thinking": {"type": other}}, f"thinking of type '{other}' is asked for"),
        ParameterVariant(at_last, little.about, least),
    )
    return Parameters({"thinking": {"type": off}}, thinking=budget, ways={"reasoning": ways})


def _counted(budget: int) -> ParameterVariant:
    return ParameterVariant(
        {"thinking": {"type": "enabled", "budget_tokens": budget}}, f"{budget} tokens of thinking are asked for"
    )


def _graded(effort: str) -> ParameterVariant:
    return ParameterVariant(
        {"thinking": _ADAPTIVE, "output_config": {"effort": effort}}, f"the effort '{effort}' is asked for"
    )


def _effort(wish: str | int) -> str:
    effort = model_quirks.effort(wish)
    return "low" if effort == "minimal" else effort


def _said(content: list[Any]) -> str:
    texts = [b.get("text") for b in content if isinstance(b, dict) and b.get("type") == "text"]
    return "".join(t for t in texts if isinstance(t, str))


def _thought(content: list[Any]) -> str:
    """Return the text of the thinking blocks. An encrypted one is only marked."""
    found = []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "redacted_thinking":
            found.append(REDACTED)
        elif kind == "thinking" and isinstance(block.get("thinking"), str):
            found.append(block["thinking"])
    return "\n".join(f for f in found if f)


def _tier(usage: Any, key: Secret) -> str | None:
    """Return the service tier and anything else that changes the price, if the response has it."""
    tier = reading.short(reading.part(usage, "service_tier"), key)
    fast = "fast" if reading.part(usage, "speed") == "fast" else None
    place = "geo us" if reading.part(usage, "inference_geo") == "us" else None
    return ", ".join(filter(None, (tier, fast, place))) or None


def _judged(said: ErrorBody, error: dict[str, Any]) -> tuple[str, int | None] | None:
    """Return the kind of an error and the status to treat it as, if its message tells more than the status."""
    kind, code = error.get("type"), reading.part(error, "details", "error_code")
    if kind == "billing_error" or code == "enforced_spend_limit_reached" or _NO_CREDIT.search(said.message):
        return "no-credit", 402
    if code == "organization_on_hold" or "organization has been disabled" in said.message:
        return "not-allowed", 403
    if "content filtering policy" in said.message:
        return "refused", None
    if kind in ("authentication_error", "permission_error"):
        return "key", STATUS[kind]
    return ("unknown-model", 404) if kind == "not_found_error" else None


ANTHROPIC = RemoteKind(
    Service(
        "anthropic",
        "https://api.anthropic.com/v1",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        address_variables=("ANTHROPIC_BASE_URL",),
        needs_key=True,
        key_header=("x-api-key", ""),
        key_headers={"ANTHROPIC_AUTH_TOKEN": ("Authorization", "Bearer ")},
        batches=lambda base: AnthropicBatches(f"{base}/messages/batches"),
        has_prices=True,
        versioned=True,
        hosting=Hosting("provider", developer="anthropic", closed=("",)),
    ),
    _MessagesFormat(),
    "a model at Anthropic (ANTHROPIC_API_KEY)",
    (STOP,),
)
