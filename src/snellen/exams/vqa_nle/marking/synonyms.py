"""A second, more lenient way to compare activities. Ours, for the secondary figure only: no original counts like this.

The whole rule: lower case; words that carry no activity ("playing", "doing", "the") are dropped; verb forms become one form ("riding",
"rides", "ride"); a few synonyms become one name; then the words are compared as a set, so that "ice skating" is "skating, ice". A label
agrees with its whole text, with its part before the first comma, and with each side of an "or" in that. Activities that are labels apart
(jogging and running, soccer and football) stay apart.
"""

from __future__ import annotations

import re
from functools import lru_cache

from snellen.exams.vqa_nle.names import head

_EMPTY = frozenset(
    ("a", "an", "the", "of", "on", "in", "at", "with", "and", "or", "to", "his", "her", "their", "some", "is", "are")
) | {"being", "doing", "going", "do", "go", "play", "practice", "practise", "perform", "engage", "general", "activity"}
_LIGHT = frozenset({"ride", "use", "take", "work", "make"})  # dropped only if another word is left
_SAME = {
    "bike": "bicycle",
    "cycle": "bicycle",
    "horseback": "horse",
    "lawn": "grass",
    "stroll": "walk",
    "photograph": "photo",
    "picture": "photo",
    "automobile": "car",
}


def stem(word: str) -> str:
    """Return one form for the forms of a verb and for singular and plural; rough on purpose.

    >>> [stem(w) for w in ("riding", "rides", "ride", "running", "skating", "skate", "cooking", "dishes", "yoga")]
    ['rid', 'rid', 'rid', 'run', 'skat', 'skat', 'cook', 'dish', 'yoga']
    """
    for ending in ("ing", "ed", "es", "s"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= 3 and not (ending == "s" and bare.endswith("s")):
            word = bare
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


_EMPTY_STEMS = frozenset(map(stem, _EMPTY)) | _EMPTY
_LIGHT_STEMS = frozenset(map(stem, _LIGHT))
_SAME_STEMS = {stem(a): stem(b) for a, b in _SAME.items()}


@lru_cache(maxsize=16384)
def _activity_key(text: str) -> frozenset[str]:
    """Return the significant words of an activity.

    >>> _activity_key("riding a bike") == _activity_key("bicycling") == _activity_key("Cycling")
    True
    """
    words = [w for w in re.findall(r"[^\W_]+", text.lower()) if w not in _EMPTY]
    stems = [s for s in map(stem, words) if s not in _EMPTY_STEMS]
    heavy = [s for s in stems if s not in _LIGHT_STEMS]
    return frozenset(_SAME_STEMS.get(s, s) for s in heavy or stems)


def same_activity(said: str, label: str) -> bool:
    """Return whether an answer names the activity of a label.

    >>> same_activity("ice skating", "skating, ice"), same_activity("cook", "cooking or food preparation")
    (True, True)
    """
    key, short = _activity_key(said), head(label)
    return bool(key) and key in {_activity_key(t) for t in (label, short, *short.split(" or "))}
