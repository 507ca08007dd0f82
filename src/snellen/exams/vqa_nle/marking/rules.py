"""The rules by which the four protocols differ: how a reply is read, what counts as the same answer, and which texts are compared.

Each rule set is a stateless object; `protocols` turns it into marks.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from snellen.core.reply import finished, says_only
from snellen.core.types import Sample
from snellen.exams.vqa_nle import vqa_official
from snellen.exams.vqa_nle.formats import tags
from snellen.exams.vqa_nle.names import LETTERS, MISSING, NO_DETAILS, UNKNOWN, head, letter_of, task_of
from snellen.exams.vqa_nle.reading import VqaReading
from snellen.exams.vqa_nle.reading import multimodal_vqa_eval as original
from snellen.exams.vqa_nle.reading import nlxgpt as reading_nlxgpt
from snellen.exams.vqa_nle.reading import strict as reading_strict
from snellen.exams.vqa_nle.reading.strict_vcr import read_choice
from snellen.stats.vqa_words import signed

_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d{1,2}")

HIGHEST_SAID, HIGHEST_TRUE = 44, 9  # e-ViL's tags that become numbers: as generated, and (a bug, kept) in references


def _one(gold: str | None) -> frozenset[str]:
    """The only right answer; none where it is empty."""
    return frozenset({gold} if gold else ())


class MarkedSample(NamedTuple):
    """A sample as the protocols see it. `marked` is false where the data has no truth; then a reply is read and no more.

    `answers` are the annotators' (VQA-X), the label (ACT-X, e-SNLI-VE) or the text of the right choice (VCR).
    """

    task: str
    marked: bool
    answers: tuple[str, ...] = ()
    label: int | None = None
    explanations: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()

    @property
    def right_choice(self) -> str | None:
        """The text of VCR's right choice; None where label or choices are not known."""
        return self.choices[self.label] if self.label is not None and self.label < len(self.choices) else None


def target_of(sample: Sample) -> MarkedSample:
    """What a reply to a sample is judged against."""
    truth = sample.truth if isinstance(sample.truth, dict) else {}
    return MarkedSample(
        task=task_of(sample.tags["task"]),
        marked=sample.truth is not None,
        answers=tuple(truth.get("answers") or ()),
        label=truth.get("label"),
        explanations=tuple(truth.get("explanations") or ()),
        choices=tuple(sample.facts.get("choices") or ()),
        objects=tuple(sample.facts.get("objects") or ()),
    )


class MarkingRules(ABC):
    """What a rule set must say; `about` says it for people. `explains` is false where replies should have no explanation; `e_vil`
    is true where explanations are compared without tokenisation and combined into e-ViL's scores.
    """

    about = ""
    e_vil = False

    def __init__(self, explains: bool = True) -> None:
        self.explains = explains

    @abstractmethod
    def read(self, reply: str, target: MarkedSample) -> VqaReading:
        """Answer and explanation of a reply."""

    def cut_short(self, reply: str, target: MarkedSample) -> bool:
        """Return whether a reply that was cut off has no answer yet that can be relied on."""
        return False

    def normalise(self, answer: str) -> str:
        """Return the form in which answers of VQA-X are compared."""
        return vqa_official.normalise(answer)

    @abstractmethod
    def form(self, answer: str, task: str) -> str:
        """An answer in the form in which two are compared."""

    @abstractmethod
    def accepted(self, target: MarkedSample) -> frozenset[str]:
        """The right answers in that form; none where there is nothing to mark against."""

    def majority(self, target: MarkedSample) -> frozenset[str]:
        """The one answer whose explanations the filtered scores are of, where that is narrower than what is right; else none."""
        return frozenset()

    def heads(self, target: MarkedSample) -> frozenset[str]:
        """A label up to its comma, and the whole label, which says no less, in that form."""
        golds = (gold for label in target.answers[:1] for gold in (head(label), label))
        return frozenset(self.form(gold, target.task) for gold in golds) - {""}

    def key(self, read: VqaReading, target: MarkedSample) -> str | None:
        """What is looked up among the right answers."""
        return None if read.answer is None else self.form(read.answer, target.task)

    def readable(self, read: VqaReading) -> bool:
        """Whether there is an answer at all."""
        return bool(read.answer)

    def soft(self, read: VqaReading, answers: Sequence[str]) -> float | None:
        """VQA-X's soft accuracy."""
        return vqa_official.soft_accuracy(read.answer or "", answers)

    def valid(self, explanation: str | None, answer: str | None) -> bool:
        """Whether there is an explanation that is no placeholder."""
        return bool(explanation)

    def candidate(self, explanation: str, target: MarkedSample) -> str:
        """An explanation as it is compared with the annotators'."""
        return explanation

    def reference(self, explanation: str, target: MarkedSample) -> str:
        """An annotator's explanation as it is compared with what was said."""
        return explanation


