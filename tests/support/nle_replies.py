"""Replies to the exams with explanations, to compare the copied readers with the originals' own code on the same replies.

The generator is frozen: tests/parity/nle_generated.json has the originals' results. It uses only `random.random`, whose sequence Python
promises to keep.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

ANSWERS = (
    *("yes", "no", "Yes", "NO.", "2", "3.5", "1,000", "two", "nan", "inf", "1e5", "1_000", "100%", "a red bus", "The man", "A man is angry"),
    *("entailment", "Contradiction", "not entailment", "neutral", "A", "b", "C)", "(D)", "A.", "B:", "a:", "::c..", "Option A", "riding bike"),
    *("caf\u00e9", "\uff21\uff22", "\ufb01sh", "\u00df", "answer", "question", "explanation", "unknown", "", " ", "\u00a0", "\u2028"),
)  # fmt: skip
JOINTS = (
    *(" because ", " Because ", "because", " becausex ", " because because ", ", ", "\n", "\n\nbecause ", ". ", "; ", " since "),
    *(" \u2014 because ", "\t", ": ", " "),
)  # fmt: skip
BEFORE = (
    *("", "answer: ", "Assistant: ", "assistant:answer: ", "Response:\n", "question: ", "  Answer:", "Answer :", "<answer>", "**"),
    *("```json\n", '{"answer": "'),
)  # fmt: skip
REASONS = (
    *("it is sunny", "the answer is in the explanation", "because x", "he is sad", "<det1> smiles", "", "...", "explanation"),
    *("A man is angry, he frowns", "she won because of it", "3.5 dogs", "n\u00e9e"),
)  # fmt: skip
CHOICES: tuple[tuple[str, ...], ...] = (
    ("He is sad.", "A man is angry.", "She is happy because she won.", "Because it is raining."),
    ("No, <det1> lives far away from here.", "Yes,  <det1>  works there every day.", "", "..."),
    ("He", "He is sad and tired of all this", "sad", "He is sad and tired of all this!"),
    ("one", "two"),
    (),
)
_SIGNS = "abcdeABCD  .,:;!?'\"()<>*`{}\n\t0123456789\u00e9\u2019\u00a0\u3000"


def _pick(rng: random.Random, among: Sequence[str]) -> str:
    return among[int(rng.random() * len(among))]


def generated(count: int, seed: int = 11) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield replies, each with the choices that it is read with (VCR)."""
    rng = random.Random(seed)
    texts = [choice for choices in CHOICES for choice in choices if choice]
    for _ in range(count):
        if rng.random() < 0.1:
            reply = "".join(_pick(rng, _SIGNS) for _ in range(int(rng.random() * 31)))
        else:
            choice = _pick(rng, texts)
            answer = _pick(rng, (*ANSWERS, choice, choice[:25], choice.upper(), f"I think {choice.lower()}"))
            reply = _pick(rng, BEFORE) + answer + _pick(rng, JOINTS) + _pick(rng, REASONS)
            if rng.random() < 0.3:
                reply += _pick(rng, JOINTS) + _pick(rng, REASONS)
        yield reply, CHOICES[int(rng.random() * len(CHOICES))]
