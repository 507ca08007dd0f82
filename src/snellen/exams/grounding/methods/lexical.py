"""The lexical chooser: which detection fits the words of an instruction. No model, no truth, the same every time.

A detection's score joins how well its text matches, whether its kind fits, and where it is. A field or a check box has its name beside
it, so a matching label lends its score to the control next to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import msgspec

from snellen.exams.grounding.methods.base import Parse, Tools
from snellen.exams.grounding.methods.instruction_parser import ParsedInstruction, plain, read_wish, says_click
from snellen.exams.grounding.methods.looks import Look
from snellen.exams.grounding.methods.meaning import Sentence, beside, word_scores
from snellen.exams.grounding.methods.parsers import Chooser
from snellen.exams.grounding.reading.predictions import MOST_DETECTIONS, Corners, Detection

# how well a kind that a parser names fits a kind that an instruction names; unnamed pairs are OTHER
FIT: dict[str, dict[str, float]] = {
    "button": {"button": 1.0, "box": 0.9, "icon": 0.8, "text": 0.5, "field": 0.4},
    "icon": {"icon": 1.0, "box": 0.5, "button": 0.5, "checkbox": 0.3, "text": 0.2},
    "text": {"text": 1.0, "icon": 0.5, "button": 0.5},
    "link": {"text": 1.0, "icon": 0.5, "button": 0.5},
    "text_field": {"field": 1.0, "box": 0.9, "button": 0.7, "icon": 0.5, "text": 0.3},
    "dropdown": {"field": 1.0, "box": 0.9, "button": 0.9, "icon": 0.5, "text": 0.3},
    "checkbox": {"checkbox": 1.0, "icon": 0.7, "box": 0.5, "text": 0.4},
    "radio": {"checkbox": 1.0, "icon": 0.8, "box": 0.5, "text": 0.4},
    "switch": {"checkbox": 0.9, "icon": 0.9, "box": 0.7, "button": 0.7, "text": 0.4},
    "slider": {"box": 0.8, "field": 0.8, "icon": 0.8},
    "tab": {"button": 0.9, "box": 0.8, "text": 0.9, "icon": 0.7},
    "menu": {"text": 1.0, "button": 0.8, "icon": 0.8},
    "cell": {"text": 1.0, "box": 0.8, "field": 0.6},
}
OTHER = 0.3
UNSTATED = 0.6
LABELLED = frozenset({"text_field", "dropdown", "checkbox", "radio", "switch", "slider"})
UNWORDED = LABELLED | {"icon"}  # kinds whose name need not stand on them
BESIDE = 0.95  # what a label passes on to the control beside it
OF_A_KIND = 0.25  # all that can be said for a control of the right kind without a word on it
SAYS_OTHER = 0.4  # of that, where there are other words on it
CLEAR = 0.55  # a text match that counts as the same words
BELOW = 1.5  # line heights from a label to the field below it
MOST_WORDS = 3  # that stand in a field: more are a row of a table
NAMED = 0.8  # a score for which something has to have the very name
MOST_SAID = 12  # words of a wish: more are a description
FITS = 0.3  # of a meaning that fits at all
SHARED = 0.6  # what single words of the name count beside their meaning
WORTH = 0.05  # less than this is no reason to click
_HINT_WORDS = frozenset(["enter", "type", "your", "select", "choose", "search", "please", "a", "the", "here"])


class LexicalChooser(Chooser):
    """Ranks detections by the words of the instruction and takes the first."""

    scored = True
    version = "lexical/3"  # 1 read names only, not natural instructions; 2 clicked at the middle of every line

    async def choose(self, sample: str, picture: bytes, instruction: str, parse: Parse, tools: Tools) -> Look:
        scores = scores_of(instruction, parse)
        order = sorted(range(len(scores)), key=lambda i: -scores[i])[:MOST_DETECTIONS]
        look = Look("found", detections=tuple(parse.detections[i] for i in order))
        if not order or scores[order[0]] < WORTH:
            return look._replace(status="refused", reason="nothing on the screen fits the words of the instruction")
        chosen = where_the_words_stand(instruction, look.detections[0])
        return look._replace(confidence=min(1.0, scores[order[0]]), detections=(chosen, *look.detections[1:]))


def scores_of(instruction: str, parse: Parse) -> list[float]:
    """How well each detection fits an instruction: by the name that it gives, else by what it means.

    Whoever says "click" or takes many words describes something on the screen; whoever says in a few what they want does not. A
    meaning that fits nothing well is no reason to click.
    """
    wish = read_wish(instruction)
    named = score_all(wish, parse.detections, parse.width, parse.height)
    described = wish.quoted or wish.kind == "icon" or says_click(instruction) or len(instruction.split()) > MOST_SAID
    if described or max(named, default=0.0) >= (CLEAR if wish.kind else NAMED):
        return named
    said = Sentence.of(instruction)
    meant = word_scores(said, parse.detections)
    _to_fields(wish.kind or said.kind, parse.detections, meant)
    if not (wish.kind or said.kind):
        beside(said, parse.detections, meant)
    if max(meant, default=0.0) < FITS:
        return named
    return [max(m, SHARED * n) for m, n in zip(meant, named, strict=True)]


def where_the_words_stand(instruction: str, line: Detection) -> Detection:
    """Return the part of a line of text that holds the named words, by its share of the line's characters.

    A line may hold several links. The line itself is returned where it does not hold the words, and for all that is not text.
    """
    words = r"\W*".join(map(re.escape, plain(read_wish(instruction).phrase).split()))
    if line.kind != "text" or not words:
        return line
    found = re.search(rf"\b{words}\b", line.text, re.IGNORECASE) or re.search(words, line.text, re.IGNORECASE)
    if not found:
        return line
    x1, y1, x2, y2 = line.box
    start, end = (x1 + (x2 - x1) * place / len(line.text) for place in found.span())
    return msgspec.structs.replace(line, box=(start, y1, end, y2), text=found.group())


def score_all(wish: ParsedInstruction, detections: Sequence[Detection], width: int, height: int) -> list[float]:
    """How well each detection fits a wish, 0 to 1."""
    matches = [match(wish, d.text) for d in detections]
    scores = []
    for detection, said in zip(detections, matches, strict=True):
        fits = fit(wish.kind, detection.kind)
        where = nearness(wish, detection.box, width, height)
        if said > 0:
            scores.append(said * (0.75 + 0.15 * fits + 0.1 * where))
        elif wish.quoted and (detection.text or wish.kind not in UNWORDED):
            scores.append(0.0)  # it says something else, or should say something
        elif (fits >= 0.9 and wish.kind) or wish.x is not None or wish.y is not None:
            scores.append(OF_A_KIND * fits * where * (SAYS_OTHER if detection.text else 1.0))
        else:
            scores.append(0.0)
    if wish.kind in LABELLED:
        _lend(wish, detections, matches, scores)
    if wish.anchor:
        _by_anchor(wish, detections, scores)
    if wish.nth is not None:
        _count(wish, detections, scores)
    return scores


def fit(wanted: str, kind: str) -> float:
    """How well a parser's kind fits the wanted one."""
    return FIT[wanted].get(kind, OTHER) if wanted in FIT else UNSTATED


