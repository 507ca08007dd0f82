"""What a token costs: a small dated table, matched by the longest name. An unknown model has no price, never a guess."""

from __future__ import annotations

import re
from math import inf

from snellen.core.errors import SnellenError
from snellen.core.subject import Price

DATED = "2025-08"

# USD for a million tokens, input and output, list prices without discounts
TABLE = {
    "gpt-4o": (2.5, 10.0),
    "gpt-4o-mini": (0.15, 0.6),
    "gpt-4.1": (2.0, 8.0),
    "gpt-4.1-mini": (0.4, 1.6),
    "gpt-4.1-nano": (0.1, 0.4),
    "gpt-5": (1.25, 10.0),
    "gpt-5-mini": (0.25, 2.0),
    "gpt-5-nano": (0.05, 0.4),
    "o3": (2.0, 8.0),
    "o4-mini": (1.1, 4.4),
    "claude-3-haiku": (0.25, 1.25),
    "claude-3-opus": (15.0, 75.0),
    "claude-3-sonnet": (3.0, 15.0),
    "claude-3.5-haiku": (0.8, 4.0),
    "claude-3.5-sonnet": (3.0, 15.0),
    "claude-3.7-sonnet": (3.0, 15.0),
    "claude-sonnet-4": (3.0, 15.0),
    "claude-opus-4": (15.0, 75.0),
    "gemini-2.0-flash": (0.1, 0.4),
    "gemini-2.5-flash": (0.3, 2.5),
    "gemini-2.5-flash-lite": (0.1, 0.4),
    "gemini-2.5-pro": (1.25, 10.0),
    "qwen2.5-vl-72b-instruct": (0.15, 0.6),
    "qwen2.5-vl-7b-instruct": (0.1, 0.1),
}


_VERSION = re.compile(r"(?:[-@:](?:latest|preview|exp|\d{2,8}|v?\d+(?:\.\d+)*))*")


def table_price(service: str, model: str) -> Price | None:
    """The price of a model: its name (after the vendor) must be a table name, perhaps with a date or version behind it.

    >>> table_price("openai", "gpt-4o-mini-2024-07-18").input, table_price("openai", "gpt-4o").input
    (0.15, 2.5)
    >>> table_price("openrouter", "acme/gpt-4omega"), table_price("openai", "o3-pro")
    (None, None)
    >>> table_price("openrouter", "openai/gpt-4o-mini:free").input
    0.0
    """
    name = model.rpartition("/")[2].lower()
    if name.endswith(":free"):
        return Price(0.0, 0.0, "':free' in the name")
    fitting = [known for known in TABLE if name.startswith(known) and _VERSION.fullmatch(name[len(known) :])]
    if not fitting:
        return None
    known = max(fitting, key=len)
    return Price(*TABLE[known], f"built-in table of {DATED} ({known})")


def given_price(text: str) -> Price:
    """`--price IN/OUT`, USD for a million tokens."""
    try:
        per_input, per_output = (float(x) for x in text.split("/"))
    except ValueError:
        raise SnellenError(f"--price {text}: expected IN/OUT in USD per million tokens, such as 2.5/10") from None
    if not (0 <= per_input < inf and 0 <= per_output < inf):
        raise SnellenError(f"--price {text}: a price is a number from 0 on")
    return Price(per_input, per_output, "--price")
