"""The rules by which the four protocols differ: how a reply is read, what counts as the same answer, and which texts are compared.

Each rule set is a stateless object; `protocols` turns it into marks.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from snellen.exams.vqa_nle.formats import tags
from snellen.exams.vqa_nle.marking import vqa_official
from snellen.exams.vqa_nle.marking.asked import Asked, Read
from snellen.exams.vqa_nle.names import LETTERS, MISSING, NO_DETAILS, UNKNOWN, head
from snellen.exams.vqa_nle.reading import evil as reading_evil
from snellen.exams.vqa_nle.reading import nlxgpt as reading_nlxgpt
from snellen.exams.vqa_nle.reading import original as reading_seed
from snellen.exams.vqa_nle.reading import strict as reading_strict
from snellen.exams.vqa_nle.reading.strict_vcr import read_choice


def _letter(choice: int | None) -> str | None:
    return LETTERS[choice] if choice is not None and choice < len(LETTERS) else None


class Rules(ABC):
    """What a rule set must say. `explains` is false where replies should have no explanation; `raw_text` is true where
    explanations are compared without tokenisation.
    """

    explains = True
    raw_text = False

    @abstractmethod
    def read(self, reply: str, ask: Asked) -> Read:
        """Answer and explanation of a reply."""

    @abstractmethod
    def form(self, answer: str, task: str) -> str:
        """An answer in the form in which two are compared."""

    @abstractmethod
    def accepted(self, ask: Asked) -> frozenset[str]:
        """The right answers in that form; none where there is nothing to mark against."""

    def key(self, read: Read, ask: Asked) -> str | None:
        """What is looked up among the right answers."""
        return None if read.answer is None else self.form(read.answer, ask.task)

    def readable(self, read: Read) -> bool:
        """Whether there is an answer at all."""
        return bool(read.answer)

    def soft(self, read: Read, answers: Sequence[str]) -> float | None:
        """VQA-X's soft accuracy."""
        return vqa_official.soft_accuracy(read.answer or "", answers)

    def valid(self, explanation: str | None, answer: str | None) -> bool:
        """Whether there is an explanation that is no placeholder."""
        return bool(explanation)

    def candidate(self, explanation: str, ask: Asked) -> str:
        """An explanation as it is compared with the annotators'."""
        return explanation

    def reference(self, explanation: str, ask: Asked) -> str:
        """An annotator's explanation as it is compared with what was said."""
        return explanation


class Seed(Rules):
    """The original with explanations; answers by its normaliser, VCR by the text of the choice."""

    def read(self, reply: str, ask: Asked) -> Read:
        found = reading_seed.postprocess_prediction(reply, ask.task, ask.choices)
        return Read(found.answer, found.explanation, "abcd".index(found.letter) if found.letter else None)

    def form(self, answer: str, task: str) -> str:
        return reading_seed.normalize_answer(answer)

    def accepted(self, ask: Asked) -> frozenset[str]:
        if ask.task == "vcr":
            gold: str | None = ask.right_choice
        elif ask.task == "vqax":
            gold = reading_seed.majority_answer(ask.answers)
        else:
            gold = ask.answers[0] if ask.answers else None
        return frozenset({self.form(gold or "", ask.task)}) - {""}

    def readable(self, read: Read) -> bool:
        return bool(read.answer) and read.answer != UNKNOWN

    def valid(self, explanation: str | None, answer: str | None) -> bool:
        return reading_seed.is_valid(f"{answer} because {explanation}")

    def candidate(self, explanation: str, ask: Asked) -> str:
        return "" if explanation in (MISSING, NO_DETAILS) else explanation

    def reference(self, explanation: str, ask: Asked) -> str:
        return reading_seed.normalize_generated_text(explanation)


class SeedAnswers(Seed):
    """The original without explanations: the first words alone; VCR by the number of the choice."""

    explains = False

    def read(self, reply: str, ask: Asked) -> Read:
        answer = reading_seed.postprocess_answer_only(reply, ask.task, ask.choices)
        return Read(answer, None, "abcd".index(answer) if ask.task == "vcr" and answer else None)

    def accepted(self, ask: Asked) -> frozenset[str]:
        return frozenset({_letter(ask.label) or ""}) - {""} if ask.task == "vcr" else super().accepted(ask)

    def key(self, read: Read, ask: Asked) -> str | None:
        return _letter(read.choice) if ask.task == "vcr" else super().key(read, ask)


