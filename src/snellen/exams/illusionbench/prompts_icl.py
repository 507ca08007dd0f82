"""The in-context prompts of the original, byte for byte: instruction, examples, query in one turn, the way it writes for LLaVA.

`icl` is the instruction without examples; what the other prompts show before the query is in shots.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from snellen.core.prompt import Prompt
from snellen.core.types import Part, Question, Sample, Text
from snellen.exams.illusionbench.names import KEPT, SCENES, WORDS
from snellen.exams.illusionbench.shots import SHOTS

SCENE_OPTIONS = tuple("medieval_Village" if s == "Medieval_Village" else s.lower() for s in SCENES)


def instruction(subset: str, task: str) -> str:
    """The original's instruction, byte for byte; `both` asks for the background and the hidden thing."""
    phrase, noun, forms = WORDS.subsets[subset].icl_nouns
    head = (
        f"This image contains {phrase} integrated into a background, where elements of the background contribute to "
        f"forming the {'image' if task == 'both' else forms}.\n"
        f"background options: [{', '.join(SCENE_OPTIONS)}]\n"
        f"{noun} options: [{', '.join(KEPT[subset])}]\n"
    )
    if task == "both":
        return head + (
            f"Identify BOTH the background AND the {noun} that are represented in the image by choosing among the provided "
            "options. Provide your response by stating only the single, most accurate options that represent the background "
            f"and the {noun} in the image respectively. You have to respond with two words, one predicting the background "
            f"and one predicting the {noun}."
        )
    asked = noun if task == "shape" else "background"
    return head + (
        f"Identify the {asked} that is represented in the image by choosing among the provided options. Provide your "
        f"response by stating only the single, most accurate option that represents the {asked} in the image. "
        "You have to respond with a single word."
    )


def options(subset: str, task: str) -> tuple[str, ...]:
    """The names that are asked for; two at once are no choice among options."""
    return {"shape": KEPT[subset], "scene": SCENE_OPTIONS}.get(task, ())


def answer_of(tags: dict[str, str], task: str) -> str:
    """An example's answer. For both names the order is that of the instruction: background first."""
    return {"shape": tags["shape"], "scene": tags["scene"], "both": f"{tags['scene']}, {tags['shape']}"}[task]


def ask(prompt: str, sample: Sample, shots: Sequence[Sample]) -> Question:
    """The instruction, each example with its answer, and the query."""
    subset, task = sample.tags["split"], sample.tags["task"]
    parts: list[Part] = [Text(text=instruction(subset, task) + "\n")]
    for shot in shots:
        parts += [*shot.pictures, Text(text=f"\nAnswer: {answer_of(shot.tags, task)}\n")]
    parts += [*sample.pictures, Text(text="\nAnswer: ")]
    return Question(
        id=sample.id,
        exam="illusionbench",
        prompt=prompt,
        parts=tuple(parts),
        answer_kind="one-of" if task != "both" else "text",
        options=options(subset, task),
        shots=tuple(s.id for s in shots),
    )


def applies(prompt: str, sample: Sample) -> bool:
    """Only some classes take part; and there must be the examples that a prompt shows."""
    return sample.tags["shape"] in KEPT[sample.tags["split"]] and prompt not in sample.facts.get("unfit", ())


def _prompt(name: str, about: str, shots: tuple[int, ...]) -> Prompt:
    return Prompt(name, about, partial(ask, name), partial(applies, name), shots)


PROMPTS = (
    _prompt("icl", "the original's in-context instruction without examples", (0,)),
    _prompt("icl-neither", "in-context: examples share neither shape nor scene with the query (--shots)", SHOTS),
    _prompt("icl-object", "in-context: one example shares the query's shape (--shots)", SHOTS),
    _prompt("icl-scene", "in-context: one example shares the query's scene (--shots)", SHOTS),
    _prompt(
        "icl-both", "in-context: one example shares the shape, one the scene; a single one shares both (--shots)", SHOTS
    ),
)
