"""ROUGE-L (Lin, 2004) as the caption toolkits compute it: longest common subsequence, beta 1.2.

Precision and recall are each the best over all references, not those of one best reference.
"""

from __future__ import annotations

from collections.abc import Sequence

BETA2 = 1.2**2


def rouge_l(candidate: str, references: Sequence[str]) -> float:
    """Return ROUGE-L of one tokenised candidate.

    >>> round(rouge_l("the dog runs", ["a dog runs fast", "the dog"]), 6)
    0.829932
    """
    ours = candidate.split(" ")
    places: dict[str, int] = {}
    for i, word in enumerate(ours):
        places[word] = places.get(word, 0) | 1 << i
    full = (1 << len(ours)) - 1
    precision = recall = 0.0
    for reference in references:
        theirs = reference.split(" ")
        common = _common(places, full, theirs)
        precision = max(precision, common / len(ours))
        recall = max(recall, common / len(theirs))
    if not precision or not recall:
        return 0.0
    return (1 + BETA2) * precision * recall / (recall + BETA2 * precision)


def _common(places: dict[str, int], full: int, words: list[str]) -> int:
    """Return the length of the longest common subsequence, a whole row of the table at a time as the bits of one integer."""
    row = full
    for word in words:
        at = places.get(word)
        if at is not None:
            met = row & at
            row = ((row + met) | (row - met)) & full
    return (~row & full).bit_count()
