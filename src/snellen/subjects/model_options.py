"""Options of models that several kinds of subjects share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.options import Option


def _temperature(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise SnellenError(f"--temperature {text}: a number, or 'none'") from None


def _object(text: str) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(text.encode(), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise SnellenError(f"--extra must be a JSON object: {error}") from None


MAX_TOKENS = Option("max_tokens", "Longest reply in tokens (default: the exam's).", kind="int", metavar="N", least=1)
TEMPERATURE = Option(
    "temperature",
    "Sampling temperature; 'none' leaves it to the endpoint.",
    default=0.0,
    metavar="T",
    parse=_temperature,
)
BASE_URL = Option("base_url", "Address of the endpoint, such as http://localhost:8000/v1.", metavar="URL")
API_KEY = Option(
    "api_key",
    "Key of the endpoint; better in the environment (OPENROUTER_API_KEY, OPENAI_API_KEY, SNELLEN_API_KEY).",
    metavar="KEY",
)
LOGPROBS = Option(
    "logprobs",
    "Ask for token log-probabilities with K alternatives.",
    kind="int",
    default=0,
    metavar="K",
    least=0,
    most=20,
)
PRICE = Option(
    "price", "USD per million input and output tokens, where the built-in table has no price.", metavar="IN/OUT"
)
EXTRA = Option(
    "extra",
    'More fields of the request body, such as \'{"provider": {"order": ["x"]}}\'.',
    metavar="JSON",
    parse=_object,
)
