"""Models behind an OpenAI-compatible chat endpoint: OpenRouter, OpenAI, Ollama, vLLM, or any address."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
import pybase64

from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.images import MIME, ledger_entry, sniff
from snellen.core.pixels import as_accepted
from snellen.core.secret import Secret, has_login
from snellen.core.subject import BrokenReply, Caller, Connection, Parsed, Price, Request, Subject
from snellen.core.text import one_line
from snellen.core.types import Answer, ImageSent, Part, Picture, Question, Text
from snellen.subjects import wire
from snellen.subjects.prices import table_price
from snellen.subjects.token_counts import image_tokens, text_tokens


class Service(NamedTuple):
    """A kind of service: where it is, which variables name its address and key, and what it takes."""

    base: str
    key_variables: tuple[str, ...]
    codecs: frozenset[str]
    start_hint: str
    needs_key: bool = False
    address_variable: str = ""
    length_parameter: str = "max_tokens"
    reports_cost: bool = False


TURN = 4
_WEB = frozenset({"png", "jpeg", "webp", "gif"})
SERVICES = {
    "openrouter": Service(
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY", "EVAL_API_KEY"),
        _WEB,
        "is the machine online?",
        needs_key=True,
        reports_cost=True,
    ),
    "openai": Service(
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY", "EVAL_API_KEY"),
        _WEB,
        "is the machine online?",
        needs_key=True,
        length_parameter="max_completion_tokens",
    ),
    "ollama": Service(
        "http://localhost:11434/v1",
        ("OLLAMA_API_KEY",),
        frozenset({"png", "jpeg"}),
        "start it with 'ollama serve', or name it with --base-url or OLLAMA_HOST",
        address_variable="OLLAMA_HOST",
    ),
    "vllm": Service(
        "http://localhost:8000/v1",
        ("VLLM_API_KEY", "EVAL_API_KEY"),
        _WEB,
        "start it with 'vllm serve MODEL', or name it with --base-url",
    ),
    "api": Service("", ("SNELLEN_API_KEY", "EVAL_API_KEY"), _WEB, "check --base-url and that the server runs"),
}


class Settings(NamedTuple):
    """How to reach a model and what to ask of it. `key` is no part of a run's identity."""

    base_url: str | None = None
    key: Secret = Secret("")
    max_tokens: int = 256
    temperature: float | None = 0.0
    top_logprobs: int = 0
    price: Price | None = None
    extra: Mapping[str, Any] = {}


def base_address(kind: str, given: str | None) -> str:
    """The address up to and including the version: given, from the environment, or the service's own."""
    known = SERVICES[kind]
    address = (
        given or os.environ.get("EVAL_BASE_URL" if kind == "api" else known.address_variable or "-", "") or known.base
    )
    if not address:
        raise SnellenError(
            "api/NAME needs --base-url, the address of an OpenAI-compatible server such as http://localhost:8000/v1"
        )
    if "://" not in address:
        address = f"http://{address}"
    address = address.rstrip("/").removesuffix("/chat/completions")
    if has_login(address) or "?" in address or "#" in address:
        raise SnellenError(
            "--base-url must hold no user name, password, '?' or '#'; give the key with --api-key or the environment"
        )
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and ".." not in parts.netloc
        port = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise SnellenError(f"--base-url {one_line(address)}: not an http or https address")
    if kind == "ollama" and port is None and not given and parts.scheme == "http":
        address = address.replace(parts.netloc, f"{parts.netloc}:11434", 1)
    return address if parts.path.strip("/") else f"{address}/v1"


def find_key(kind: str, given: Secret) -> tuple[Secret, str]:
    """The key from `--api-key` or the environment, and where it is from; an error that names the variable where one is needed."""
    known = SERVICES[kind]
    places = {"--api-key": given} | {v: Secret(os.environ.get(v, "").strip()) for v in known.key_variables}
    for place, key in places.items():
        if key:
            if not key.reveal().isascii() or not key.reveal().isprintable():
                raise SnellenError(
                    f"the key for {kind} has characters that no key has (a quote or a line break copied along?)"
                )
            return key, place
    if known.needs_key:
        raise SnellenError(f"{kind} needs a key: set {known.key_variables[0]} or give --api-key")
    return Secret(""), ""