def match(wish: ParsedInstruction, text: str) -> float:
    """How well a text matches the wished words; for fields also without the usual `Enter ...`."""
    if not text or not wish.phrase:
        return 0.0
    best = similarity(wish.phrase, text)
    if wish.kind in LABELLED and best < 1:
        words = plain(text).split()
        bare = " ".join(w for w in words if w not in _HINT_WORDS)
        if bare and len(bare) < len(" ".join(words)):
            best = max(best, 0.97 * similarity(wish.phrase, bare))
    return best


@lru_cache(maxsize=65536)
def similarity(wanted: str, text: str) -> float:
    """1 for the same words; less for what an OCR reader may have misread, for a part, and for shared words.

    >>> similarity("Log in", "LOG IN"), similarity("Save", "S")
    (1.0, 0.0)
    """
    a, b = plain(wanted), plain(text)
    if not a or not b:
        return float(bool(wanted.strip()) and wanted.strip() == text.strip())
    if a == b:
        return 1.0
    tight_a, tight_b = a.replace(" ", ""), b.replace(" ", "")
    if tight_a == tight_b:
        return 0.98
    best = 0.0
    if min(len(tight_a), len(tight_b)) >= 3:
        alike = SequenceMatcher(None, tight_a, tight_b, autojunk=False).ratio()
        if alike >= 0.75:
            best = 0.9 * alike
    words_a, words_b = a.split(), b.split()
    if f" {a} " in f" {b} ":
        best = max(best, 0.5 + 0.4 * len(a) / len(b))
    elif f" {b} " in f" {a} " and len(b) >= 3:
        best = max(best, 0.3 + 0.4 * len(b) / len(a))
    shared = len(set(words_a) & set(words_b))
    if shared:
        best = max(best, 0.6 * 2 * shared / (len(set(words_a)) + len(set(words_b))))
    return best


def nearness(wish: ParsedInstruction, box: Corners, width: int, height: int) -> float:
    """How near a box is to the part of the screen that is named; 1 where none is named."""
    apart = []
    if wish.x is not None:
        apart.append(abs((box[0] + box[2]) / 2 / width - wish.x))
    if wish.y is not None:
        apart.append(abs((box[1] + box[3]) / 2 / height - wish.y))
    return 1.0 if not apart else max(0.0, 1.0 - 1.5 * sum(apart) / len(apart))


# ---------------------------------------------------------------- what stands beside


def _lend(
    wish: ParsedInstruction, detections: Sequence[Detection], matches: Sequence[float], scores: list[float]
) -> None:
    """A label that matches lends its score to the nearest control of the wished kind, and keeps less itself."""
    controls = [i for i, d in enumerate(detections) if d.kind != "text" and fit(wish.kind, d.kind) >= 0.5]
    for i, said in enumerate(matches):
        if said < CLEAR or detections[i].kind != "text":
            continue
        label = detections[i].box
        near = [
            (fit(wish.kind, detections[j].kind) < 0.6, gap, j)  # a better fit goes before a smaller gap
            for j in controls
            if (gap := _gap(wish.kind, label, detections[j].box)) is not None
        ]
        if near:
            j = min(near)[2]
            lent = said * (0.85 + 0.15 * fit(wish.kind, detections[j].kind)) * BESIDE
            scores[j] = max(scores[j], lent)
            scores[i] = min(scores[i], 0.8 * lent)


