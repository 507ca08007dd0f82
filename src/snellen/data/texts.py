"""A column of texts in little memory: a number each where texts repeat, else one long string of bytes and where each text ends in it.

A million names take 20 MB; as a list of strings they would take 70.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

DISTINCT = 4096
"""How many different texts are kept as they are; more than that are rather names than labels."""


class Texts:
    """Texts by number, appended and never changed."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._numbers: dict[str, int] | None = {}
        self._known: list[str] = []
        self._codes = array("i")
        self._bytes, self._ends = bytearray(), array("q", [0])
        self.extend(texts)

    def extend(self, texts: Iterable[str]) -> None:
        """Add some at the end."""
        for text in texts:
            if self._numbers is None:
                self._bytes += text.encode()
                self._ends.append(len(self._bytes))
                continue
            code = self._numbers.get(text)
            if code is None:
                if len(self._known) == DISTINCT:
                    self._spell_out()
                    self._bytes += text.encode()
                    self._ends.append(len(self._bytes))
                    continue
                code = self._numbers[text] = len(self._known)
                self._known.append(text)
            self._codes.append(code)

    def _spell_out(self) -> None:
        """There are too many different ones: from now on each text by itself."""
        codes, known = self._codes, self._known
        self._numbers, self._codes, self._known = None, array("i"), []
        for code in codes:
            self._bytes += known[code].encode()
            self._ends.append(len(self._bytes))

    def __len__(self) -> int:
        return len(self._ends) - 1 if self._numbers is None else len(self._codes)

    def __getitem__(self, at: int) -> str:
        """Return one of them, by its number from 0."""
        if self._numbers is not None:
            return self._known[self._codes[at]]
        return self._bytes[self._ends[at] : self._ends[at + 1]].decode()

    def __iter__(self) -> Iterator[str]:
        if self._numbers is not None:
            return map(self._known.__getitem__, self._codes)
        return map(self.__getitem__, range(len(self)))
