"""Request bodies checked against the official packages of Anthropic and Google: what their types do not know is refused."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from anthropic.types import Base64ImageSourceParam
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types
from pydantic import ConfigDict, TypeAdapter

Base64ImageSourceParam.__pydantic_config__ = ConfigDict(arbitrary_types_allowed=True, extra="forbid")  # type: ignore[attr-defined]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    # a list, since a TypedDict alone accepts no configuration from outside; nested ones inherit that of their container
    _MESSAGES = TypeAdapter(list[MessageCreateParamsNonStreaming], config=ConfigDict(extra="forbid"))

SYSTEM, CONTENTS, CONFIG = "systemInstruction", "contents", "generationConfig"


def valid_anthropic(body: dict[str, Any]) -> None:
    """Raise for a body that does not fit the types of `messages.create`. Lists are validated while they are read, so everything is read."""
    _read(_MESSAGES.validate_python([body]))


def valid_gemini(body: dict[str, Any]) -> None:
    """Raise for a body with a piece that does not fit the types of `generate_content`."""
    unknown = body.keys() - {SYSTEM, CONTENTS, CONFIG}
    if unknown:
        raise ValueError(f"no such fields: {unknown}")
    for turn in body[CONTENTS]:
        types.Content.model_validate_json(_json(turn), strict=False)
    if SYSTEM in body:
        types.Content.model_validate_json(_json(body[SYSTEM]))
    types.GenerateContentConfig.model_validate_json(_json(body[CONFIG]))


def gemini_call(body: dict[str, Any]) -> dict[str, Any]:
    """Return the equivalent arguments of the official `generate_content`."""
    config = types.GenerateContentConfig.model_validate_json(_json(body[CONFIG]))
    if SYSTEM in body:
        config.system_instruction = types.Content.model_validate_json(_json(body[SYSTEM]))
    return {"contents": [types.Content.model_validate_json(_json(t)) for t in body[CONTENTS]], "config": config}


def _json(value: Any) -> str:
    import json

    return json.dumps(value)


def _read(value: Any) -> None:
    if isinstance(value, dict):
        for inner in value.values():
            _read(inner)
    elif isinstance(value, list | tuple | Iterator) or type(value).__name__ == "ValidatorIterator":
        for inner in value:
            _read(inner)
