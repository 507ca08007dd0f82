"""Token entropies of a reply: the seed's dictionary, and words put together by position.

The seed keeps a dictionary from token to entropy and then those keys that are words of the explanation, so a word of several
sub-words vanishes and an answer's token may count as the explanation's. `words` goes by position instead: each word has
the highest entropy of the tokens that it is made of, and belongs to the answer or to the explanation by where it stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from snellen.benchmarks.vqa_nle.pieces import spread
from snellen.core.types import Token
from snellen.stats.entropy import bound_from_top

Part = Literal["answer", "explanation"]

# ---------------------------------------------------------------- the seed's dictionary

_STOP = "the a an of in on is are to and or because that this it they he she we you i them his her their there here"
STOP_WORDS = frozenset(_STOP.split())


def clean_token_for_entropy(text: str) -> str | None:
    """The seed's key of a token; None for white space and stop words.

    >>> clean_token_for_entropy(" Dog"), clean_token_for_entropy(" The")
    ('dog', None)
    """
    key = text.strip().lower()
    return key if key and key not in STOP_WORDS else None


def extract_token_entropies(tokens: Sequence[Token]) -> dict[str, float]:
    """The seed's dictionary: three decimals, the maximum where a token comes again, special tokens left out.

    Bounds from an endpoint's few alternatives are no entropies and left out too.
    """
    found: dict[str, float] = {}
    for i, text in spread(tokens):
        key, token = clean_token_for_entropy(text), tokens[i]
        if key is not None and token.entropy is not None and token.entropy_high is None:
            value = round(token.entropy, 3) + 0.0  # no -0.0
            found[key] = max(value, found.get(key, value))
    return found


def filter_entropy_to_explanation(entropies: dict[str, float], explanation: str) -> dict[str, float]:
    """The entries whose key is a word of the explanation as the protocol read it."""
    spoken = {clean_token_for_entropy(w) for w in re.findall("[A-Za-z0-9]+", explanation)}
    return {k: v for k, v in entropies.items() if k in spoken}


def seed_cell(tokens: Sequence[Token], explanation: str) -> str:
    """The `token_entropy` cell of the seed's CSV files."""
    return json.dumps(filter_entropy_to_explanation(extract_token_entropies(tokens), explanation))


# ---------------------------------------------------------------- words by position


class Word(NamedTuple):
    """A word of a reply. `start` is its place in `assembled` of the same tokens.

    `entropy` is None where no token of it has one; `entropy_high` is set where the entropies are bounds (then `entropy` is the
    lower one).
    """

    text: str
    start: int
    entropy: float | None
    entropy_high: float | None
    part: Part


class Spans(NamedTuple):
    """Mean and maximum over the words of each part; None where it has no entropies. `bounded`: they are lower bounds."""

    answer_mean: float | None = None
    answer_max: float | None = None
    explanation_mean: float | None = None
    explanation_max: float | None = None
    bounded: bool = False


_WORD = re.compile(r"[^\W_]+(?:['’_-][^\W_]+)*")


def assembled(tokens: Sequence[Token]) -> str:
    """The reply that tokens make, without special tokens and white space before it."""
    return "".join(text for _, text in spread(tokens)).lstrip()


def words(tokens: Sequence[Token]) -> tuple[Word, ...]:
    """The words of a reply with their entropies. The first "because" parts answer and explanation and is left out.

    A token counts for every word that it has a letter in; punctuation counts for none. Without "because" all is answer.
    """
    text, owners = _placed(tokens)
    found: list[Word] = []
    part: Part = "answer"
    for match in _WORD.finditer(text):
        if part == "answer" and match.group().lower() == "because":
            part = "explanation"
            continue
        letters = (i for i in range(*match.span()) if text[i].isalnum())
        low, high = _highest(dict.fromkeys(t for i in letters for t in owners[i]), tokens)
        found.append(Word(match.group(), match.start(), low, high, part))
    return tuple(found)


def spans(tokens: Sequence[Token]) -> Spans:
    """Mean and maximum entropy of the words of the answer and of the explanation."""
    return spans_of(words(tokens))


def spans_of(found: Iterable[Word]) -> Spans:
    """As `spans`, for words at hand."""
    values: dict[str, list[float]] = {"answer": [], "explanation": []}
    bounded = False
    for word in found:
        if word.entropy is not None:
            values[word.part].append(word.entropy)
            bounded = bounded or word.entropy_high is not None
    return Spans(*_mean_max(values["answer"]), *_mean_max(values["explanation"]), bounded)


def _mean_max(values: list[float]) -> tuple[float | None, float | None]:
    return (sum(values) / len(values), max(values)) if values else (None, None)


def _placed(tokens: Sequence[Token]) -> tuple[str, list[tuple[int, ...]]]:
    """The reply, and for each of its characters the tokens that it comes from."""
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
    """A token's entropy, or what its alternatives allow; None where nothing is known."""
    if token.entropy is not None:
        return token.entropy, token.entropy_high
    return bound_from_top(p for _, p in token.top) if token.top else None
