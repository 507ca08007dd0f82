"""The prompts: those of multimodal-vqa-eval, byte for byte, and ours, with real examples and for VCR's object tags.

In the last user turn the text comes first, then the image; the examples of that code are turns of text alone. Two oddities are kept: the
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
    LETTERS,
    PROMPTS,
    RATIONALE,
    TASKS,
    TEXT_EXAMPLES,
    shot_count,
    tags_of,
    task_of,
    wants_explanation,
)
from snellen.exams.vqa_nle.vqa_official import as_written

# VCR's QA->R, ours: the original has none. The rationale is the explanation, so no prompt asks for another one
REASON = (
    "Given an IMAGE, a QUESTION, its correct ANSWER and four reasons, choose the reason why the answer is correct in this format:\n"
    "<letter>\nLetter must be A, B, C, or D. Use only the letter and do not add any explanation.\n"
    "{note}Question: {question}\nAnswer: {answer}\nA) {c0}\nB) {c1}\nC) {c2}\nD) {c3}"
)
MISSING_CHOICE = {True: "missing", False: "Option missing"}  # by whether the prompt asks for an explanation
BOX_NOTE = "[n] is what the box with the number n shows.\n"  # ours: only if boxes are drawn
BASELINE_FORM = "{} because it is visible"  # how a blind baseline states an option


def _fact(sample: Sample, name: str) -> str:
    value = sample.facts.get(name)
    if not isinstance(value, str) or not value:
        raise SnellenError(f"{sample.id}: the sample has no {name}, which the prompt needs")
    return value


def _is_rationale(sample: Sample) -> bool:
    return sample.tags["task"] == RATIONALE


def _vcr_texts(prompt: str, sample: Sample) -> tuple[str, str, list[str]]:
    """Return the question, the right answer if the prompt gives it, and four choices, with object tags in the prompt's own form."""
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


def _text_of(prompt: str, sample: Sample) -> str:
    """Return the text of the last user turn."""
    task = task_of(sample.tags["task"])
    form = TASKS[task].explain if wants_explanation(prompt) else TASKS[task].answer
    if task == "vcr":
        question, answer, (c0, c1, c2, c3) = _vcr_texts(prompt, sample)
        form = REASON if _is_rationale(sample) else form
        note = BOX_NOTE if prompt.endswith("-boxes") else ""
        return form.format(question=question, answer=answer, c0=c0, c1=c1, c2=c2, c3=c3, note=note)
    asked = {"vqax": ("question",), "esnlive": ("hypothesis",)}.get(task, ())
    return form.format(**{name: _fact(sample, name) for name in asked})


def _pictures(prompt: str, sample: Sample) -> tuple[Picture, ...]:
    """Return the sample's image. For `-boxes`, draw the boxes of all objects that the question, the given answer or the choices name."""
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
    """Yield the prompt's own examples (texts alone, as in multimodal-vqa-eval) or real ones with their images, each with its answer."""
    own = TASKS[task].shots[: shot_count(prompt)] if prompt in TEXT_EXAMPLES else ()
    for question, reply in own:
        yield Turn(role="user", parts=(Text(text=question),))
        yield Turn(role="assistant", parts=(Text(text=reply),))
    for shot in shots:
        yield Turn(role="user", parts=ask("zero", shot).parts)
        yield Turn(role="assistant", parts=(Text(text=gold_reply(shot)),))


def gold_reply(sample: Sample) -> str:
    """Return the right answer to a sample, in the form that the prompts ask for."""
    truth = sample.truth
    label = truth.get("label")
    answer = as_written(truth["answers"]) if label is None else LETTERS[label]
    return f"{answer} because {truth['explanations'][0]}"


def ask(prompt: str, sample: Sample, shots: Sequence[Sample] = ()) -> Question:
    """Return one question, after the prompt's own examples or the given ones."""
    task, reason = task_of(sample.tags["task"]), _is_rationale(sample)
    return Question(
        id=sample.id,
        exam=task,
        prompt=prompt,
        parts=(Text(text=_text_of(prompt, sample)), *_pictures(prompt, sample)),
        answer_kind="one-of" if TASKS[task].options else "text",
        options=TASKS[task].options,
        answer_form=BASELINE_FORM if wants_explanation(prompt) and not reason else "{}",
        history=() if reason else tuple(_history(prompt, task, shots)),
        shots=() if reason else tuple(shot.id for shot in shots),
    )


def prompts_of(task: str) -> Mapping[str, Prompt]:
    """Return the prompts of a task. Prompts with examples show answers to questions, so they are not used for VCR's rationales."""
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


def _sample(task: str, at: int, name: str) -> Sample:
    probe = TASKS[task].probe
    facts = probe.facts | {"key": name, "image_id": name, "image_name": f"{name}.jpg"}
    answer = probe.answers[at]
    truth: dict[str, Any] = {"answers": [answer] * (10 if task == "vqax" else 1), "explanations": [probe.explanation]}
    if task == "vcr":
        truth |= {"label": at, "answers": [facts["choices"][at]]}
    return Sample(id=f"{task}/test/{name}", tags=tags_of(task, "test", [answer]), truth=truth, facts=facts)


_REASONS = ["<det0> has raised both hands.", "<det1> rolls away.", "A leash lies there.", "<det1> is very large."]


def _reason(at: int, name: str) -> Sample:
    """Make a sample like `_sample`, for VCR's QA->R."""
    sample = _sample("vcr", 0, name)
    return Sample(
        id=f"vcr-rationale/test/{name}",
        tags={"split": "test", "task": RATIONALE},
        truth={"answers": [_REASONS[at]], "explanations": [], "label": at},
        facts=sample.facts | {"choices": _REASONS, "answer": sample.facts["choices"][0]},
    )


def probes(task: str) -> list[Sample]:
    """Return one sample without an image (VCR: one of each part), to show prompts and try protocols without a data set."""
    return [_sample(task, 0, "probe"), *([_reason(0, "probe")] if task == "vcr" else [])]


def truths(task: str) -> list[Sample]:
    """Return a sample for each possible answer. If answers are free text, return samples for a few of each kind."""
    numbers = range(len(TASKS[task].probe.answers))
    reasons = numbers if task == "vcr" else ()
    return [_sample(task, i, f"truth-{i}") for i in numbers] + [_reason(i, f"truth-{i}") for i in reasons]
