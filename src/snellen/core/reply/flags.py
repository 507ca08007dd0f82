"""Yes and no beside options: maps, pairs, tables and check lists ("Color: yes, Size: no"), of which only the yes is an answer."""

from __future__ import annotations

import re
from typing import Any

from snellen.core.reply.hints import is_there
from snellen.core.reply.vocabulary import Vocabulary, apart, without_signs

_YES = r"yes|true|present|different|differs|correct|applies|applicable|y|1|\u2713|\u2714|\u2705|\u2611"
_ALIKE = (
    r"(?:all )?(?:the )?(?:same|identical|similar|equal|uniform|consistent|constant|unchanged)"
    r"(?: (?:for|across|in|as|to|among) [\w ]{1,40})?"
)
_NO = (
    rf"no(?: (?:differences?|change))?|false|absent|none|{_ALIKE}|incorrect|n/a|n|0|x|not (?:present|applicable|different)"
    r"|does(?: not|n't) (?:apply|differ)|maybe|possibly|unclear|unknown|uncertain|unsure|wrong|\u2717|\u2718|\u274c|\u2610|\u2716"
)
_YES_WORD, _NO_WORD = re.compile(_YES), re.compile(_NO)
_NO_HEADS = (
    r"not|no|same|similar|identical|unchanged|constant|others?|rest|remaining|rejected|excluded|ruled out|irrelevant|incorrect|wrong|absent"
    r"|distractors?|unaffected|eliminated|discarded"
)
_CHECKED = r"\[x\]|[\u2713\u2714\u2705\u2611]"
_UNCHECKED = r"\[ ?\]|[\u2717\u2718\u274c\u2610\u2716]"
_HINTS = (*":=|([?\n%>", " - ", *"\u2713\u2714\u2705\u2611\u2717\u2718\u274c\u2610\u2716")
_SIGN = r"[\"'*`_ ]{0,4}"
_FLAGS = rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))"


class Flags:
    """Finds yes and no beside the options of a vocabulary.

    >>> flags = Flags(Vocabulary({"color": "color", "size": "size"}))
    >>> flags.in_text("color: no; size: yes"), flags.in_map({"Color": True, "Size": False}), flags.in_text("color")
    (('; ; size; ', ('size',)), ('color',), ('color', None))
    """

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        word = words.word
        self._pair = re.compile(
            rf"\b(?P<o>{word})\b{_SIGN}(?:(?::|=|->|=>|>|\||-|\(|\?|\n\n?(?=[a-z]))\|?{_SIGN}|(?=[\u2600-\u27ff])){_FLAGS}(?![\w']|\.\d)"
            rf"(?=\s{{0,4}}(?:[,;.\n|)\]}}\"'*(<-]|$|{word}\b))"
        )
        self._check = re.compile(rf"(?:(?P<yes>{_CHECKED})|(?P<no>{_UNCHECKED})){_SIGN}(?P<o>{word})\b")
        self._headed = re.compile(  # "Different: color. Same: size, shape"
            rf"\b(?:(?P<yes>yes|different|differs|present)|(?P<no>{_NO_HEADS})(?: (?!doubt|question|only)\w{{1,20}}){{0,2}})"
            rf"[*\"']{{0,3}}\s?:[*\"'\s\[]{{0,4}}(?P<o>{word}\b{words.more}{{0,60}})"
        )
        self._score = re.compile(
            rf"\b{word}\b{_SIGN}(?:[:=(|-]\|?)?{_SIGN}\d{{0,3}}(?:\.\d{{1,9}}|\d ?%)|\b\d{{1,3}} ?% {word}\b"
        )

    def in_map(self, value: dict[str, Any]) -> tuple[str, ...] | None:
        """Return the options to which a map from options says yes."""
        yes: list[str] = []
        some = False
        for key, told in value.items():
            bare = self._words.bare(without_signs(apart(str(key)[:100].lower())))
            if bare is None or len(bare) > 1:
                continue
            # {"color": true}, or {"color": {"different": true, "why": "..."}}
            flag = next((v for v in told.values() if _is_flag(v)), "") if isinstance(told, dict) else told
            word = str(flag).strip().lower() if isinstance(flag, str | bool | int) else ""
            if _YES_WORD.fullmatch(word):
                yes.append(bare[0])
            elif not _NO_WORD.fullmatch(word):
                return None
            some = True
        return tuple(yes) if some else None

    def in_text(self, text: str) -> tuple[str, tuple[str, ...] | None]:
        """Return the text, and the options to which its lines, pairs or table say yes; None if there is more to the text."""
        if not is_there(_HINTS, text):
            return text, None
        yes: dict[str, None] = {}
        no: set[str] = set()

        def flag(found: re.Match[str], end: str = "; ") -> str:
            said = self._words.names(found["o"])
            if found["no"]:
                no.update(said)
                return "; "
            yes.update(dict.fromkeys(said))
            return found["o"] + end

        rest = self._pair.sub(flag, self._headed.sub(flag, text) if ":" in text else text)
        if "[" in text or not text.isascii():
            rest = self._check.sub(lambda found: flag(found, ""), rest)
        if "|" in text:
            rest = self._columns(rest, yes, no)
        if no.intersection(yes) or sum(1 for _ in self._score.finditer(text)) > 1:
            return "", ()
        if not no and not yes:
            return text, None
        others = set(self._words.names(without_signs(rest))) - set(yes)
        return rest, None if others else tuple(yes)

    def _columns(self, text: str, yes: dict[str, None], no: set[str]) -> str:
        """Read a table with the options in its head and yes or no below them; return the text without it."""
        rows = [
            [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
            for line in text.split("\n")
            if "|" in line
        ]
        heads = [self._words.bare(cell) for cell in rows[0]] if rows else []
        if sum(1 for head in heads if head) < 2:
            return text
        for row in rows[1:]:
            for head, cell in zip(heads, row, strict=False):
                if head and _YES_WORD.fullmatch(cell):
                    yes[head[0]] = None
                elif head and _NO_WORD.fullmatch(cell):
                    no.add(head[0])
        return "\n".join(line for line in text.split("\n") if "|" not in line) if yes or no else text


def _is_flag(value: Any) -> bool:
    word = str(value).lower()
    return _YES_WORD.fullmatch(word) is not None or _NO_WORD.fullmatch(word) is not None
