"""How samples are asked: the prompts of multimodal-vqa-eval, byte for byte, and ours: with real examples, and for VCR's object tags.

The last user turn is text first, then the image; that code's examples are turns of text alone. Kept as they are: the
answer-only prompts glue sentences together, and ACT-X's examples have a "Description:" that no question has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.prompt import Prompt, by_name
from snellen.core.types import Picture, Question, Sample, Text, Turn
from snellen.exams.vqa_nle.formats import tags
from snellen.exams.vqa_nle.names import (
    EXAMPLES,
    LABELS,
    LETTERS,
    PROMPTS,
    RATIONALE,
    TEXT_EXAMPLES,
    shot_count,
    tags_of,
    task_of,
    wants_explanation,
)
from snellen.exams.vqa_nle.vqa_official import as_written

# the last user turn, with an explanation wanted
EXPLAIN = {
    "vqax": (
        "Given an IMAGE and a QUESTION, answer and explain in this format:\n<answer> because <explanation>\nQuestion: {question}"
    ),
    "actx": "Given an IMAGE, identify the activity and explain in this format:\n<activity> because <explanation>\n",
    "esnlive": (
        "Given an IMAGE and a HYPOTHESIS, answer and explain in this format:\n<label> because <explanation>\n"
        "Label must be: entailment, contradiction, or neutral.\n\nHypothesis: {hypothesis}"
    ),
    "vcr": (
        "Given an IMAGE, a QUESTION and four options, answer and explain in this format:\n<letter> because <explanation>\n"
        "Letter must be A, B, C, or D.\n{note}Question: {question}\nA) {c0}\nB) {c1}\nC) {c2}\nD) {c3}"
    ),
}
# and without
ANSWER = {
    "vqax": (
        "Given an IMAGE and a QUESTION, answer in this format:\n<answer>\n"
        "Use at most three words and do not add any explanation.Question: {question}"
    ),
    "actx": (
        "Given an IMAGE, identify the activity in this format:\n<activity>\n"
        "Use at most two words and do not add any explanation."
    ),
    "esnlive": (
        "Given an IMAGE and a HYPOTHESIS, classify the relation in this format:\n<label>\n"
        "Label must be exactly one of: entailment, contradiction, neutral.\n"
        "Use only the label and do not add any explanation.Hypothesis: {hypothesis}"
    ),
    "vcr": (
        "Given an IMAGE, a QUESTION and four options, choose the correct answer in this format:\n<letter>\n"
        "Letter must be A, B, C, or D.Use only the letter and do not add any explanation.\n"
        "{note}Question: {question}\nA) {c0}\nB) {c1}\nC) {c2}\nD) {c3}"
    ),
}
# VCR's QA->R, ours: the original has none. The rationale is the explanation, so no other is asked for under any prompt
REASON = (
    "Given an IMAGE, a QUESTION, its correct ANSWER and four reasons, choose the reason why the answer is correct in this format:\n"
    "<letter>\nLetter must be A, B, C, or D. Use only the letter and do not add any explanation.\n"
    "{note}Question: {question}\nAnswer: {answer}\nA) {c0}\nB) {c1}\nC) {c2}\nD) {c3}"
)
SHOTS = {
    "vqax": (
        ("Question: Is there a dog in the image?", "yes because a dog is visible in the picture"),
        ("Question: How many people are in the image?", "3 because there are three individuals visible"),
        ("Question: What color is the bus?", "yellow because the vehicle is painted bright yellow"),
    ),
    "actx": (
        (
            "Description: A person is sitting with a guitar.",
            "playing guitar because the person is strumming the instrument",
        ),
        ("Description: A person rides a bicycle outside.", "riding bike because they are moving on a bicycle"),
        (
            "Description: Someone stands in a kitchen using pans.",
            "cooking because they are working with pans on a stove",
        ),
    ),
    "esnlive": (
        ("Hypothesis: A person is skiing.", "entailment because the image shows someone skiing"),
        ("Hypothesis: The man is riding a bicycle indoors.", "contradiction because the bicycle is outdoors"),
        ("Hypothesis: Someone might be preparing a meal.", "neutral because the kitchen scene is ambiguous"),
    ),
    "vcr": (
        (
            "Question: Why is the person smiling? Options: A) happy B) sad C) angry D) tired",
            "A because the person shows clear signs of happiness",
        ),
        (
            "Question: What is the woman doing? Options: A) reading B) sleeping C) running D) dancing",
            "A because she is holding an open book",
        ),
        (
            "Question: What is the child looking at? Options: A) dog B) phone C) bird D) ball",
            "B because the child is facing the device in their hands",
        ),
    ),
}
MISSING_CHOICE = {True: "missing", False: "Option missing"}  # by whether an explanation is wanted
BOX_NOTE = "[n] is what the box with the number n shows.\n"  # ours: only where boxes are drawn
BASELINE_FORM = "{} because it is visible"  # how a subject that never looks says an option
OPTIONS = {"vqax": (), "actx": (), "esnlive": LABELS, "vcr": LETTERS}


def _fact(sample: Sample, name: str) -> str:
    value = sample.facts.get(name)
    if not isinstance(value, str) or not value:
        raise SnellenError(f"{sample.id}: the sample has no {name}, which the prompt needs")
    return value


def _is_rationale(sample: Sample) -> bool:
    return sample.tags["task"] == RATIONALE


def _vcr_texts(prompt: str, sample: Sample) -> tuple[str, str, list[str]]:
    """Question, the right answer where it is given, and four choices, with object tags in the words of the prompt."""
    choices = [str(c) for c in sample.facts.get("choices") or ()][: len(LETTERS)]
    if not choices:
        raise SnellenError(f"{sample.id}: the sample has no choices, which the prompt needs")
    texts = [_fact(sample, "question"), _fact(sample, "answer") if _is_rationale(sample) else "", *choices]
    if prompt.endswith("-boxes"):
        texts = [tags.as_numbers(t, "[{}]") for t in texts]
    elif prompt.endswith("-names"):
        texts = [tags.as_names(t, sample.facts.get("objects") or (), sample.id) for t in texts]
    missing = MISSING_CHOICE[wants_explanation(prompt)]
    return texts[0], texts[1], texts[2:] + [missing] * (len(LETTERS) - len(choices))


def text_of(prompt: str, sample: Sample) -> str:
    """The text of the last user turn."""
    task = task_of(sample.tags["task"])
    form = REASON if _is_rationale(sample) else (EXPLAIN if wants_explanation(prompt) else ANSWER)[task]
    if task == "vqax":
        return form.format(question=_fact(sample, "question"))
    if task == "esnlive":
        return form.format(hypothesis=_fact(sample, "hypothesis"))
    if task == "vcr":
        question, answer, (c0, c1, c2, c3) = _vcr_texts(prompt, sample)
        note = BOX_NOTE if prompt.endswith("-boxes") else ""
        return form.format(question=question, answer=answer, c0=c0, c1=c1, c2=c2, c3=c3, note=note)
    return form


def _pictures(prompt: str, sample: Sample) -> tuple[Picture, ...]:
    """The sample's image; for `-boxes` with the boxes of all objects that question, given answer or choices name."""
    if not prompt.endswith("-boxes") or not sample.pictures:
        return sample.pictures
    from snellen.exams.vqa_nle.boxes import draw

    shown = [_fact(sample, "question"), str(sample.facts.get("answer") or "")]
    numbers = tags.mentioned([*shown, *map(str, sample.facts.get("choices") or ())])
    boxes = sample.facts.get("boxes") or []
    if numbers and not boxes:
        raise SnellenError(f"{sample.id}: no boxes are known for its objects; ask without '-boxes'")
    return tuple(draw(picture, boxes, numbers) for picture in sample.pictures)


