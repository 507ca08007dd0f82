"""What a sentence gets that is given to everything is what `score` gives it."""

from __future__ import annotations

import random

import pytest

from snellen.stats.nlg import METRICS, score
from snellen.stats.nlg.constant import MOST_WORDS, bleus, ciders, rouges

WORDS = ["the", "a", "dog", "cat", "is", "on", "lawn", "red", "hat", "and"]


def test_constants_get_what_score_gives_them() -> None:
    dice = random.Random(5)

    def text(most: int) -> str:
        return " ".join(dice.choice(WORDS) for _ in range(dice.randint(1, most)))

    references = [[text(14) for _ in range(dice.randint(1, 4))] for _ in range(80)]
    said = [text(9) for _ in range(25)] + ["never seen", " ".join(["the"] * MOST_WORDS), "a  dog"]
    table, rouge, cider = bleus(said, references), rouges(said, references), ciders(said, references)
    for at, one in enumerate(said):
        whole = score([one] * len(references), references, tokenise=str)
        assert [*table[at], rouge[at], cider[at]] == pytest.approx([whole[name] for name in METRICS]), one
