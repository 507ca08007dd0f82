"""Replies made of odds and ends, to compare the copied protocols with the originals' own code on the same replies.

The generator is frozen: tests/parity/generated.json has one bit a reply, from the originals' code. It uses only `random.random`, whose
sequence Python promises to keep.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.exams.illusionbench.names import SCENES, SHAPES

_PIECES = (
    *("Shape:", "Scene:", "shape :", "SCENE:", "Shape", "Answer:", "answer :", "ANSWER:", "\u017fhape:", "the ", "a ", "feature", "different"),
    *(" ", "  ", "\n", "\n", "\r\n", "\r", "\x0b", "\x1c", "\u2028", "\x85", "\t", "\u00a0", ".", ",", ", ", "-", "_", "*", "**", '"', "'"),
    *(" and ", "and", "|", ";", "[", "]", "(", ")", "1", "2) ", "<think>", "</think>", "\u0130", "\u00c9", "\u212a"),
)  # fmt: skip
_LINES = (
    *("Shape: {a}\nScene: {b}", "Shape: {a}\nShape: {b}", "shape: {a}\nscene: {b}\nshape: {c}\nscene: {d}", "Shape: {a}\nShape: "),
    *("Scene: {a}\nScene:\nScene: ", "Shape:{a}\n\n  SCENE : {b}", "Shape:\n{a}", "Scene:\n{a}", "Answer: {a}, {b}", "Answer: {a}.{b}"),
    *("Answer: {a}\nAnswer: {b}", "Answer:\n{a}", "**Shape: {a}**", "Shape: {a} Scene: {b}", "Shape: Shape: {a}", "{a}", "{a}. {b}", "{a}\n{b}"),
    *("\tShape\t:\t{a}\r\nScene: {b}\x0bScene: {c}", "Scene: not {a}\nscene: {b}", "[{a}, {b}]", "[{a}],{b}", "{a} and {b}; {c}|{d}", "{a},{b}"),
    *("The {a}.", "{a}, {a}", "{a}and{b}", " {a} ", "the {a} feature, a {b} aspect", "Is it {a}? No, {b}.\nAnswer: {c}", "{a}\n\n{b}, {c}, {d}"),
)  # fmt: skip


def _pick(rng: random.Random, among: Sequence[str]) -> str:
    return among[int(rng.random() * len(among))]


def soup(names: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield replies, alternately lines with names in them and random pieces."""
    rng = random.Random(seed)
    spelled = [form for n in names for form in (n, n.lower(), n.upper(), n.replace("_", " "), n.capitalize())]
    for i in range(count):
        if i % 2:
            yield _pick(rng, _LINES).format(**{key: _pick(rng, spelled) for key in "abcd"})
        else:
            length = int(rng.random() * 14)
            yield "".join(_pick(rng, spelled if rng.random() < 0.4 else _PIECES) for _ in range(length))


class Illusion(NamedTuple):
    """A reply about a picture of IllusionBench, with the true names."""

    reply: str
    shape: str
    scene: str


def about_illusions(subset: str, count: int, seed: int) -> Iterator[Illusion]:
    """Yield replies, mostly with the true names in them."""
    rng = random.Random(seed + 1)
    for reply in soup((*SHAPES[subset], *SCENES), count, seed):
        said = reply.lower().replace(" ", "_")
        shapes = [n for n in SHAPES[subset] if n.lower() in said]
        scenes = [n for n in SCENES if n.lower() in said]
        often = rng.random() < 0.7
        shape = _pick(rng, shapes if shapes and often else SHAPES[subset])
        yield Illusion(reply, shape, _pick(rng, scenes if scenes and often else SCENES))


def about_features(labels: Sequence[str], most: int, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield replies about features of SalBench, with the true answer as the data set writes it."""
    rng = random.Random(seed + 1)
    for reply in soup(labels, count, seed):
        named = [x for x in labels if x in reply.lower()]
        chosen = {
            _pick(rng, named if named and rng.random() < 0.7 else labels) for _ in range(1 + int(rng.random() * most))
        }
        yield reply, ", ".join(x.capitalize() for x in labels if x in chosen)


def bits(flags: Sequence[bool]) -> str:
    """Return truth values as hexadecimal digits.

    >>> bits([True, False, False, False, True]), flags("88", 5)
    ('88', [True, False, False, False, True])
    """
    padded = [*flags, *([False] * (-len(flags) % 4))]
    return "".join(f"{sum(8 >> k for k in range(4) if padded[i + k]):x}" for i in range(0, len(padded), 4))


def flags(digits: str, count: int) -> list[bool]:
    """Return the truth values again."""
    return [bool(int(digits[i // 4], 16) & (8 >> i % 4)) for i in range(count)]
