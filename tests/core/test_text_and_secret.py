from __future__ import annotations

import copy
import pickle

from hypothesis import given
from hypothesis import strategies as st

from snellen.core.cells import for_cell
from snellen.core.digest import canonical, digest, rank
from snellen.core.secret import Secret, redact_all
from snellen.core.text import for_terminal, one_line


@given(st.text())
def test_no_escape_reaches_a_terminal(text: str) -> None:
    shown = for_terminal(text)
    assert not any(c in shown for c in "\x1b\x07\x08\r\x9b\u202e\u200b")
    assert "\n" not in one_line(text)


@given(st.text(min_size=1))
def test_no_cell_is_a_formula(text: str) -> None:
    assert for_cell(text)[:1] not in ("=", "+", "-", "@", "\t")


def test_long_text_is_cut_visibly() -> None:
    assert for_terminal("x" * 50, 10) == "x" * 9 + "…"


def test_a_secret_cannot_be_printed_copied_or_pickled() -> None:
    secret = Secret("sk-abcdef")
    assert "abcdef" not in f"{secret!r} {secret}"
    assert not copy.copy(secret)
    assert b"abcdef" not in pickle.dumps(secret)
    assert secret.redact("Bearer sk-abcdef!") == "Bearer [key]!"
    assert redact_all("error: sk-abcdef") == "error: [key]"


def test_digest_ignores_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})
    assert canonical({"b": 1, "a": "é"}) == '{"a":"é","b":1}'.encode()


def test_rank_depends_on_seed_and_key() -> None:
    assert rank(1, "x") == rank(1, "x") != rank(2, "x")
