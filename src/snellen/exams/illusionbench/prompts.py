"""The prompts of IllusionBench as published, byte for byte, quirks included.

`original`     shapes and scenes mixed in one option list, a single word wanted (lmms-eval's HEAD sends the same bytes)
`lmms-strict`  shapes or scenes alone, `Answer: <your choice>` wanted
`lmms-first`   lmms-eval's first version: one word for the shape; for the scene no options, `Scene: <scene>` wanted;
               for both at once two lines
In-context prompts are in prompts_icl.py, visual chains of thought in prompts_cot.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from snellen.core.prompt import Prompt, by_name
from snellen.core.types import Question, Sample, Text
from snellen.exams.illusionbench import prompts_cot, prompts_icl
from snellen.exams.illusionbench.names import SCENES, SHAPES, WORDS

_SPELLED = {"face_emoji": "Face_Emoji", "stationary": "Stationery", "bmw": "BMW", "benz": "Mercedes Benz"}
OFFERED = {subset: tuple(_SPELLED.get(s, s.capitalize()) for s in shapes) for subset, shapes in SHAPES.items()}


def original(subset: str, task: str) -> str:
    """The original's prompt. It says "a icon" for the shape, and leaves out a space and a period; so do we."""
    article, end = "a", ""
    formed, asked, named = WORDS.subsets[subset].nouns
    if task == "scene":
        article, end, asked, named = "an", ".", "background", "background"
    options = ", ".join(OFFERED[subset]) + "," + ", ".join(SCENES)
    return (
        f"This image contains {article} icon integrated into a background, where elements of the background contribute to "
        f"forming the {formed}. "
        f"Identify the {asked} that is represented in the image by choosing exclusively among the following options:{options}{end} "
        f"Provide your response by stating only the single, most accurate class name that represents the {named}. "
        "You have to respond with a single word."
    )


_SHAPE = "You are given an image where scene elements form an abstract SHAPE.\n"
_SCENE = "You are given an image depicting a SCENE.\n"


def lmms_strict(subset: str, task: str, reply: str = "in this exact format:\nAnswer: <your choice>") -> str:
    """lmms-eval 5917cab6: an exact form is demanded, and its protocol reads nothing else."""
    if task == "shape":
        asked, options = f"{_SHAPE}Task: Identify what shape is hidden in this image.", WORDS.subsets[subset].strict
    else:
        asked, options = f"{_SCENE}Task: Identify what scene is shown in this image.", WORDS.strict_scenes
    return f"{asked}\n\nOptions: [{', '.join(options)}]\n\nReply {reply}\n"


def lmms_first(subset: str, task: str) -> str:
    """lmms-eval 6123e925; both names at once are its task on the full splits."""
    if task == "both":
        return (
            f"{_SHAPE}Task:\n1) Identify the abstract shape.\n2) Identify the scene.\n\n"
            "Reply in exactly TWO lines using this format:\nShape: <shape>\nScene: <scene>\n"
        )
    if task == "shape":
        return lmms_strict(subset, task, "with ONLY ONE word from the options above.")
    return f"{_SCENE}Task: Identify the scene.\n\nReply in ONE line using this format:\nScene: <scene>\n"


FORMS = {(p, t): "Answer: {}" for p in ("lmms-strict", "lmms-strict-cot") for t in ("shape", "scene")} | {
    ("lmms-first", "scene"): "Scene: {}"
}
TEXTS: dict[str, Callable[[str, str], str]] = {
    "original": original,
    "lmms-strict": lmms_strict,
    "lmms-first": lmms_first,
    "lmms-head-cot": lambda subset, task: prompts_cot.text("lmms-head-cot", subset, task, original(subset, task)),
    "lmms-strict-cot": lambda subset, task: prompts_cot.text(
        "lmms-strict-cot", subset, task, lmms_strict(subset, task)
    ),
}


def offered(prompt: str, subset: str, task: str) -> tuple[str, ...]:
    """The options that a prompt prints, in their order."""
    if task == "both":
        return ()
    if prompt in ("original", "lmms-head-cot"):
        return OFFERED[subset] + SCENES
    if task == "shape":
        return WORDS.subsets[subset].strict
    return () if prompt == "lmms-first" else WORDS.strict_scenes


def ask(prompt: str, sample: Sample, _shots: Sequence[Sample] = ()) -> Question:
    """One question: the image, then the text."""
    subset, task = sample.tags["split"], sample.tags["task"]
    return Question(
        id=sample.id,
        exam="illusionbench",
        prompt=prompt,
        parts=(*sample.pictures, Text(text=TEXTS[prompt](subset, task))),
        answer_kind="one-of" if task != "both" else "text",
        options=offered(prompt, subset, task),
        answer_form=FORMS.get((prompt, task), "{}"),
    )


def one_name(sample: Sample) -> bool:
    """Whether a sample is asked for its shape or its scene, not for both at once."""
    return sample.tags["task"] != "both"


def _prompt(name: str, about: str, applies: Callable[[Sample], bool] | None = one_name) -> Prompt:
    return Prompt(name, about, partial(ask, name), applies)


PROMPTS = by_name(
    _prompt(
        "original", "mixed option list of shapes and scenes, one word wanted (lmms-eval HEAD sends the same bytes)"
    ),
    _prompt("lmms-strict", "shapes or scenes alone, 'Answer: <your choice>' wanted (lmms-eval 5917cab6)"),
    _prompt(
        "lmms-first",
        "shapes alone and one word wanted; for the scene no options and 'Scene: <scene>' wanted (lmms-eval 6123e925)",
        None,
    ),
    *prompts_icl.PROMPTS,
    *(_prompt(name, about) for name, about in prompts_cot.PROMPTS.items()),
)


def truths() -> list[Sample]:
    """Every shape in every scene once, for both tasks."""
    return [
        msgspec.structs.replace(
            probe,
            id=f"{probe.tags['split']}/{shape}-{scene}/{probe.tags['task']}",
            tags=probe.tags | {"shape": shape, "scene": scene},
            truth={"shape": shape, "scene": scene},
        )
        for probe in probes()
        for shape in SHAPES[probe.tags["split"]]
        for scene in SCENES
    ]


def probes() -> list[Sample]:
    """One sample of each subset and task without pictures, to show prompts and try protocols without a data set."""
    found = []
    for subset, shapes in SHAPES.items():
        truth = {"shape": shapes[0], "scene": "Sand_dune"}
        for task in ("shape", "scene"):
            tags = {"split": subset, "task": task, **truth, "difficulty": "Easy", "strength": "1.5"}
            found.append(Sample(id=f"{subset}/probe/{task}", tags=tags, truth=truth))
    return found
