"""e-ViL's rules: what counts as correct, and how object tags are put. (Its scores are in `stats.nlg`.)

e-ViL's own models give a class and a text apart, so it has no rule for splitting a reply: the strict reader does that.
"""

from __future__ import annotations

from collections.abc import Sequence

from snellen.exams.vqa_nle.formats.tags import as_numbers
from snellen.exams.vqa_nle.vqa_official import normalise

HIGHEST_SAID, HIGHEST_TRUE = 44, 9  # tags that become numbers: in what was generated, and (a bug, kept) in references


def accepted(answers: Sequence[str]) -> frozenset[str]:
    """VQA-X: every answer with a soft label above nothing, that is, each that any annotator gave."""
    return frozenset(map(normalise, answers))


def candidate(explanation: str) -> str:
    """A generated explanation, tags 0 to 44 as bare numbers."""
    return as_numbers(explanation, highest=HIGHEST_SAID)


def reference(explanation: str) -> str:
    """An annotator's explanation, tags 0 to 9 as bare numbers: a tag above 9 never agrees with a generated one."""
    return as_numbers(explanation, highest=HIGHEST_TRUE)
