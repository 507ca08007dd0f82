"""The prompts of SalBench: how a sample becomes a Question, with and without examples.

`question`   the data set's own text, image first (what the paper, the Plan v2 implementation and lmms-eval send)
`lmms-eval`  the same with the sentence that lmms-eval adds to every config
`plan-v2`    the wording of the document "SalBench Evaluation Plan v2"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, combinations
from typing import NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.prompt import Prompt, by_name
from snellen.core.types import Part, Question, Sample, Text
from snellen.exams.salbench.names import BY_NAME, CONFIGS, labels_of
from snellen.synthetic.patterns import wording

LMMS_SUFFIX = "Answer the question using a single word or phrase."

_SCENE = re.compile(r"scene with\s+(\d+|many)\s+([^.]+?)\.? Among|scene with\s+(many) ([^.]+?)\.")
_SINGULAR = re.compile(r"one ([^.,]+?) (?:at location|highlighted)")
_BOX = re.compile(r"x_?min=([\d.]+), y_?min=([\d.]+), x_?max=([\d.]+), y_?max=([\d.]+)")


class ReferredScene(NamedTuple):
    """What a referring question says of the scene, as printed there."""

    number: str
    objects: str
    singular: str
    box: tuple[str, str, str, str] | None


def read_scene(question: str) -> ReferredScene | None:
    """Take count, nouns and box out of a data set question; None for detection questions.

    >>> read_scene("Context: This image depicts a scene with 13 toys. Among those, one toy highlighted in a red box is")
    ReferredScene(number='13', objects='toys', singular='toy', box=None)
    """
    scene = _SCENE.search(question)
    if scene is None:
        return None
    number, objects = (scene.group(1) or scene.group(3)), (scene.group(2) or scene.group(4))
    singular = _SINGULAR.search(question)
    box = _BOX.search(question)
    return ReferredScene(number, objects, singular.group(1) if singular else "object", box.groups() if box else None)  # type: ignore[arg-type]


def _features(split: str) -> str:
    return ", ".join(label.title() for label in labels_of(split))


def _needs_scene(sample: Sample, box: bool) -> ReferredScene:
    scene = read_scene(sample.facts["question"])
    if scene is None or (box and scene.box is None):
        missing = "object count and box" if box else "object count"
        raise SnellenError(f"{sample.facts['where']}: the question names no {missing}, which this prompt needs")
    return scene


# ---------------------------------------------------------------- zero-shot


def plan_v2(sample: Sample) -> str:
    """The document's templates; count and noun as the data set's question prints them."""
    features, task = _features(sample.tags["split"]), sample.tags["task"]
    if task == "D":
        return (
            f"Context: Given this list of low-level visual features defined according to feature integration theory: {features}.\n"
            "Task: Examine the provided image and identify the feature(s) in which one object notably differs from the others.\n"
            "Write out all applicable features separated by comma."
        )
    scene = _needs_scene(sample, box=task == "R")
    start = f"Context: This image depicts a scene with {scene.number} {scene.objects}. Among those, one {scene.objects}"
    if task == "R" and scene.box is not None:
        x0, y0, x1, y1 = (float(v) for v in scene.box)
        return (
            f"{start} at location given by this bounding box (xmin={x0:.2f}, ymin={y0:.2f}, xmax={x1:.2f}, ymax={y1:.2f}),"
            " is different from the others.\n"
            f"Given this list of low-level visual features defined according to feature integration theory: {features}.\n"
            "Task: In which way does the special object differ from the rest. Write out all applicable features separated by comma."
        )
    return (
        f"{start} highlighted in a red box is different from the others.\n"
        f"Task: Given this list of low-level visual features defined according to feature integration theory: {features}. "
        "In which way does the special object differ from the rest. Write out all applicable feature(s) separated by comma."
    )


# ---------------------------------------------------------------- few-shot, as the paper's figures show it

_O3_END = (
    "Write out all applicable feature(s) separated by comma. Do not output any explanations, other texts or special "
    "characters rather than the provided categories."
)


def _box_words(scene: ReferredScene) -> str:
    x0, y0, x1, y1 = scene.box or ("0", "0", "0", "0")
    return f"x_min={x0}, y_min={y0}, x_max={x1}, y_max={y1}"


def _spaces(split: str) -> str:
    """P3's texts have two spaces before the count."""
    return "  " if split == "P3" else " "


def caption(sample: Sample) -> str:
    """The sentence under an example image."""
    split, task = sample.tags["split"], sample.tags["task"]
    labels = ", ".join(x.strip().lower() for x in str(sample.truth).split(","))
    if task == "D":
        return f"This image shows an object with different {labels} compares to the others."
    if task == "VR" and split == "P3":
        return (
            "This image depicts a scene with many similar objects, among those, one object highlighted in a red box "
            f"is different {labels} compares to the others"
        )
    scene = _needs_scene(sample, box=task == "R")
    start = f"This image depicts a scene with{_spaces(split) if task == 'R' else ' '}{scene.number} {scene.objects}. Among those, one "
    if task == "R":
        where = f"object at location given by this bounding box {_box_words(scene)}, is"
    else:
        where = f"{scene.singular} highlighted in a red box is"
    return f"{start}{where} different in {labels} compared to the others."


