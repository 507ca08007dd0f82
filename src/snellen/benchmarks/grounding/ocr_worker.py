"""The embedded parser as a function of a Question, for processes of its own: pictures in, the JSON of a Parse out."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from snellen.core.types import Question

if TYPE_CHECKING:
    from snellen.benchmarks.grounding.methods.ocr import OcrParser


@lru_cache(maxsize=1)
def _parser() -> OcrParser:
    from snellen.benchmarks.grounding.methods.ocr import OcrParser

    return OcrParser()


def parse_question(question: Question) -> str:
    """What is in the question's picture."""
    return msgspec.json.encode(_parser().parse(question.pictures[0].data)).decode()
