"""Explanations against their references: BLEU-1..4, ROUGE-L and CIDEr in one pass, with intervals.

An interval comes from each explanation's contribution to the corpus' value, with clusters of explanations of one image. CIDEr's
weights of words come from all references; they are held fixed for its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from snellen.core.errors import SnellenError
from snellen.stats.intervals import Interval
from snellen.stats.nlg.rouge import rouge_l
from snellen.stats.nlg.tokens import tokenise as ptb

if TYPE_CHECKING:
    from snellen.stats.nlg.bleu import BleuCounts

METRICS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr")


def score(
    candidates: Sequence[str], references: Sequence[Sequence[str]], *, tokenise: Callable[[str], str] = ptb
) -> dict[str, float]:
    """Return the corpus values of all metrics; candidate i is compared with references[i]. NaN where there is no candidate.

    `tokenise` gives words joined by spaces. The e-ViL code scores raw strings: pass `str` for its values.
    """
    _check(candidates, references)
    if not candidates:
        return dict.fromkeys(METRICS, nan)
    bleus, rouges, ciders = counted(candidates, references, tokenise)
    values = [*map(float, bleus.whole()), sum(rouges) / len(rouges), sum(ciders) / len(ciders)]
    return dict(zip(METRICS, values, strict=True))


def counted(
    candidates: Sequence[str], references: Sequence[Sequence[str]], tokenise: Callable[[str], str]
) -> tuple[BleuCounts, list[float], list[float]]:
    """Return BLEU's counts, and the ROUGE-L and CIDEr of each candidate."""
    from snellen.stats.nlg.bleu import parts  # these need numpy, which is slow to import
    from snellen.stats.nlg.cider import cider
    from snellen.stats.nlg.ngrams import count

    ours = [tokenise(c) for c in candidates]
    theirs = [[tokenise(r) for r in refs] for refs in references]
    corpus = count(ours, theirs)
    rouges = [rouge_l(c, refs) for c, refs in zip(ours, theirs, strict=True)]
    return parts(corpus), rouges, cider(corpus).tolist()


class CorpusValue(NamedTuple):
    """A corpus' value with its interval; each may be missing."""

    value: float | None
    interval: Interval | None = None


def with_intervals(
    candidates: Sequence[str],
    references: Sequence[Sequence[str]],
    clusters: Sequence[str],
    *,
    tokenise: Callable[[str], str] = ptb,
) -> dict[str, CorpusValue]:
    """Return the values of `score` with their intervals; candidates of one cluster (an image) stand or fall together."""
    from snellen.stats.jackknife import left_out, moved_interval
    from snellen.stats.means import measured_interval, of_samples, share_interval

    _check(candidates, references)
    if not candidates:
        return {}
    bleus, rouges, ciders = counted(candidates, references, tokenise)
    without = bleus.whole(left_out(clusters))
    found = {}
    for at, value in enumerate(map(float, bleus.whole())):
        found[METRICS[at]] = CorpusValue(value, moved_interval(value, without[:, at], float(len(candidates))))
    for name, each, interval in (("ROUGE-L", rouges, share_interval), ("CIDEr", ciders, measured_interval)):
        found[name] = CorpusValue(sum(each) / len(each), interval(of_samples(each, clusters)))
    return found


def _check(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    if len(candidates) != len(references):
        raise SnellenError(
            f"{len(candidates)} explanations but {len(references)} lists of references: give one list for each"
        )
    for i, refs in enumerate(references):
        if isinstance(refs, str) or not refs:
            raise SnellenError(f"explanation {i + 1} has no list of references: leave it out or give at least one")
