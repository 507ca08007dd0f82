"""Scores of constant sentences: each is given to every item, and gets what `scores.score` would find for it.

A constant needs no new count: the number of items with an n-gram is known, and all references are gone through at once. So a hundred
sentences take about as long as `score` takes for a few, and for BLEU alone a thousand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from snellen.stats.nlg.bleu import BleuCounts
from snellen.stats.nlg.cider import SIGMA
from snellen.stats.nlg.ngrams import ORDERS, Corpus, Floats, GramTable, Ints, count, sums
from snellen.stats.nlg.rouge import BETA2

MOST_WORDS = 64
"""Longer sentences have no ROUGE-L here: each word is a bit of an integer."""


def bleus(ours: Sequence[str], theirs: Sequence[Sequence[str]]) -> Floats:
    """Return BLEU-1..4 of each sentence, as a (sentences, 4) array. All of this module takes tokenised texts."""
    corpus, items = count(ours, theirs), len(theirs)
    words, starts = corpus.candidate_words, _starts(theirs)
    right = [_right(c, r, corpus) for c, r in zip(corpus.candidates, corpus.references, strict=True)]
    tried = np.stack([np.maximum(words - (k - 1), 0) for k in ORDERS], axis=1) * items
    longest = int(corpus.reference_words.max()) + 1
    closest = np.zeros(len(words), dtype=np.int64)
    for length in np.unique(words):
        # the distance first, and of two equally near the shorter one
        near = np.abs(corpus.reference_words - length) * longest + corpus.reference_words
        closest[words == length] = (np.minimum.reduceat(near, starts) % longest).sum()
    return BleuCounts(np.stack(right, axis=1), tried, words * items, closest).each()


def _starts(theirs: Sequence[Sequence[str]]) -> Ints:
    """Return the index at which the references of each item begin among all."""
    sizes = np.array([len(refs) for refs in theirs], dtype=np.int64)
    return np.asarray(np.cumsum(sizes) - sizes, dtype=np.int64)


def _right(candidates: GramTable, references: GramTable, corpus: Corpus) -> Floats:
    """Return how many n-grams of each sentence are found, over all items, each as often as one reference of the item has it."""
    found = np.zeros(len(candidates.gram))
    for times in range(1, int(candidates.times.max(initial=0)) + 1):
        often = references.times >= times
        size = max(references.grams, 1)
        holders = np.unique(corpus.item[references.sentence[often]] * size + references.gram[often])
        holding = np.bincount(holders % size, minlength=size)
        found += holding[candidates.gram] * (candidates.times >= times)
    return sums(found, candidates.sentence, len(corpus.candidate_words))


def ciders(ours: Sequence[str], theirs: Sequence[Sequence[str]]) -> list[float]:
    """Return CIDEr of each sentence."""
    corpus, items = count(ours, theirs), len(theirs)
    similar = np.zeros((len(ours), len(corpus.item)))
    for mine, refs in zip(corpus.candidates, corpus.references, strict=True):
        similar += _similar(mine, refs, corpus, items)
    bigrams = (np.maximum(w - 1, 0) for w in (corpus.candidate_words[:, None], corpus.reference_words))
    apart = np.subtract(*bigrams).astype(np.float64)
    similar *= np.exp(-(apart**2) / (2 * SIGMA**2)) / len(ORDERS)
    share = 1 / np.bincount(corpus.item)[corpus.item]
    return [float(v) for v in 10.0 * (similar @ share) / items]


def _similar(ours: GramTable, theirs: GramTable, corpus: Corpus, items: int) -> Floats:
    """Return the cosine of every sentence with every reference, for n-grams of one length."""
    size, n = max(ours.grams, 1), len(corpus.item)
    holders = np.unique(corpus.item[theirs.sentence] * size + theirs.gram)
    rarity = np.log(float(items)) - np.log(np.maximum(np.bincount(holders % size, minlength=size), 1))
    weights = theirs.times * rarity[theirs.gram]
    long = np.sqrt(sums(weights**2, theirs.sentence, n))
    by_gram = np.argsort(theirs.gram, kind="stable")
    begin = np.searchsorted(theirs.gram[by_gram], np.arange(size + 1))
    found = np.zeros((len(corpus.candidate_words), n))
    for at in range(len(found)):
        low, high = np.searchsorted(ours.sentence, [at, at + 1])
        length = np.sqrt(((ours.times[low:high] * rarity[ours.gram[low:high]]) ** 2).sum())
        for gram, times in zip(ours.gram[low:high], ours.times[low:high], strict=True):
            rows = by_gram[begin[gram] : begin[gram + 1]]  # a reference has an n-gram in one row
            found[at, theirs.sentence[rows]] += np.minimum(times * rarity[gram], weights[rows]) * weights[rows]
        np.divide(found[at], length * long, out=found[at], where=length * long != 0)
    return found


def rouges(ours: Sequence[str], theirs: Sequence[Sequence[str]]) -> list[float]:
    """Return ROUGE-L of each sentence; each may have at most `MOST_WORDS` words."""
    words, starts = [r.split(" ") for refs in theirs for r in refs], _starts(theirs)
    number: dict[str, int] = {}
    tokens = np.array([number.setdefault(w, len(number)) for r in words for w in r], dtype=np.int64)
    lengths = np.array([len(r) for r in words], dtype=np.int64)
    order = np.argsort(-lengths, kind="stable")
    begin = (np.cumsum(lengths) - lengths)[order]
    left = np.searchsorted(-lengths[order], -np.arange(int(lengths.max())), side="left")  # longer than each place
    columns = [tokens[begin[:n] + place] for place, n in enumerate(left)]
    found = []
    for said in (s.split(" ") for s in ours):
        common = np.empty(len(words))
        common[order] = _common([number.get(w, -1) for w in said], columns, len(number), len(words))
        precision = np.maximum.reduceat(common / len(said), starts)
        recall = np.maximum.reduceat(common / lengths, starts)
        scores = np.zeros(len(starts))
        np.divide((1 + BETA2) * precision * recall, recall + BETA2 * precision, out=scores, where=recall > 0)
        found.append(float(scores.mean()))
    return found


def _common(said: Sequence[int], columns: Sequence[Ints], words: int, n: int) -> NDArray[np.int64]:
    """Return lengths of the longest common subsequences with all references, as in `rouge`, a word of each of them at a time."""
    places = np.zeros(words, dtype=np.uint64)
    for i, word in enumerate(said):
        if word >= 0:
            places[word] |= np.uint64(1 << i)
    full = np.uint64((1 << len(said)) - 1)
    row = np.full(n, full)
    for column in columns:
        some = row[: len(column)]
        met = some & places[column]
        row[: len(column)] = ((some + met) | (some - met)) & full
    bits = np.unpackbits((~row & full).view(np.uint8).reshape(n, 8), axis=1)
    return np.asarray(bits.sum(axis=1), dtype=np.int64)
