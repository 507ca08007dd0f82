"""The read stage: how each protocol extracts labels from a reply. Pure functions of text and label list."""

from __future__ import annotations

import re
from functools import lru_cache

from snellen.core.reply import Options, certain, is_plain, is_there, taken_back, undoubted
from snellen.exams.salbench.names import labels_of

# ---------------------------------------------------------------- lmms-eval (also the paper's own rules)


def read_lmms(reply: str, _labels: tuple[str, ...] = ()) -> frozenset[str]:
    """Read a reply: lower-case it, strip brackets from the ends, split on commas. Nothing else is cleaned; an empty reply is one empty
    piece.
    """
    return frozenset(piece.strip() for piece in reply.lower().strip("[").strip("]").split(","))


def truth_lmms(answer: str, _labels: tuple[str, ...] = ()) -> frozenset[str]:
    """Split the data set's answer on commas."""
    return frozenset(piece.strip() for piece in answer.lower().split(","))


# ---------------------------------------------------------------- the "SalBench Evaluation Plan v2" implementation


def truth_plan_v2(answer: str, labels: tuple[str, ...]) -> frozenset[str]:
    """Read an answer: at most one label per part, by substring.

    The original iterates over a set, whose order changes from run to run; here the order is that of the paper's feature list. (The
    original's trimming of articles and nouns has no effect on the result.)
    """
    parts = re.split(r";| and |\n|,", answer.lower().strip())
    found = (next((label for label in labels if label in part), None) for part in parts)
    return frozenset(label for label in found if label)


def read_plan_v2(reply: str, labels: tuple[str, ...]) -> frozenset[str]:
    """Read a reply by the same rule, with one more separator."""
    return truth_plan_v2(reply.replace("|", ","), labels)


# ---------------------------------------------------------------- robust

SPELLINGS = {
    "orientation": "orientation orientations oriented orientated rotation rotations rotated tilt tilted angle angles angled direction "
    "slant slanted",
    "color": "color colors colour colours colored coloured coloration colouration coloring colouring hue hues",
    "focus": "focus focused blur blurred blurry blurriness sharpness defocus defocused",
    "shape": "shape shapes shaped",
    "size": "size sizes sized larger smaller bigger scale",
    "location": "location locations position positions positioned placement positioning",
    "pattern": "pattern patterns patterned",
}
_KEYS_TEXT = """
feature features salient_feature salient_features attribute attributes category categories difference differences odd_feature
distinguishing_feature distinguishing_features
"""
KEYS = tuple(_KEYS_TEXT.split())
_SENTENCE = re.compile(r"[.;\n!?]+|\b(?:(?<!thing )but|however|while|whereas|although|though|yet)\b")
_SAME = r"(?:same|similar|identical|equal|unchanged|uniform|consistent|alike|constant|normal)"
_NOT_SAME = re.compile(
    r"\b(?:not|isn't|aren't|no longer|doesn't|don't|does not|do not) "
    rf"(?:(?:all|quite|exactly|have|share|match|show|of|in|the|a) ){{0,3}}{_SAME}\b"
    r"|\b(?:doesn't|don't|does not|do not) (?:match|share)\b"
)
_EXCEPT = re.compile(rf"\b{_SAME}\b[\w ]{{0,40}}\bexcept\b")
_NOT_ONLY = re.compile(r"\b(?:not|isn't|aren't) (?:only|just|merely)\b")
_WORDS_TEXT = """
same similar identical equal unchanged uniform consistent alike constant normal match matches share maybe perhaps possibly
potentially vs versus tell certain distinguish between irrelevant contrary difficult hard
"""
_WORDS = frozenset(_WORDS_TEXT.split())  # in addition to words of doubt: a sentence without any of them denies nothing
_UNSURE = re.compile(
    r"\b(?:not (?:\w{1,10} )?(?:sure|certain|clear)|unsure|uncertain|unclear|(?:hard|difficult|impossible) to (?:say|tell)|whether|if"
    r"|(?:cannot|can't|could not|couldn't|unable to|not able to) (?:tell|say|determine|decide|identify|see|make out|help|assist"
    r"|answer|provide|discern|distinguish|confirm|verify|detect|find|perceive|analy[sz]e|assess|judge))\b[^,]{0,400}"
)
_HEDGES = (" or ", "/or ", "maybe", "perhaps", "possibly", "potentially", " vs", "versus", " from ", "between")
_MORE = re.compile(r"\b(?:also|too|as well|additionally|in addition|besides|furthermore|moreover)\b")
_DIFFERS = re.compile(r"\b(?:differ\w{0,5}|unlike|unique|stands? out|odd)\b")
_LOOKING = re.compile(r"\bfocus(?:ed|es)? (?:up)?on\b")  # not a label


