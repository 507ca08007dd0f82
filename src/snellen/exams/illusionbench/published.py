"""The paper's zero-shot figures, for comparison with real data only: shape recall and scene recall in percent.

Read off the bars of the paper's figure. The two recalls of a model never add up to more than 100, so both are taken to be
answers to the shape prompt under the protocol `original`; the paper does not say.
"""

from __future__ import annotations

from collections.abc import Iterator

from snellen.core.extras import Published
from snellen.exams.illusionbench.names import SUBSETS

SOURCE = "Hemmat et al. 2024, read off the bars; both recalls taken to be of the shape prompt"
_FIGURES = {
    "Blipv2-t5": ((14.9, 73.4), (24.4, 48.3), (4.7, 88.1)),
    "CogVLM": ((17.7, 65.3), (21.6, 66.7), (12.3, 74.3)),
    "InstructBlip-T5": ((17.4, 63.6), (20.3, 52.1), (10.4, 83.4)),
    "Llava1.6-7b": ((18.7, 64.9), (15.3, 70.6), (13.7, 66.6)),
    "Qwen-VL-Chat": ((16.9, 54.0), (21.7, 34.3), (6.0, 68.5)),
    "Llava1.5-7b": ((26.4, 53.7), (24.6, 54.2), (11.8, 72.6)),
    "Llava1.5-13b": ((23.4, 42.7), (26.9, 41.5), (11.0, 57.6)),
    "InstructBlip-7b": ((19.9, 15.4), (25.7, 8.9), (1.1, 15.9)),
    "InstructBlip-13b": ((26.0, 17.6), (25.1, 31.0), (7.8, 37.0)),
    "MoE-StableLM": ((10.8, 42.7), (20.6, 15.0), (15.6, 35.7)),
    "MoE-Qwen": ((11.8, 47.0), (21.4, 29.7), (9.8, 56.5)),
    "MoE-Phi2": ((15.4, 46.1), (24.6, 36.8), (13.4, 70.9)),
    "GPT-4o": ((35.1, 41.9), (22.0, 53.3), (21.4, 64.1)),
    "Gemini-Flash": ((31.5, 47.8), (34.0, 38.5), (27.4, 55.3)),
}


def published(protocol: str, prompt: str) -> Iterator[Published]:
    """The figures that may stand beside a run under this protocol and prompt; none for any other."""
    if (protocol, prompt) != ("original", "original"):
        return
    for model, figures in _FIGURES.items():
        for subset, (shape, scene) in zip(SUBSETS, figures, strict=True):
            by = {"split": subset, "task": "shape"}
            yield Published(model, by, "shape_recall", shape / 100, SOURCE)
            yield Published(model, by, "scene_recall", scene / 100, SOURCE)
