"""The scores of one explanation given to every sample: BLEU, ROUGE-L and CIDEr reward usual words, whatever the image shows.

The candidates are the annotators' own explanations: the most common ones and a spread of the others, 2,000 at most. Each metric is computed
by itself. All candidates are tried for BLEU. ROUGE-L and CIDEr take longer, so they are tried for the best on BLEU and a spread of the
others, about a hundred. A floor is therefore always the score of its explanation on all samples, and another explanation may score slightly
higher.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from snellen.core.results import Floor
from snellen.stats.constants import ConstantScores
from snellen.stats.nlg.tokens import tokenise

POOL = 2000
"""Explanations to try for BLEU."""
BEST, SPREAD = 20, 50
"""Numbers of them to try for ROUGE-L and CIDEr: the best for each BLEU, and others."""
BLEUS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")


def explanation_floors(references: Sequence[Sequence[str]], *, raw_text: bool) -> dict[str, Floor]:
    """Return, for each text metric, the score of the best constant explanation; nothing if all samples have the same explanations.

    `raw_text` as in `stats.nlg`.
    """
    from snellen.stats.nlg.constant import (
        MOST_WORDS,
        bleus,
        ciders,
        rouges,
    )  # these need numpy, which is slow to import

    forms = {text: text if raw_text else tokenise(text) for texts in references for text in texts}
    theirs = [[forms[text] for text in texts] for texts in references]
    pool = [t for t in _usual(references) if forms[t].strip() and len(forms[t].split(" ")) <= MOST_WORDS]
    if not pool or len(set(map(tuple, theirs))) < 2:
        return {}
    table = bleus([forms[t] for t in pool], theirs)
    found = {name: _best(pool, table[:, at]) for at, name in enumerate(BLEUS)}
    places = {at for column in table.T for at in (-column).argsort(kind="stable")[:BEST].tolist()}
    places |= set(range(0, len(pool), 1 + len(pool) // SPREAD))
    some = [pool[at] for at in sorted(places)]
    for name, values in (("ROUGE-L", rouges), ("CIDEr", ciders)):
        found[name] = _best(some, values([forms[t] for t in some], theirs))
    return found


def _best(texts: Sequence[str], values: Iterable[float]) -> Floor:
    tried = ConstantScores()
    for text, value in zip(texts, values, strict=True):
        tried.add(float(value), text)
    return tried.floor


def _usual(references: Sequence[Sequence[str]]) -> list[str]:
    """Return distinct explanations, the most common first. If there are many, return half of the pool and a spread of the others."""
    counts = Counter(text for texts in references for text in texts if text)
    every = sorted(counts, key=lambda text: (-counts[text], text))
    half = POOL // 2
    return every if len(every) <= POOL else every[:half] + every[half :: -(-(len(every) - half) // half)]
