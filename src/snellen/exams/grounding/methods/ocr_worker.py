"""The embedded parser as a function of a Question, for processes of its own: pictures in, the JSON of a Parse out."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from snellen.core.types import Question

if TYPE_CHECKING:
    from snellen.exams.grounding.methods.ocr import OcrParser


@lru_cache(maxsize=1)
def _parser() -> OcrParser:
    from snellen.exams.grounding.methods.ocr import OcrParser

    return OcrParser()


def parse_question(question: Question) -> str:
    """What is in the question's picture."""
    parser = _parser()  # its models are loaded before the clock starts
    began = time.perf_counter()
    parse = parser.parse(question.pictures[0].data)
    return msgspec.json.encode(msgspec.structs.replace(parse, seconds=round(time.perf_counter() - began, 4))).decode()
