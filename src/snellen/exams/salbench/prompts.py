"""The prompts of SalBench: how a sample becomes a Question, with and without examples.

`question`   the data set's own text, image first (what the paper, the Plan v2 implementation and lmms-eval send)
`lmms-eval`  the same with the sentence that lmms-eval adds to every config
`plan-v2`    the wording of the document "SalBench Evaluation Plan v2"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.prompt import Prompt, by_name
from snellen.core.types import Part, Question, Sample, Text
from snellen.data.declared import declared
from snellen.exams.salbench.names import BY_NAME, CONFIGS, labels_of
from snellen.synthetic.patterns import wording

FORMS = declared("snellen.exams.salbench", "forms.toml", dict[str, dict[str, str]])
LMMS_SUFFIX = "Answer the question using a single word or phrase."

_SCENE = re.compile(r"scene with\s+(\d+|many)\s+([^.]+?)\.? Among|scene with\s+(many) ([^.]+?)\.")
_SINGULAR = re.compile(r"one ([^.,]+?) (?:at location|highlighted)")
_BOX = re.compile(r"x_?min=([\d.]+), y_?min=([\d.]+), x_?max=([\d.]+), y_?max=([\d.]+)")


class _ReferredScene(NamedTuple):
    """The scene as the referring question describes it."""

    number: str
    objects: str
    singular: str
    box: tuple[str, str, str, str] | None


def _read_scene(question: str) -> _ReferredScene | None:
    """Extract count, nouns and box from a data set question; None for detection questions.

    >>> _read_scene("Context: This image depicts a scene with 13 toys. Among those, one toy highlighted in a red box is")
    _ReferredScene(number='13', objects='toys', singular='toy', box=None)
    """
    scene = _SCENE.search(question)
    if scene is None:
        return None
    number, objects = (scene.group(1) or scene.group(3)), (scene.group(2) or scene.group(4))
    singular = _SINGULAR.search(question)
    box = _BOX.search(question)
    return _ReferredScene(number, objects, singular.group(1) if singular else "object", box.groups() if box else None)  # type: ignore[arg-type]


def _features(split: str) -> str:
    return ", ".join(label.title() for label in labels_of(split))


def written(kind: str, sample: Sample) -> str:
    """Return a text of `forms.toml` for a sample, filled in with the scene of its data set question."""
    form, scene = FORMS[kind][sample.tags["config"]], _read_scene(sample.facts["question"])
    wants_box = "{box" in form
    if "{number}" in form and (scene is None or (wants_box and scene.box is None)):
        missing = "object count and box" if wants_box else "object count"
        raise SnellenError(f"{sample.facts['where']}: the question names no {missing}, which this prompt needs")
    number, objects, singular, box = scene or _ReferredScene("", "", "", None)
    x0, y0, x1, y1 = box or ("0", "0", "0", "0")
    return form.format(
        features=_features(sample.tags["split"]),
        labels=", ".join(label.strip().lower() for label in str(sample.truth).split(",")),
        number=number,
        objects=objects,
        singular=singular,
        box=f"x_min={x0}, y_min={y0}, x_max={x1}, y_max={y1}",
        box2=f"xmin={float(x0):.2f}, ymin={float(y0):.2f}, xmax={float(x1):.2f}, ymax={float(y1):.2f}",
        one_word=LMMS_SUFFIX,
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
        parts += [*shot.pictures, Text(text=written("caption", shot))]
    return _question("question", sample, shots, (*parts, *sample.pictures, Text(text=written("query", sample))))


def _ask_lmms_eval(sample: Sample, _shots: Sequence[Sample]) -> Question:
    text = f"{str(sample.facts['question']).strip()}\n{LMMS_SUFFIX}"
    return _question("lmms-eval", sample, (), (*sample.pictures, Text(text=text)))


def _ask_plan_v2(sample: Sample, shots: Sequence[Sample]) -> Question:
    parts: list[Part] = []
    for shot in shots:
        parts += [*shot.pictures, Text(text=f"{written('plan_v2', shot)}\nAnswer: {shot.truth}")]
    return _question("plan-v2", sample, shots, (*parts, *sample.pictures, Text(text=written("plan_v2", sample))))


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
    """Return one sample of each config without pictures, to show prompts and try protocols without a data set."""
    toys: dict[str, Any] = {"n": 13, "plural": "toys", "singular": "toy", "box": (0.2, 0.19, 0.26, 0.25)}
    return [
        Sample(
            id=f"{c.name}/probe",
            tags={"config": c.name, "split": c.split, "task": c.task},
            truth="color" if c.split == "P3" else "Color, Shape",
            facts={"question": wording.question(c.name, **toys), "where": "probe"},
        )
        for c in CONFIGS
    ]


def truths() -> list[Sample]:
    """Return every truth of every config once: each label of P3, each set of labels of O3."""
    found = []
    for probe in probes():
        labels = [label.title() for label in labels_of(probe.tags["split"])]
        sizes = range(1, 2 if probe.tags["split"] == "P3" else len(labels) + 1)
        for i, answer in enumerate(chain.from_iterable(combinations(labels, size) for size in sizes)):
            found.append(msgspec.structs.replace(probe, id=f"{probe.id}{i}", truth=", ".join(answer)))
    return found
