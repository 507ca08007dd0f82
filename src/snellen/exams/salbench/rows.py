"""Rows of `snellen mark`: the split, the true labels and a reply, without a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.exams.salbench.names import BY_NAME

CONFIGS = {name.lower(): config for name, config in BY_NAME.items()}
WORDS = {"synthetic": "P3", "natural": "O3"}
"""The names of the splits in the SalBench Evaluation Plan v2."""


def sample_from_row(row: Mapping[str, Any]) -> Sample:
    """Return a light sample of a row; an error names a missing field. `config`, if it is there, gives the task."""
    config = CONFIGS.get(str(row.get("config", "")).lower())
    named = config.split if config is not None else row.get("split")
    split = WORDS.get(named, named) if isinstance(named, str) else named
    if split not in ("P3", "O3"):
        raise SnellenError(f'field "split" must be "P3" or "O3" (or "synthetic", "natural"), not {named!r}')
    if not isinstance(row.get("answer"), str):
        given = "missing" if "answer" not in row else f"not a text but {type(row['answer']).__name__}"
        raise SnellenError(f'field "answer" (the true labels, a text such as "Color, Shape") is {given}')
    tags = {"config": split} if config is None else {"config": config.name, "task": config.task}
    return Sample(id=str(row["id"]), tags={**tags, "split": split}, truth=row["answer"])
