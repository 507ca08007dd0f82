"""Request bodies against the types of OpenAI's own package: every field known, every value of its type."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter
from pydantic_core import SchemaValidator

RESPONSES, CHAT = ResponseCreateParamsNonStreaming, CompletionCreateParamsNonStreaming


@lru_cache
def validator(form: Any) -> SchemaValidator:
    return SchemaValidator(_strict(TypeAdapter(form).core_schema))


def check(form: Any, body: bytes) -> None:
    """Raise ValidationError where a body does not fit the form."""
    validator(form).validate_json(body, strict=True)


def _strict(schema: Any) -> Any:
    """Return the schema with unknown fields forbidden, and with lists checked that would only be checked when read."""
    if isinstance(schema, list | tuple):
        return type(schema)(map(_strict, schema))
    if not isinstance(schema, dict):
        return schema
    inner = {name: _strict(value) for name, value in schema.items()}
    if inner.get("type") == "typed-dict":
        inner["extra_behavior"] = "forbid"
        inner.get("config", {}).pop("extra_fields_behavior", None)
    if inner.get("type") == "generator":
        inner["type"] = "list"
    return inner
