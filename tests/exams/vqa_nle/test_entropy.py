"""Token entropies: the dictionary of multimodal-vqa-eval row by row, and words by position from every spelling of tokens."""

from __future__ import annotations

import json
from math import inf, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.types import Token
from snellen.exams.vqa_nle.entropy.spans import (
    assembled,
    clean_token_for_entropy,
    entropies_of,
    extract_token_entropies,
    filter_entropy_to_explanation,
    token_entropy_cell,
    words,
)
from snellen.stats.entropy import bound_from_top

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "nle_tables.json").read_text("utf-8"))


def said(*pairs: tuple[str, float | None]) -> tuple[Token, ...]:
    return tuple(Token(text=t, logprob=-1.0, entropy=e) for t, e in pairs)


# ---------------------------------------------------------------- the dictionary of multimodal-vqa-eval


def test_every_golden_key() -> None:
    for row in GOLDEN["clean_token_for_entropy"]:
        assert clean_token_for_entropy(row["input"]) == row["output"]


def logits_of(row: dict[str, Any]) -> list[list[float]]:
    if isinstance(row["logits_per_step"], str):
        assert row["logits_per_step"] == "first 4 logits 0.0, remaining 8 = -inf"
        return [[0.0] * 4 + [-inf] * 8]
    return row["logits_per_step"] or []


def entropy_of(logits: list[float]) -> float:
    p = np.exp(np.array(logits) - max(logits))
    p /= p.sum()
    return float(-(p * np.log(p + 1e-12)).sum())


@pytest.mark.parametrize("row", GOLDEN["extract_token_entropies"], ids=lambda r: r["name"])
def test_every_golden_dictionary(row: dict[str, Any]) -> None:
    steps = zip(row["generated_ids"], logits_of(row), strict=False)  # a step without scores has no entropy
    tokens = said(*((row["vocab"][i], entropy_of(logits)) for i, logits in steps))
    found = extract_token_entropies(tokens)
    assert found == row["output"]
    assert list(found) == list(row["output"])


def test_every_golden_filter() -> None:
    for row in GOLDEN["filter_entropy_to_explanation"]:
        assert filter_entropy_to_explanation(row["token_entropy"], row["explanation"]) == row["output"]


def test_the_cell_is_json_with_three_decimals_and_the_maximum_of_a_repeated_token() -> None:
    tokens = said((" yes", 0.1), (" because", 0.2), (" a", 3.0), (" dog", 0.12345), (" dog", 0.98765), ("</s>", 9.0))
    assert token_entropy_cell(tokens, "because a dog") == '{"dog": 0.988}'
    assert token_entropy_cell((), "a dog") == "{}"


def test_an_endpoints_alternatives_fill_the_dictionary_with_the_lowest_entropy_that_they_allow() -> None:
    token = Token(text=" dog", logprob=-1.0, entropy=0.5, entropy_high=0.9)
    other = Token(text=" cat", logprob=log(0.7), top=((" cat", log(0.7)), (" dog", log(0.2))))
    assert extract_token_entropies([token, other]) == {
        "dog": 0.5,
        "cat": round(bound_from_top([log(0.7), log(0.2)])[0], 3),
    }
    assert extract_token_entropies([Token(text=" cow", logprob=-1.0)]) == {}


# ---------------------------------------------------------------- words by position

EXPECTED = [
    ("Yes", 0, 0.5, "answer"),
    ("he's", 13, 0.3, "explanation"),
    ("skateboarding", 18, 0.9, "explanation"),
    ("déjà", 32, 0.7, "explanation"),
]
PLAIN = [("Yes", 0.5), (",", 2.0), (" because", 0.1), (" he", 0.3), ("'s", 0.2), (" skate", 0.4), ("board", 0.9)]
PLAIN += [("ing", 0.6), (" dé", 0.7), ("jà", 0.1), (".", 3.0)]


def shape(tokens: tuple[Token, ...]) -> list[tuple[str, int, float | None, str]]:
    return [(w.text, w.start, w.entropy, w.part) for w in words(tokens)]


