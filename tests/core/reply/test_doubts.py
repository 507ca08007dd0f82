"""Doubt: what is named without being chosen has its place in the text as it was written, capitals and all."""

from __future__ import annotations

import pytest

from snellen.core.reply import left_open


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("If it is hot, red", "If it is hot, red"),
        ("Some Would Say red, but it is blue", "Some Would Say red, but "),
        ("\u0130t is blue, but some would say red", ", but some would say red"),  # its lower case has two letters
        ("It could be red, it could be blue", "It could be red, it could be blue"),
        ("It is blue", None),
    ],
)
def test_what_is_left_open_keeps_its_place(text: str, words: str | None) -> None:
    found = left_open(text)
    assert (None if found is None else text[slice(*found)]) == words
