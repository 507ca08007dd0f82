"""Rows of `snellen mark`: the true names and a reply, or a model's raw text with its chat template, as the original reads it.

Replies to Snellen have no template around them. Raw texts come from saved runs of the original.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.exams.illusionbench import names

MODES = ("other", "llava1.5", "llava1.6")
_CAPITALS = (re.compile(r"['\"]([A-Z]+)['\"]\)"), re.compile(r"['\"]([A-Z]+)['\"]"), re.compile(r"([A-Z]+)\)"))
_NONE = "no content after [/inst]"


def prediction(text: str, mode: str) -> str | None:
    """Return the lower-cased text that the original scores; None if it finds none and then fails.

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


def reply_from_row(row: Mapping[str, Any]) -> Any:
    """Return the reply in a row: its `response`, or the original's extract of its raw `decoded_text`."""
    if "decoded_text" not in row:
        return row.get("response")
    text, mode = row["decoded_text"], row.get("mode", "other")
    if not isinstance(text, str):
        raise SnellenError(f'field "decoded_text" must be a text, not {type(text).__name__}')
    if mode not in MODES:
        raise SnellenError(f'field "mode" must be one of {", ".join(MODES)}')
    return prediction(text, mode) or ""


def sample_from_row(row: Mapping[str, Any]) -> Sample:
    """Return a light sample of a row; an error names the invalid field."""
    subset, task = row.get("subset"), row.get("task")
    if subset not in names.SUBSETS:
        raise SnellenError(f'field "subset" must be one of {", ".join(names.SUBSETS)}, not {subset!r}')
    if task not in names.TASKS:
        raise SnellenError(f'field "task" must be "shape", "scene" or "both", not {task!r}')
    truth = {}
    for field, classes in (("shape", names.SHAPES[subset]), ("scene", names.SCENES)):
        word = row.get(field)
        if not isinstance(word, str):
            raise SnellenError(f'field "{field}" (the true {field}, a text) is missing')
        truth[field] = names.meant(classes, word) or ""
        if not truth[field]:
            raise SnellenError(f'field "{field}": {word!r} is no {field} of {subset}: choose from {", ".join(classes)}')
    tags = {"split": subset, "task": task, **truth, "difficulty": "", "strength": ""}
    return Sample(id=str(row["id"]), tags=tags, truth=truth)
