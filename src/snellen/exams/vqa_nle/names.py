"""The vocabulary of the four exams with explanations: tasks, labels, prompts, placeholders. No content of any data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snellen.choice import letters
from snellen.core.types import Sample, Struct
from snellen.data.declared import declared
from snellen.exams.vqa_nle.vqa_official import answer_type, majority


class _NleProbe(Struct, frozen=True):
    """A sample without an image, to show prompts and to try protocols: its right answers one by one, its explanation and its facts."""

    answers: tuple[str, ...]
    explanation: str
    facts: dict[str, Any]


class _NleTask(Struct, frozen=True):
    """The particulars of one data set, from `tasks.toml`."""

    title: str
    about: str
    paper: str
    demo: tuple[str, ...]
    folders: tuple[str, ...]
    expected: str
    prefix: str
    images: tuple[str, ...]
    row_answers: tuple[str, ...]
    grid_row: str
    columns: tuple[str, ...]
    options: tuple[str, ...]
    explain: str
    answer: str
    shots: tuple[tuple[str, str], ...]
    probe: _NleProbe


TASKS = declared("snellen.exams.vqa_nle", "tasks.toml", dict[str, _NleTask])
SPLITS = ("train", "val", "test")
# VCR's other parts: the reason for the right answer (QA->R), and both choices right (Q->AR). Q->A is "vcr"
RATIONALE, JOINT = "QA->R", "Q->AR"
PARTS = {  # VCR's tasks, as --task names them
    **dict.fromkeys(("answer", "q->a", "vcr"), ("vcr",)),
    **dict.fromkeys(("rationale", "qa->r"), (RATIONALE,)),
    "q->ar": ("vcr", RATIONALE),
}
LABELS = ("entailment", "contradiction", "neutral")  # in the order in which the prompts print them
LETTERS = letters.LETTERS[:4]

MULTIMODAL_VQA_EVAL = "multimodal-vqa-eval"  # the reference implementation, and the protocol that marks as it does

MAX_TOKENS = 40  # multimodal-vqa-eval's limit with an explanation; 20 without, but a run has one limit

# the placeholder of multimodal-vqa-eval for a reply without explanation
MISSING = "explanation missing"
NO_DETAILS = "no further details"
UNKNOWN = "unknown"

ABOUT = declared("snellen.exams.vqa_nle", "prompts.toml", dict[str, dict[str, str]])
PROMPTS = {task: ABOUT["every"] | ABOUT.get(task, {}) for task in TASKS}
TEXT_EXAMPLES = ("1shot", "3shot")
EXAMPLES = {"1shot-images": 1, "3shot-images": 3}  # number of real examples in a prompt; they belong to it


def shot_count(mode: str | None) -> int:
    """Return the number of text examples for multimodal-vqa-eval's `--prompt_mode`, which is decided by its first character.

    >>> [shot_count(m) for m in ("zero", "1shot", "3shot", "10shot", "5shot", None)]
    [0, 1, 3, 1, 0, 0]
    """
    return {"1": 1, "3": 3}.get((mode or "")[:1], 0)


def wants_explanation(prompt: str) -> bool:
    """Return whether a prompt (or a control arm of it) asks for an explanation.

    >>> wants_explanation("answer-only-boxes+blank"), wants_explanation("zero")
    (False, True)
    """
    return not prompt.startswith("answer-only")


def task_of(tag: str) -> str:
    """Return the exam of a sample's task tag. VCR's rationales belong to VCR, too."""
    return "vcr" if tag == RATIONALE else tag


def image_of(sample: Sample) -> str:
    """Return the cluster of a sample for intervals: the name of its image, or of the sample if the image is not known."""
    return str(sample.facts.get("image_name") or sample.id)


def letter_of(choice: int | None) -> str | None:
    """Return the letter of VCR's choice with a number; None without a number."""
    return LETTERS[choice] if choice is not None and choice < len(LETTERS) else None


def tags_of(task: str, split: str, answers: Sequence[str]) -> dict[str, str]:
    """Return the tags by which results are broken down."""
    tags = {"split": split, "task": task}
    if task == "vqax":
        tags["answer_type"] = answer_type(majority(answers) or "") if answers else "none"
    elif task == "esnlive":
        tags["label"] = answers[0] if answers else "none"
    elif task == "actx":
        tags["head"] = head(answers[0]) if answers else "none"
    return tags


def head(label: str) -> str:
    """Return an ACT-X label up to its first comma. Of the 397 labels, 264 have one; 310 different heads remain.

    >>> head("skating, ice")
    'skating'
    """
    return label.partition(",")[0].strip()
