"""What one explanation gets that is given to everything: BLEU, ROUGE-L and CIDEr reward usual words, whatever is in the picture.

Trying every explanation would take as many passes over the corpus as there are explanations. Two are tried: the commonest of the
annotators', and the one whose words are most usual among them. So the best constant explanation may get a little more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from snellen.core.results import Floor
from snellen.stats.constants import Tried
from snellen.stats.nlg.scores import score
from snellen.stats.text_floor import grams

POOL = 5000
"""Explanations among which the most usual one is looked for."""
SHORT = 3
"""Very short texts have usual words only, and get little: this counts against them."""


def explanation_floors(references: Sequence[Sequence[str]], *, raw_text: bool) -> dict[str, Floor]:
    """For each text metric, what the better of two constant explanations gets; `raw_text` as in `stats.nlg`."""
    how: dict[str, Any] = {"tokenise": str} if raw_text else {}
    tried: dict[str, Tried] = {}
    for text in _usual(references):
        for name, value in score([text] * len(references), references, **how).items():
            tried.setdefault(name, Tried()).add(value, text)
    return {name: one.floor for name, one in tried.items()}


def _usual(references: Sequence[Sequence[str]]) -> Iterator[str]:
    """The commonest explanation and the one with the most usual words, once if they are the same."""
    some = [text for texts in references for text in texts if text]
    some = some[:: 1 + len(some) // POOL]
    if not some:
        return
    parts = {text: grams(text) for text in some}
    usual = Counter(gram for text in some for gram in sorted(parts[text]))
    counts = Counter(some)
    commonest = min(counts, key=lambda text: (-counts[text], text))
    central = min(parts, key=lambda text: (-sum(usual[g] for g in parts[text]) / (len(parts[text]) + SHORT), text))
    yield from dict.fromkeys((commonest, central))
