"""The prompts of IllusionBench as published; their texts are in `forms.toml`, byte for byte.

`original`     shapes and scenes mixed in one option list, a single word wanted (lmms-eval's HEAD sends the same bytes)
`lmms-strict`  shapes or scenes alone, `Answer: <your choice>` wanted
`lmms-first`   lmms-eval's first version: one word for the shape; for the scene no options, `Scene: <scene>` wanted;
               for both at once two lines
`icl...`       the original's in-context prompts: instruction, examples, query in one turn, the way it writes for LLaVA. `icl` is the
               instruction without examples; what the other prompts show before the query is in shots.py
`...-cot`      lmms-eval's visual chains of thought, for models that first draw an auxiliary picture: lmms-eval's own model classes take
               the markup apart and make two calls. Here the text is sent as it is, once; no protocol asks it unless it is named
               (`lmms-head@lmms-head-cot`)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from snellen.core.prompt import Prompt, by_name
from snellen.core.types import Part, Question, Sample, Text
from snellen.data.declared import declared
from snellen.exams.illusionbench.names import KEPT, SCENES, SHAPES, WORDS
from snellen.exams.illusionbench.shots import SHOTS

FORMS = declared("snellen.exams.illusionbench", "forms.toml", dict[str, dict[str, str]])
ICL_SCENES = tuple("medieval_Village" if s == "Medieval_Village" else s.lower() for s in SCENES)
ANSWER_FORMS = {(p, t): "Answer: {}" for p in ("lmms-strict", "lmms-strict-cot") for t in ("shape", "scene")} | {
    ("lmms-first", "scene"): "Scene: {}"
}


def text_of(prompt: str, subset: str, task: str) -> str:
    """Return the text of a prompt. All in-context prompts have the instruction `icl`, whose task `both` asks for background and hidden
    thing.
    """
    words = WORDS.subsets[subset]
    return FORMS[prompt][task].format(
        words=words,
        offered=", ".join(words.offered),
        kept=", ".join(words.kept),
        strict_shapes=", ".join(words.strict),
        scenes=", ".join(SCENES),
        strict_scenes=", ".join(WORDS.strict_scenes),
        icl_scenes=", ".join(ICL_SCENES),
    )


def offered(prompt: str, subset: str, task: str) -> tuple[str, ...]:
    """Return the options that a prompt prints, in order; none for two names at once, which is not a choice among options."""
    words = WORDS.subsets[subset]
    if task == "both":
        return ()
    if prompt.startswith("icl"):
        return words.kept if task == "shape" else ICL_SCENES
    if prompt in ("original", "lmms-head-cot"):
        return words.offered + SCENES
    if task == "shape":
        return words.strict
    return () if prompt == "lmms-first" else WORDS.strict_scenes


def ask(prompt: str, sample: Sample, shots: Sequence[Sample] = ()) -> Question:
    """Ask one question: the image, then the text. In context: the instruction, each example with its answer, and the query."""
    subset, task = sample.tags["split"], sample.tags["task"]
    parts: list[Part] = [*sample.pictures]
    if prompt.startswith("icl"):
        parts = [Text(text=text_of("icl", subset, task) + "\n")]
        for shot in shots:
            parts += [*shot.pictures, Text(text=f"\nAnswer: {_answer_of(shot.tags, task)}\n")]
        parts += [*sample.pictures, Text(text="\nAnswer: ")]
    else:
        parts.append(Text(text=text_of(prompt, subset, task)))
    return Question(
        id=sample.id,
        exam="illusionbench",
        prompt=prompt,
        parts=tuple(parts),
        answer_kind="one-of" if task != "both" else "text",
        options=offered(prompt, subset, task),
        answer_form=ANSWER_FORMS.get((prompt, task), "{}"),
        shots=tuple(s.id for s in shots),
    )


def _answer_of(tags: dict[str, str], task: str) -> str:
    """Return an example's answer. For both names the order is that of the instruction: background first."""
    return f"{tags['scene']}, {tags['shape']}" if task == "both" else tags[task]


def _one_name(sample: Sample) -> bool:
    """Return whether a sample is asked for its shape or its scene, not for both at once."""
    return sample.tags["task"] != "both"


def _has_examples(prompt: str, sample: Sample) -> bool:
    """Return whether a sample's class is used in context, and the examples for a prompt exist."""
    return sample.tags["shape"] in KEPT[sample.tags["split"]] and prompt not in sample.facts.get("unfit", ())


def _prompt(name: str, about: str, applies: Callable[[Sample], bool] | None = _one_name) -> Prompt:
    return Prompt(name, about, partial(ask, name), applies)


def _in_context(name: str, about: str, shots: tuple[int, ...] = SHOTS) -> Prompt:
    return Prompt(name, about, partial(ask, name), partial(_has_examples, name), shots)


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
    _in_context("icl", "the original's in-context instruction without examples", (0,)),
    _in_context("icl-neither", "in-context: examples share neither shape nor scene with the query (--shots)"),
    _in_context("icl-object", "in-context: one example shares the query's shape (--shots)"),
    _in_context("icl-scene", "in-context: one example shares the query's scene (--shots)"),
    _in_context(
        "icl-both", "in-context: one example shares the shape, one the scene; a single one shares both (--shots)"
    ),
    _prompt("lmms-head-cot", "lmms-eval HEAD's visual chain of thought, for models that take its [GEN_PROMPT] markup"),
    _prompt(
        "lmms-strict-cot", "lmms-eval 5917cab6's visual chain of thought, for models that take its [GEN_PROMPT] markup"
    ),
)


def truths() -> list[Sample]:
    """Return every shape in every scene once, for both tasks."""
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
    """Return one sample of each subset and task without pictures, to show prompts and try protocols without a data set."""
    found = []
    for subset, shapes in SHAPES.items():
        truth = {"shape": shapes[0], "scene": "Sand_dune"}
        for task in ("shape", "scene"):
            tags = {"split": subset, "task": task, **truth, "difficulty": "Easy", "strength": "1.5"}
            found.append(Sample(id=f"{subset}/probe/{task}", tags=tags, truth=truth))
    return found
