"""The text of each token, so that the pieces joined are the reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence

BEFORE = 4

DecodeMany = Callable[[list[list[int]]], Sequence[str]]


def pieces(ids: Sequence[int], decode: DecodeMany) -> list[str]:
    """Return the text that each token adds.

    A single token does not tell: SentencePiece drops the space before a first word, and a character may take several byte
    tokens. So each is decoded together with a few before it, all in one call.
    """
    row = list(ids)
    before = [row[max(0, i - BEFORE) : i] for i in range(len(row))]
    texts = decode([row, *before, *([*b, i] for b, i in zip(before, row, strict=True))])
    whole, without, with_it = texts[0], texts[1 : 1 + len(row)], texts[1 + len(row) :]
    found = [w[len(b) :] if w.startswith(b) else "" for b, w in zip(without, with_it, strict=True)]
    return found if "".join(found) == whole else _by_prefix(row, decode, whole)


def _by_prefix(row: list[int], decode: DecodeMany, whole: str) -> list[str]:
    """Measure how much of the whole each token completes: slow but exact, for characters of several tokens and invalid bytes.

    The last token of a character carries the character.
    """
    found: list[str] = []
    shown = 0
    for text in [*decode([row[:end] for end in range(1, len(row))]), whole]:
        agreed = _agreed(text, whole)
        found.append(whole[shown:agreed])
        shown = max(shown, agreed)
    return found


def _agreed(text: str, whole: str) -> int:
    """Return the length of the common beginning."""
    pairs = zip(text, whole, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(text), len(whole)))
