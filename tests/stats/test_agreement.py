"""Kappa by hand and against a sample-by-sample reference."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