def _history(prompt: str, task: str, shots: Sequence[Sample]) -> Iterator[Turn]:
    """The prompt's own examples, texts alone as in multimodal-vqa-eval, or real ones with their images; each with its answer."""
    own = SHOTS[task][: shot_count(prompt)] if prompt in TEXT_EXAMPLES else ()
    for question, reply in own:
        yield Turn(role="user", parts=(Text(text=question),))
        yield Turn(role="assistant", parts=(Text(text=reply),))
    for shot in shots:
        yield Turn(role="user", parts=ask("zero", shot).parts)
        yield Turn(role="assistant", parts=(Text(text=gold_reply(shot)),))


def gold_reply(sample: Sample) -> str:
    """What a right answer to a sample looks like, in the form that the prompts ask for."""
    truth = sample.truth
    label = truth.get("label")
    answer = as_written(truth["answers"]) if label is None else LETTERS[label]
    return f"{answer} because {truth['explanations'][0]}"


def ask(prompt: str, sample: Sample, shots: Sequence[Sample] = ()) -> Question:
    """One question, after the prompt's own examples or those that are given."""
    task, reason = task_of(sample.tags["task"]), _is_rationale(sample)
    return Question(
        id=sample.id,
        exam=task,
        prompt=prompt,
        parts=(Text(text=text_of(prompt, sample)), *_pictures(prompt, sample)),
        answer_kind="one-of" if OPTIONS[task] else "text",
        options=OPTIONS[task],
        answer_form=BASELINE_FORM if wants_explanation(prompt) and not reason else "{}",
        history=() if reason else tuple(_history(prompt, task, shots)),
        shots=() if reason else tuple(shot.id for shot in shots),
    )


