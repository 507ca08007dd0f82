"""Explanations against their references: BLEU-1..4, ROUGE-L and CIDEr in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

from snellen.core.errors import SnellenError
from snellen.stats.nlg.rouge import rouge_l
from snellen.stats.nlg.tokens import tokenise as ptb

METRICS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr")


def score(
    candidates: Sequence[str], references: Sequence[Sequence[str]], *, tokenise: Callable[[str], str] = ptb
) -> dict[str, float]:
    """The corpus values of all metrics; candidate i is compared with references[i]. NaN where there is no candidate.

    `tokenise` gives words joined by spaces. The e-ViL code scores raw strings: pass `str` for its values.
    """
    return corpus_and_each(candidates, references, tokenise=tokenise)[0]


def corpus_and_each(
    candidates: Sequence[str], references: Sequence[Sequence[str]], *, tokenise: Callable[[str], str] = ptb
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """As `score`, and the values of every candidate by itself. Their mean is the corpus value for ROUGE-L and CIDEr, not for BLEU."""
    from snellen.stats.nlg.bleu import bleu  # these need numpy, which is slow to import
    from snellen.stats.nlg.cider import cider
    from snellen.stats.nlg.ngrams import count

    _check(candidates, references)
    if not candidates:
        return dict.fromkeys(METRICS, nan), {m: [] for m in METRICS}
    ours = [tokenise(c) for c in candidates]
    theirs = [[tokenise(r) for r in refs] for refs in references]
    corpus = count(ours, theirs)
    whole, bleus = bleu(corpus)
    rouges = [rouge_l(c, refs) for c, refs in zip(ours, theirs, strict=True)]
    ciders = cider(corpus)
    values = [*whole, sum(rouges) / len(rouges), float(ciders.mean())]
    items = [*bleus.T.tolist(), rouges, ciders.tolist()]
    return dict(zip(METRICS, values, strict=True)), dict(zip(METRICS, items, strict=True))


def _check(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    if len(candidates) != len(references):
        raise SnellenError(
            f"{len(candidates)} explanations but {len(references)} lists of references: give one list for each"
        )
    for i, refs in enumerate(references):
        if isinstance(refs, str) or not refs:
            raise SnellenError(f"explanation {i + 1} has no list of references: leave it out or give at least one")
