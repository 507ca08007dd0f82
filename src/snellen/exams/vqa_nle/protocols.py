"""The four protocols of the exams with explanations; `protocols_of` gives those of one exam."""

from __future__ import annotations

from snellen.exams.vqa_nle.marking.base import NleProtocol
from snellen.exams.vqa_nle.marking.rules import EVil, MultimodalVqaEval, MultimodalVqaEvalAnswers, Nlxgpt, Strict
from snellen.exams.vqa_nle.names import MULTIMODAL_VQA_EVAL

PROTOCOLS: dict[str, NleProtocol] = {
    p.name: p
    for p in (
        MultimodalVqaEval(MULTIMODAL_VQA_EVAL, "1", MultimodalVqaEvalAnswers(MULTIMODAL_VQA_EVAL, "1")),
        Strict("strict", "6", Strict("strict", "6")),
        Nlxgpt("nlxgpt", "2", Nlxgpt("nlxgpt", "2")),
        EVil("e-vil", "6", EVil("e-vil", "6")),
    )
}


def protocols_of(task: str) -> dict[str, NleProtocol]:
    """Return the protocols of one exam."""
    return {name: protocol.for_task(task) for name, protocol in PROTOCOLS.items()}
