"""A reply with each word's entropy, for the page: the darker a word's background, the less certain the model was of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from snellen.core.gallery import Gallery, GalleryItem, GalleryView
from snellen.core.types import Token
from snellen.exams.vqa_nle.entropy.spans import assembled, words

LEVELS = 6
STEP = 0.5  # nats
STEPS = tuple(STEP * level for level in range(LEVELS + 1))


class _ShadedText(NamedTuple):
    """A piece of a reply. `level` is None for text between words; `note` is for people."""

    text: str
    level: int | None
    note: str
    part: str


class _ShadedReply(NamedTuple):
    """One reply for the template: its pieces, and the entropy in nats at which each level begins."""

    pieces: tuple[_ShadedText, ...]
    steps: tuple[float, ...] = STEPS


class ShadedGallery(Gallery):
    """The plain gallery. If a reply's tokens are known, it also shows how certain the model was of each word."""

    template = "shaded.html"
    package = "snellen.exams.vqa_nle"

    def view(self, items: Sequence[GalleryItem]) -> GalleryView:
        return GalleryView([_shaded(item) for item in items], None, [{} for _ in items])


def _shaded(item: GalleryItem) -> _ShadedReply | None:
    if not item.answer.tokens:
        return None
    first = next(iter(item.pick.marks.values()), None)
    return _ShadedReply(tuple(_shades(item.answer.tokens, first.reading if first else None)))


def _shades(tokens: Sequence[Token], reading: Any = None) -> Iterator[_ShadedText]:
    """Yield the whole reply in pieces, in order. A reading with an explanation says where that begins.

    >>> [(s.text, s.level) for s in _shades([Token(text="a", logprob=0.0, entropy=0.1), Token(text=" b", logprob=0.0, entropy=9.0)])]
    [('a', 0), (' ', None), ('b', 6)]
    >>> [s.part for s in _shades([Token(text="no, dogs", logprob=0.0, entropy=0.1)], {"explanation": "dogs"})]
    ['answer', 'explanation', 'explanation']
    """
    text, at = assembled(tokens), 0
    for word in words(tokens, reading if isinstance(reading, Mapping) else None):
        if word.start > at:
            yield _ShadedText(text[at : word.start], None, "", word.part)
        at = word.start + len(word.text)
        if word.entropy is None:
            yield _ShadedText(word.text, None, "", word.part)
            continue
        high = f" to {word.entropy_high:.2f}" if word.entropy_high is not None else ""
        yield _ShadedText(word.text, min(LEVELS, int(word.entropy / STEP)), f"{word.entropy:.2f}{high} nats", word.part)
    if at < len(text):
        yield _ShadedText(text[at:], None, "", "")