def _to_fields(kind: str, detections: Sequence[Detection], scores: list[float]) -> None:
    """Whoever wants a thing done clicks on the field and not on its label: a label passes its score on to the field beside it."""
    if kind and kind not in ("text_field", "dropdown"):
        return
    fit_for = ("field", "box", "button") if kind else ("field",)
    fields = [i for i, d in enumerate(detections) if d.kind in fit_for and len(d.text.split()) <= MOST_WORDS]
    framed = [d.box for d in detections if d.kind != "text" and d.text]
    for i, said in enumerate(list(scores)):
        label = detections[i].box
        if said < WORTH or detections[i].kind != "text" or any(_holds(box, label) for box in framed):
            continue
        tall = label[3] - label[1]
        gaps = ((_gap("text_field", label, detections[j].box), j) for j in fields)
        # where nobody spoke of a field, only one right below its label is taken for what is meant
        near = [
            (gap, j)
            for gap, j in gaps
            if gap is not None and (kind or 0 < gap <= BELOW * tall < detections[j].box[1] - label[1])
        ]
        if near:
            scores[min(near)[1]] = max(scores[min(near)[1]], 1.02 * said)


def _holds(box: Corners, inner: Corners) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _gap(kind: str, label: Corners, control: Corners) -> float | None:
    """How far a control is from its label; None where it cannot be its control."""
    lx1, ly1, lx2, ly2 = label
    cx1, cy1, cx2, cy2 = control
    tall = ly2 - ly1
    level = min(ly2, cy2) - max(ly1, cy1) > 0.4 * min(tall, cy2 - cy1)
    if kind in ("checkbox", "radio", "switch"):
        if not level or cx2 - cx1 > 6 * tall:
            return None
        gap = lx1 - cx2 if cx2 <= lx1 + tall else (cx1 - lx2) * 1.2
        return gap if -tall <= gap <= 4 * tall else None
    if cx1 <= lx1 and lx2 <= cx2 and cy1 <= ly1 and ly2 <= cy2:
        return 0.0  # the words stand in the field itself
    if level and cx1 >= lx2 - tall:
        gap = cx1 - lx2
        return gap if gap <= 20 * tall else None
    below = cy1 - ly2
    beside = abs(cx1 - lx1)
    if -0.5 * tall <= below <= 2.5 * tall and (beside <= 3 * tall or cx1 <= lx1 <= cx2):
        return max(0.0, below) + 0.2 * beside
    return None


def _by_anchor(wish: ParsedInstruction, detections: Sequence[Detection], scores: list[float]) -> None:
    """Among alike candidates, those that stand as told to the named neighbour."""
    anchors = [d.box for d in detections if similarity(wish.anchor, d.text) >= 0.8]
    if not anchors:
        return
    for i, detection in enumerate(detections):
        if scores[i] >= WORTH:
            best = max(_stands(wish.relation, detection.box, anchor) for anchor in anchors)
            scores[i] *= 0.5 + 0.5 * best


def _stands(relation: str, box: Corners, anchor: Corners) -> float:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    ax, ay = (anchor[0] + anchor[2]) / 2, (anchor[1] + anchor[3]) / 2
    right_side = {"left": x < ax, "right": x > ax, "below": y > ay, "above": y < ay}.get(relation, True)
    if not right_side or box == anchor:
        return 0.0
    across, along = abs(y - ay), abs(x - ax)
    if relation == "row":
        tall = max(box[3] - box[1], anchor[3] - anchor[1])
        return 1.0 if across <= 0.75 * tall else tall / (tall + across)
    if relation in ("below", "above"):
        across, along = along, across
    return 1.0 / (1.0 + (2 * across + along) / 400)


def _count(wish: ParsedInstruction, detections: Sequence[Detection], scores: list[float]) -> None:
    """The nth of those that are alike, in reading order or along the named side."""
    best = max(scores, default=0.0)
    alike = [i for i, s in enumerate(scores) if s >= WORTH and s >= best - 0.08]
    if wish.nth is None or not alike:
        return
    backwards = wish.along in ("bottom", "right")
    axis = {"top": 1, "bottom": 1, "left": 0, "right": 0}.get(wish.along)
    rows = sorted(alike, key=lambda i: _place(detections[i].box, axis))
    if backwards:
        rows.reverse()
    place = wish.nth - 1 if wish.nth > 0 else len(rows) - 1
    if place < len(rows):
        chosen = rows[place]
        for i in alike:
            scores[i] = min(scores[i], best) * (1.0 if i == chosen else 0.85)
        scores[chosen] = best


def _place(box: Corners, axis: int | None) -> tuple[float, float]:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    if axis == 0:
        return x, y
    if axis == 1:
        return y, x
    return round(y / 12), x
