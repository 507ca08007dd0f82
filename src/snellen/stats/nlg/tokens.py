"""A PTB-style tokeniser for caption metrics: lower case, clitics apart, punctuation dropped.

BLEU, ROUGE-L and CIDEr compare words, so two tools agree only if they cut sentences alike. The caption toolkits cut them
with Stanford's PTB tokeniser (a Java program) and then drop punctuation tokens. This does the same with one regular
expression, and keeps what that leaves standing: `n't` and `'s` are words, brackets become `-lrb-`, "mr." keeps its period.
Every part of the expression is bounded or possessive: a hostile text of any length takes time in proportion.
"""

from __future__ import annotations

import re
from unicodedata import normalize

# What the toolkits drop after tokenising. Their list says -LRB-, but by then the text is in lower case, so brackets stay
DROPPED = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])

_WRITTEN = {
    "(": "-lrb-",
    ")": "-rrb-",
    "[": "-lsb-",
    "]": "-rsb-",
    "{": "-lcb-",
    "}": "-rcb-",
    "€": "$",
    "£": "#",
    "¢": "cents",
    "½": "1/2",
    "¼": "1/4",
    "¾": "3/4",
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    **dict.fromkeys([*DROPPED, *'"“”«»‘’‹›–—―…\x92', "---", "----", "&quot;", "&apos;", "&nbsp;"], ""),
}


def _either(words: str) -> str:
    return "|".join(words.split())


# Words that keep their period: always, and only before a number
_ABBREVIATIONS = _either("""
adj adm adv al ala alex apr ariz assn assoc asst atty aug ave bhd bldg blvd brig bros calif capt cf cie cmdr co col colo comdr
conn corp cos cpl ct dak dec dept det dr drs elec ens esq est etc ext feb fla fri ft ga gen gov govs hon inc ind insp intl invt
jan jos jr jul jun kan kans ky lieut lt ltd maj mar md messrs mfg mich minn mlle mme mo mon mont mr mrs ms msgr mt mtg natl neb
nev nov oct okla penn pfc ph plc ppte ppty pres prof pte ptes pty ptys pvt rd rep reps rev rt sen sens sep sept seq sfc sgt spc
sq sr st ste supt sys tel tenn thu thurs treas tue tues univ va vs vt wed wis wisc wm wyo
""")
_BEFORE_NUMBERS = _either("art ca fig figs no nos op pp prop")
# A single letter is an initial ("J. Smith") unless one of these, capitalised, begins the next sentence
_OPENERS = _either("""
A About According Additionally After An As At But Earlier He Her Here However If In It Last Many More Now Once One Other Our She
Since So Some Such That The Their Then There These They This We What When While Yet You
""")

_L = r"[^\W\d_²³¹¼-¾]"  # a letter
_A = r"[^\W_²³¹¼-¾]"  # a letter or digit
_APOS = "['’\x92]"
_END = r"(?![\w'’-])"

_TOKEN = re.compile(
    rf"""
    can(?=not{_END}) | (?:gon|wan)(?=na{_END}) | got(?=ta{_END}) | (?:gim|lem)(?=me{_END})
  | {_L}++(?=\s|\Z)                                            # the usual word
  | </?[a-z!?][^<>\r\n]*>                                      # a tag
  | (?:https?|ftp)://[^\s<>"()]*[^\s<>"().,!?;:'’]             # an address
  | {_A}[^\s"<>|()@]{{0,64}}@(?:[^\s"<>|().]{{1,64}}\.)*[^\s"<>|().]{{1,64}}
  | &(?:amp|lt|gt|quot|apos|nbsp|\#\d+);
  | (?=[a-z]{{2,6}}\.(?!\w))(?:{_ABBREVIATIONS})\.
  | (?=[a-z]{{2,4}}\.\s?\d)(?:{_BEFORE_NUMBERS})\.
  | (?:{_L}++-){{0,9}}+{_L}(?:\.{_L})+\.(?!\w)(?:-{_L}++)?       # U.S., p.m.
  | ph\.d\.
  | {_L}{_A}*+\.(?=[,;:])                                      # a period within a sentence
  | {_L}\.(?!\w)(?!\s+(?-i:{_OPENERS})\b)            # an initial
  | (?-i:[A-Z]++(?:&(?:amp;)?[A-Z]++)+)(?!\w)                  # AT&T
  | (?:\d{{1,4}}[ -])?\d{{1,4}}/\d{{1,4}}(?:/\d{{1,4}})?(?!\w) # 3 1/2
  | {_A}++(?:-{_L}++){{0,2}}(?:/{_A}++(?:-{_L}++){{0,2}}){{1,2}}   # and/or
  | {_A}+?(?=n{_APOS}t(?!\w))                                  # is|n't
  | n{_APOS}t(?!\w)
  | (?:[dol]|qu){_APOS}(?!(?:[msd]|re|ve|ll)(?!\w)){_L}++ | ma'am | c'mon | y'(?=all) | [dl]{_APOS}(?!\w)   # o'clock
  | {_A}++(?:_{_A}++)+                                         # under_score
  | {_A}++(?:[.,]{_A}++){{0,9}}+(?:-{_A}++)+                     # t-shirt, 50-50, 2.5-inch
  | c(?:\+\+|\#) | us\$
  | {_L}{_A}*+(?:(?:[.!?]{_L}{_A}*+)+(?:-{_A}++)*)?            # a word, is.the
  | \d++{_L}{_A}*+                                             # 3rd
  | [-+]?(?:\d+(?:[.:,]\d+)*|(?:[.:,]\d+)+)                    # a number
  | {_APOS}(?:[msd]|re|ve|ll)(?!\w)                            # 's
  | {_APOS}n{_APOS}(?!\w) | {_APOS}(?:em|till?|cause|n(?!\w)) | {_APOS}(?:\d0s?|0\d)(?![\w"])
  | 't(?=is|was)
  | [:;=]-?[()dp](?!\w)                                        # a smiley
  | \#{_L}++ | @{_L}\w*+
  | [!?]{{2,}} | \*+ | \#+ | _+ | << | >> | -{{5,}} | -{{2,4}}
  | [^\s\w] | [²³¹¼-¾]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_IGNORED = re.compile("[\xad\ufeff]")  # the Java tool joins over these
_UNKNOWN = re.compile(
    "[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufe00-\ufe0f\U00010000-\U0010ffff]"
)  # and leaves these out
_CLITIC = re.compile(f"n?{_APOS}(?:[tmsd]|re|ve|ll)")


def tokenise(text: str) -> str:
    """Return the words of a text, joined by spaces, each as the caption toolkits would count it.

    >>> tokenise("She's holding a T-shirt, isn't she?")
    "she 's holding a t-shirt is n't she"
    """
    if not text.isascii():
        text = _UNKNOWN.sub(" ", _IGNORED.sub("", normalize("NFC", text)))
    words = []
    for token in _TOKEN.findall(text):
        word = _WRITTEN.get(token)
        if word is None:
            word = token.lower()
            if not word.isalpha():
                word = _odd(word)
        if word:
            words.append(word)
    return " ".join(words)


def _odd(word: str) -> str:
    """Return a token that is not a plain word in its written form: curly apostrophes, brackets in smileys, inner spaces."""
    if _CLITIC.fullmatch(word):
        return word.replace("’", "'").replace("\x92", "'")
    if word[0] in ":;=" and len(word) > 1:
        return word.replace("(", "-lrb-").replace(")", "-rrb-")
    return word.replace(" ", "\xa0")
