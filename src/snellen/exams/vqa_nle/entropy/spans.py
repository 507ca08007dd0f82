"""Token entropies of a reply: the dictionary of multimodal-vqa-eval, and words assembled by position.

That code keeps a dictionary from token to entropy, and then only the keys that are words of the explanation. So a word of several sub-words
vanishes, and a token of the answer may count for the explanation. `words` goes by position instead: each word has the highest entropy of
its tokens. It belongs to the answer or to the explanation by the place where the protocol split the reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from snellen.core.types import Metrics, Token
from snellen.exams.vqa_nle.entropy.pieces import spread
from snellen.exams.vqa_nle.names import MISSING, NO_DETAILS
from snellen.stats.entropy import bound_from_top

Part = Literal["answer", "explanation"]

# ---------------------------------------------------------------- the dictionary of multimodal-vqa-eval

_STOP = "the a an of in on is are to and or because that this it they he she we you i them his her their there here"
STOP_WORDS = frozenset(_STOP.split())


def clean_token_for_entropy(text: str | None) -> str | None:
    """Return a token's key in the dictionary; None for white space and stop words, or without text.

    >>> clean_token_for_entropy(" Dog"), clean_token_for_entropy(" The"), clean_token_for_entropy(None)
    ('dog', None, None)
    """
    key = (text or "").strip().lower()
    return key if key and key not in STOP_WORDS else None


def extract_token_entropies(tokens: Sequence[Token]) -> dict[str, float]:
    """Return the dictionary: three decimals, the maximum for a repeated token, special tokens left out.

    If an endpoint gives only a few alternatives for a token, its value is the lowest entropy that they allow.
    """
    found: dict[str, float] = {}
    for i, text in spread(tokens):
        key, bounds = clean_token_for_entropy(text), _bounds(tokens[i])
        if key is not None and bounds is not None:
            value = round(bounds[0], 3) + 0.0  # no -0.0
            found[key] = max(value, found.get(key, value))
    return found


def filter_entropy_to_explanation(entropies: dict[str, float], explanation: str) -> dict[str, float]:
    """Return the entries whose key is a word of the explanation as the protocol read it."""
    spoken = {clean_token_for_entropy(w) for w in re.findall("[A-Za-z0-9]+", explanation)}
    return {k: v for k, v in entropies.items() if k in spoken}


def token_entropy_cell(tokens: Sequence[Token], explanation: str) -> str:
    """Return the `token_entropy` cell of the CSV files."""
    return json.dumps(filter_entropy_to_explanation(extract_token_entropies(tokens), explanation))


# ---------------------------------------------------------------- words by position


class _Word(NamedTuple):
    """A word of a reply. `start` is its position in `assembled` of the same tokens.

    `entropy` is None if none of its tokens has one. `entropy_high` is set if the entropies are bounds (then `entropy` is the lower one).
    """

    text: str
    start: int
    entropy: float | None
    entropy_high: float | None
    part: Part


_WORD = re.compile(r"[^\W_]+(?:['’_-][^\W_]+)*")
_UNIT = re.compile(r"[^\W_]+")
_BECAUSE = re.compile(r"(?<![\w'’-])because(?![\w'’-])", re.IGNORECASE)
KINDS = ("answer_mean", "answer_max", "explanation_mean", "explanation_max")


def assembled(tokens: Sequence[Token]) -> str:
    """Return the reply made of the tokens, without special tokens and leading white space."""
    return "".join(text for _, text in spread(tokens)).lstrip()


def words(tokens: Sequence[Token], reading: Mapping[str, Any] | None = None) -> tuple[_Word, ...]:
    """Return the words of a reply with their entropies.

    The `reading` separates answer and explanation. Without one, or if its explanation is not found in the reply, the first "because" does.
    The "because" between the two is left out.

    A token counts for every word in which it has a letter. Punctuation counts for none.
    """
    text, owners = _placed(tokens)
    begin, end = _parted(text, reading)
    found: list[_Word] = []
    matches = list(_WORD.finditer(text))
    for match, after in zip(matches, [*matches[1:], None], strict=False):
        inside = match.start() < end and begin < match.end()
        if match.group().lower() == "because" and _parts(match, after, begin, inside):
            continue
        letters = (i for i in range(*match.span()) if text[i].isalnum())
        low, high = _highest(dict.fromkeys(t for i in letters for t in owners[i]), tokens)
        found.append(_Word(match.group(), match.start(), low, high, "explanation" if inside else "answer"))
    return tuple(found)


def _parts(match: re.Match[str], after: re.Match[str] | None, begin: int, inside: bool) -> bool:
    """Return whether a "because" begins the explanation, comes before it, or has no explanation after it."""
    if inside:
        return match.start() <= begin
    return after is None or after.start() <= begin < after.end()


def _parted(text: str, reading: Mapping[str, Any] | None) -> tuple[int, int]:
    """Return where the explanation begins and ends in a reply; the reply's end if there is none."""
    none = len(text), len(text)
    if reading is not None:
        explanation = reading.get("explanation")
        if explanation in (None, "", MISSING, NO_DETAILS):
            return none
        found = _last_place(text, str(explanation))
        if found is not None:
            return found
    because = _BECAUSE.search(text)
    return (because.start(), len(text)) if because else none


