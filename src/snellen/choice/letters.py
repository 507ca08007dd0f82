"""Letter the options of a question. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from string import ascii_uppercase

LETTERS = tuple(ascii_uppercase)
"""The labels of options, in their order."""


def lettered(options: Sequence[str]) -> str:
    """Return the options as a prompt lists them.

    >>> lettered(["a cat", "a dog"])
    'A. a cat\\nB. a dog'
    """
    return "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False))


def letter_place(text: str, count: int) -> int | None:
    """Return the place, among `count` options, that a letter names; None where it names none.

    >>> letter_place("(B)", 4), letter_place("b.", 2), letter_place("C", 2), letter_place("hidden", 4)
    (1, 1, None, None)
    """
    letter = text.strip("().: ").upper()
    return LETTERS.index(letter) if letter in LETTERS[:count] else None


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Return a text in the form in which options are compared: without case, and spaces as one."""
    return " ".join(text.casefold().split())
