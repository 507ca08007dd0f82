"""The four protocols of the exams with explanations."""

from __future__ import annotations

from snellen.exams.vqa_nle.marking.base import NleProtocol
from snellen.exams.vqa_nle.marking.rules import EVil, MultimodalVqaEval, Nlxgpt, Strict
from snellen.exams.vqa_nle.names import MULTIMODAL_VQA_EVAL


def protocols_of(task: str) -> dict[str, NleProtocol]:
    """Return the protocols of one exam."""
    every = (
        MultimodalVqaEval(MULTIMODAL_VQA_EVAL, "1", task),
        Strict("strict", "6", task),
        Nlxgpt("nlxgpt", "2", task),
        EVil("e-vil", "6", task),
    )
    return {protocol.name: protocol for protocol in every}