class ChatSubject(Subject):
    """A model behind a chat endpoint. One question, one call."""

    parallel = 0

    def __init__(self, kind: str, model: str, settings: Settings, *, offline: bool = False) -> None:
        known = SERVICES[kind]
        base = base_address(kind, settings.base_url)
        self.spec = f"{kind}/{model}"
        self.kind, self.model = kind, model
        self._settings, self._known = settings, known
        # a model that runs at home has no list price
        self.price = settings.price or (table_price(model) if kind in ("openai", "openrouter") else None)
        headers = {"X-Title": "Snellen"} if kind == "openrouter" else {}
        key, self._key_from = (Secret(""), "") if offline else find_key(kind, settings.key)
        self.connection = Connection(f"{base}/chat/completions", f"{base}/models", headers, key, known.start_hint)
        self._params: dict[str, Any] = {known.length_parameter: settings.max_tokens}
        if settings.temperature is not None:
            self._params["temperature"] = settings.temperature
        if settings.top_logprobs:
            self._params |= {"logprobs": True, "top_logprobs": settings.top_logprobs}
        self._params |= dict(settings.extra)
        parameters = dict(self._params)
        self.identity: dict[str, Any] = {"kind": kind, "model": model, "endpoint": base, "parameters": parameters}
        self.endpoints = (self,)
        wire_params = self._params | ({"usage": {"include": True}} if known.reports_cost else {})
        self._head = msgspec.json.encode({"model": model, **wire_params})[:-1] + b',"messages":['
        self._encoded_shots = lru_cache(maxsize=64)(self._encode)

    def feed_spec(self) -> dict[str, Any]:
        made = self._settings
        return {
            "kind": self.kind,
            "model": self.model,
            "base_url": made.base_url,
            "max_tokens": made.max_tokens,
            "temperature": made.temperature,
            "top_logprobs": made.top_logprobs,
            "extra": dict(made.extra),
            "price": list(self.price) if self.price is not None else None,
        }

    def about(self) -> str:
        """Where the key is from, if not from where one would look first: a key of another service goes to this one."""
        own = ("", "--api-key", self._known.key_variables[0])
        return "" if self._key_from in own else f"the key for {self.kind} is the one in {self._key_from}"

    # ------------------------------------------------------------ asking

    def prepare(self, question: Question) -> Request:
        """The whole request body and its key."""
        images: list[ImageSent] = []
        pieces: list[bytes] = [self._head]  # joined once at the end: a body is large, and every copy of it costs
        if question.system is not None:
            pieces += [msgspec.json.encode({"role": "system", "content": question.system}), b","]
        encode = self._encoded_shots if question.shots else self._encode
        before = []
        for turn in question.history:
            before.append({"role": turn.role, "parts": _write_turn(turn.role, turn.parts, encode, pieces, images)})
            pieces.append(b",")
        canonical = _write_turn("user", question.parts, encode, pieces, images)
        pieces.append(b"]}")
        key = digest(
            {
                "kind": self.kind,
                "endpoint": "" if self.connection.url.startswith(self._known.base or "-") else self.connection.url,
                "model": self.model,
                "parameters": self._params,
                "system": question.system,
                "parts": canonical,
                **({"history": before} if before else {}),
            }
        )
        return Request(key=key, body=b"".join(pieces), images=tuple(images), cost_bound=self._bound(question, images))

    def _encode(self, picture: Picture) -> tuple[ImageSent, bytes]:
        try:
            data, done = as_accepted(picture.data, self._known.codecs)
        except SnellenError as error:
            raise SnellenError(f"{picture.name}: {error}") from None
        entry = ledger_entry(data, picture.transforms + done)
        return entry, pybase64.b64encode(data)

    def input_tokens(self, question: Question, text: str = "", pictures: int = 1) -> int:
        """By the model family's published rule; examples that come before the question are part of it."""
        shown = (p for turn in question.history for p in turn.parts if isinstance(p, Picture))
        heads = (sniff(p.data) for p in (*shown, *question.pictures))
        seen = sum(image_tokens(self.model, h.width, h.height) for h in heads)
        return _said_tokens(question, text) + pictures * seen

    def _bound(self, question: Question, images: list[ImageSent]) -> float | None:
        """What the call can cost at most, by the price table and the token estimate."""
        if self.price is None:
            return None
        tokens = _said_tokens(question) + sum(image_tokens(self.model, i.width, i.height) for i in images)
        return self.price.of(tokens, self._settings.max_tokens)

    async def answer(self, question: Question, prepared: Request, call: Caller) -> Answer:
        reply = await call(prepared)
        return Answer(
            id=question.id,
            prompt=question.prompt,
            text=reply.text,
            failure=reply.failure,
            finish_reason=reply.call.finish_reason,
            refused=reply.refused,
            tokens=reply.tokens,
            calls=(reply.call,),
            shots=question.shots,
        )

    # ------------------------------------------------------------ the endpoint

    def parse(self, body: bytes) -> Parsed:
        try:
            return self._priced(wire.parse_reply(body, self.connection.key))
        except BrokenReply as broken:
            raise BrokenReply(str(broken), self._priced(broken.bill)) from None

    def _priced(self, parsed: Parsed) -> Parsed:
        tokens = parsed.usage.input_tokens
        if parsed.cost is not None or self.price is None or tokens is None:
            return parsed
        cost = self.price.of(tokens, parsed.usage.output_tokens or 0)
        return parsed._replace(cost=cost, cost_source=self.price.source)

    def explain(self, status: int, body: bytes) -> Parsed:
        key_variable = self._known.key_variables[0]
        said = wire.explain_status(status, body, self.connection.key, self.model, self.connection.url, key_variable)
        return self._priced(said)

    def learn(self, listing: bytes) -> None:
        entries = wire.parse_models(listing)
        if not entries or self.kind in ("api", "openai"):
            return
        entry = entries.get(self.model) or entries.get(f"{self.model}:latest")
        if entry is None:
            close = difflib.get_close_matches(self.model, entries, n=3, cutoff=0.4) or sorted(entries)[:3]
            there = one_line(self.connection.key.redact(", ".join(close)))
            raise SnellenError(f"{self.kind} has no model '{self.model}'; it has {there} (and maybe more)")
        self.identity["listed"] = wire.listed(entry, self.connection.key)
        price = wire.listed_price(entry)
        if price is not None and self._settings.price is None:
            self.price = price


