"""n-grams of many short sentences as integer tables, counted once and shared by BLEU and CIDEr.

A table has one row for each distinct n-gram of each sentence. Sorting integers replaces millions of small dictionaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
ORDERS = (1, 2, 3, 4)


class GramTable(NamedTuple):
    """Rows (sentence, gram, times), sorted by sentence and gram; grams are numbered from 0 to `grams` - 1."""

    sentence: Ints
    gram: Ints
    times: Ints
    grams: int

    def take(self, wanted: slice) -> GramTable:
        """Return the rows of a range of sentences, renumbered from its start."""
        low, high = np.searchsorted(self.sentence, [wanted.start, wanted.stop])
        rows = slice(int(low), int(high))
        return GramTable(self.sentence[rows] - wanted.start, self.gram[rows], self.times[rows], self.grams)


class Corpus(NamedTuple):
    """Candidates, all references in a row, and which candidate each reference belongs to."""

    candidates: tuple[GramTable, ...]  # one table for each order
    references: tuple[GramTable, ...]
    candidate_words: Ints
    reference_words: Ints
    item: Ints  # of each reference

    @property
    def items(self) -> int:
        """The number of candidates."""
        return len(self.candidate_words)


def count(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> Corpus:
    """Count the n-grams of tokenised sentences."""
    n = len(candidates)
    sentences = [s.split() for s in candidates]
    sentences += [r.split() for refs in references for r in refs]
    words = np.array([len(s) for s in sentences], dtype=np.int64)
    tables = tuple(_tables(sentences, words))
    return Corpus(
        candidates=tuple(t.take(slice(0, n)) for t in tables),
        references=tuple(t.take(slice(n, len(sentences))) for t in tables),
        candidate_words=words[:n],
        reference_words=words[n:],
        item=np.repeat(np.arange(len(references), dtype=np.int64), [len(refs) for refs in references]),
    )


def _tables(sentences: list[list[str]], words: Ints) -> list[GramTable]:
    number: dict[str, int] = {}
    token = np.fromiter((number.setdefault(w, len(number)) for s in sentences for w in s), np.int64, int(words.sum()))
    owner = np.repeat(np.arange(len(sentences), dtype=np.int64), words)
    left = np.repeat(np.cumsum(words), words) - np.arange(len(token))  # words from here to the end of the sentence
    place = np.arange(len(token))
    gram, grams = token, len(number)
    found = []
    for order in ORDERS:
        if order > 1:  # a gram is the shorter gram that begins at the same place, and one more word
            keep = left[place] >= order
            place, gram = place[keep], gram[keep]
            distinct, gram = np.unique(gram * len(number) + token[place + order - 1], return_inverse=True)
            gram, grams = gram.astype(np.int64), len(distinct)
        size = max(grams, 1)
        rows, counts = np.unique(owner[place] * size + gram, return_counts=True)
        found.append(GramTable(rows // size, rows % size, counts.astype(np.int64), grams))
    return found


def look_up(keys: Ints, values: Ints, wanted: Ints) -> Ints:
    """Return the value of each wanted key among sorted keys, 0 where it is missing."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0)


def sums(weights: NDArray[np.generic], groups: Ints, size: int) -> Floats:
    """Return the sum of the weights of each group."""
    return np.bincount(groups, weights=weights, minlength=size)[:size].astype(np.float64)
