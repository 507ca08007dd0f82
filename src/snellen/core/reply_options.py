"""Which options of a closed list a reply is about: the part of reading that is the same for every list of labels or names.

`Options.said` gives either the answer itself (the reply is nothing but options, a map or table of yes and no, or ends in a bare
answer), or the statement that is to be read for it: what follows "answer:" or the last correction, without copied option lists and
questions. What a statement asserts and denies is grammar, and each exam has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from snellen.core.reply import Opened, holds_json, layout_off, marked, opened
from snellen.core.reply_json import key_of
from snellen.core.reply_words import correction_end


class Statement(NamedTuple):
    """What a reply says. `sure`: the answer, where its form leaves no doubt (it may be no option at all); else None. `text` is what
    else was said, in lower case without signs, for the exam's grammar; with a `sure` answer it may contradict it.
    """

    text: str
    sure: tuple[str, ...] | None = None
    leads: bool = False
    """Whether the sure answer stands before the text, which then explains it."""
    torn: bool = False
    """Whether the reply begins with one bare answer and ends with another; both are in `sure`."""


NOTHING = Statement("", ())

_YES = r"yes|true|present|different|differs|correct|applies|applicable|y|1|\u2713|\u2714|\u2705|\u2611"
_ALIKE = (
    r"(?:all )?(?:the )?(?:same|identical|similar|equal|uniform|consistent|constant|unchanged)"
    r"(?: (?:for|across|in|as|to|among) [\w ]{1,40})?"
)
_NO = (
    rf"no(?: (?:differences?|change))?|false|absent|none|{_ALIKE}|incorrect|n/a|n|0|x|not (?:present|applicable|different)"
    r"|does(?: not|n't) (?:apply|differ)|\u2717|\u2718|\u274c|\u2610|\u2716"
)
_YES_WORD, _NO_WORD = re.compile(_YES), re.compile(_NO)
_NO_HEADS = (
    r"not|no|same|similar|identical|unchanged|constant|others?|rest|remaining|rejected|excluded|ruled out|irrelevant|incorrect|wrong|absent"
    r"|distractors?|unaffected|eliminated|discarded"
)
_CHECKED = r"\[x\]|[\u2713\u2714\u2705\u2611]"
_UNCHECKED = r"\[ ?\]|[\u2717\u2718\u274c\u2610\u2716]"
_ANSWER = re.compile(
    r"\b(?:final answer|answers?|conclusion|verdict|prediction|choice|final decision)\b(?:\(s\))?[^\S\n]?"
    r"(?:(?:is|are|would be|should be|must be)\b|[:=-]|->|=>){1,3}|^[^\S\n]{0,4}(?:the )?(?:final )?(?:answer|conclusion)s?[^\S\n]{0,4}$",
    re.MULTILINE,
)
_THEREFORE = re.compile(
    r"\b(?:therefore|thus|hence|consequently|in conclusion|to conclude|in summary|to summarize|to sum up|tl;dr|overall)\b"
)
_ANSWER_HINTS = ("answer", "conclusion", "verdict", "prediction", "choice", "decision")
_THEREFORE_HINTS = ("therefore", "thus", "hence", "consequently", "conclu", "summar", "sum up", "tl;dr", "overall")
_OFFER_HINTS = ("options", "choices", "candidates", "possib", "list", "labels", "categories")
_IMPRESSION_HINTS = (
    "first",
    "initially",
    "thought",
    "considered",
    " saw ",
    " seem",
    " look",
    " appear",
    "though",
    "while",
)
_PICKED_HINTS = ("out of", "among", "between", "from")
_FLAG_HINTS = (
    *":=|([?",
    "->",
    " - ",
    "\u2713",
    "\u2714",
    "\u2705",
    "\u2611",
    "\u2717",
    "\u2718",
    "\u274c",
    "\u2610",
    "\u2716",
)
_SIGNS = str.maketrans(dict.fromkeys('*_`#"[]{}<>|()\u2022~=\\$', " "))
_APOSTROPHE = re.compile(r"(?<!\w)'|'(?!\w)")
_JOINT = re.compile(r"_|(?<=\w)-(?=\w)")
_TAG = re.compile(r"</?[a-z][a-z0-9_]{0,30}(?:\s[^<>]{0,100})?/?>")
_DASH = re.compile(r"[^\S\n]-{1,3}[^\S\n]|:(?=\s)")
_SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")  # but single spaces
_UNIT = re.compile(r"[;\n!]+|\.+(?!\d)")
_PIECE = re.compile(r"(?<=[.!?\n;])")
_IMPRESSION = re.compile(
    r"\b(?:at first|initially|(?:i|one|you) (?:first |initially |originally |might have |would have )?(?:thought|considered|saw)"
    r"|my first (?:guess|impression|thought)|(?:might|may|could|would) (?:seem|look|appear)|(?:seems?|looks?|appears?) at first)\b"
    r"[^.;\n!]{0,200}?(?:\b(?:but|however|yet)\b|[.;\n!])"
    r"|\b(?:although|though|while)\b[^.;\n!,]{0,60}?"
    r"\b(?:mistaken|confused|looks?|seems?|appears?|resembles?|similar|could be|might be|may be)\b[^.;\n!,]{0,80},"
)
_AFFIRMED = re.compile(
    r"\W*(?:yes|that's (?:right|correct)|that is (?:right|correct)|correct|right|it is right|i am sure)\b"
)
_BETWEEN = re.compile(r"[\s,;&/+.:-]*(?:\b(?:and|the|an?|also|plus|both)\b[\s,;&/+.:-]*)*")
_DEEPEST = 8
_SWITCHES = (
    *("present", "different", "differs", "applies", "salient", "selected", "chosen", "match", "matches", "changed"),
    *("is_different", "is_present", "is_salient", "is_odd", "value", "status"),
)
_REASONS = frozenset(
    (
        *(
            "reason",
            "reasoning",
            "reasons",
            "explanation",
            "rationale",
            "thought",
            "thoughts",
            "thinking",
            "analysis",
            "description",
        ),
        *(
            "justification",
            "confidence",
            "evidence",
            "question",
            "options",
            "choices",
            "note",
            "notes",
            "comment",
            "caption",
        ),
        *(
            "observation",
            "observations",
            "steps",
            "summary",
            "score",
            "probability",
            "not",
            "excluded",
            "rejected",
            "others",
        ),
    )
)


class Options:
    """A closed list of options. `spellings`: every way to write one, in lower case with spaces, and the option it stands for.

    >>> fruit = Options({"apple": "apple", "apples": "apple", "pear": "pear"})
    >>> [fruit.said(r).sure for r in ("Apples.", '{"apple": false, "pear": true}', "pear: no, apple: yes", "<think>pear")]
    [('apple',), ('pear',), ('apple',), ()]
    >>> fruit.said("I first saw a pear. No, wait, it is an apple")
    Statement(text='it is an apple', sure=None, leads=False, torn=False)
    """

    def __init__(self, spellings: Mapping[str, str], keys: Iterable[str] = ()) -> None:
        """`keys` are names under which JSON has the answer, beside the usual ones."""
        self.spellings = dict(spellings)
        self.word = one_of(spellings)
        self.named = re.compile(rf"\b{self.word}\b")
        sign = r"[\"'*`_ ]{0,4}"
        self._flag = re.compile(
            rf"\b(?P<o>{self.word})\b{sign}(?:(?::|=|->|=>|\||-|\(|\?)\|?{sign}|(?=[\u2600-\u27ff]))(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?![\w']|\.\d)"
            r"(?=\s{0,4}(?:[,;.\n|)\]}\"'*(-]|$))"
        )
        self._check = re.compile(rf"(?:(?P<yes>{_CHECKED})|(?P<no>{_UNCHECKED}))[\"'*`_ ]{{0,4}}(?P<o>{self.word})\b")
        more = rf"(?:[\s,;/\"'*`)(&-]{{1,6}}(?:and |or )?[\"'*`(]{{0,3}}{self.word}\b)"
        self._offered = re.compile(
            r"\b(?:options|choices|candidates|possibilities|possible (?:answers|features|labels)|list|labels|categories)\b"
            rf"[\w ]{{0,40}}[:(\[,]?\s{{0,2}}[(\[\"']{{0,2}}\b{self.word}\b{more}{{1,60}}"
        )
        self._picked_from = re.compile(rf"\b(?:out of|among|amongst|between|from)(?: the)? {self.word}\b{more}{{1,60}}")
        self._headed = re.compile(
            rf"\b(?:(?P<yes>yes|different|differs|present)|(?P<no>{_NO_HEADS})\b[^:\n.;,]{{0,30}})[*\"']{{0,3}}\s?:[*\"']{{0,3}}\s{{0,3}}"
            rf"(?P<o>{self.word}\b{more}{{0,60}})"
        )
        self._as_key = re.compile(rf"(\b{self.word}\b[*\"' ]{{0,3}}):(?=[^\S\n]{{0,4}}\S)")
        self._scored = re.compile(rf"\b{self.word}\b{sign}[:=(|-]\|?{sign}\d{{0,3}}(?:\.\d{{1,9}}|\d ?%)")
        self._keys = (
            *keys,
            "final_answer",
            "answer",
            "answers",
            "label",
            "labels",
            "prediction",
            "choice",
            "result",
            "output",
            "response",
        )

    def names(self, text: str) -> list[str]:
        """The options that a text names, in order."""
        return [self.spellings[found.group()] for found in self.named.finditer(text)]

    def bare(self, text: str) -> tuple[str, ...] | None:
        """The options of a text that is nothing but a list of them."""
        found, at = [], 0
        for match in self.named.finditer(text):
            if _BETWEEN.fullmatch(text, at, match.start()) is None:
                return None
            found.append(self.spellings[match.group()])
            at = match.end()
        return tuple(dict.fromkeys(found)) if found and _BETWEEN.fullmatch(text, at) else None

    def said(self, reply: str) -> Statement:
        """What a reply says, with all wrappers off."""
        if len(reply) < 100 and (known := self.bare(reply.lower())):
            return Statement("", known)
        whole = opened(reply)
        if self.named.search(_apart(whole.text.lower())) is None:
            return NOTHING
        if whole.value is not None:
            found = self._in_json(whole)
            if found is not None:
                return found
        return self._in_text(whole.text.lower())

    # ------------------------------------------------------------ JSON

    def _in_json(self, whole: Opened) -> Statement | None:
        found = self._of_value(whole.value)
        if found is None:
            return None
        after = whole.around.lower()
        if correction_end(after) and self.named.search(after, correction_end(after)):
            return self._in_text(after)
        return found

    def _of_value(self, value: Any, depth: int = 0) -> Statement | None:
        """What a JSON value answers; None where it has nothing to do with the options."""
        if depth > _DEEPEST:
            return None
        if isinstance(value, str):
            inner = holds_json(value.strip())[0] if value.lstrip()[:1] in ("{", "[") else None
            if inner is not None:
                return self._of_value(inner, depth + 1)
            return self._in_text(value.lower()) if self._names_one(value) else None
        if isinstance(value, list):
            if all(isinstance(item, str) for item in value):
                return self._of_value(", ".join(value), depth + 1)
            return _together([self._of_value(item, depth + 1) for item in value[:50]])
        return self._of_object(value, depth) if isinstance(value, dict) else None

    def _of_object(self, value: dict[str, Any], depth: int) -> Statement | None:
        flags = self._flags_of(value)
        if flags is not None:
            return Statement("", flags)
        keys = {key_of(key): inner for key, inner in value.items()}
        if any(str(keys.get(key)).lower() in ("false", "no", "0") for key in _SWITCHES):
            return NOTHING  # {"feature": "color", "present": false}
        for key in self._keys:
            found = self._of_value(keys[key], depth + 1) if key in keys else None
            if found is not None:
                return found
        inner = [v for k, v in keys.items() if k not in _REASONS]
        texts = [v for v in inner if isinstance(v, str)]
        found = self._of_value(", ".join(texts), depth + 1) if texts else None
        return found or _together([self._of_value(v, depth + 1) for v in inner if not isinstance(v, str)])

    def _names_one(self, text: str) -> bool:
        return self.named.search(_apart(text.lower()).translate(_SIGNS)) is not None

    def _flags_of(self, value: dict[str, Any]) -> tuple[str, ...] | None:
        """The options that a map from options says yes to."""
        yes: list[str] = []
        some = False
        for key, flag in value.items():
            bare = self.bare(_without_signs(_apart(str(key)[:100].lower())))
            if bare is None or len(bare) > 1:
                continue
            word = str(flag).strip().lower() if isinstance(flag, str | bool | int) else ""
            if not isinstance(flag, bool) and isinstance(flag, int) and flag not in (0, 1):
                return None
            if _YES_WORD.fullmatch(word):
                yes.append(bare[0])
            elif not _NO_WORD.fullmatch(word):
                return None
            some = True
        return tuple(yes) if some else None

    # ------------------------------------------------------------ text

    def _in_text(self, text: str) -> Statement:
        held = marked(text)
        if held is not None and self._names_one(held[0]):
            end = correction_end(held[1])
            text = held[1] if end and self.named.search(held[1], end) else held[0]
        if "<" in text:
            text = _TAG.sub(lambda tag: tag.group() if self._names_one(tag.group()) else " ", text)
        text = layout_off(text, numbered=True)
        text = _apart(text)
        text = self._after_correction(self._from_answer(text))
        text, flags = self._flags_in(text)
        if flags is not None:
            return Statement("", flags)
        if _is_there(_OFFER_HINTS, text):
            text = self._offered.sub(" ", text)
        if ":" in text:  # "color: one of them is red" is no bare answer
            text = self._as_key.sub(r"\1 ", text)
        text = self._without(_IMPRESSION, _IMPRESSION_HINTS, _without_signs(text))
        text = self._without(self._picked_from, _PICKED_HINTS, text)
        if "?" in text:
            text = "".join(piece for piece in _PIECE.split(text) if not piece.endswith("?"))
        return self._bare_or_not(text.strip())

    def _from_answer(self, text: str) -> str:
        """What follows the last "answer:" that is followed by an option; failing that, the last "therefore"."""
        for pattern, hints in ((_ANSWER, _ANSWER_HINTS), (_THEREFORE, _THEREFORE_HINTS)):
            if not _is_there(hints, text):
                continue
            for marker in reversed(list(pattern.finditer(text))[-50:]):
                if self.named.search(text, marker.end()):
                    return text[marker.end() :]
        return text

    def _flags_in(self, text: str) -> tuple[str, tuple[str, ...] | None]:
        """The text, and the options that its lines, pairs or table say yes to; None where that is not all there is."""
        if not _is_there(_FLAG_HINTS, text):
            return text, None
        yes: dict[str, None] = {}
        no: set[str] = set()

        def flag(found: re.Match[str]) -> str:
            said = self.names(found["o"])
            if found["no"]:
                no.update(said)
                return "; "
            yes.update(dict.fromkeys(said))
            return f"{', '.join(said)}; "

        rest = self._check.sub(flag, self._flag.sub(flag, self._headed.sub(flag, text)))
        if "|" in text:
            rest = self._columns(rest, yes, no)
        if no.intersection(yes) or sum(1 for _ in self._scored.finditer(text)) > 1:
            return "", ()
        if not no and not yes:
            return text, None
        others = set(self.names(rest.translate(_SIGNS))) - set(yes)
        return rest, None if others else tuple(yes)

    def _columns(self, text: str, yes: dict[str, None], no: set[str]) -> str:
        """A table with the options in its head and yes or no below them; the text without it."""
        rows = [
            [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
            for line in text.split("\n")
            if "|" in line
        ]
        heads = [self.bare(cell) for cell in rows[0]]
        if sum(1 for head in heads if head) < 2:
            return text
        for row in rows[1:]:
            for head, cell in zip(heads, row, strict=False):
                if head and _YES_WORD.fullmatch(cell):
                    yes[head[0]] = None
                elif head and _NO_WORD.fullmatch(cell):
                    no.add(head[0])
        return "\n".join(line for line in text.split("\n") if "|" not in line) if yes or no else text

    def _after_correction(self, text: str) -> str:
        end = correction_end(text)
        if not end or self.named.search(text, end):
            return text[end:]
        return text if _AFFIRMED.match(text, end) else ""

    def _without(self, pattern: re.Pattern[str], hints: tuple[str, ...], text: str) -> str:
        """Without what is no answer if something else is named: "at first I thought it was ..., but", "out of these three"."""
        if not _is_there(hints, text):
            return text
        rest = pattern.sub(" ", text)
        return rest if self.named.search(rest) else text

    def _bare_or_not(self, text: str) -> Statement:
        units = [unit for unit in _UNIT.split(text) if unit.strip()]
        bare = [self.bare(unit) for unit in units]
        if not any(bare):
            return Statement(text)
        if all(bare):
            return Statement("", _joined(bare))
        head = next(i for i, b in enumerate(bare) if b is None)
        tail = next(i for i, b in enumerate(reversed(bare)) if b is None)
        if not head and not tail:
            return Statement(text)
        first, last = _joined(bare[:head]), _joined(bare[len(bare) - tail :])
        rest = ". ".join(units[head : len(units) - tail])
        if first and last and set(first) != set(last):
            return Statement(rest, (*first, *last), torn=True)
        return Statement(rest, last or first, leads=not last)


def _together(found: list[Statement | None]) -> Statement | None:
    """What several parts of a JSON value say together: all of their answers, or the last statement."""
    said = [s for s in found if s is not None]
    if said and all(s.sure is not None and not s.text for s in said):
        return Statement("", _joined([s.sure for s in said]))
    return said[-1] if said else None


def _joined(found: Iterable[tuple[str, ...] | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in found for name in names or ()))


def one_of(words: Iterable[str]) -> str:
    """A pattern of any of some words, the longest that fits; as a tree of letters, which is several times faster than a list.

    >>> one_of(["car", "cart", "dog"])
    '(?:car(?:t)?|dog)'
    """
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}
    return f"(?:{_branches(tree)})"


def _branches(node: dict[str, Any]) -> str:
    each = []
    for letter, below in node.items():
        if letter:
            rest = _branches(below)
            grouped = f"(?:{rest})" if "" in below or len(below) > 1 else rest
            each.append(re.escape(letter) + (f"{grouped}?" if rest and "" in below else grouped if rest else ""))
    return "|".join(each)


def _is_there(hints: Iterable[str], text: str) -> bool:
    """Whether it is worth while to look for a pattern. (A loop, since this is called for every reply, several times.)"""
    for hint in hints:  # noqa: SIM110
        if hint in text:
            return True
    return False


def _apart(text: str) -> str:
    """Words joined by a hyphen or an underscore as two words."""
    return _JOINT.sub(" ", text) if "_" in text or "-" in text else text


def _without_signs(text: str) -> str:
    """Only words, points and commas; dashes and colons between them as semicolons."""
    if "-" in text or ":" in text:
        text = _DASH.sub("; ", text)
    text = text.translate(_SIGNS)
    if "'" in text:
        text = _APOSTROPHE.sub(" ", text)
    return _SPACES.sub(" ", text)
