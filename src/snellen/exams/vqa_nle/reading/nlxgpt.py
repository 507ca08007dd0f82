"""nlxgpt's reader: raw text split at "because", gold answers by the VQA normalisation, predictions compared as they are."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.exams.vqa_nle.vqa_official import commonest, normalise

BECAUSE = "because"


def split(text: str, task: str = "vqax") -> tuple[str, str]:
    """Split a reply into answer and explanation.

    The answer ends at the first "because", even inside a word. The explanation begins after the last one, but for e-SNLI-VE after the
    first. Without a "because", the explanation is every word from the third on.

    >>> split("red because a because b"), split("red because a because b", "esnlive"), split("yes it is very sunny")
    (('red', 'b'), ('red', 'a because b'), ('yes it is very sunny', 'is very sunny'))
    """
    if BECAUSE not in text:
        return text.strip(), " ".join(text.split()[2:])
    answer, _, after_first = text.partition(BECAUSE)
    explanation = after_first if task == "esnlive" else text.rpartition(BECAUSE)[2]
    return answer.strip(), explanation.strip()


def prep_answer(answer: str) -> str:
    """Return the official normalisation with all commas removed."""
    return normalise(answer).replace(",", "")


def gold(answers: Sequence[str]) -> str | None:
    """Return the most common answer after normalisation, the first in a tie."""
    return commonest(map(prep_answer, answers))


def reference(explanation: str) -> str:
    """Return an annotator's explanation as nlxgpt's files have it: lower case, no periods."""
    return explanation.lower().replace(".", "")