class _Grammar:
    """The compiled patterns of one label list."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        # also on P3 the words of all seven features: "the same shape and size" denies two of them
        self.options = Options({word: label for label, words in SPELLINGS.items() for word in words.split()}, KEYS)
        word = rf"\b{self.options.word}\b"
        # every repeat is bounded, so that no reply can make the reader slow
        noun = rf"(?:(?:the|its|their|all|any|in|of)\s){{0,3}}{word}"
        joined = rf"{noun}(?:\s?(?:,\s?(?:and|or|nor)|,|and|or|nor|&|/)\s?{noun}){{0,8}}"
        closed = rf"{noun}(?:\s?,\s?{noun}){{0,8}}\s?,?\s?(?:and|or|nor)\s{noun}"
        # "not color", "no difference in size or shape", "the same shape, size and color", "rather than size"; between the
        # two only words that do not change what is said ("one of the identical circles differs in color" is not a denial)
        filler = (
            r"(?:(?:an?|the|its|their|any|all|in|of|by|to|about|differs?|differences?|different|changes?|due)\s){0,4}"
        )
        # "I don't think that it is the color", "not because of its size", "doesn't have a different shape"
        further = (
            r"(?:(?:an?|the|its|their|this|any|all|in|of|by|to|about|on|from|with|that|it|it's|is|be|been|have|has|think|believe|say|call|confirm|see|matter"
            r"|because|due|based|related|caused|really|actually|necessarily|primarily|mainly|differ|difference|different|vary|change)\s){0,7}"
        )
        commas = rf"{noun}(?:\s?,\s?{noun}(?!\s(?:is|are|differs?)\b)){{0,8}}"
        negation = (
            r"not(?!\sonly|\sjust)|isn't|aren't|wasn't|doesn't|don't|didn't|wouldn't|can't|cannot|never|neither|nor|anything but|hardly"
            r"|far from|unlikely|(?<!no )doubt|ruled? out|other than|wrong to (?:say|think)|(?:all|everything|anything) (?:but|except)"
        )
        self.before = re.compile(
            rf"\b(?:(?:{negation})\s{further}|(?:no|without|rather than|instead of|as opposed to|contrary to|(?P<same>{_SAME}))\s{filler})"
            rf"(?P<list>{closed}|{commas})"
        )
        of = r"(?:(?:of|in|for)\s(?:[a-z']{1,20}\s){1,4}?)?"
        # "color, shape and size are the same"; a label after "differs in" does not belong to the list
        self.after = re.compile(
            rf"(?P<lead>\b(?:in|by|different|is|of)\s)?(?P<list>{joined}),?\s{of}(?:(?:[a-z']{{1,20}}\s){{0,2}}?"
            rf"(?:is|are|was|were|remains?|stays?|looks?|appears?|seems?|being)\s(?:[a-z']{{1,20}}\s){{0,2}}?(?:{_SAME}|not different)\b"
            r"|(?:do not|does not|don't|doesn't) (?:differ|vary|change|matter|stand out)\b"
            r"|(?:do not|does not|don't|doesn't)(?=\s?(?:,|$))|match(?:es)?\b)"
        )
        # "color is not what sets it apart"
        self.is_not = re.compile(
            rf"(?P<list>{noun})\s{of}(?:(?:is|are|was|do|does) not|isn't|aren't|wasn't|doesn't|don't|cannot|can't"
            r"|is (?:wrong|incorrect|irrelevant))\b(?!\s(?:only|just|like|as|the only)\b)"
        )
        self.hedge = re.compile(
            rf"{word},?\s(?:(?:and|but)\s)?(?:maybe|perhaps|possibly|potentially)\s{noun}|{noun}\s(?:vs\.?|versus|from)\s{noun}|\bbetween\s{noun}\sand\s{noun}"
            rf"|{word},?\s(?:or|and/or)\s(?:(?:maybe|perhaps|possibly|even|else|by|due|to)\s){{0,2}}{noun}"
        )
        # the option list copied out in its own order
        self.echo = re.compile(r"\W+(?:and\W+|or\W+)?".join(re.escape(label) for label in labels))

    def affirmed_and_denied(self, text: str) -> tuple[set[str], set[str]]:
        """Return the labels that a text affirms, and those that it denies. A hedge between labels affirms none of the sentence's labels."""
        affirmed: set[str] = set()
        denied: set[str] = set()

        def deny(found: re.Match[str]) -> str:
            if not found.groupdict().get("same"):
                denied.update(self.options.names(found["list"]))
            return " "

        plain = is_plain(text, _WORDS)
        if not plain:
            text = _EXCEPT.sub("different", _NOT_SAME.sub("different", _NOT_ONLY.sub("", certain(text))))
        without_echo = self.echo.sub(" ", text)
        if without_echo != text and self.options.named.search(without_echo):
            text = without_echo
        elif plain:
            return set(self.options.names(text)), denied
        for sentence in _SENTENCE.split(text):
            if is_plain(sentence, _WORDS):
                affirmed.update(self.options.names(sentence))
                continue
            kept = self.after.sub(_keep_lead, _UNSURE.sub(" ", sentence))
            if "not" in kept or "n't" in kept or " is " in kept:
                kept = self.is_not.sub(deny, kept)
            kept = self.before.sub(deny, kept)
            if not is_there(_HEDGES, kept) or not self.hedge.search(kept):
                affirmed.update(self.options.names(undoubted(kept)))
        return affirmed, denied


