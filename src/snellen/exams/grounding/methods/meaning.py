"""What a natural instruction means on one screen: "get rid of Order 2231" is the delete button in the row of that order.

The words of the instruction and those of each detection are compared as words, as forms of one word and by the thesaurus; words that
stand everywhere on the screen count less. What names a row, a card or a person is an anchor: the rest of the sentence is then looked
for beside it, as a button, an icon or a value.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from snellen.exams.grounding.methods.thesaurus import ThesaurusTerm, same, stem, units, words_of
from snellen.exams.grounding.reading.predictions import Corners, Detection

SYNONYM = 0.72  # what a word of the same meaning counts, against the same word
MISREAD = 0.85  # how alike two words are that a reader of pixels may take for each other
ANCHOR = 0.85  # how much of a text the instruction has to say to name it
FROM_MEANING = 0.9  # the most that can be said for a match that is not literal
OTHER_THAN_NAMED = 0.75  # what is left for a text without the name, where another has it
PRIOR = {"button": 1.0, "text": 0.97, "field": 0.95}  # which kinds are clicked, where nobody says
SAYS = 0.45  # a match of the rest of a sentence that counts
PROSE = 7  # words: longer texts are to be read, and seldom clicked

_VERBS = {
    "text_field": re.compile(r"^\W*(?:please )?(?:enter|type|write|fill|key|put in|insert)\b", re.IGNORECASE),
    "dropdown": re.compile(r"^\W*(?:please )?(?:choose|pick|select|switch|set|change)\b", re.IGNORECASE),
    "checkbox": re.compile(r"^\W*(?:please )?(?:tick|untick|check|uncheck|turn (?:on|off)|enable|disable)\b", re.IGNORECASE),
}  # fmt: skip
# what is asked about a thing, and how its answer is written
_VALUES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(written))
    for asked, written in (
        (r"\bhow (?:large|big|heavy)\b|\bbytes\b|\bsize\b|\bspace\b|\bbig\b", r"[\d.,]+ ?[KMGT]?i?B"),
        (r"\bhow long\b|\blength\b|\bduration\b|\bminutes\b|\btime\b", r"\d{1,2}:\d\d(?::\d\d)?"),
        (r"\bwhen\b|\bdate\b|\bhow (?:old|recent)\b|\bday\b", r"\d{4}-\d\d-\d\d|\d\d?[-./]\d\d?(?:[-./]\d{2,4})?"),
        (r"\bhow much\b|\bcosts?\b|\bprice\b|\bamount\b|\bexpensive\b|\bworth\b", r"[$€£]? ?\d[\d,]*\.\d\d ?[$€£]?"),
    )
)
_NAME = re.compile(r"(?<=[^.?!] )(?!I\b)[A-Z][a-z]{2,}")
_CLOCK = re.compile(r"\bwhat time\b|\btime is it\b|\bthe time\b", re.IGNORECASE)
_TIME = re.compile(r"\d{1,2}:\d\d(?: ?[AP]M)?", re.IGNORECASE)
# which icon of a row does what, by custom; who only wants to look at a thing clicks on the thing
_LAST, _NEAREST, _LOOKING = ("delete", "options"), ("edit", "hide", "heart", "phone", "lock"), ("open", "play", "view")


class Sentence(NamedTuple):
    """An instruction as it is said: its words and phrases, which of them are names, and the kind of control that its verb asks for."""

    text: str
    units: tuple[ThesaurusTerm, ...]
    names: frozenset[str]
    kind: str

    @classmethod
    def of(cls, instruction: str) -> Sentence:
        """Read an instruction.

        >>> Sentence.of("Enter my telephone number").kind, sorted(Sentence.of("Start a talk with Sam").names)
        ('text_field', ['sam'])
        """
        names = {stem(w.casefold()) for w in _NAME.findall(instruction)}
        names |= {u.stem for u in units(instruction) if not u.meanings and u.stem.isalpha()}
        kind = next((kind for kind, pattern in _VERBS.items() if pattern.search(instruction)), "")
        rest = (
            _VERBS[kind].sub("", instruction) if kind else instruction
        )  # "enter" says that it is a field, and no more
        return cls(instruction, units(rest, longest=True), frozenset(names), kind)


class ScreenTexts(NamedTuple):
    """The texts of a screen as units, and how much each of their words counts."""

    units: tuple[tuple[ThesaurusTerm, ...], ...]
    rarity: dict[str, float]


def screen_of(detections: Sequence[Detection]) -> ScreenTexts:
    """What is written on a screen. A word that stands in many places says little."""
    found = tuple(units(d.text) if d.text else () for d in detections)
    texts = {d.text.casefold(): {u.stem for u in one} for d, one in zip(detections, found, strict=True)}
    counts = Counter(stem for stems in texts.values() for stem in stems)
    return ScreenTexts(found, {stem: 1 / (1 + 0.5 * math.log2(count)) for stem, count in counts.items()})


def word_scores(sentence: Sentence, detections: Sequence[Detection]) -> list[float]:
    """How well the words of each detection serve what an instruction asks for, 0 to 1."""
    screen = screen_of(detections)
    called = any(u.stem in sentence.names for said in screen.units if len(said) <= PROSE for u in said)
    scores = [
        (OTHER_THAN_NAMED if called and not any(u.stem in sentence.names for u in said) else 1.0)
        * FROM_MEANING
        * PRIOR.get(d.kind, 0.9)
        * _fits(sentence.units, said, screen, d, sentence.names)
        for said, d in zip(screen.units, detections, strict=True)
    ]
    if _CLOCK.search(sentence.text):
        times = [i for i, d in enumerate(detections) if _TIME.fullmatch(d.text.strip())]
        scores = [max(score, 0.8) if i in times else score for i, score in enumerate(scores)]
    return scores


def beside(sentence: Sentence, detections: Sequence[Detection], scores: list[float]) -> None:
    """Where a sentence names a row, a card or a person, the rest of it is looked for there: that counts most."""
    screen = screen_of(detections)
    anchor = _anchor(sentence.text, detections)
    if anchor is not None:
        _beside(sentence.text, sentence.units, anchor, detections, screen, scores)


# ---------------------------------------------------------------- words


def alike(a: ThesaurusTerm, b: ThesaurusTerm) -> float:
    """How near two words or phrases are: the same, a form of it, misread, or of one meaning."""
    if same(a.stem, b.stem):
        return 1.0
    if a.meanings & b.meanings:
        return SYNONYM
    return MISREAD if _misread(a.stem, b.stem) else 0.0


@lru_cache(maxsize=65536)
def _misread(a: str, b: str) -> bool:
    if min(len(a), len(b)) < 5 or a[0] != b[0]:
        return False
    return SequenceMatcher(None, a, b, autojunk=False).ratio() >= MISREAD


def _fits(
    asked: Sequence[ThesaurusTerm],
    said: Sequence[ThesaurusTerm],
    screen: ScreenTexts,
    detection: Detection,
    names: frozenset[str] = frozenset(),
) -> float:
    """How much of a text is asked for, and how much of what is asked for it says. A name says more than other words."""
    if not asked or not said:
        return 0.0
    near = [[alike(a, s) for s in said] for a in asked]
    weights = [screen.rarity.get(s.stem, 1.0) * (1.0 + 0.5 * s.stem.count(" ")) for s in said]
    of_text = sum(w * max(row[j] for row in near) for j, w in enumerate(weights)) / sum(weights)
    of_wish = sum(max(row) for row in near) / len(asked)
    if any(u.stem in names for u in said):
        of_text, of_wish = max(of_text, 0.8), max(of_wish, 0.5)
    best = max(map(max, near))
    long = len(words_of(detection.text))
    return best * (0.62 * of_text + 0.38 * min(1.0, 1.6 * of_wish)) * (1.0 if long <= PROSE else PROSE / long)


# ---------------------------------------------------------------- anchors


def _anchor(instruction: str, detections: Sequence[Detection]) -> int | None:
    """The text whose words the instruction says one by one, the longest of them; None where there is none.

    Words that are all in the thesaurus are no anchor: "download" is what somebody wants to do, and names no row.
    """
    spoken = words_of(instruction)
    names = {w.casefold() for w in _NAME.findall(instruction)}
    best: tuple[float, int] | None = None
    for i, detection in enumerate(detections):
        if detection.kind != "text" or not detection.text:
            continue
        words = words_of(detection.text)
        said = [w for w in words if w in spoken]
        if not said or len(words) > PROSE or not any(w in names or not meaning_of(w) for w in said):
            continue
        share = sum(map(len, said)) / sum(map(len, words))
        whole = _in_order(words, spoken)
        if not whole and share < ANCHOR:
            continue
        rank = sum(map(len, said)) + (0.5 if whole else 0.0)
        if best is None or rank > best[0]:
            best = rank, i
    return None if best is None else best[1]


@lru_cache(maxsize=16384)
def meaning_of(word: str) -> bool:
    """Whether the thesaurus has a word, or it is too small to name anything."""
    found = units(word)
    return not found or bool(found[0].meanings)


def _in_order(words: list[str], spoken: list[str]) -> bool:
    return any(spoken[i : i + len(words)] == words for i in range(len(spoken) - len(words) + 1))


def _beside(
    instruction: str, asked: Sequence[ThesaurusTerm], anchor: int, detections: Sequence[Detection], screen: ScreenTexts, scores: list[float]
) -> None:  # fmt: skip
    """What the rest of a sentence asks for, looked for in the row or on the card of the anchor."""
    named = screen.units[anchor]
    rest = [u for u in asked if not any(same(u.stem, n.stem) for n in named) and u.stem not in _joined(named)]
    if not rest:
        return
    box = detections[anchor].box
    near = [i for i, d in enumerate(detections) if i != anchor and together(box, d.box)]
    near.sort(key=lambda i: _distance(box, detections[i].box))
    ways = (
        _value(instruction, near, detections),
        _worded(rest, near, detections, screen),
        _cell(rest, box, detections, screen),
        _icon(rest, near, detections, box),
    )
    found = next((i for i in ways if i is not None), None)
    if found is not None:
        scores[found] = max(scores[found], 0.93)


def _joined(named: Sequence[ThesaurusTerm]) -> str:
    return " ".join(u.stem for u in named)


def together(anchor: Corners, box: Corners) -> bool:
    """Whether something stands in the row of an anchor, or below it on the same card."""
    tall = anchor[3] - anchor[1]
    middle = (box[1] + box[3]) / 2
    if anchor[1] - 0.6 * tall <= middle <= anchor[3] + 0.6 * tall:
        return True
    below = box[1] - anchor[3]
    return -0.5 * tall <= below <= 6 * tall and box[0] <= anchor[2] + 2 * tall and box[2] >= anchor[0] - tall


def _value(instruction: str, near: list[int], detections: Sequence[Detection]) -> int | None:
    for asked, written in _VALUES:
        if asked.search(instruction):
            found = [i for i in near if written.fullmatch(detections[i].text.strip())]
            if found:
                return found[0]
    return None


def _cell(
    rest: Sequence[ThesaurusTerm], anchor: Corners, detections: Sequence[Detection], screen: ScreenTexts
) -> int | None:
    """The text in the row of an anchor that stands under a head with words for the rest."""
    tall = anchor[3] - anchor[1]
    above = [(i, d.box) for i, d in enumerate(detections) if d.kind == "text" and d.box[3] <= anchor[1]]
    own = [box for _i, box in above if abs(box[0] - anchor[0]) <= tall]  # the head of the anchor's own column
    heads = [
        box
        for i, box in above
        if any(abs(_middle(box) - _middle(one)) <= 0.5 * tall and box != one for one in own)
        and _fits(rest, screen.units[i], screen, detections[i]) >= SAYS
    ]
    for head in sorted(heads, key=lambda b: anchor[1] - b[3]):
        for i, d in enumerate(detections):
            level = abs(_middle(d.box) - _middle(anchor)) <= 0.6 * tall
            if d.kind == "text" and level and d.box != anchor and abs(d.box[0] - head[0]) <= tall:
                return i
    return None


def _worded(
    rest: Sequence[ThesaurusTerm], near: list[int], detections: Sequence[Detection], screen: ScreenTexts
) -> int | None:
    """The nearest thing with words for the rest."""
    ranked = [(_fits(rest, screen.units[i], screen, detections[i]), -n, i) for n, i in enumerate(near)]
    best = max(ranked, default=(0.0, 0, 0))
    return best[2] if best[0] >= SAYS else None


def _icon(
    rest: Sequence[ThesaurusTerm], near: list[int], detections: Sequence[Detection], anchor: Corners
) -> int | None:
    """An icon of the row, by custom: the last of those at the right for deleting and more, the nearest for all else. Where there is
    but one at the right, it does whatever is to be done.
    """
    tall = anchor[3] - anchor[1]
    free = [i for i in near if detections[i].kind == "icon" and detections[i].box[3] - detections[i].box[1] <= 3 * tall]
    row = [i for i in free if abs(_middle(detections[i].box) - _middle(anchor)) <= 0.8 * tall] or free
    right = sorted((i for i in row if detections[i].box[0] >= anchor[2]), key=lambda i: detections[i].box[0])
    right = right[
        : next((n + 1 for n, (a, b) in enumerate(pairwise(right)) if _apart(detections, a, b) > 4 * tall), None)
    ]
    if any(_means(rest, act) for act in _LAST) and right:
        return right[-1]
    if any(_means(rest, act) for act in _NEAREST) and row:
        return min(row, key=lambda i: max(anchor[0] - detections[i].box[2], detections[i].box[0] - anchor[2]))
    acts = any(u.meanings for u in rest) and not any(_means(rest, act) for act in _LOOKING)
    return right[0] if len(right) == 1 and acts else None


def _means(said: Sequence[ThesaurusTerm], act: str) -> bool:
    return any(u.meanings & units(act)[0].meanings for u in said)


def _apart(detections: Sequence[Detection], left: int, right: int) -> float:
    return detections[right].box[0] - detections[left].box[2]


def _distance(a: Corners, b: Corners) -> float:
    return max(0.0, a[0] - b[2], b[0] - a[2]) + max(0.0, a[1] - b[3], b[1] - a[3])


def _middle(box: Corners) -> float:
    return (box[1] + box[3]) / 2
