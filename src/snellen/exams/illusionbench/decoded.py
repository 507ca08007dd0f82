"""How the original takes a prediction out of a model's raw text, chat template and all, by the kind of model.

Replies that Snellen asked for have no template around them. This is for raw texts that somebody kept: `snellen mark` takes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from snellen.core.errors import SnellenError

MODES = ("other", "llava1.5", "llava1.6")
_CAPITALS = (re.compile(r"['\"]([A-Z]+)['\"]\)"), re.compile(r"['\"]([A-Z]+)['\"]"), re.compile(r"([A-Z]+)\)"))
_NONE = "no content after [/inst]"


def prediction(text: str, mode: str) -> str | None:
    """What the original scores, lower-cased; None where it finds nothing and then fails.

    >>> prediction("The answer is 'BMW') because", "other"), prediction("USER: q ASSISTANT: Mercedes Benz", "llava1.5")
    ('bmw', 'mercedes')
    """
    if mode == "llava1.6":
        found = re.search(r"\[/INST\]([^\n]*)", text)
        return found.group(1).strip().lower() if found else _NONE
    if mode == "llava1.5":
        found = re.search(r"assistant:\s*(\w+)", text.lower())
        return found.group(1) if found else None
    for pattern in _CAPITALS:
        if found := pattern.search(text):
            return found.group(1).lower()
    return text.rpartition("[/INST]")[2].strip().lower()


def reply_from_row(row: Mapping[str, Any]) -> str:
    """The reply in a row for `snellen mark`: its `decoded_text`, which is raw, as the original reads it."""
    text, mode = row["decoded_text"], row.get("mode", "other")
    if not isinstance(text, str):
        raise SnellenError(f'field "decoded_text" must be a text, not {type(text).__name__}')
    if mode not in MODES:
        raise SnellenError(f'field "mode" must be one of {", ".join(MODES)}')
    return prediction(text, mode) or ""
