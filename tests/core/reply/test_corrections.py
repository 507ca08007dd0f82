"""Corrections take back what was said before."""

from __future__ import annotations

import pytest

from snellen.core.reply import after_correction


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("red. No, wait, blue", "blue"),
        ("red... wait, it is blue", "it is blue"),
        ("red. Actually, blue.", "blue."),
        ("red - scratch that, blue", "blue"),
        ("red. Correction: blue", "blue"),
        ("red. Let me correct myself: blue", "blue"),
        ("red, I mean blue", "blue"),
        ("red. On second thought, blue", "blue"),
        ("red because he waits", "red because he waits"),
        ("red since it is actually hot", "red since it is actually hot"),
        ("red. Wait.", "red. Wait."),
    ],
)
def test_a_correction_takes_back_what_was_before(text: str, rest: str) -> None:
    assert after_correction(text) == rest
