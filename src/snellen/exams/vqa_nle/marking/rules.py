"""The rules by which the four protocols differ: how to read a reply, what counts as the same answer, and which texts to compare."""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.core.reply import finished, says_only
from snellen.exams.vqa_nle import vqa_official
from snellen.exams.vqa_nle.formats import tags
from snellen.exams.vqa_nle.marking.base import MarkedSample, NleProtocol
from snellen.exams.vqa_nle.names import LETTERS, MISSING, NO_DETAILS, UNKNOWN, head, letter_of
from snellen.exams.vqa_nle.reading import VqaReading
from snellen.exams.vqa_nle.reading import multimodal_vqa_eval as original
from snellen.exams.vqa_nle.reading import nlxgpt as reading_nlxgpt
from snellen.exams.vqa_nle.reading import strict as reading_strict
from snellen.exams.vqa_nle.reading.closed import read_choice, read_label
from snellen.stats.vqa_words import signed

_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d{1,2}")

HIGHEST_SAID, HIGHEST_TRUE = 44, 9  # e-ViL's tags turned into numbers: as generated, and (a bug, kept) in references


def _one(gold: str | None) -> frozenset[str]:
    """Return the only right answer; none if it is empty."""
    return frozenset({gold} if gold else ())


class MultimodalVqaEval(NleProtocol):
    """multimodal-vqa-eval: answers by its normaliser, VCR by the text of the choice.

    Without explanations it reads only the first words, and compares VCR's choices by their numbers.
    """

    about = "multimodal-vqa-eval's post-processing, bugs included; its normalised answer must equal the majority's"

    def read(self, reply: str, target: MarkedSample) -> VqaReading:
        if self.explains:
            return original.postprocess_prediction(reply, target.task, target.choices)
        answer = original.postprocess_answer_only(reply, target.task, target.choices)
        return VqaReading(answer, None, "abcd".index(answer) if target.task == "vcr" and answer else None)

    def _form(self, answer: str, task: str) -> str:
        return original.normalize_answer(answer)

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        if target.task == "vcr" and not self.explains:
            return _one(letter_of(target.label))
        gold = next(iter(target.answers), None)
        if target.task == "vcr":
            gold = target.right_choice
        elif target.task == "vqax":
            gold = original.majority_answer(target.answers)
        return _one(self._form(gold or "", target.task))

    def _key(self, read: VqaReading, target: MarkedSample) -> str | None:
        by_number = target.task == "vcr" and not self.explains
        return letter_of(read.choice) if by_number else super()._key(read, target)

    def _readable(self, read: VqaReading) -> bool:
        return bool(read.answer) and read.answer != UNKNOWN

    def _is_explained(self, explanation: str | None, answer: str | None) -> bool:
        return original.is_valid(f"{answer} because {explanation}")

    def _candidate(self, explanation: str, target: MarkedSample) -> str:
        return "" if explanation in (MISSING, NO_DETAILS) else explanation

    def _reference(self, explanation: str, target: MarkedSample) -> str:
        return original.normalize_generated_text(explanation)


class Strict(NleProtocol):
    """multimodal-vqa-eval's bugs fixed; answers by the official VQA normalisation, VCR by the number of the choice."""

    about = (
        "multimodal-vqa-eval's bugs fixed; official VQA normalisation; letters in any common writing; negated labels"
    )

    def read(self, reply: str, target: MarkedSample) -> VqaReading:
        if target.task == "vcr":
            return read_choice(reply, target.choices, target.objects)
        if target.task == "esnlive":
            return read_label(reply)
        read = reading_strict.read_open(reply, short=target.task == "vqax")
        return read._replace(answer=None) if _DECIMAL_COMMA.fullmatch(read.answer or "") else read

    def _normalise(self, answer: str) -> str:
        return signed(answer)

    def _cut_short(self, reply: str, target: MarkedSample) -> bool:
        def is_bare(text: str) -> bool:
            read = self.read(text, target)
            return read.answer is not None and says_only(text, [read.answer])

        closed = target.task in ("vcr", "esnlive")
        return not finished(reply, is_bare, closed=closed)

    def _form(self, answer: str, task: str) -> str:
        if task == "vqax":
            return self._normalise(answer)
        words = re.findall(r"[^\W_]+", answer.lower())
        return " ".join(w for w in words if w not in ("a", "an", "the"))

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        if target.task == "vcr":
            return _one(letter_of(target.label))
        if target.task == "vqax":
            return _one(vqa_official.commonest(map(self._normalise, target.answers)))
        return self._heads(target)

    def _key(self, read: VqaReading, target: MarkedSample) -> str | None:
        return letter_of(read.choice) if target.task == "vcr" else super()._key(read, target)

    def soft(self, read: VqaReading, answers: Sequence[str]) -> float | None:
        return vqa_official.soft_accuracy(
            self._normalise(read.answer or ""), list(map(self._normalise, answers)), always=True
        )

    def _is_explained(self, explanation: str | None, answer: str | None) -> bool:
        return reading_strict.is_valid(explanation)

    def _candidate(self, explanation: str, target: MarkedSample) -> str:
        return self._reference(explanation, target) if reading_strict.is_valid(explanation) else ""

    def _reference(self, explanation: str, target: MarkedSample) -> str:
        return tags.plain(explanation, target.objects) if target.task == "vcr" else explanation


