"""A reader of almost-JSON: single quotes, bare keys, quotes inside captions, missing commas and brackets, text that was cut off.

It only ever builds texts, lists and dictionaries; nothing in the text is run. It never fails: what makes no sense is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

_CLOSERS = {'"': '"”', "'": "'’", "“": '”"', "‘": "’'", "`": "`", "”": "”"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\n", "b": " ", "f": " "}
_QUOTED_KEY = re.compile(r"""\s{0,200}["'“‘`]([^"'“”‘’`:\n]{1,60})["'”’`]\s{0,20}:""")
_BARE_KEY = re.compile(r"\s{0,200}([^\W\d][\w \-]{0,60})\s{0,20}:")
_SPACE = re.compile(r"[\s,;]*")
_NO_TEXT = ("", "null", "None", "undefined", "true", "false", "True", "False")
_DEEPEST = 12


class LooseValue(NamedTuple):
    """A value, where it ends in the text, and whether the text stopped before it was complete."""

    value: Any
    end: int
    cut: bool


def read_object(text: str, at: int, is_key: Callable[[str], bool]) -> LooseValue:
    """The object that begins at `at`, with its brace or with its first key. `is_key` knows the keys that may stand bare."""
    reader = _LooseReader(text, at, is_key)
    if text[at : at + 1] == "{":
        reader.at += 1
    value = reader.members(0)
    return LooseValue(value, reader.at, reader.cut)


class _LooseReader:
    """A place in the text that only moves forward."""

    def __init__(self, text: str, at: int, is_key: Callable[[str], bool]) -> None:
        self.text, self.at, self.is_key = text, at, is_key
        self.cut = False

    def members(self, depth: int) -> dict[str, Any]:
        """Keys and values up to the closing brace, or to the end of the text."""
        found: dict[str, Any] = {}
        while self._more("}"):
            key = self._key()
            if key is None:
                self.at += 1
            else:
                found[key] = self._value(depth, in_list=False)
        return found

    def _items(self, depth: int) -> list[Any]:
        found = []
        while self._more("]"):
            before = self.at
            found.append(self._value(depth, in_list=True))
            if self.at == before:
                self.at += 1
        return found

    def _more(self, closer: str) -> bool:
        """Whether another member follows; steps over the closing bracket where none does."""
        self.at = _end(_SPACE, self.text, self.at)
        if self.at >= len(self.text):
            self.cut = True
            return False
        if self.text[self.at] == closer:
            self.at += 1
            return False
        return True

    def _key(self) -> str | None:
        found = _QUOTED_KEY.match(self.text, self.at) or _BARE_KEY.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found.group(1).strip()

    def _value(self, depth: int, *, in_list: bool) -> Any:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        first = self.text[self.at : self.at + 1]
        if first in ("{", "[") and depth < _DEEPEST:
            self.at += 1
            return self.members(depth + 1) if first == "{" else self._items(depth + 1)
        if first in _CLOSERS and first:
            return self._string(first, in_list)
        return self._bare(in_list)

    def _string(self, quote: str, in_list: bool) -> str:
        closers = _CLOSERS[quote]
        tripled = self.text.startswith(quote * 3, self.at)
        self.at += 3 if tripled else 1
        made: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\":
                made.append(self._escape())
                continue
            self.at += 1
            if tripled and char == quote and self.text.startswith(quote * 2, self.at):
                self.at += 2
                return "".join(made)
            if not tripled and char in closers and self._closes(in_list):
                return "".join(made)
            made.append(char)
        self.cut = True
        return "".join(made).rstrip("`}] \n")

    def _escape(self) -> str:
        code = self.text[self.at + 1 : self.at + 2]
        digits = self.text[self.at + 2 : self.at + 6]
        if code == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            self.at += 6
            return chr(int(digits, 16))
        self.at += 2
        return _ESCAPES.get(code, code)

    def _closes(self, in_list: bool) -> bool:
        """Whether a quote just read ends its text: a bracket, the end, or another member comes next."""
        at = self.at
        while at < len(self.text) and self.text[at].isspace():
            at += 1
        following = self.text[at : at + 1]
        if following in ("", "}", "]"):
            return True
        if _QUOTED_KEY.match(self.text, at):
            return True
        if following not in (",", ";"):
            return False
        after = self.text[at + 1 : at + 201].lstrip()
        if after[:1] in ("", "}", "]", "/") or (in_list and after[:1] in (*_CLOSERS, "{", "[")):
            return True
        return self._key_at(at + 1)

    def _key_at(self, at: int) -> bool:
        """Whether a key stands here: one in quotes, or a bare one that is known."""
        if _QUOTED_KEY.match(self.text, at):
            return True
        bare = _BARE_KEY.match(self.text, at)
        return bare is not None and self.is_key(bare.group(1))

    def _bare(self, in_list: bool) -> str | None:
        """A value without quotes: up to a bracket, the end of the line, or a comma with a key behind it."""
        start = self.at
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in "}]\n" or (char == "," and (in_list or self._key_at(self.at + 1))):
                break
            self.at += 1
        else:
            self.cut = True
        said = self.text[start : self.at].strip().rstrip(",")
        return None if said in _NO_TEXT else said


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at