class MultimodalVqaEval(MarkingRules):
    """multimodal-vqa-eval with explanations; answers by its normaliser, VCR by the text of the choice."""

    about = "multimodal-vqa-eval's post-processing, bugs included; its normalised answer must equal the majority's"

    def read(self, reply: str, target: MarkedSample) -> VqaReading:
        found = original.postprocess_prediction(reply, target.task, target.choices)
        return VqaReading(found.answer, found.explanation, "abcd".index(found.letter) if found.letter else None)

    def form(self, answer: str, task: str) -> str:
        return original.normalize_answer(answer)

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        if target.task == "vcr":
            gold: str | None = target.right_choice
        elif target.task == "vqax":
            gold = original.majority_answer(target.answers)
        else:
            gold = target.answers[0] if target.answers else None
        return _one(self.form(gold or "", target.task))

    def readable(self, read: VqaReading) -> bool:
        return bool(read.answer) and read.answer != UNKNOWN

    def valid(self, explanation: str | None, answer: str | None) -> bool:
        return original.is_valid(f"{answer} because {explanation}")

    def candidate(self, explanation: str, target: MarkedSample) -> str:
        return "" if explanation in (MISSING, NO_DETAILS) else explanation

    def reference(self, explanation: str, target: MarkedSample) -> str:
        return original.normalize_generated_text(explanation)


class MultimodalVqaEvalAnswers(MultimodalVqaEval):
    """multimodal-vqa-eval without explanations: the first words alone; VCR by the number of the choice."""

    def read(self, reply: str, target: MarkedSample) -> VqaReading:
        answer = original.postprocess_answer_only(reply, target.task, target.choices)
        return VqaReading(answer, None, "abcd".index(answer) if target.task == "vcr" and answer else None)

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        return _one(letter_of(target.label)) if target.task == "vcr" else super().accepted(target)

    def key(self, read: VqaReading, target: MarkedSample) -> str | None:
        return letter_of(read.choice) if target.task == "vcr" else super().key(read, target)


class Strict(MarkingRules):
    """multimodal-vqa-eval's bugs fixed; answers by the official VQA normalisation, VCR by the number of the choice."""

    about = (
        "multimodal-vqa-eval's bugs fixed; official VQA normalisation; letters in any common writing; negated labels"
    )

    def read(self, reply: str, target: MarkedSample) -> VqaReading:
        if target.task == "vcr":
            return read_choice(reply, target.choices, target.objects)
        if target.task == "esnlive":
            return reading_strict.read_label(reply)
        read = reading_strict.read_open(reply, short=target.task == "vqax")
        return read._replace(answer=None) if _DECIMAL_COMMA.fullmatch(read.answer or "") else read

    def normalise(self, answer: str) -> str:
        return signed(answer)

    def cut_short(self, reply: str, target: MarkedSample) -> bool:
        def is_bare(text: str) -> bool:
            read = self.read(text, target)
            return read.answer is not None and says_only(text, [read.answer])

        closed = target.task in ("vcr", "esnlive")
        return not finished(reply, is_bare, closed=closed)

    def form(self, answer: str, task: str) -> str:
        if task == "vqax":
            return self.normalise(answer)
        words = re.findall(r"[^\W_]+", answer.lower())
        return " ".join(w for w in words if w not in ("a", "an", "the"))

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        if target.task == "vcr":
            return _one(letter_of(target.label))
        if target.task == "vqax":
            return _one(vqa_official.commonest(map(self.normalise, target.answers)))
        return self.heads(target)

    def key(self, read: VqaReading, target: MarkedSample) -> str | None:
        return letter_of(read.choice) if target.task == "vcr" else super().key(read, target)

    def soft(self, read: VqaReading, answers: Sequence[str]) -> float | None:
        return vqa_official.soft_accuracy(
            self.normalise(read.answer or ""), list(map(self.normalise, answers)), always=True
        )

    def valid(self, explanation: str | None, answer: str | None) -> bool:
        return reading_strict.is_valid(explanation)

    def candidate(self, explanation: str, target: MarkedSample) -> str:
        return self.reference(explanation, target) if reading_strict.is_valid(explanation) else ""

    def reference(self, explanation: str, target: MarkedSample) -> str:
        return tags.plain(explanation, target.objects) if target.task == "vcr" else explanation


