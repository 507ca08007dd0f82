"""`robust` reads variants of the classes' names, and is fast on any reply."""

from __future__ import annotations

import pytest

from snellen.exams.illusionbench.protocols import PROTOCOLS
from snellen.exams.illusionbench.reading import answer_robust

MEANT = [
    ("paperclip", "paper_clip"),
    ("Paper-Clips", "paper_clip"),
    ("Cats", "cat"),
    ("bike", "bicycle"),
    ("sail boat", "sailboat"),
    ("tea pot", "teapot"),
    ("aeroplane", "airplane"),
    ('{"cat": false, "dog": true}', "dog"),
    ("Cat: no\nDog: yes\nBird: no", "dog"),
    ("It is a cat. No, wait, it is a dog.", "dog"),
    ("At first I saw a cat, but it is a dog.", "dog"),
    ("Dog\n\nExplanation: the outline is larger than that of a cat.", "dog"),
    ("The options are: Cat, Dog, Bird. The answer is Dog.", "dog"),
    ("\uff24\uff4f\uff47", "dog"),
    ("I would choose 'Dog'.", "dog"),
    ("[THINK]a cat[/THINK]dog", "dog"),
    ("<|channel|>analysis<|message|>a dog", None),
    ("It is anything but a dog", None),
    ("I doubt that it is a dog", None),
    ("Is it a dog?", None),
]


@pytest.mark.parametrize(("reply", "meant"), MEANT)
def test_names_are_read_in_every_spelling_and_form(reply: str, meant: str | None) -> None:
    assert answer_robust(reply, "Illusion_IN", "shape") == meant


def test_a_long_row_of_brackets_is_no_work() -> None:
    for reply in ("<" * 100_000, "{" * 100_000, "<think>" * 15_000, "</think" * 15_000):
        assert (
            answer_robust(reply, "Illusion_IN", "shape") is None
        )  # seconds of backtracking before, for the first and the last


def test_its_version_was_raised() -> None:
    assert PROTOCOLS["robust"].version == "4"