@lru_cache(maxsize=8)
def _grammar(labels: tuple[str, ...]) -> _Grammar:
    return _Grammar(labels)


def read_robust(reply: str, labels: tuple[str, ...]) -> frozenset[str]:
    """Read all labels that the reply affirms, whatever text surrounds them (core/reply/).

    Whole words and other spellings count, and negations are removed. A label that is both affirmed and denied, or a choice left open, gives
    nothing.
    """
    return _affirmed(reply, _grammar(labels)).intersection(labels)


def is_bare(text: str) -> bool:
    """Return whether a text is only a list of labels."""
    return _grammar(labels_of("O3")).options.bare(text.lower()) is not None


def _affirmed(reply: str, grammar: _Grammar) -> frozenset[str]:
    said = grammar.options.said(reply)
    if said.torn or ((said.sure is None or said.leads) and taken_back(said.text)):
        return frozenset()
    if said.sure is not None and not said.text:
        return frozenset(said.sure)
    text = _LOOKING.sub(" ", said.text) if "focus" in said.text else said.text
    affirmed, denied = grammar.affirmed_and_denied(text)
    if said.sure is None:
        return frozenset() if affirmed & denied else frozenset(affirmed)
    sure = frozenset(said.sure)
    if sure & denied:
        return frozenset()
    if not said.leads or affirmed <= sure:
        return sure
    # a bare answer, followed by other labels in its explanation
    if _MORE.search(said.text):
        return sure | affirmed
    return frozenset() if _DIFFERS.search(said.text) else sure


def _keep_lead(match: re.Match[str]) -> str:
    """Drop a list that is called the same, but keep its first item if "differs in" precedes it ("differs in color, size is equal")."""
    if match["lead"] is None or "," not in match["list"]:
        return " " if match["lead"] is None else match.group()
    return match["lead"] + match["list"].partition(",")[0]
