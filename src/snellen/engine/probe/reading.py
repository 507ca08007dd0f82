"""Parsing of replies about charts: letters by row, places by colour, numbers in order. Pure, and tolerant only of form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from snellen.core.reply import spoken
from snellen.synthetic.charts import A_ROW

ENOUGH = 3
"""Letters of a row that must be right for any of them to count. Fewer can be right by chance."""
_LABEL = re.compile(r"^.*[:.)\]]\s+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def letters_right(text: str, rows: Sequence[str]) -> list[int]:
    """Return how many letters of each row a reply has right. Missing or extra rows in the reply do not shift the others.

    >>> letters_right("1. D N H K V\\n2. OSD-R", ["DNHKV", "SKRCZ", "OSDKR"])
    [5, 0, 4]
    """
    lines = [row for row in map(_row, spoken(text).splitlines()) if row]
    best = [[0] * (len(lines) + 1) for _ in range(len(rows) + 1)]
    for i in range(len(rows) - 1, -1, -1):
        for j in range(len(lines) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], _right(rows[i], lines[j]) + best[i + 1][j + 1])
    return list(_along(rows, lines, best))


def _along(rows: Sequence[str], lines: Sequence[str], best: list[list[int]]) -> Iterable[int]:
    """Yield the rows' scores along the best alignment of both."""
    j = 0
    for i, row in enumerate(rows):
        while j < len(lines) and best[i][j] == best[i][j + 1]:
            j += 1
        here = _right(row, lines[j]) if j < len(lines) else 0
        if here and best[i][j] == here + best[i + 1][j + 1]:
            yield here
            j += 1
        else:
            yield 0


def _row(line: str) -> str:
    """Return the letters of a line, with a mark for each letter that was not read."""
    bare = _LABEL.sub("", line.strip().strip("*`\"' "))
    found = [c for c in bare.upper() if c.isalpha() or c in "-–—?_"]
    return "".join(found)[-A_ROW:] if len(found) >= ENOUGH else ""


def _right(row: str, line: str) -> int:
    same = sum(a == b for a, b in zip(row, line, strict=False))
    return same if same >= ENOUGH else 0


def places(text: str, colours: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Return the place of each colour in a reply: the two numbers after its name, or the middle of a box of four.

    >>> places('red: (12, 34)\\n"blue": {"x": 0.5, "y": 0.25}\\ngreen - 0, 0, 10, 20', ["red", "green", "blue", "black"])
    {'red': (12.0, 34.0), 'blue': (0.5, 0.25), 'green': (5.0, 10.0)}
    """
    known = list(colours)
    words = re.compile(rf"\b({'|'.join(known)})\b", re.IGNORECASE)
    pieces = words.split(spoken(text))
    found: dict[str, tuple[float, float]] = {}
    for colour, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        numbers = [float(n) for n in _NUMBER.findall(rest)]
        if len(numbers) == 4:
            numbers = [(numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2]
        if len(numbers) == 2:
            found.setdefault(colour.lower(), (numbers[0], numbers[1]))
    return found


def two_digits(text: str) -> list[int]:
    """Return the two-digit numbers in a reply, in order."""
    return [int(n) for n in re.findall(r"(?<!\d)\d\d(?!\d)", spoken(text))]


def whole_number(text: str) -> int | None:
    """Return the reply as a whole number, or None if it is something else."""
    found = re.findall(r"\d+", spoken(text).replace(",", ""))
    return int(found[0]) if len(found) == 1 else None


def counted_to(text: str) -> int:
    """Return how far a reply counts from 1 without a gap, or 0 if it does not count.

    >>> counted_to("1 2 3 4"), counted_to("Sure! 1, 2, 3"), counted_to("no")
    (4, 3, 0)
    """
    last = 0
    for word in re.findall(r"\d+", spoken(text)):
        if int(word) == last + 1:
            last += 1
    return last