def prompts_of(task: str) -> Mapping[str, Prompt]:
    """The prompts of a task. Those with examples show answers to questions, so they are not asked about VCR's rationales."""
    with_examples = (*TEXT_EXAMPLES, *EXAMPLES) if task == "vcr" else ()
    return by_name(
        *(
            Prompt(name, about, partial(ask, name), _of_answers if name in with_examples else None)
            for name, about in PROMPTS[task].items()
        )
    )


def _of_answers(sample: Sample) -> bool:
    return not _is_rationale(sample)


# ---------------------------------------------------------------- samples without a data set

_FACTS: dict[str, dict[str, Any]] = {
    "vqax": {"question": "What color is the ball?"},
    "actx": {},
    "esnlive": {"hypothesis": "A person is throwing a ball."},
    "vcr": {
        "question": "Why does <det0> look at <det1>?",
        "choices": [
            "<det0> wants to catch <det1>.",
            "A dog has taken <det1>.",
            "<det0> is sad because the game is over.",
            "<det1> is about to burst.",
        ],
        "objects": ["person", "ball"],
        "boxes": [[0.0, 0.0, 4.0, 7.0], [5.0, 2.0, 7.0, 4.0]],
    },
}
_ANSWERS = {
    "vqax": ("yes", "no", "2", "red"),
    "actx": ("yoga", "juggling", "skating, ice", "bicycling, mountain"),
    "esnlive": LABELS,
    "vcr": LETTERS,
}
_WHY = {
    "vqax": "it can be seen in the middle of the picture",
    "actx": "the person stands in the typical pose",
    "esnlive": "the person holds a ball in one hand",
    "vcr": "<det0> has raised both hands",
}


def _sample(task: str, answer: str, name: str) -> Sample:
    facts = _FACTS[task] | {"key": name, "image_id": name, "image_name": f"{name}.jpg"}
    truth: dict[str, object] = {"answers": [answer] * (10 if task == "vqax" else 1), "explanations": [_WHY[task]]}
    if task == "vcr":
        label = LETTERS.index(answer)
        truth |= {"label": label, "answers": [facts["choices"][label]]}
    return Sample(id=f"{task}/test/{name}", tags=tags_of(task, "test", [answer]), truth=truth, facts=facts)


_REASONS = ["<det0> has raised both hands.", "<det1> rolls away.", "A leash lies there.", "<det1> is very large."]


def _reason(label: int, name: str) -> Sample:
    """As `_sample`, for VCR's QA->R."""
    facts = _FACTS["vcr"] | {"key": name, "image_id": name, "image_name": f"{name}.jpg", "choices": _REASONS}
    return Sample(
        id=f"vcr-rationale/test/{name}",
        tags={"split": "test", "task": RATIONALE},
        truth={"answers": [_REASONS[label]], "explanations": [], "label": label},
        facts=facts | {"answer": _FACTS["vcr"]["choices"][0]},
    )


def probes(task: str) -> list[Sample]:
    """One sample without picture (VCR: one of each part), to show prompts and try protocols without a data set."""
    return [_sample(task, _ANSWERS[task][0], "probe"), *([_reason(0, "probe")] if task == "vcr" else [])]


def truths(task: str) -> list[Sample]:
    """A sample for each answer that there can be; where answers are free text, for a few of each kind."""
    found = [_sample(task, answer, f"truth-{i}") for i, answer in enumerate(_ANSWERS[task])]
    return found + [_reason(i, f"truth-{i}") for i in range(len(LETTERS) if task == "vcr" else 0)]