def _last_place(text: str, part: str) -> tuple[int, int] | None:
    """Return the last place in a text with the words of a part, ignoring punctuation and capitals."""
    units = list(_UNIT.finditer(text))
    have, want = [u.group().lower() for u in units], [u.lower() for u in _UNIT.findall(part)]
    if not want:
        return None
    joined, wanted = f" {' '.join(have)} ", f" {' '.join(want)} "
    at = joined.rfind(wanted)
    if at < 0:
        return None
    first = joined.count(" ", 0, at)
    return units[first].start(), units[first + len(want) - 1].end()


def entropies_of(tokens: Sequence[Token], reading: Mapping[str, Any] | None = None) -> Metrics:
    """Return the mean and maximum entropy of the words of the answer and of the explanation, as metrics of a mark, as far as they are
    known.

    Lower bounds have names of their own, so that they are never mistaken for entropies.
    """
    found = words(tokens, reading)
    bounded = any(word.entropy_high is not None for word in found)
    metrics: Metrics = {}
    for part in ("answer", "explanation"):
        values = [word.entropy for word in found if word.part == part and word.entropy is not None]
        if values:
            metrics[metric_name(f"{part}_mean", bounded)] = sum(values) / len(values)
            metrics[metric_name(f"{part}_max", bounded)] = max(values)
    return metrics


def metric_name(kind: str, bounded: bool) -> str:
    """Return the name of a kind of entropy (`answer_mean`, ...) in a mark.

    >>> metric_name("answer_mean", True)
    'answer_entropy_mean_lower_bound'
    """
    part, _, how = kind.partition("_")
    return f"{part}_entropy_{how}{'_lower_bound' if bounded else ''}"


def _placed(tokens: Sequence[Token]) -> tuple[str, list[tuple[int, ...]]]:
    """Return the reply, and for each of its characters the tokens that it comes from."""
    text: list[str] = []
    owners: list[tuple[int, ...]] = []
    pending: list[int] = []  # tokens that hold the first bytes of a character whose last bytes come later
    for i, piece in spread(tokens):
        pending.append(i)
        for char in piece:
            text.append(char)
            owners.append(tuple(pending))
            pending = pending[-1:]
        if piece:
            pending = []
    whole = "".join(text)
    return whole.lstrip(), owners[len(whole) - len(whole.lstrip()) :]


def _highest(owners: Iterable[int], tokens: Sequence[Token]) -> tuple[float | None, float | None]:
    bounds = [b for i in owners if (b := _bounds(tokens[i])) is not None]
    if not bounds:
        return None, None
    low = max(b[0] for b in bounds)
    high = max(b[0] if b[1] is None else b[1] for b in bounds)
    return low, None if all(b[1] is None for b in bounds) else high


def _bounds(token: Token) -> tuple[float, float | None] | None:
    """Return a token's entropy, or the bounds from its alternatives; None if nothing is known."""
    if token.entropy is not None:
        return token.entropy, token.entropy_high
    return bound_from_top(p for _, p in token.top) if token.top else None
