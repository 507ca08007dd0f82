"""CIDEr (Vedantam et al., 2015) as the caption toolkits compute it: tf-idf cosine of 1- to 4-grams, clipped, times ten.

The rarity of an n-gram comes from the given references, so a value belongs to its set of samples: CIDEr over the
correctly answered samples of one model is not comparable with another model's. Over a single sample it is 0.
"""

from __future__ import annotations

import numpy as np

from snellen.stats.nlg.ngrams import ORDERS, Corpus, Floats, GramTable, look_up, sums

SIGMA = 6.0


def cider(corpus: Corpus) -> Floats:
    """Return the value of each candidate; the corpus value is their mean."""
    similar = sum(
        (_similarity(c, r, corpus) for c, r in zip(corpus.candidates, corpus.references, strict=True)),
        start=np.zeros(len(corpus.item)),
    )
    bigrams = np.maximum(corpus.candidate_words - 1, 0)[corpus.item] - np.maximum(corpus.reference_words - 1, 0)
    similar = similar / len(ORDERS) * np.exp(-(bigrams.astype(np.float64) ** 2) / (2 * SIGMA**2))
    references = np.bincount(corpus.item, minlength=corpus.items)
    return 10.0 * sums(similar, corpus.item, corpus.items) / references


def _similarity(candidates: GramTable, references: GramTable, corpus: Corpus) -> Floats:
    """Return the similarity of each reference with its candidate, for n-grams of one length."""
    size = max(candidates.grams, 1)
    holders = np.unique(corpus.item[references.sentence] * size + references.gram)  # an item counts an n-gram once
    frequency = np.bincount(holders % size, minlength=size)
    rarity = np.log(float(corpus.items)) - np.log(np.maximum(frequency, 1))
    theirs = references.times * rarity[references.gram]
    ours = candidates.times * rarity[candidates.gram]
    key = candidates.sentence * size + candidates.gram
    met = look_up(key, candidates.times, corpus.item[references.sentence] * size + references.gram)
    shared = np.minimum(met * rarity[references.gram], theirs) * theirs
    n = len(corpus.item)
    long = np.sqrt(sums(ours**2, candidates.sentence, corpus.items))[corpus.item]
    lengths = long * np.sqrt(sums(theirs**2, references.sentence, n))
    dots = sums(shared, references.sentence, n)
    np.divide(dots, lengths, out=dots, where=lengths != 0)
    return dots
