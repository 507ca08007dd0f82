"""Google's Gemini API: `POST /v1beta/models/NAME:generateContent`, as `gemini/NAME`.

The key goes into a header, never into the address. Parameters are inside `generationConfig`. Models of the second generation take
a number of tokens to think with, later ones a level. Both count thoughts as output in addition to the reply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Hosting, Parsed
from snellen.subjects import model_quirks
from snellen.subjects.remote import reading
from snellen.subjects.remote.fields import merged
from snellen.subjects.remote.format import ErrorBody, ModelListing, Parameters, ParameterVariant, WireFormat
from snellen.subjects.remote.kind import RemoteKind
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import BUDGETS, DETAIL, LOGPROBS, MODEL_SEED, STOP, Settings

CONFIG = "generationConfig"
DETAILS = ("low", "medium", "high", "ultra_high")
LEVELS = {"none": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM"}
OTHER_LEVEL = {"MINIMAL": "LOW", "MEDIUM": "HIGH"}
"""The level to ask for if a model does not have one: Pro has no MINIMAL, the first Pro no MEDIUM."""
FINISH = {"STOP": "stop", "MAX_TOKENS": "length", "CONTINUATION": "length"}
BLOCKED = frozenset(
    {
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
        *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
    }
)
IGNORES_TEMPERATURE = "models of this family take a temperature and ignore it, so none is sent"
ALWAYS_THINKS = "models of this family always think, so the least that they take is asked for"
_NO_CREDIT = re.compile(
    r"prepayment credits|spending (?:cap|limit)|billing account|enable billing|limit: 0\b", re.IGNORECASE
)
_A_DAY = re.compile(r"per ?day", re.IGNORECASE)
_AROUND = re.compile(r"^generation_?config\.", re.IGNORECASE)
_ABOUT_THINKING = re.compile(r"\bthinking\b|\bthoughts?\b|\bbudget\b", re.IGNORECASE)
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)s")
_RETRY_IN = re.compile(r"retry in (\d+(?:\.\d+)?)s", re.IGNORECASE)


class _GeminiFormat(WireFormat):
    """The `generateContent` format."""

    droppable: Mapping[str, tuple[str, ...]] = {
        "temperature": (f"{CONFIG}.temperature",),
        "seed": (f"{CONFIG}.seed",),
        "logprobs": (f"{CONFIG}.responseLogprobs", f"{CONFIG}.logprobs"),
        "stop": (f"{CONFIG}.stopSequences",),
        "detail": (f"{CONFIG}.mediaResolution",),
        "reasoning": (f"{CONFIG}.thinkingConfig",),
    }
    envelope = CONFIG

    def path(self, model: str) -> str:
        return f"/{_resource(model)}:generateContent"

    def models_path(self, model: str) -> str:
        return f"/{_resource(model)}"

    def fixed(self, model: str, service: Service) -> Mapping[str, Any]:
        return {}

    def parameters(self, model: str, settings: Settings, service: Service) -> Parameters:
        thinking = _thinking(model, settings)
        config: dict[str, Any] = {"maxOutputTokens": settings.max_tokens + thinking.thinking}
        not_applied = dict(thinking.not_applied)
        if settings.temperature is not None and model_quirks.ignores_temperature(model):
            not_applied["temperature"] = IGNORES_TEMPERATURE
        elif settings.temperature is not None:
            config["temperature"] = settings.temperature
        if settings.top_logprobs:
            config |= {"responseLogprobs": True, "logprobs": settings.top_logprobs}
        if settings.seed is not None:
            config["seed"] = settings.seed
        if settings.stop:
            config["stopSequences"] = list(settings.stop)
        if settings.detail not in (None, "auto", *DETAILS):
            raise SnellenError(f"--detail {settings.detail}: for Gemini one of {', '.join(DETAILS)}, auto")
        if settings.detail in DETAILS[:3]:
            config["mediaResolution"] = _resolution(str(settings.detail))
        config |= thinking.sent
        return thinking._replace(sent={CONFIG: config}, not_applied=not_applied, visible=settings.max_tokens)

    def within(self, sent: Mapping[str, Any], most: int, visible: int) -> Mapping[str, Any]:
        if sent[CONFIG]["maxOutputTokens"] <= most:
            return sent
        return merged(sent, {CONFIG: {"maxOutputTokens": most}})

    # ------------------------------------------------------------ a question

    def opening(self, system: str | None) -> bytes:
        if system is None:
            return b'"contents":['
        return b'"systemInstruction":' + msgspec.json.encode({"parts": [{"text": system}]}) + b',"contents":['

    def turn(self, role: str) -> tuple[bytes, bytes]:
        return (b'{"role":"model","parts":[' if role == "assistant" else b'{"role":"user","parts":['), b"]}"

    def text(self, role: str, text: str) -> bytes:
        return b'{"text":' + msgspec.json.encode(text) + b"}"

    def picture(self, mime: str, detail: str | None) -> tuple[bytes, bytes]:
        """Return the frame of an image. The finest resolution is set per image, the others for all images at once."""
        fine = f',"mediaResolution":{{"level":"{_resolution(detail)}"}}' if detail == "ultra_high" else ""
        return f'{{"inlineData":{{"mimeType":"{mime}","data":"'.encode(), f'"}}{fine}}}'.encode()

    # ------------------------------------------------------------ replies

    def parse(self, body: bytes, key: Secret) -> Parsed:
        data = reading.decoded(body)
        bill = reading.billed(data, reading.GEMINI_USAGE)._replace(
            model=reading.short(data.get("modelVersion"), key),
            provider=reading.tier(reading.part(data, "usageMetadata", "serviceTier"), key),
            response_id=reading.short(data.get("responseId"), key),
        )
        if data.get("error"):
            return reading.inner_error(data["error"], key, bill)
        candidates = data.get("candidates")
        if not isinstance(candidates, list) or not candidates or not isinstance(candidates[0], dict):
            return _without_candidates(data, key, bill)
        candidate = candidates[0]
        finish = candidate.get("finishReason")
        if not isinstance(finish, str):
            raise BrokenReply("the reply says no finishReason: it ended early", bill)
        parts = reading.part(candidate, "content", "parts")
        said, thought = _texts(parts, thought=False), _texts(parts, thought=True)
        if finish in BLOCKED and not said:
            said = _text(candidate.get("finishMessage"))
        found = reading.replied(bill, key, said, thought, _chosen(candidate.get("logprobsResult")))
        return found._replace(finish_reason=_finish(finish, key), refused=finish in BLOCKED)

    def error(self, status: int, body: bytes, key: Secret) -> ErrorBody:
        error = reading.error_object(body)
        said = _said(error, key) if isinstance(error.get("message"), str) else reading.error_body(body, key)
        kind, treated = _judged(status, said, error) or ("", None)
        return said._replace(kind=kind, status=treated, wait=_wait(error))

    def told(self, listing: Mapping[str, Any]) -> ModelListing | None:
        if not isinstance(listing.get("name"), str):
            return None
        facts = {"id": listing["name"], "version": listing.get("version")}
        return ModelListing(facts, reading.whole(listing.get("outputTokenLimit")))


def _resource(model: str) -> str:
    """Return the path of a model. The name of a tuned model shows that it is tuned."""
    named = model if model.startswith(("models/", "tunedModels/")) else f"models/{model}"
    return quote(named, safe="/:@-._~")


def _resolution(detail: str | None) -> str:
    return f"MEDIA_RESOLUTION_{str(detail).upper()}"


# ---------------------------------------------------------------- thinking


def _thinking(model: str, settings: Settings) -> Parameters:
    """Return the configuration field that asks a model to think, other ways to ask, and the wishes that cannot be met."""
    unasked, limits = model_quirks.thinks(model), model_quirks.thinking_range(model)
    budget = settings.thinking_budget(unasked)
    if settings.reasoning is None:
        if not unasked:
            return Parameters({}, thinking=budget)
        asked = settings.max_thinking if limits is not None else None
        config = {"includeThoughts": True} if asked is None else _counted(_inside(asked, limits))
        return Parameters({"thinkingConfig": config}, thinking=budget)
    if settings.reasoning == "none":
        return _no_thinking(settings, limits) if unasked else Parameters({}, thinking=budget)
    level = LEVELS.get(model_quirks.effort(settings.reasoning), "HIGH")
    if limits is not None:
        tokens = _inside(budget, limits)
        return _asking(_counted(tokens), (_way(_graded(level), settings, budget),), budget)
    not_applied = {}
    if isinstance(settings.reasoning, int):
        not_applied["a number of tokens for reasoning"] = (
            f"models of this family take a level, and {level} is asked for"
        )
    configs = [_graded(OTHER_LEVEL[level])] if level in OTHER_LEVEL else []
    ways = tuple(_way(config, settings, budget) for config in (*configs, _counted(budget)))
    return _asking(_graded(level), ways, budget, not_applied)


def _no_thinking(settings: Settings, limits: tuple[int, int] | None) -> Parameters:
    """Switch thinking off where the model allows it. Else ask for as little as possible, with tokens for it."""
    least = settings.max_thinking if settings.max_thinking is not None else BUDGETS["low"]
    little = tuple(_way(_graded(level), settings, least) for level in ("MINIMAL", "LOW"))
    if limits is None:
        return _asking(_graded("MINIMAL"), little[1:], least, {"reasoning none": ALWAYS_THINKS})
    if limits[0] == 0:
        return _asking(_counted(0), little, settings.max_thinking or 0)
    return _asking(_counted(limits[0]), little, least, {"reasoning none": ALWAYS_THINKS})


def _asking(
    config: dict[str, Any], ways: tuple[ParameterVariant, ...], budget: int, not_applied: Mapping[str, str] = {}
) -> Parameters:
    return Parameters({"thinkingConfig": config}, not_applied, thinking=budget, ways={"reasoning": ways})


def _inside(tokens: int, limits: tuple[int, int] | None) -> int:
    least, most = limits or (0, tokens)
    return max(least, min(most, tokens))


def _counted(tokens: int) -> dict[str, Any]:
    return {"thinkingBudget": tokens} | ({"includeThoughts": True} if tokens else {})


def _graded(level: str) -> dict[str, Any]:
    return {"thinkingLevel": level, "includeThoughts": True}


def _way(config: Mapping[str, Any], settings: Settings, budget: int) -> ParameterVariant:
    """Return another way to ask for thinking, with its token budget."""
    asked = config.get("thinkingLevel") or f"{config['thinkingBudget']} tokens"
    whole = {"maxOutputTokens": settings.max_tokens + budget, "thinkingConfig": dict(config)}
    return ParameterVariant({CONFIG: whole}, f"thinking of {asked} is asked for", budget)


# ---------------------------------------------------------------- the contents of replies


def _finish(reason: str, key: Secret) -> str:
    """Return why a reply ended: in Snellen's terms if there is one, else in Google's."""
    if reason in BLOCKED:
        return "content_filter"
    return FINISH.get(reason) or (reading.short(reason, key) or "").lower()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _all(items: Any) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _texts(parts: Any, *, thought: bool) -> str:
    return "".join(_text(p.get("text")) for p in _all(parts) if (p.get("thought") is True) == thought)


def _chosen(result: Any) -> list[Any] | None:
    """Return log-probabilities in the form that `reading.replied` takes."""
    chosen, top = reading.part(result, "chosenCandidates"), reading.part(result, "topCandidates")
    if not isinstance(chosen, list):
        return None
    named = top if isinstance(top, list) else []
    found = []
    for i, one in enumerate(chosen):
        others = reading.part(named[i], "candidates") if i < len(named) else None
        found.append(_renamed(one) | {"top_logprobs": [_renamed(o) for o in _all(others)]})
    return found


def _renamed(item: Any) -> dict[str, Any]:
    return {"token": reading.part(item, "token") or "", "logprob": reading.part(item, "logProbability")}


def _without_candidates(data: dict[str, Any], key: Secret, bill: Parsed) -> Parsed:
    """Return a blocked prompt as a refusal. Anything else without candidates is not a valid reply."""
    reason = reading.part(data, "promptFeedback", "blockReason")
    if not isinstance(reason, str):
        raise BrokenReply("no candidates in the reply", bill)
    why = _text(reading.part(data, "promptFeedback", "blockReasonMessage")) or f"the prompt was blocked: {reason}"
    return bill._replace(text=key.redact_reply(why)[:300], refused=True, finish_reason="content_filter")


# ---------------------------------------------------------------- errors


def _said(error: dict[str, Any], key: Secret) -> ErrorBody:
    parameter = next((v["field"] for v in _details(error, "fieldViolations") if isinstance(v.get("field"), str)), "")
    if not parameter and error.get("status") == "INVALID_ARGUMENT" and _ABOUT_THINKING.search(error["message"]):
        parameter = "thinkingConfig"
    code = next((d["reason"] for d in _all(error.get("details")) if isinstance(d.get("reason"), str)), "")
    return ErrorBody(
        reading.clean(error["message"], key),
        reading.clean(code or error.get("status") or error.get("code") or "", key),
        reading.clean(_AROUND.sub("", parameter), key),
    )


def _judged(status: int, said: ErrorBody, error: dict[str, Any]) -> tuple[str, int] | None:
    """Return the kind of an error and the status to treat it as, if its message tells more than the status."""
    word = error.get("status")
    if said.code == "API_KEY_INVALID" or "API key not valid" in said.message or "API key expired" in said.message:
        return "key", 401
    if "location is not supported" in said.message:
        return "not-allowed", 403
    if word == "RESOURCE_EXHAUSTED" or status == 429:
        return ("no-credit", 402) if _used_up(error, said.message) else ("throttled", 429)
    if word == "FAILED_PRECONDITION" and _NO_CREDIT.search(said.message):
        return "no-credit", 402
    if word in ("UNAUTHENTICATED", "PERMISSION_DENIED"):
        return "key", status
    return ("unknown-model", 404) if word == "NOT_FOUND" else None


def _wait(error: dict[str, Any]) -> float | None:
    """Return how many seconds an error asks to wait."""
    for detail in _all(error.get("details")):
        delay = detail.get("retryDelay")
        found = _SECONDS.fullmatch(delay) if isinstance(delay, str) else None
        if found:
            return float(found[1])
    found = _RETRY_IN.search(_text(error.get("message")))
    return float(found[1]) if found else None


def _details(error: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [item for detail in _all(error.get("details")) for item in _all(detail.get(name))]


def _used_up(error: dict[str, Any], message: str) -> bool:
    """Tell whether waiting a minute does not help: a daily quota, a quota of zero, or no credit."""
    violations = _details(error, "violations")
    if any("PerDay" in _text(v.get("quotaId")) or v.get("quotaValue") in ("0", 0) for v in violations):
        return True
    return bool(_NO_CREDIT.search(message)) or (not violations and bool(_A_DAY.search(message)))


GEMINI = RemoteKind(
    Service(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        address_variables=("GOOGLE_GEMINI_BASE_URL",),
        codecs=frozenset({"png", "jpeg", "webp"}),
        needs_key=True,
        key_header=("x-goog-api-key", ""),
        has_prices=True,
        version="/v1beta",
        versioned=True,
        own_keys=2,
        hosting=Hosting("provider", developer="google", closed=("gemini",)),
    ),
    _GeminiFormat(),
    "a Gemini model at Google (GEMINI_API_KEY)",
    (LOGPROBS, MODEL_SEED, STOP, DETAIL),
)
