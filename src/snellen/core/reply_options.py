"""Which options of a closed list a reply is about: the part of reading that is the same for every list of labels or names.

`Options.said` gives either the answer itself (the reply is nothing but options, a map or table of yes and no, or ends in a bare
answer), or the statement that is to be read for it: what follows "answer:" or the last correction, without copied option lists and
questions. What a statement asserts and denies is grammar, and each exam has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from snellen.core.reply import Opened, field, layout_off, marked, opened
from snellen.core.reply_words import correction_end


class Statement(NamedTuple):
    """What a reply says. `sure`: the answer, where its form leaves no doubt (it may be no option at all); else None. `text` is what
    else was said, in lower case without signs, for the exam's grammar; with a `sure` answer it may contradict it.
    """

    text: str
    sure: tuple[str, ...] | None = None
    leads: bool = False
    """Whether the sure answer stands before the text, which then explains it."""


NOTHING = Statement("", ())

_YES = r"yes|true|present|different|differs|correct|applies|applicable|y|1|\u2713|\u2714|\u2705|\u2611"
_NO = (
    r"no(?: (?:difference|change))?|false|absent|none|(?:the )?same|identical|similar|unchanged|incorrect|n/a|n|0|x|not (?:present|applicable|different)"
    r"|does not apply|\u2717|\u2718|\u274c|\u2610|\u2716"
)
_YES_WORD, _NO_WORD = re.compile(_YES), re.compile(_NO)
_CHECKED = r"\[x\]|[\u2713\u2714\u2705\u2611]"
_UNCHECKED = r"\[ ?\]|[\u2717\u2718\u274c\u2610\u2716]"
_ANSWER = re.compile(
    r"\b(?:final answer|answers?|conclusion|verdict|prediction|choice|final decision)\b[^\S\n]?(?:(?:is|are|would be|should be|must be)\b|[:=-]|->|=>){1,3}"
    r"|^[^\S\n]{0,4}(?:the )?(?:final )?(?:answer|conclusion)s?[^\S\n]{0,4}$",
    re.MULTILINE,
)
_THEREFORE = re.compile(
    r"\b(?:therefore|thus|hence|consequently|in conclusion|to conclude|in summary|to summarize|to sum up|tl;dr|overall)\b"
)
_SIGNS = re.compile(r"[*_`#\"\[\]{}<>|()\u2022~=\\$]|(?<=\w)-(?=\w)|(?<!\w)'|'(?!\w)")
_TAG = re.compile(r"</?[a-z][a-z0-9_]{0,30}(?:\s[^<>]{0,100})?/?>")
_DASH = re.compile(r"[^\S\n]-{1,3}[^\S\n]|:(?=\s)")
_SPACES = re.compile(r"[^\S\n]+")
_UNIT = re.compile(r"[.;\n!]+")
_PIECE = re.compile(r"(?<=[.!?\n;])")
_IMPRESSION = re.compile(
    r"\b(?:at first|initially|(?:i|one|you) (?:first |initially |originally |might have |would have )?thought|my first (?:guess|impression|thought))\b"
    r"[^.;\n!]{0,200}?(?:\b(?:but|however|yet)\b|[.;\n!])"
)
_AFFIRMED = re.compile(r"\W*(?:yes|that's (?:right|correct)|that is (?:right|correct)|correct|right|it is right|i am sure)\b")
_BETWEEN = re.compile(r"[\s,;&/+.:-]*(?:\b(?:and|the|an?|also|plus|both)\b[\s,;&/+.:-]*)*")
_REASONS = frozenset(
    "reason reasoning reasons explanation rationale thought thoughts analysis description justification confidence evidence question options "
    "choices notes note comment caption observation observations thinking steps summary score probability".split()
)


class Options:
    """A closed list of options. `spellings`: every way to write one, in lower case with spaces, and the option it stands for.

    >>> fruit = Options({"apple": "apple", "apples": "apple", "pear": "pear"})
    >>> [fruit.said(r).sure for r in ("Apples.", '{"apple": false, "pear": true}', "pear: no, apple: yes", "<think>pear")]
    [('apple',), ('pear',), ('apple',), ()]
    >>> fruit.said("I first saw a pear. No, wait, it is an apple")
    Statement(text='it is an apple', sure=None, leads=False)
    """

    def __init__(self, spellings: Mapping[str, str], keys: Iterable[str] = ()) -> None:
        """`keys` are names under which JSON has the answer, beside the usual ones."""
        self.spellings = dict(spellings)
        words = "|".join(re.escape(s) for s in sorted(spellings, key=len, reverse=True))
        self.word = rf"(?:{words})"
        self.named = re.compile(rf"\b{self.word}\b")
        sign = r"[\"'*`_ ]{0,4}"
        self._flag = re.compile(
            rf"\b(?P<o>{self.word})\b{sign}(?::|=|->|=>|\||-|\()\|?{sign}(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?![\w'])(?=\s{{0,4}}(?:[,;.\n|)\]}}\"'*(-]|$))"
        )
        self._check = re.compile(rf"(?:(?P<yes>{_CHECKED})|(?P<no>{_UNCHECKED}))[\"'*`_ ]{{0,4}}(?P<o>{self.word})\b")
        some = rf"\b{self.word}\b(?:[\s,;/\"'*`)(&-]{{1,6}}(?:and |or )?[\"'*`(]{{0,3}}{self.word}\b){{1,60}}"
        self._offered = re.compile(
            rf"\b(?:options|choices|candidates|possibilities|possible (?:answers|features|labels)|list|labels|categories)\b[\w ]{{0,40}}[:(\[,]?\s{{0,2}}[(\[\"']{{0,2}}{some}"
        )
        self._keys = (*keys, "final_answer", "answer", "answers", "label", "labels", "prediction", "choice", "result", "output", "response")

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
        if len(reply) < 100 and (known := self.spellings.get(reply.strip(" .\n").lower())):
            return Statement("", (known,))
        whole = opened(reply)
        if not whole.text:
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

    def _of_value(self, value: Any) -> Statement | None:
        """What a JSON value answers; None where it has nothing to do with the options."""
        if isinstance(value, str):
            return self._in_text(value.lower()) if self._names_one(value) else None
        if isinstance(value, list):
            texts = [item for item in value if isinstance(item, str)]
            if texts and len(texts) == len(value):
                return self._of_value(", ".join(texts))
            return next((s for s in map(self._of_value, reversed(value[:50])) if s is not None), None)
        if not isinstance(value, dict):
            return None
        flags = self._flags_of(value)
        if flags is not None:
            return Statement("", flags)
        answer = field(value, self._keys)
        if answer is not None and answer is not value:
            found = self._of_value(answer)
            if found is not None:
                return found
        texts = [v for k, v in value.items() if str(k).lower().strip() not in _REASONS]
        found_all = [s for s in map(self._of_value, texts) if s is not None]
        return found_all[0] if len(found_all) == 1 else self._of_value(", ".join(t for t in texts if isinstance(t, str)))

    def _names_one(self, text: str) -> bool:
        return self.named.search(_SIGNS.sub(" ", text.lower())) is not None

    def _flags_of(self, value: dict[str, Any]) -> tuple[str, ...] | None:
        """The options that a map from options says yes to."""
        yes: list[str] = []
        some = False
        for key, flag in value.items():
            bare = self.bare(_SPACES.sub(" ", _SIGNS.sub(" ", str(key)[:100].lower())).strip())
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
        text = layout_off(_TAG.sub(" ", text) if "<" in text else text, numbered=True).replace("_", " ")
        text = self._after_correction(self._from_answer(text))
        flags = self._flags_in(text)
        if flags is not None:
            return Statement("", flags)
        text = self._offered.sub(" ", text)
        text = self._without_impressions(_SPACES.sub(" ", _SIGNS.sub(" ", _DASH.sub("; ", text))))
        if "?" in text:
            text = "".join(piece for piece in _PIECE.split(text) if not piece.endswith("?"))
        return self._bare_or_not(text.strip())

    def _from_answer(self, text: str) -> str:
        """What follows the last "answer:" that is followed by an option; failing that, the last "therefore"."""
        for pattern in (_ANSWER, _THEREFORE):
            for marker in reversed(list(pattern.finditer(text))[-50:]):
                if self.named.search(text, marker.end()):
                    return text[marker.end() :]
        return text

    def _flags_in(self, text: str) -> tuple[str, ...] | None:
        """The options that lines, pairs or a table say yes to; None where there are no such pairs."""
        yes: dict[str, None] = {}
        no: set[str] = set()
        for pattern in (self._flag, self._check):
            for found in pattern.finditer(text):
                name = self.spellings[found["o"]]
                if found["yes"]:
                    yes[name] = None
                else:
                    no.add(name)
        if len(yes) + len(no) < 2 and not (no or self._flag.search(text)):
            return None
        if no.intersection(yes):
            return ()
        others = set(self.names(_SIGNS.sub(" ", text))) - no - set(yes)
        return tuple(yes) if not others else None

    def _after_correction(self, text: str) -> str:
        end = correction_end(text)
        if not end or self.named.search(text, end):
            return text[end:]
        return text if _AFFIRMED.match(text, end) else ""

    def _without_impressions(self, text: str) -> str:
        """Without "at first I thought it was ..., but", where something else is named."""
        if "first" not in text and "initially" not in text and "thought" not in text:
            return text
        rest = _IMPRESSION.sub(" ", text)
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
        if head and tail and set(_joined(bare[:head])) != set(_joined(bare[-tail:])):
            return NOTHING
        if not head and not tail:
            return Statement(text)
        sure = _joined(bare[-tail:]) if tail else _joined(bare[:head])
        return Statement(". ".join(units[head : len(units) - tail]), sure, not tail)


def _joined(found: Iterable[tuple[str, ...] | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in found for name in names or ()))
