"""The floor from the question's text alone, by a small learner of our own: naive Bayes over words and pairs of words.

Words come in bundles ("what", "what color", "color is"), so naive Bayes counts one hint several times and is too sure of itself. Its
evidence is therefore weighed down by a factor that is chosen on held-out parts of the training data. All of it is in closed form:
the same data give the same guesses. It is an estimate from below: a learner that knows more of language can guess better.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

MOST_GRAMS = 4096
MOST_ANSWERS = 200
SMOOTHING = 0.1
TRUST = (0.1, 0.2, 0.3, 0.5, 1.0)
"""The weight of the words' evidence beside how common an answer is."""
INNER = 4
BLOCK = 512
EVEN = 4
"""Decimals that count, so that a machine's rounding of sums decides no tie."""
_WORD = re.compile(r"<\w+>|\w+|[^\w\s]")


def words(text: str) -> list[str]:
    """Return the words and marks of a text.

    >>> words("Is <det0> sad?")
    ['is', '<det0>', 'sad', '?']
    """
    return _WORD.findall(text.lower())


def grams(text: str) -> set[str]:
    """Return words and pairs of neighbours, with the ends of the text as words."""
    said = ["^", *words(text), "$"]
    return {*said, *(f"{a} {b}" for a, b in pairwise(said))}


def fold_of(name: str, folds: int, seed: int = 0) -> int:
    """Return the fold of a cluster, always the same."""
    return zlib.crc32(f"{seed}/{name}".encode()) % folds


class _GramVocabulary:
    """The grams that tell known texts apart: those that are in some of them and not in all."""

    def __init__(self, texts: Sequence[str]) -> None:
        seen = Counter(gram for text in texts for gram in sorted(grams(text)))
        some = [gram for gram, n in seen.most_common() if n < len(texts)]
        self.places = {gram: i for i, gram in enumerate(some[:MOST_GRAMS])}

    def table(self, texts: Sequence[str]) -> Floats:
        """Return a table with a row for each text and a column for each gram: 1 where the text has it."""
        found = np.zeros((len(texts), len(self.places)), dtype=np.float32)
        for row, text in enumerate(texts):
            for gram in grams(text):
                if gram in self.places:
                    found[row, self.places[gram]] = 1
        return found


# ---------------------------------------------------------------- one of some answers


def answers(
    known: Sequence[str], worth: Sequence[Mapping[str, float]], clusters: Sequence[str], asked: Sequence[str]
) -> list[str]:
    """Return an answer to each text that is asked. `worth` has the scores of answers to the known texts; `clusters` are never parted."""
    total: Counter[str] = Counter()
    for one in worth:
        total.update(one)
    names = [name for name, _ in sorted(total.items(), key=lambda item: (-item[1], item[0]))[:MOST_ANSWERS]]
    places = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(known), len(names)), dtype=np.float32)
    for row, one in enumerate(worth):
        for name, value in one.items():
            if name in places:
                table[row, places[name]] = value
    vocabulary = _GramVocabulary(known)
    texts = vocabulary.table(known)
    trust = _trust(texts, table, np.array([fold_of(c, INNER, seed=1) for c in clusters]))
    likely = _likely(texts, table, vocabulary.table(asked), (trust,))[0]
    return [names[i] for i in likely.argmax(axis=1)]


def _likely(texts: Floats, worth: Floats, asked: Floats, trusts: Sequence[float]) -> list[Floats]:
    """Return how likely each answer is right, in logarithms, for each text that is asked and each trust in words."""
    prior = np.log(worth.sum(axis=0) + 1e-3)
    common = (texts.sum(axis=0) + SMOOTHING) / (texts.sum() + SMOOTHING * max(1, texts.shape[1]))
    counts = worth.T @ texts + SMOOTHING * texts.shape[1] * common
    lift = np.log(counts / counts.sum(axis=1, keepdims=True)) - np.log(common)
    evidence = asked @ lift.T
    return [np.round(prior + trust * evidence, EVEN) for trust in trusts]


def _trust(texts: Floats, worth: Floats, folds: NDArray[np.int64]) -> float:
    """Return the trust in words that scores most on held-out parts of the known data; of equal ones, the smallest."""
    totals = [0.0] * len(TRUST)
    for fold in range(INNER):
        held = folds == fold
        if held.all() or not held.any():
            continue
        for i, likely in enumerate(_likely(texts[~held], worth[~held], texts[held], TRUST)):
            totals[i] += float(worth[held][np.arange(int(held.sum())), likely.argmax(axis=1)].sum())
    return TRUST[int(np.argmax(np.round(totals, 6)))]


# ---------------------------------------------------------------- one of the choices that a question brings


class Choices(NamedTuple):
    """A question with texts to choose from; `right` is the index of the right one, where it is known."""

    question: str
    texts: tuple[str, ...]
    right: int | None = None


CAUTION = 10.0
"""The weight against a hint that was seen only a few times."""


def choices(known: Sequence[Choices], asked: Sequence[Choices]) -> list[int]:
    """Return the index of the choice that looks right: by its words, its length, and what it shares with the question and the others."""
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    usual = sum(1 / len(one.texts) for one in known) / max(1, len(known))
    for one in known:
        for at in range(len(one.texts)):
            hints = _hints(one, at)
            every.update(hints)
            if at == one.right:
                right.update(hints)

    def score(hint: str) -> float:
        share = (right[hint] + CAUTION * usual) / (every[hint] + CAUTION)
        return log(share / (1 - share)) - log(usual / (1 - usual))

    found = []
    for one in asked:
        scores = [sum(map(score, sorted(_hints(one, at)))) for at in range(len(one.texts))]
        found.append(scores.index(max(scores)))
    return found


def _hints(one: Choices, at: int) -> set[str]:
    text, others = one.texts[at], [set(words(t)) for i, t in enumerate(one.texts) if i != at]
    own = set(words(text))
    shorter = sum(len(t) < len(text) for t in one.texts)
    return {
        *grams(text),
        *(f"{one.question}|{word}" for word in own),
        f"#place {at}",
        f"#longer than {shorter}",
        f"#shares {min(5, len(own & set(words(one.question))))} with the question",
        f"#shares {min(8, sum(len(own & other) for other in others))} with the others",
    }


# ---------------------------------------------------------------- like texts


def likeness(known: Sequence[str], asked: Sequence[str]) -> Iterator[Floats]:
    """Yield how alike each text that is asked is to every known one: 0 to 1, rare grams counting more."""
    vocabulary = _GramVocabulary(known)
    first = vocabulary.table(known)
    rare = np.log(len(known) / np.maximum(1, first.sum(axis=0)))
    first = _unit(first * rare)
    for start in range(0, len(asked), BLOCK):
        yield from np.round(_unit(vocabulary.table(asked[start : start + BLOCK]) * rare) @ first.T, EVEN)


def _unit(table: Floats) -> Floats:
    return np.asarray(table / np.maximum(1e-9, np.linalg.norm(table, axis=1, keepdims=True)), dtype=np.float32)