class Strict(Rules):
    """The original's bugs fixed; answers by the official VQA normalisation, VCR by the number of the choice."""

    def __init__(self, explains: bool = True) -> None:
        self.explains = explains

    def read(self, reply: str, ask: Asked) -> Read:
        if ask.task == "vcr":
            return read_choice(reply, ask.choices, ask.objects)
        if ask.task == "esnlive":
            return reading_strict.read_label(reply)
        return reading_strict.read_open(reply, short=ask.task == "vqax")

    def form(self, answer: str, task: str) -> str:
        if task == "vqax":
            return vqa_official.normalise(answer)
        words = re.findall(r"[^\W_]+", answer.lower())
        return " ".join(w for w in words if w not in ("a", "an", "the"))

    def accepted(self, ask: Asked) -> frozenset[str]:
        if ask.task == "vcr":
            return frozenset({_letter(ask.label) or ""}) - {""}
        if ask.task == "vqax":
            return frozenset({vqa_official.majority(ask.answers) or ""}) - {""}
        golds = (form for label in ask.answers[:1] for form in (label, head(label)))
        return frozenset(self.form(gold, ask.task) for gold in golds) - {""}

    def key(self, read: Read, ask: Asked) -> str | None:
        return _letter(read.choice) if ask.task == "vcr" else super().key(read, ask)

    def soft(self, read: Read, answers: Sequence[str]) -> float | None:
        return vqa_official.soft_accuracy(read.answer or "", answers, always=True)

    def valid(self, explanation: str | None, answer: str | None) -> bool:
        return reading_strict.is_valid(explanation)

    def candidate(self, explanation: str, ask: Asked) -> str:
        if not reading_strict.is_valid(explanation):
            return ""
        return tags.plain(explanation, ask.objects) if ask.task == "vcr" else explanation

    def reference(self, explanation: str, ask: Asked) -> str:
        return tags.plain(explanation, ask.objects) if ask.task == "vcr" else explanation


class Evil(Strict):
    """e-ViL: any annotator's answer is right; object tags as its code maps them; texts are split at spaces alone."""

    raw_text = True

    def accepted(self, ask: Asked) -> frozenset[str]:
        return reading_evil.accepted(ask.answers) - {""} if ask.task == "vqax" else super().accepted(ask)

    def candidate(self, explanation: str, ask: Asked) -> str:
        return reading_evil.candidate(explanation) if reading_strict.is_valid(explanation) else ""

    def reference(self, explanation: str, ask: Asked) -> str:
        return reading_evil.reference(explanation)


class Nlxgpt(Rules):
    """nlxgpt: raw text split at "because", compared as it is. VCR's letter stands for the text of its choice (ours)."""

    def __init__(self, explains: bool = True) -> None:
        self.explains = explains

    def read(self, reply: str, ask: Asked) -> Read:
        answer, explanation = reading_nlxgpt.split(reply, ask.task)
        if ask.task != "vcr":
            return Read(answer, explanation)
        forms = [self.form(c, "vcr") for c in ask.choices]
        said = self.form(answer, "vcr")
        letter = answer.strip(" .,:;()")
        if len(letter) == 1 and letter.upper() in LETTERS[: len(forms)]:
            at = LETTERS.index(letter.upper())
            return Read(ask.choices[at], explanation, at)
        return Read(answer, explanation, forms.index(said) if said in forms else None)

    def form(self, answer: str, task: str) -> str:
        return answer.lower().strip().rstrip(" .?!") if task == "vcr" else answer

    def accepted(self, ask: Asked) -> frozenset[str]:
        first = ask.answers[0] if ask.answers else None
        gold = reading_nlxgpt.gold(ask.answers) if ask.task == "vqax" else ask.right_choice or first
        return frozenset({self.form(gold or "", ask.task)}) - {""}

    def candidate(self, explanation: str, ask: Asked) -> str:
        return tags.as_names(explanation, ask.objects) if ask.task == "vcr" else explanation

    def reference(self, explanation: str, ask: Asked) -> str:
        return reading_nlxgpt.reference(self.candidate(explanation, ask))
