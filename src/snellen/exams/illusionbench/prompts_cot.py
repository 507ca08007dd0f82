"""lmms-eval's visual chain-of-thought prompts, byte for byte.

They are written for models that first draw an auxiliary picture: lmms-eval's own model classes take the markup apart and
make two calls. Here the text is sent as it is, once; no protocol asks it unless it is named (`lmms-head@lmms-head-cot`).
"""

from __future__ import annotations

from snellen.exams.illusionbench.names import WORDS

PROMPTS = {
    "lmms-head-cot": "lmms-eval HEAD's visual chain of thought, for models that take its [GEN_PROMPT] markup",
    "lmms-strict-cot": "lmms-eval 5917cab6's visual chain of thought, for models that take its [GEN_PROMPT] markup",
}


def _drawing(subset: str, task: str) -> str:
    if task == "shape":
        return (
            "This image shows a scene where elements are carefully arranged to form a hidden shape. Your task: Extract and "
            "visualize this hidden shape. Generate a clear image that highlights the shape's "
            + WORDS.subsets[subset].highlight
        )
    return (
        "This image depicts a specific scene or environment. Your task: Analyze and enhance the scene characteristics. "
        "Generate a clear visualization that emphasizes the environmental features and setting."
    )


def text(prompt: str, subset: str, task: str, question: str) -> str:
    """The whole text around the question of the protocol without a drawing."""
    two = "You are given TWO images: the original image and an auxiliary visualization."
    if prompt == "lmms-strict-cot":
        rest = question.partition("\n")[2]
        what = "shows scene elements forming an abstract SHAPE." if task == "shape" else "depicts a SCENE."
        asked = f"{two}\nThe image {what}\n{rest}"
    else:
        asked = f"{two} {question}"
    return f"[GEN_PROMPT]{_drawing(subset, task)}[/GEN_PROMPT][QUESTION]{asked}[/QUESTION]"
