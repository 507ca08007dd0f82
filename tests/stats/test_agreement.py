"""Kappa by hand and against a sample-by-sample reference; names and prompts compared."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.present.model.prompt_diff import OPTIONS, difference, near, sentences, take_apart, word_diff
from snellen.stats.agreement import Agreement


def test_kappa_by_hand() -> None:
    table = Agreement(both=45, first=15, second=25, neither=15)  # raters say yes to 60 and 70 of 100
    assert table.n == 100
    assert table.share == 0.60
    assert table.kappa == pytest.approx((0.60 - (0.6 * 0.7 + 0.4 * 0.3)) / (1 - 0.54))


@pytest.mark.parametrize("table", [Agreement(), Agreement(both=9), Agreement(neither=3)])
def test_kappa_is_undefined_where_chance_explains_all(table: Agreement) -> None:
    assert table.kappa is None


def test_extremes() -> None:
    assert Agreement(both=5, neither=5).kappa == 1.0
    assert Agreement(first=5, second=5).kappa == -1.0
    assert Agreement(both=5, first=5).kappa == 0.0  # the first always says yes
    assert Agreement().share is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_kappa_against_a_reference(pairs: list[tuple[bool, bool]]) -> None:
    table = Agreement(*(pairs.count(p) for p in ((True, True), (True, False), (False, True), (False, False))))
    n = len(pairs)
    if not n:
        assert table.kappa is None
        return
    observed = Fraction(sum(a == b for a, b in pairs), n)
    # chance: all answers of the one against all answers of the other
    expected = Fraction(sum(a == b for a, _ in pairs for _, b in pairs), n * n)
    assert table.share == pytest.approx(float(observed))
    if expected == 1:
        assert table.kappa is None
    else:
        assert table.kappa == pytest.approx(float((observed - expected) / (1 - expected)))
        assert table.kappa <= 1
        turned = Agreement(table.both, table.second, table.first, table.neither)
        assert turned.kappa == table.kappa


def test_names_in_other_spellings() -> None:
    assert near("stationary", ["Stationery", "Vehicle"]) == "Stationery"
    assert near("benz", ["BMW", "Mercedes Benz"]) == "Mercedes Benz"
    assert near("car", ["cat", "Paper_clip"]) is None
    assert difference(["A", "B"], ["A", "B"]) == "same set; same order"
    assert difference(["A", "B"], ["B", "A"]) == "same set; other order"
    assert (
        difference(["Alpha", "Beta"], ["alpha"])
        == "1 names in common; 1 in other case or writing (alpha for Alpha, ...); without Beta; same order"
    )
    assert difference(["A"], []) == "none offered"


def test_a_prompt_taken_apart() -> None:
    text = "Look at it. Choose among:Car, Cat and Paper_clip Reply in this format:\nAnswer: <x>\n"
    printed = take_apart(text, ("Cat", "Car", "Paper_clip"))
    assert printed.options == ("Car", "Cat", "Paper_clip")
    assert sentences(printed.frame) == ["Look at it.", f"Choose among:{OPTIONS}", "Reply in this format: Answer: <x>"]
    assert take_apart("What is it?", ("Cat",)).frame == "What is it?"


def test_word_diff() -> None:
    assert word_diff("a b c", "a x c d") == "a [-b-] {+x+} c {+d+}"
    assert word_diff("a b", "a b") == "the same"
    assert word_diff("a  b", "a b") == "the same words, other white space"
    assert word_diff("a b", "a\nb") == "a {+⏎+} b"
