"""The kinds of subjects behind an OpenAI-compatible chat endpoint: `openrouter/`, `openai/`, `ollama/`, `vllm/`, `api/`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import Given, Price, Subject, SubjectKind
from snellen.subjects.model_options import API_KEY, BASE_URL, EXTRA, LOGPROBS, MAX_TOKENS, PRICE, TEMPERATURE


class ChatKind(SubjectKind):
    """One service."""

    options = (BASE_URL, API_KEY, MAX_TOKENS, TEMPERATURE, LOGPROBS, PRICE, EXTRA)

    def __init__(self, prefix: str, about: str) -> None:
        self.prefix = prefix
        self.forms = {f"{prefix}/NAME": about}

    def build(self, name: str, given: Given) -> Subject:
        from snellen.subjects.openai_api import ChatSubject, Settings
        from snellen.subjects.prices import parse_price

        if not name:
            raise SnellenError(f"--model {self.prefix}: which model? Write {self.prefix}/NAME")
        asked = given.options
        settings = Settings(
            base_url=asked["base_url"],
            key=Secret((asked["api_key"] or "").strip()),
            max_tokens=asked["max_tokens"] or given.exam.max_tokens,
            temperature=asked["temperature"],
            top_logprobs=asked["logprobs"],
            price=parse_price(asked["price"]) if asked["price"] else None,
            extra=asked["extra"] or {},
        )
        return ChatSubject(self.prefix, name, settings, offline=given.offline)

    def again(self, spec: Mapping[str, Any]) -> Subject:
        from snellen.subjects.openai_api import ChatSubject, Settings

        rest = {k: v for k, v in spec.items() if k not in ("kind", "model", "price")}
        price = Price(*spec["price"]) if spec["price"] else None
        return ChatSubject(spec["kind"], spec["model"], Settings(**rest, price=price), offline=True)


OPENROUTER = ChatKind("openrouter", "a model at OpenRouter (OPENROUTER_API_KEY)")
OPENAI = ChatKind("openai", "a model at OpenAI (OPENAI_API_KEY)")
OLLAMA = ChatKind("ollama", "a model served by Ollama on this machine (OLLAMA_HOST moves it)")
VLLM = ChatKind("vllm", "a model served by vLLM (--base-url, default http://localhost:8000/v1)")
API = ChatKind("api", "a model on any OpenAI-compatible server (--base-url)")