def _said_tokens(question: Question, more: str = "") -> int:
    """About how many tokens the words of a question are, with the turns before it."""
    before = [question.system] if question.system else []
    before += ["".join(p.text for p in turn.parts if isinstance(p, Text)) for turn in question.history]
    return text_tokens(question.text + more) + sum(text_tokens(turn, TURN) for turn in before)


def _write_turn(
    role: str,
    parts: tuple[Part, ...],
    encode: Callable[[Picture], tuple[ImageSent, bytes]],
    pieces: list[bytes],
    images: list[ImageSent],
) -> list[dict[str, str]]:
    """Add one message to a body's pieces and its images to the ledger; gives the message in its canonical form."""
    pieces.append(f'{{"role":"{role}","content":['.encode())
    canonical: list[dict[str, str]] = []
    for i, part in enumerate(parts):
        if i:
            pieces.append(b",")
        if isinstance(part, Text):
            pieces += [b'{"type":"text","text":', msgspec.json.encode(part.text), b"}"]
            canonical.append({"text": part.text})
        else:
            entry, base64 = encode(part)
            images.append(entry)
            opening = f'{{"type":"image_url","image_url":{{"url":"data:{MIME[entry.codec]};base64,'.encode()
            pieces += [opening, base64, b'"}}']
            canonical.append({"image": entry.sha256, "codec": entry.codec})
    pieces.append(b"]}")
    return canonical
