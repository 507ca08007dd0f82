"""A word-level tokenizer.json, read without the library: texts to numbers, and numbers to texts.

It supports exactly what the shipped models need: a list of words, two ways of cutting a text into them, and added tokens
that are found first. A file that asks for anything else is refused.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.subjects.onnx.runtime import LAYOUT, read

PIECES = {
    "type": "Split",
    "pattern": {"Regex": r" ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]|\s"},
    "behavior": "Isolated",
    "invert": False,
}
SPACES = {"type": "WhitespaceSplit"}
BARE = {
    "type": "Sequence",
    "normalizers": [{"type": "Lowercase"}, {"type": "Replace", "pattern": {"Regex": r"[^\w\s]"}, "content": " "}],
}
# the pattern of PIECES over kinds of characters, which Python's `re` cannot name: letter, number, white space, other
_PIECE = re.compile(" ?L+| ?N| ?O|[ S]")
_WORD = re.compile("[LNO]+")
_WHITE = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))
_WORDLIKE = ("L", "M", "Nd", "Nl", "Pc")
_CIRCLED = frozenset(  # symbols that count as letters in a word
    chr(code)
    for first, last in ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
    for code in range(first, last + 1)
)


class _Added(msgspec.Struct, frozen=True):
    id: int
    content: str
    special: bool
    single_word: bool
    lstrip: bool
    rstrip: bool
    normalized: bool


class _Model(msgspec.Struct, frozen=True):
    type: str
    vocab: dict[str, int]
    unk_token: str


class _TokenizerFile(msgspec.Struct, frozen=True):
    model: _Model
    added_tokens: list[_Added]
    pre_tokenizer: Any
    normalizer: Any = None
    post_processor: Any = None


class Tokenizer:
    """A tokenizer. `ends` are the tokens that it puts after a text."""

    def __init__(self, path: Path) -> None:
        file = read(path, _TokenizerFile)
        unusual = [a.content for a in file.added_tokens if a.single_word or a.lstrip or a.rstrip or a.normalized]
        known = file.model.type == "WordLevel" and file.pre_tokenizer in (PIECES, SPACES)
        if not known or unusual or file.normalizer not in (None, BARE):
            raise SnellenError(f"{path}: not a word-level tokenizer of the kind that is known; {LAYOUT}")
        self._ids = file.model.vocab
        self._unknown = self._ids[file.model.unk_token]
        self._bare, self._pieces = file.normalizer is not None, file.pre_tokenizer == PIECES
        self._added = {a.content: a.id for a in file.added_tokens}
        longest_first = sorted(self._added, key=len, reverse=True)
        self._find = re.compile(f"({'|'.join(map(re.escape, longest_first))})")
        special = {a.content for a in file.added_tokens if a.special}
        self._texts = {i: "" if text in special else text for text, i in (self._ids | self._added).items()}
        self.ends = _ends(file.post_processor, self._added)

    def encode(self, text: str) -> list[int]:
        """Return the numbers of a text, without the tokens after it."""
        found: list[int] = []
        for number, part in enumerate(self._find.split(text)):
            if number % 2:
                found.append(self._added[part])
            else:
                found += [self._ids.get(word, self._unknown) for word in self._cut(part)]
        return found

    def text(self, number: int) -> str:
        """Return the text that a token adds to a reply; an empty one for a token that is not meant to be read."""
        return self._texts.get(number, "")

    def _cut(self, text: str) -> list[str]:
        if self._bare:
            text = "".join(_bared(c) for c in text)
        kinds = "".join(map(_kind, text))
        pattern = _PIECE if self._pieces else _WORD
        return [text[m.start() : m.end()] for m in pattern.finditer(kinds)]


def _ends(post: Any, added: dict[str, int]) -> tuple[int, ...]:
    steps = post.get("single", []) if isinstance(post, dict) else []
    return tuple(added[s["SpecialToken"]["id"]] for s in steps if "SpecialToken" in s)


@lru_cache(maxsize=4096)
def _kind(char: str) -> str:
    if char == " ":
        return char
    kind = unicodedata.category(char)[0]
    return "S" if char in _WHITE else kind if kind in "LN" else "O"


@lru_cache(maxsize=4096)
def _bared(char: str) -> str:
    """Return a character in lower case, or a space if it does not belong to a word."""
    return "".join(c if c in _WHITE or c in _CIRCLED or _wordlike(c) else " " for c in char.lower())


def _wordlike(char: str) -> bool:
    return unicodedata.category(char).startswith(_WORDLIKE)
