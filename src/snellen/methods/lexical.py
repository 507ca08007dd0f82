"""The lexical chooser: it picks the detection that has the words of an instruction. No model, no truth, the same every time.

Words are compared with the standard library's difflib. A quoted text is the name of the target, and other quoted texts name things
near it. Without quotes the name is the instruction without its small words.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import msgspec

from snellen.exams.grounding.reading.predictions import Corners, Detection
from snellen.methods.base import Look, Parse, Tools
from snellen.methods.parsers import ParserLocator

ALIKE = 0.75  # of the letters: above this, OCR may read the same words
FAR = 20  # line heights from a label to its field
BELOW = 5  # a field below its label counts as this many times farther than one beside it
_QUOTED = re.compile(r"(?<!\w)'(.{1,200}?)'(?!\w)|\"(.{1,200}?)\"|“(.{1,200}?)”|‘(.{1,200}?)’|`(.{1,200}?)`")
_SMALL_WORDS = """
a an and any are at by click for from hit in into is it of on or please press push select tap that the this to which with
box button check checkbox dropdown field icon input item link menu radio tab text toggle
"""
_FIELD = re.compile(r"\b(?:field|input|drop ?down|combo ?box|search (?:box|bar))\b", re.IGNORECASE)


class LexicalChooser(ParserLocator):
    """Ranks detections by the words of the instruction and takes the first."""

    scored = True
    identity: Mapping[str, str] = {"version": "lexical/5"}

    async def choose(self, sample: str, picture: bytes, instruction: str, parse: Parse, tools: Tools) -> Look:
        return await tools.compute(best_words, instruction, parse.detections)


def best_words(instruction: str, detections: Sequence[Detection]) -> Look:
    """Rank detections by the words of an instruction; among equally similar ones, the nearest to the other names comes first."""
    name, *others = names_in(instruction)
    scores = [similarity(name, d.text) for d in detections]
    best = max(scores, default=0.0)
    if best == 0:
        return Look("refused", reason="nothing on the screen fits the words of the instruction")
    anchors = [d.box for other in others for d in detections if similarity(other, d.text) >= ALIKE]

    def rank(i: int) -> tuple[float, float]:
        return -scores[i], min((_apart(detections[i].box, box) for box in anchors), default=0.0)

    likeliest, *rest = (detections[i] for i in sorted(range(len(scores)), key=rank))
    chosen = words_in_line(name, likeliest)
    if chosen.kind == "text" and _FIELD.search(instruction):
        chosen = _field_of(chosen, detections)
    return Look("found", confidence=best, detections=(chosen, *(d for d in (likeliest, *rest) if d is not chosen)))


def names_in(instruction: str) -> list[str]:
    """Return the quoted texts of an instruction, the target's first; without quotes, its words without the small ones.

    >>> names_in("Click on the 'Edit' button in the row 'Alice'"), names_in("Click on the settings icon")
    (['Edit', 'Alice'], ['settings'])
    """
    quoted = [next(filter(None, found)) for found in _QUOTED.findall(instruction[:2000])]
    words = _plain(instruction[:2000]).split()
    return quoted or [" ".join(w for w in words if w not in _SMALL_WORDS.split()) or instruction]


def _plain(text: str) -> str:
    """Return lower-case words without punctuation.

    >>> _plain("Forgot  password?")
    'forgot password'
    """
    return re.sub(r"\W+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()


@lru_cache(maxsize=65536)
def similarity(name: str, text: str) -> float:
    """Return 1 for the same words; less for words that may be misread, for a part, and for shared words.

    >>> similarity("Log in", "LOG IN"), similarity("Save", "Open")
    (1.0, 0.0)
    """
    a, b = _plain(name), _plain(text)
    if not a or not b:
        return float(bool(name.strip()) and name.strip() == text.strip())
    letters = SequenceMatcher(None, a, b, autojunk=False).ratio()
    if f" {a} " in f" {b} ":
        return 0.5 + 0.5 * letters
    shared = SequenceMatcher(None, a.split(), b.split(), autojunk=False).ratio()
    return letters if letters >= ALIKE else 0.5 * shared


def words_in_line(name: str, line: Detection) -> Detection:
    """Return the part of a line of text that holds a name, by its share of the line's characters.

    A line may hold several links. The line itself is returned where it does not hold the words, and so is anything that is not text.
    """
    words = r"\W*".join(map(re.escape, _plain(name).split()))
    if line.kind != "text" or not words:
        return line
    found = re.search(rf"\b{words}\b", line.text, re.IGNORECASE) or re.search(words, line.text, re.IGNORECASE)
    if not found:
        return line
    x1, y1, x2, y2 = line.box
    start, end = (x1 + (x2 - x1) * place / len(line.text) for place in found.span())
    return msgspec.structs.replace(line, box=(start, y1, end, y2), text=found.group())


def _field_of(label: Detection, detections: Sequence[Detection]) -> Detection:
    """Return the narrowest wide box around a label, else the nearest to its right or below; the label itself where there is none."""
    _x1, y1, x2, y2 = label.box

    def away(field: Detection) -> tuple[float, float]:
        left, top, right, _bottom = field.box
        return max(0.0, left - x2) + BELOW * max(0.0, top - y2), right - left

    fields = [
        d for d in detections if d.kind != "text" and _is_wide(d.box) and d.box[2] >= x2 and d.box[3] >= (y1 + y2) / 2
    ]
    nearest = min(fields, key=away, default=label)
    return nearest if away(nearest)[0] < FAR * (y2 - y1) else label


def _is_wide(box: Corners) -> bool:
    return box[2] - box[0] >= 2 * (box[3] - box[1])


def _apart(a: Corners, b: Corners) -> float:
    """Return the distance between the middles of two boxes."""
    return math.dist(((a[0] + a[2]) / 2, (a[1] + a[3]) / 2), ((b[0] + b[2]) / 2, (b[1] + b[3]) / 2))
