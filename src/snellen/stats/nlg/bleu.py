"""BLEU-1 to BLEU-4 (Papineni et al., 2002) as the caption toolkits compute it.

Counts are clipped to the most that any one reference has. The brevity penalty takes the closest reference length (the shorter
of two equally close). Two tiny numbers keep divisions defined: they are part of the published values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snellen.stats.nlg.ngrams import ORDERS, Corpus, Floats, GramTable, Ints, look_up, sums

_TINY = 1e-15
_SMALL = 1e-9


class BleuCounts(NamedTuple):
    """The counts that BLEU needs of each candidate: a corpus' value is that of the sums."""

    right: Floats
    tried: Ints
    length: Ints
    closest: Ints

    def each(self) -> Floats:
        """Return BLEU-1..4 of each candidate by itself, as an (items, 4) array."""
        return _combine(self.right, self.tried, self.length[:, None], self.closest[:, None])

    def whole(self, weights: Floats | None = None) -> Floats:
        """Return BLEU-1..4 of the corpus; `weights` is how often each candidate is in it (an array of rows: for each row)."""
        if weights is None:
            return _combine(self.right.sum(axis=0), self.tried.sum(axis=0), self.length.sum(), self.closest.sum())
        length, closest = weights @ self.length, weights @ self.closest
        return _combine(weights @ self.right, weights @ self.tried, length[..., None], closest[..., None])


def parts(corpus: Corpus) -> BleuCounts:
    """Return the counts of each candidate."""
    right = np.stack(
        [_clipped(c, r, corpus) for c, r in zip(corpus.candidates, corpus.references, strict=True)], axis=1
    )
    tried = np.stack([np.maximum(corpus.candidate_words - (k - 1), 0) for k in ORDERS], axis=1)
    return BleuCounts(right, tried, corpus.candidate_words, _closest(corpus))


def _clipped(candidates: GramTable, references: GramTable, corpus: Corpus) -> Floats:
    """Return the number of matched n-grams of each candidate."""
    if not len(candidates.gram) or not len(references.gram):
        return np.zeros(corpus.items)
    size = candidates.grams
    key = corpus.item[references.sentence] * size + references.gram
    order = np.argsort(key, kind="stable")
    key, counts = key[order], references.times[order]
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    most = np.maximum.reduceat(counts, first)
    allowed = look_up(key[first], most, candidates.sentence * size + candidates.gram)
    return sums(np.minimum(candidates.times, allowed), candidates.sentence, corpus.items)


def _closest(corpus: Corpus) -> Ints:
    """Return the reference length nearest to each candidate's; of two equally near, the shorter."""
    words, item = corpus.reference_words, corpus.item
    order = np.lexsort((words, np.abs(words - corpus.candidate_words[item]), item))
    first = np.flatnonzero(np.r_[True, item[order][1:] != item[order][:-1]])
    return words[order][first]


def _combine(right: Floats, tried: Ints | Floats, length: Ints | Floats, closest: Ints | Floats) -> Floats:
    precision = np.cumprod((right + _TINY) / (tried + _SMALL), axis=-1) ** (1.0 / np.array(ORDERS))
    ratio = (length + _TINY) / (closest + _SMALL)
    penalty = np.where(ratio < 1, np.exp(1 - 1 / ratio), 1.0)
    return np.asarray(precision * penalty, dtype=np.float64)