class EVil(Strict):
    """e-ViL: any annotator's answer is right, object tags are mapped as in its code, and texts are split only at spaces.

    e-ViL's own models give a class and a text separately. It has no rule for splitting a reply, so the strict reader does that. VCR's
    choices are compared by their texts, so two choices with the same text are both right.
    """

    about = "leads with its task score; any annotator's answer lets an explanation count; its own scores need SPICE and BERTScore"
    raw_text = True

    def _normalise(self, answer: str) -> str:
        return vqa_official.normalise(answer)

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        if target.task == "vqax":
            return frozenset(map(self._normalise, target.answers)) - {""}
        if target.task == "vcr" and target.right_choice:
            return frozenset({target.right_choice})
        return super().accepted(target)

    def _key(self, read: VqaReading, target: MarkedSample) -> str | None:
        if target.task == "vcr" and target.right_choice:
            known = read.choice is not None and read.choice < len(target.choices)
            return target.choices[read.choice or 0] if known else None
        return super()._key(read, target)

    def _candidate(self, explanation: str, target: MarkedSample) -> str:
        return tags.as_numbers(explanation, highest=HIGHEST_SAID) if reading_strict.is_valid(explanation) else ""

    def _reference(self, explanation: str, target: MarkedSample) -> str:
        return tags.as_numbers(explanation, highest=HIGHEST_TRUE)


class Nlxgpt(NleProtocol):
    """nlxgpt: raw text split at "because", compared as it is. VCR's letter is read as the text of its choice (ours).

    VQA-X has two rules there: accuracy accepts an answer that any annotator gave, while the filter of explanations wants the majority
    answer.
    """

    about = "raw text before and after 'because', compared as it is; explanations filtered by the answer and unfiltered"

    def read(self, reply: str, target: MarkedSample) -> VqaReading:
        answer, explanation = reading_nlxgpt.split(reply, target.task)
        if target.task != "vcr":
            return VqaReading(answer, explanation)
        forms = [self._form(c, "vcr") for c in target.choices]
        said = self._form(answer, "vcr")
        letter = answer.strip(" .,:;()").upper()
        if letter in LETTERS[: len(forms)]:
            at = LETTERS.index(letter)
            return VqaReading(target.choices[at], explanation, at)
        return VqaReading(answer, explanation, forms.index(said) if said in forms else None)

    def _form(self, answer: str, task: str) -> str:
        return answer.lower().strip().rstrip(" .?!") if task == "vcr" else answer

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        if target.task == "vqax":
            return frozenset(map(reading_nlxgpt.prep_answer, target.answers)) - {""}
        first = target.answers[0] if target.answers else ""
        if target.task == "actx":  # its files hold labels up to the comma, its annotations hold those labels normalised
            return _one(reading_nlxgpt.prep_answer(head(first)))
        return _one(self._form(target.right_choice or first, target.task))

    def _majority(self, target: MarkedSample) -> frozenset[str]:
        return _one(reading_nlxgpt.gold(target.answers)) if target.task == "vqax" else frozenset()

    def _candidate(self, explanation: str, target: MarkedSample) -> str:
        return tags.as_names(explanation, target.objects) if target.task == "vcr" else explanation

    def _reference(self, explanation: str, target: MarkedSample) -> str:
        return reading_nlxgpt.reference(self._candidate(explanation, target))