def test_words_of_decoded_pieces() -> None:
    tokens = said(*PLAIN)
    assert assembled(tokens) == "Yes, because he's skateboarding déjà."
    assert shape(tokens) == EXPECTED


def test_words_of_sentencepiece_tokens_with_bytes_and_an_end_token() -> None:
    pieces = [("▁Yes", 0.5), (",", 2.0), ("▁because", 0.1), ("▁he", 0.3), ("'", 0.1), ("s", 0.2), ("▁skate", 0.4)]
    pieces += [("board", 0.9), ("ing", 0.6), ("▁d", 0.1), ("<0xC3>", 0.7), ("<0xA9>", 0.2), ("jà", 0.1), (".", 3.0)]
    assert shape(said(*pieces, ("</s>", 5.0))) == EXPECTED


def test_words_of_byte_level_tokens_whose_characters_are_cut() -> None:
    pieces = [("Yes", 0.5), (",", 2.0), ("Ġbecause", 0.1), ("Ġhe", 0.3), ("'s", 0.2), ("Ġskate", 0.4), ("board", 0.9)]
    pieces += [("ing", 0.6), ("ĠdÃ", 0.1), ("©", 0.7), ("jÃł", 0.1), (".", 3.0)]
    assert shape(said(*pieces, ("<|im_end|>", 5.0))) == EXPECTED


def test_a_token_over_two_words_counts_for_both_and_punctuation_for_none() -> None:
    tokens = said(("red", 0.2), ("!\n\nBecause the", 0.8), (" bus", 0.1), ("...", 7.0))
    assert shape(tokens) == [
        ("red", 0, 0.2, "answer"),
        ("the", 14, 0.8, "explanation"),
        ("bus", 18, 0.1, "explanation"),
    ]


def test_only_the_first_because_as_a_word_parts_the_reply() -> None:
    tokens = said(("becausex", 0.1), (" because", 0.2), (" it", 0.3), (" because", 0.4))
    assert [(w.text, w.part) for w in words(tokens)] == [
        ("becausex", "answer"),
        ("it", "explanation"),
        ("because", "explanation"),
    ]
    assert [w.part for w in words(said(("no", 0.1), (" explanation", 0.2)))] == ["answer", "answer"]


def test_entropies_are_over_words() -> None:
    assert entropies_of(said(*PLAIN)) == {
        "answer_entropy_mean": 0.5,
        "answer_entropy_max": 0.5,
        "explanation_entropy_mean": pytest.approx((0.3 + 0.9 + 0.7) / 3),
        "explanation_entropy_max": 0.9,
    }
    assert entropies_of(said(("yes", None), (" because", None), (" x", None))) == {}
    assert entropies_of(()) == {}
    assert entropies_of(said(("yes", 0.25))) == {"answer_entropy_mean": 0.25, "answer_entropy_max": 0.25}


def test_alternatives_of_an_endpoint_give_bounds_and_say_so() -> None:
    top = (("yes", log(0.7)), ("no", log(0.2)))
    tokens = (Token(text="yes", logprob=log(0.7), top=top), Token(text=" because", logprob=0.0), *said((" x", 0.25)))
    answer, explanation = words(tokens)
    assert (answer.entropy, answer.entropy_high) == pytest.approx(bound_from_top([log(0.7), log(0.2)]))
    assert (explanation.entropy, explanation.entropy_high) == (0.25, None)
    assert "answer_entropy_mean_lower_bound" in entropies_of(tokens)
    given_bounds = Token(text="yes", logprob=-1.0, entropy=0.1, entropy_high=0.4)
    assert words((given_bounds, *said(("es", 0.2))))[0][2:4] == (0.2, 0.4)


@given(st.lists(st.tuples(st.text(max_size=6), st.floats(0, 9)), max_size=12))
def test_words_stand_where_they_say_whatever_the_tokens(pairs: list[tuple[str, float]]) -> None:
    tokens = said(*pairs)
    text = assembled(tokens)
    for word in words(tokens):
        assert text[word.start : word.start + len(word.text)] == word.text
        assert word.entropy is not None
