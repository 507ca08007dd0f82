"""The reasons in replies: where they begin and what they say. Also where sentences end."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLAUSE_WORDS = (
    "it|he|she|they|there|this|these|those|we|you|i|his|her|its|their|the|no|all|both|someone|everyone|people|one|none|only|most|many"
    "|some|nothing|nobody|each"
)
REASON = re.compile(
    r"\(?\b(?:because|bec(?:ua|a)se|beacuse|(?<!ever )since(?!\s(?:\d|then\b|when\b))|due to(?: the fact that)?|given that|owing to"
    r"|considering(?: that)?|seeing (?:that|as|how)"
    r"|on account of|on the grounds that|based on (?:the fact|how)|(?:as )?(?:evidenced|indicated|shown|suggested) by|judging (?:by"
    r"|from)|(?:and )?the reason (?:is|being)(?: that)?|for the reason that|(?:explanation|rationale|justification"
    r"|reason)(?=\s?[:=])"
    rf"|(?<=, )(?:as|given|based on)|(?<=, )for(?=\s(?:{_CLAUSE_WORDS})\b)"
    rf"|(?<!such )(?<!same )(?<!well )(?<!known )(?<!dressed )(?<!far )"
    rf"(?<!used )(?<!long )(?<!soon )(?<!just )(?<!serves )as(?=\s(?:{_CLAUSE_WORDS})\b))\b"
    r"|(?<!\w)(?:'cause|cuz|coz|b/c|bc)\b",
    re.IGNORECASE,
)
# prefixes of an explanation that are not part of it
_AGAIN = re.compile(
    r"^(?:[\s,:;.()-]*(?:(?:(?:this|that|it) is|it's|that's|the reason is|the reason being)(?: that)?\s(?=because\b))?"
    r"\b(?:because\b|since\b|as (?=\w)|(?:explanation|reason|rationale|reasoning|justification|evidence|why)\s?(?:[:=]|\n)"
    r"|the reason is(?: that)?\b))+",
    re.IGNORECASE,
)
_TRAILERS = " \t\n\r,:;-"


def explanation_of(text: str | None) -> str | None:
    """Return the text after "because", without a second "because" or an "Explanation:"; None if there is none."""
    bare = _AGAIN.sub("", text or "").strip(_TRAILERS).strip()
    if bare[-1:] == ")" and bare.count("(") < bare.count(")"):
        bare = bare[:-1].rstrip()
    return bare if re.search(r"\w", bare) else None


_TITLE_WORDS = "st mr mrs ms dr mt ft prof gen lt sgt capt sen rep gov vs no approx e.g i.e etc"
_TITLES = frozenset(_TITLE_WORDS.split())
_STOP = re.compile(r"[.!?\u2026]+[\"')\]]{0,3}(?=\s)")


def sentence_ends(text: str, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the end of each sentence: the position of its marks, and the position after them.

    "St. Bernard" and "U.S. flag" do not end a sentence.
    """
    for found in _STOP.finditer(text, 0, len(text) if end is None else end):
        word = text[max(0, found.start() - 12) : found.start()].rpartition(" ")[2].lower().lstrip("\"'([")
        following = text[found.end() : found.end() + 4].strip()[:1]
        if found.group()[0] == "." and word:
            if word == "no" and not following.isdigit():
                yield found.span()
                continue
            if (
                word in _TITLES
                or (len(word) == 1 and word.isalpha() and following.islower())
                or re.fullmatch(r"(?:[a-z]\.)+[a-z]", word)
            ):
                continue
            if word[-1].isdigit() and following.isdigit():
                continue
        yield found.span()
