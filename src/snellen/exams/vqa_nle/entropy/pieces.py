"""From a token to its text: decoded text, or a vocabulary's own spelling of it.

Endpoints and tokenisers name a token in three ways: as decoded text (" dog"), in sentencepiece's spelling ("▁dog", "<0x0A>" for a byte) or
in the byte-level one ("Ġdog"; every byte is a printable character). All of them are decoded here.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from functools import cache

from snellen.core.types import Token

_SPECIAL = re.compile(
    r"<\|[^|<>]{1,40}\|>|</?s>|<(?:pad|unk|bos|eos|mask|image|start_of_turn|end_of_turn)>|\[(?:PAD|UNK|CLS|SEP|MASK|INST|/INST)\]"
    r"|<｜[^｜<>]{1,40}｜>",
    re.IGNORECASE,
)
_BYTE = re.compile("<0x([0-9A-Fa-f]{2})>")
SPACE_MARK = "▁"  # sentencepiece
BYTE_MARKS = ("Ġ", "Ċ")  # a space and a newline in the byte-level spelling


def _is_special(text: str) -> bool:
    """Return whether a token is special, and so not part of the reply's text.

    >>> _is_special("<|im_end|>"), _is_special("</s>"), _is_special("<b>")
    (True, True, False)
    """
    return _SPECIAL.fullmatch(text.strip()) is not None


def spread(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Yield the number of each non-special token, with the text that it adds to the reply.

    A token that holds only a part of a character adds nothing; the character comes with the token that completes it.
    """
    kept = [(i, t.text) for i, t in enumerate(tokens) if not _is_special(t.text)]
    byte_level = any(m in text for _, text in kept for m in BYTE_MARKS)
    decoder = getincrementaldecoder("utf-8")("replace")
    for i, text in kept:
        yield i, decoder.decode(_bytes(text, byte_level), final=i == kept[-1][0])


def _bytes(text: str, byte_level: bool) -> bytes:
    if found := _BYTE.fullmatch(text):
        return bytes([int(found[1], 16)])
    if byte_level and all(c in _byte_of() for c in text):
        return bytes(_byte_of()[c] for c in text)
    return text.replace(SPACE_MARK, " ").encode("utf-8", "replace")


@cache
def _byte_of() -> dict[str, int]:
    """Return the byte-level spelling: printable bytes represent themselves, the others map to the characters from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [b for b in range(256) if b not in printable]
    return {chr(b): b for b in printable} | {chr(0x100 + i): b for i, b in enumerate(others)}
