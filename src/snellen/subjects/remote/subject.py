"""A model behind an API as a subject: one question, one call, in any provider's wire format."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

import pybase64

from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.images import MIME, ledger_entry, sniff
from snellen.core.pixels import as_accepted
from snellen.core.records import OTHER_TIER
from snellen.core.secret import Secret, is_key_like
from snellen.core.subject import BrokenReply, Caller, Connection, Endpoint, Parsed, Request, Subject
from snellen.core.text import one_line
from snellen.core.types import Answer, Failure, ImageSent, Part, Picture, Question, Text, Usage
from snellen.subjects.image_tokens import image_rule, image_tokens
from snellen.subjects.prices import file_price, table_price
from snellen.subjects.remote import reading
from snellen.subjects.remote.fields import grown, holds, merged, renamed, value, without
from snellen.subjects.remote.format import ErrorBody, ModelListing, WireFormat
from snellen.subjects.remote.refusals import goes_by, refused_parameters
from snellen.subjects.remote.service import (
    Service,
    base_address,
    find_key,
    key_header,
    models_address,
    more_headers,
)
from snellen.subjects.remote.settings import Settings
from snellen.subjects.token_counts import text_tokens

TURN = 4
_TIER_FIELDS = ("service_tier", "serviceTier", "speed", "inference_geo")
_LISTED_TIERS = (None, "auto", "default", "standard", "standard_only", "global")
"""The values of these fields that the price table covers; other tiers cost more or less."""
_OTHER_TIER = re.compile(r"(?:\b|_)(?:priority|flex|scale|fast|geo us)\b", re.IGNORECASE)
_LENGTHS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "generationConfig.maxOutputTokens")
_REPLIES = ("n", "best_of", "generationConfig.candidateCount")
NO_USE = frozenset({"key", "not-allowed", "unknown-model"})
"""Kinds of errors at the model list after which no call can work."""
NOT_LISTED = "the service's model list does not have it among what this model takes"


class RemoteSubject(Subject, Endpoint):
    """A model behind an endpoint. The subject is its own only endpoint."""

    parallel = 0

    def __init__(
        self,
        service: Service,
        form: WireFormat,
        model: str,
        settings: Settings,
        *,
        offline: bool = False,
        address: str | None = None,
    ) -> None:
        """Set up the subject. `address` is the base address, if the kind has found it already."""
        base = address or base_address(service, settings.base_url)
        self.spec = f"{service.prefix}/{model}"
        self.kind, self.model = service.prefix, model
        self._service, self._form, self._settings = service, form, settings
        given_price = settings.price or file_price(settings.price_file, service.prefix, model)
        self.price_given = given_price is not None
        asked = form.parameters(model, settings, service)
        self._params = merged(asked.sent, settings.extra)
        listed = service.has_prices and all(self._params.get(field) in _LISTED_TIERS for field in _TIER_FIELDS)
        self.price = given_price or (table_price(service.prefix, model) if listed else None)
        key, self._key_from = (Secret(""), "") if offline else find_key(service, settings.key)
        headers = {} if offline else {**more_headers(service), **form.headers(self._params)}
        url, models_url = f"{base}{form.path(model)}", models_address(service, base, form.models_path(model))
        header = key_header(service, self._key_from)
        self.connection = Connection(url, models_url, headers, key, service.start_hint, header)
        self.batches = service.batches(urlsplit(base).path.rstrip("/")) if service.batches is not None else None
        self._own_address = "" if service.base and base == service.base else base
        self._visible, self._thinking, self._ways = asked.visible, asked.thinking, dict(asked.ways)
        wished = {*self._carried(self._params), *(["detail"] if settings.detail else [])}
        ignored = {name: why for name, why in service.ignores.items() if name in wished}
        self._not_applied = {**asked.not_applied, **ignored}
        self.identity: dict[str, Any] = {
            "kind": self.kind,
            "model": model,
            "endpoint": base,
            "parameters": dict(self._params) | ({"detail": settings.detail} if settings.detail else {}),
        }
        given = {"--base-url": [base], "--model": [model], "--extra": list(_texts(self._params))}
        if told := [option for option, texts in given.items() if any(map(key.is_in, _decoded(texts)))]:
            raise SnellenError(
                f"the API key of {self.kind} ({self._key_from}) is also in {' and '.join(told)}, "
                "which the run's files would keep: take it out there"
            )
        _refuse_keys({"--base-url": [settings.base_url or ""], "--model": [model], "--extra": _texts(settings.extra)})
        if self._not_applied:
            self.identity["not_applied"] = dict(self._not_applied)
        self.endpoints = (self,)
        self._refused: dict[str, str] = {}
        self._instead: dict[str, str] = {}
        self._renamed: dict[str, tuple[str, str]] = {}
        self._taken = -1
        """The revision of the last request that was answered: a parameter that was accepted is hardly refused later."""
        self._head_as_written = self._head = form.head(model, service, self._params)
        self._encoded_shots = lru_cache(maxsize=64)(self._encode)

    def about(self) -> str:
        """Return where the key is from, if that is unexpected: a key of another service goes to this one."""
        own = ("", "--api-key", *self._service.key_variables[: self._service.own_keys])
        return "" if self._key_from in own else f"the key for {self.kind} is the one in {self._key_from}"

    # ------------------------------------------------------------ asking

    def prepare(self, question: Question) -> Request:
        """Return the whole request body and its key."""
        images: list[ImageSent] = []
        pieces: list[bytes] = [self._head_as_written, self._form.opening(question.system)]
        encode = self._encoded_shots if question.shots else self._encode
        before = []
        for turn in question.history:
            before.append({"role": turn.role, "parts": self._write(turn.role, turn.parts, encode, pieces, images)})
            pieces.append(b",")
        canonical = self._write("user", question.parts, encode, pieces, images)
        pieces.append(self._form.closing)
        key = digest(
            {
                "kind": self.kind,
                "endpoint": self._own_address and self.connection.url,
                "model": self.model,
                "parameters": self._params,
                "system": question.system,
                "parts": canonical,
                **({"history": before} if before else {}),
                **({"detail": self._settings.detail} if self._settings.detail else {}),
            }
        )
        return Request(key=key, body=b"".join(pieces), images=tuple(images), cost_bound=self._bound(question, images))

    def _write(
        self,
        role: str,
        parts: tuple[Part, ...],
        encode: Callable[[Picture], tuple[ImageSent, bytes]],
        pieces: list[bytes],
        images: list[ImageSent],
    ) -> list[dict[str, str]]:
        """Add one turn to a body's pieces and its images to the ledger; return the turn in its canonical form."""
        opening, closing = self._form.turn(role)
        pieces.append(opening)
        canonical: list[dict[str, str]] = []
        for i, part in enumerate(parts):
            if i:
                pieces.append(b",")
            if isinstance(part, Text):
                pieces.append(self._form.text(role, part.text))
                canonical.append({"text": part.text})
            else:
                entry, base64 = encode(part)
                images.append(entry)
                left, right = self._form.picture(MIME[entry.codec], self._settings.detail)
                pieces += [left, base64, right]
                canonical.append({"image": entry.sha256, "codec": entry.codec})
        pieces.append(closing)
        return canonical

    def _encode(self, picture: Picture) -> tuple[ImageSent, bytes]:
        try:
            data, done = as_accepted(picture.data, self._service.codecs)
        except SnellenError as error:
            raise SnellenError(f"{picture.name}: {error}") from None
        entry = ledger_entry(data, picture.transforms + done)
        return entry, pybase64.b64encode(data)

    def input_tokens(self, question: Question, text: str = "", pictures: int = 1) -> int:
        """Estimate the input tokens by the model family's published rule; examples before the question count as part of it."""
        shown = (p for turn in question.history for p in turn.parts if isinstance(p, Picture))
        heads = (sniff(p.data) for p in (*shown, *question.pictures))
        seen = sum(self._image_tokens(h.width, h.height) for h in heads)
        return _said_tokens(question, text) + pictures * seen

    def _image_tokens(self, width: int, height: int) -> int:
        return image_tokens(self.model, width, height, self._settings.detail)

    def counting(self) -> str:
        return image_rule(self.model).about

    @property
    def thinking_tokens(self) -> int:
        """The tokens that a reply may take in addition to the visible ones."""
        return self._thinking

    def _bound(self, question: Question, images: list[ImageSent]) -> float | None:
        """Return the most that the call can cost, by the price table and the token estimate."""
        if self.price is None or self._most_output is None:
            return None
        tokens = _said_tokens(question) + sum(self._image_tokens(i.width, i.height) for i in images)
        return self.price.at_most(tokens, self._most_output)

    @cached_property
    def _most_output(self) -> int | None:
        """The most output tokens of a call by its parameters: --extra may ask for longer, several or unlimited replies."""
        sent = [value(self._params, name) for name in (*_LENGTHS, *_REPLIES) if holds(self._params, name)]
        if not all(type(found) is int for found in sent):
            return None
        lengths, replies = ([value(self._params, n) or 0 for n in names] for names in (_LENGTHS, _REPLIES))
        return max(self._settings.max_tokens + self._thinking, *lengths) * max(1, *replies)

    async def answer(self, question: Question, prepared: Request, call: Caller) -> Answer:
        return self.answered(question, await call(prepared))

    # ------------------------------------------------------------ the parameters sent

    def _carried(self, sent: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        """Return the sent parameters that are optional, with the fields that carry each."""
        return {name: fields for name, fields in self._form.droppable.items() if any(holds(sent, f) for f in fields)}

    def body_of(self, request: Request) -> bytes:
        head = self._head if request.repeat == 1 else self._head_again(request.repeat)
        if head is self._head_as_written:
            return request.body
        return head + request.body[len(self._head_as_written) :]

    def _head_again(self, repeat: int) -> bytes:
        """Return the head for a repeat. A seed is increased for each repeat: the same seed would give the same draw."""
        sent = self._sent()
        fields = self._carried(sent).get("seed", ())
        for field in fields:
            sent = grown(sent, field, repeat - 1)
        return self._form.head(self.model, self._service, sent) if fields else self._head

    def drop_refused_parameter(self, status: int, body: bytes) -> bool:
        said = self._error(status, body)
        sent, why = self._sent(), one_line(said.message, 200)
        for name, other in self._form.other_names.items():
            if name in sent and other not in self._renamed and goes_by(said, name, other):
                self._renamed[name] = (other, why)
                self._settle(renamed(sent, name, other))
                return True
        around = f"{self._form.envelope}."
        carried = {n: tuple(f.removeprefix(around) for f in fields) for n, fields in self._carried(sent).items()}
        for name in refused_parameters(said, carried, doubtful=self._taken == self.revision):
            self._settle(self._otherwise(name, why, sent))
            return True
        return False

    def _otherwise(self, name: str, why: str, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters to send after a refusal: the next way to ask for the parameter, or none."""
        left = dict(sent)
        for field in self._form.droppable[name]:
            left = without(left, field)
        self._instead.pop(name, None)
        ways = self._ways.get(name, ())
        if not ways:
            self._refused[name] = why
            return left
        way, self._ways[name] = ways[0], ways[1:]
        self._instead[name] = f"{way.about} ({why})"
        self._thinking = self._thinking if way.thinking is None else way.thinking
        return merged(left, way.fields)

    def _sent(self) -> dict[str, Any]:
        applied: Mapping[str, Any] = self.identity.get("applied", self._params)
        return dict(applied)

    def _settle(self, sent: Mapping[str, Any]) -> None:
        """Send these parameters from now on, also with requests that were written before."""
        self.identity["applied"] = dict(sent)
        reasons = {name: f"the endpoint refused it: {why}" for name, why in self._refused.items()}
        self.identity["not_applied"] = self._not_applied | self._instead | reasons
        self._head = self._form.head(self.model, self._service, sent)
        self.revision += 1

    @property
    def unpriced(self) -> bool:
        return self._service.needs_key and not self._service.reports_cost and self.price is None

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(self._refused)

    def notes(self) -> list[str]:
        refused = [
            f"{self.spec} refused {name}, so it was sent as {other} ({why})"
            for name, (other, why) in self._renamed.items()
        ]
        refused += [f"{self.spec} refused {name}, so it was left out ({why})" for name, why in self._refused.items()]
        changed = [f"{name} as asked for is not taken by {self.spec}: {how}" for name, how in self._instead.items()]
        ignored = [f"{name} has no effect at {self.spec}: {why}" for name, why in self._not_applied.items()]
        return refused + changed + ignored

    # ------------------------------------------------------------ replies

    def parse(self, body: bytes) -> Parsed:
        try:
            parsed = self._form.parse(body, self.connection.key)
            if parsed.error is None:
                self._taken = self.revision
            return self._priced(parsed)
        except BrokenReply as broken:
            raise BrokenReply(str(broken), self._priced(broken.bill)) from None

    def _priced(self, parsed: Parsed) -> Parsed:
        """Add the cost to a reply: the provider's own figure, else by the price and the provider's count of tokens.

        No request has 0 tokens: a reply that counts none does not report its cost. A cost of 0 yields to a price that the user gave.
        """
        filtered = parsed.refused and not parsed.text  # perhaps before anything was counted
        used = parsed.usage
        uncounted = (used.input_tokens == 0 and not filtered) or (used.output_tokens == 0 and bool(parsed.text))
        if uncounted:
            parsed = parsed._replace(usage=Usage())
        counted = parsed.usage.input_tokens is not None or filtered
        if parsed.cost == 0 and parsed.cost_source == "endpoint" and (not counted or self.price_given):
            parsed = parsed._replace(cost=None, cost_source=None)
        if parsed.cost is not None or self.price is None:
            return parsed
        if not self.price_given and _OTHER_TIER.search(parsed.provider or ""):
            return parsed._replace(cost_source=OTHER_TIER)
        cost = self.price.bill(parsed.usage)
        return parsed if cost is None else parsed._replace(cost=cost, cost_source=self.price.source)

    def explain(self, status: int, body: bytes) -> Parsed:
        said = self._error(status, body)
        parsed = reading.explained(status, said, body, self.model, self.connection.url, self._service.key_names)
        advice = self._form.advice(status, said, self.model, bool(self._own_address)) if parsed.error else ""
        if parsed.error and advice:
            parsed = parsed._replace(error=Failure(kind=parsed.error.kind, reason=f"{parsed.error.reason}; {advice}"))
        return self._priced(parsed._replace(wait=said.wait))

    def _error(self, status: int, body: bytes) -> ErrorBody:
        key = self.connection.key
        try:
            found = self._form.error(status, body, key)
        except Exception:  # a server may send anything, and a plugin's wire format may expect something else
            found = reading.error_body(body, key)
        message, code, parameter = (reading.clean(text, key) for text in found[:3])
        return found._replace(message=message, code=code, parameter=parameter)

    def not_listed(self, status: int, body: bytes) -> str | None:
        error = self.explain(status, body).error
        if error is not None and (error.kind == "key" or self._error(status, body).kind in NO_USE):
            return error.reason
        return super().not_listed(status, body)

    def _take(self, told: ModelListing) -> None:
        """Record the service's description of the model, and cap replies at the model's maximum."""
        self.identity["listed"] = reading.listed(dict(told.facts), self.connection.key)
        if told.most_output is None:
            return
        sent = self._sent()
        within = self._form.within(sent, told.most_output, self._visible)
        if within != sent:
            self._instead["max_tokens"] = f"{told.most_output} are asked for, the most that a reply of the model has"
            self._settle(within)

    @property
    def listed(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.identity.get("listed", {})
        return found

    def learn(self, listing: bytes) -> None:
        try:
            found = reading.decoded(listing)
        except BrokenReply:
            return
        told = self._form.told(found)
        if told is not None:
            self._take(told)
            return
        entries = reading.models_in(found)
        entry = entries.get(self.model) or entries.get(f"{self.model}:latest")
        if not self._service.lists_models:
            if entry is not None:  # an incomplete list still identifies this model
                self.identity["listed"] = reading.listed(entry, self.connection.key)
            return
        if not entries:
            return
        if entry is None:
            close = difflib.get_close_matches(self.model, entries, n=3, cutoff=0.4) or sorted(entries)[:3]
            there = one_line(self.connection.key.redact(", ".join(close)))
            raise SnellenError(f"{self.kind} has no model '{self.model}'; it has {there} (and maybe more)")
        self.identity["listed"] = reading.listed(entry, self.connection.key)
        price = reading.listed_price(entry)
        if price is not None and not self.price_given:
            self.price = price
        taken = self._form.takes(entry)
        if taken is not None:
            idle = {n: NOT_LISTED for n, fields in self._carried(self._sent()).items() if taken.isdisjoint(fields)}
            self._not_applied |= idle
        if self._not_applied:
            self.identity["not_applied"] = {**self.identity.get("not_applied", {}), **self._not_applied}


def _refuse_keys(given: Mapping[str, Iterable[str]]) -> None:
    """Refuse an API key in an option that the run's files keep."""
    for option, texts in given.items():
        if any(is_key_like(text) or text.lower() == "api_key" for text in texts):
            raise SnellenError(
                f"{option} holds an API key, which the run's files would keep: give it with --api-key or the environment"
            )


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a parameter, names included."""
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def _decoded(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts as they are and URL-decoded once or twice."""
    for text in texts:
        yield from (text, unquote(text), unquote(unquote(text)))


def _said_tokens(question: Question, more: str = "") -> int:
    """Estimate how many tokens the words of a question take, with the turns before it."""
    before = [question.system] if question.system else []
    before += ["".join(p.text for p in turn.parts if isinstance(p, Text)) for turn in question.history]
    return text_tokens(question.text + more) + sum(text_tokens(turn, TURN) for turn in before)
