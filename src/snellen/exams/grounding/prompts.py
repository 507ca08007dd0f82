"""The question of a sample: a screenshot and an instruction. Methods turn it into their own prompts."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.core.prompt import Prompt, by_name
from snellen.core.types import Question, Sample, Text

KINDS = ("button", "icon", "text", "text_field", "checkbox", "dropdown", "link")


def ask(sample: Sample, _shots: Sequence[Sample] = ()) -> Question:
    """Return the screenshot and the instruction, which is all that a model gets. The question holds no truth."""
    return Question(
        id=sample.id,
        exam="grounding",
        prompt=_INSTRUCTION.name,
        parts=(*sample.pictures, Text(text=str(sample.facts["instruction"]))),
        answer_kind="text",
    )


_INSTRUCTION = Prompt(
    "instruction",
    "the screenshot, then the instruction as the data set has it; methods turn it into their own prompts",
    ask,
)
PROMPTS = by_name(_INSTRUCTION)


def probes() -> list[Sample]:
    """Return samples without pictures, one per kind of element, to show prompts and try protocols."""
    return [_sample(kind, i) for i, kind in enumerate(KINDS)]


def truths() -> list[Sample]:
    """Return a present and an absent target, for audits without a data set."""
    present = _sample("button", 0)
    absent = Sample(id="absent", tags=present.tags, truth={"boxes": [], "absent": True}, facts=present.facts)
    return [present, absent]


def _sample(kind: str, place: int) -> Sample:
    word = {"text_field": "text field"}.get(kind, kind)
    left, top = 100 + 220 * place, 80 + 110 * place
    tags = {
        "split": "easy",
        "task": "ground",
        "type": kind,
        "size": "medium",
        "area": "small",
        "kind": "icon" if kind == "icon" else "text",
    }
    return Sample(
        id=f"probe-{kind}",
        tags=tags,
        truth={"boxes": [[left, top, left + 120, top + 32]], "absent": False},
        facts={
            "instruction": f"Click on the 'Search' {word}",
            "image": f"probe-{kind}.png",
            "width": 1920,
            "height": 1080,
            "element_type": kind,
            "text": "Search",
        },
    )