class EVil(Strict):
    """e-ViL: any annotator's answer is right; object tags as its code maps them; texts are split at spaces alone.

    e-ViL's own models give a class and a text apart, so it has no rule for splitting a reply: the strict reader does that. VCR's
    choices are compared by their texts, so that two choices which say the same are both right.
    """

    about = "leads with its task score; any annotator's answer lets an explanation count; its own scores need SPICE and BERTScore"
    e_vil = True

    def normalise(self, answer: str) -> str:
        return vqa_official.normalise(answer)

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        if target.task == "vqax":
            return frozenset(map(self.normalise, target.answers)) - {""}
        if target.task == "vcr" and target.right_choice:
            return frozenset({target.right_choice})
        return super().accepted(target)

    def key(self, read: VqaReading, target: MarkedSample) -> str | None:
        if target.task == "vcr" and target.right_choice:
            known = read.choice is not None and read.choice < len(target.choices)
            return target.choices[read.choice or 0] if known else None
        return super().key(read, target)

    def candidate(self, explanation: str, target: MarkedSample) -> str:
        return tags.as_numbers(explanation, highest=HIGHEST_SAID) if reading_strict.is_valid(explanation) else ""

    def reference(self, explanation: str, target: MarkedSample) -> str:
        return tags.as_numbers(explanation, highest=HIGHEST_TRUE)


class Nlxgpt(MarkingRules):
    """nlxgpt: raw text split at "because", compared as it is. VCR's letter stands for the text of its choice (ours).

    VQA-X has two rules there: accuracy looks whether any annotator said so, the filter of explanations whether the majority did.
    """

    about = "raw text before and after 'because', compared as it is; explanations filtered by the answer and unfiltered"

    def read(self, reply: str, target: MarkedSample) -> VqaReading:
        answer, explanation = reading_nlxgpt.split(reply, target.task)
        if target.task != "vcr":
            return VqaReading(answer, explanation)
        forms = [self.form(c, "vcr") for c in target.choices]
        said = self.form(answer, "vcr")
        letter = answer.strip(" .,:;()").upper()
        if letter in LETTERS[: len(forms)]:
            at = LETTERS.index(letter)
            return VqaReading(target.choices[at], explanation, at)
        return VqaReading(answer, explanation, forms.index(said) if said in forms else None)

    def form(self, answer: str, task: str) -> str:
        return answer.lower().strip().rstrip(" .?!") if task == "vcr" else answer

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        if target.task == "vqax":
            return frozenset(map(reading_nlxgpt.prep_answer, target.answers)) - {""}
        first = target.answers[0] if target.answers else ""
        if target.task == "actx":  # its files hold labels up to their comma, its annotations those labels normalised
            return _one(reading_nlxgpt.prep_answer(head(first)))
        return _one(self.form(target.right_choice or first, target.task))

    def majority(self, target: MarkedSample) -> frozenset[str]:
        return _one(reading_nlxgpt.gold(target.answers)) if target.task == "vqax" else frozenset()

    def candidate(self, explanation: str, target: MarkedSample) -> str:
        return tags.as_names(explanation, target.objects) if target.task == "vcr" else explanation

    def reference(self, explanation: str, target: MarkedSample) -> str:
        return reading_nlxgpt.reference(self.candidate(explanation, target))