def query(sample: Sample) -> str:
    """The task sentence after the query image."""
    split, task = sample.tags["split"], sample.tags["task"]
    if task == "D":
        if split == "P3":
            return (
                "Task: Examine this image and identify the feature that makes one object notably different from the others. "
                + LMMS_SUFFIX
            )
        return (
            "Task: Examine the provided image and identify the feature(s) in which one object notably differs from the others. "
            "Write out all applicable features separated by comma.  Do not output any explanations, other texts or special "
            "characters rather than the provided categories."
        )
    if task == "VR" and split == "P3":
        return (
            "Task: This image depicts a scene with many similar objects. Among those, one object highlighted in a red box is "
            f"different from the others. In which way does the special object differ from the rest. {LMMS_SUFFIX}"
        )
    scene = _needs_scene(sample, box=task == "R")
    start = f"Task: This image depicts a scene with{_spaces(split)}{scene.number} {scene.objects}. Among those, one "
    if task == "R":
        start += f"object at location given by this bounding box {_box_words(scene)}, is different from the others."
        if split == "P3":
            return f"{start} Identify how the special object differs from the rest. {LMMS_SUFFIX}"
        return f"{start}in which way does the special object differ from the rest. {_O3_END}"
    return (
        f"{start}{scene.singular} highlighted in a red box is different from the others. "
        f"In which way does the special object highlighted by red box differ from the rest. {_O3_END}"
    )


# ---------------------------------------------------------------- the prompts


def _question(prompt: str, sample: Sample, shots: Sequence[Sample], parts: Sequence[Part]) -> Question:
    split = BY_NAME[sample.tags["config"]].split
    return Question(
        id=sample.id,
        exam="salbench",
        prompt=prompt,
        parts=tuple(parts),
        answer_kind="one-of" if split == "P3" else "any-of",
        options=tuple(label.title() for label in labels_of(split)),
        shots=tuple(s.id for s in shots),
    )


def _ask_question(sample: Sample, shots: Sequence[Sample]) -> Question:
    if not shots:
        return _question("question", sample, (), (*sample.pictures, Text(text=str(sample.facts["question"]))))
    theory = "Given this list of low level visual features defined according to feature integration theory"
    parts: list[Part] = [Text(text=f"{theory}: {_features(sample.tags['split'])}.\nFor examples:")]
    for shot in shots:
        parts += [*shot.pictures, Text(text=caption(shot))]
    return _question("question", sample, shots, (*parts, *sample.pictures, Text(text=query(sample))))


def _ask_lmms_eval(sample: Sample, _shots: Sequence[Sample]) -> Question:
    text = f"{str(sample.facts['question']).strip()}\n{LMMS_SUFFIX}"
    return _question("lmms-eval", sample, (), (*sample.pictures, Text(text=text)))


def _ask_plan_v2(sample: Sample, shots: Sequence[Sample]) -> Question:
    parts: list[Part] = []
    for shot in shots:
        parts += [*shot.pictures, Text(text=f"{plan_v2(shot)}\nAnswer: {shot.truth}")]
    return _question("plan-v2", sample, shots, (*parts, *sample.pictures, Text(text=plan_v2(sample))))


SHOTS = (0, 3, 5)
PROMPTS = by_name(
    Prompt("question", "the data set's own question, verbatim, after the image", _ask_question, shots=SHOTS),
    Prompt(
        "lmms-eval",
        "the data set's question, a newline, and 'Answer the question using a single word or phrase.'",
        _ask_lmms_eval,
    ),
    Prompt("plan-v2", 'the wording of the document "SalBench Evaluation Plan v2"', _ask_plan_v2, shots=SHOTS),
)


# ---------------------------------------------------------------- samples without a data set


def probes() -> list[Sample]:
    """One sample of each config without pictures, to show prompts and try protocols without a data set."""
    box = (0.2, 0.19, 0.26, 0.25)
    questions = {
        "P3": wording.p3_detection(),
        "P3_box": wording.p3_referring(box),
        "P3_box_img": wording.p3_visual_referring(),
        "O3": wording.o3_detection(),
        "O3_box": wording.o3_referring(13, "toys", box),
        "O3_box_img": wording.o3_visual_referring(13, "toys", "toy"),
    }
    return [
        Sample(
            id=f"{c.name}/probe",
            tags={"config": c.name, "split": c.split, "task": c.task},
            truth="color" if c.split == "P3" else "Color, Shape",
            facts={"question": questions[c.name], "where": "probe"},
        )
        for c in CONFIGS
    ]


def truths() -> list[Sample]:
    """Every truth of every config once: each label of P3, each set of labels of O3."""
    found = []
    for probe in probes():
        labels = [label.title() for label in labels_of(probe.tags["split"])]
        sizes = range(1, 2 if probe.tags["split"] == "P3" else len(labels) + 1)
        for i, answer in enumerate(chain.from_iterable(combinations(labels, size) for size in sizes)):
            found.append(msgspec.structs.replace(probe, id=f"{probe.id}{i}", truth=", ".join(answer)))
    return found
