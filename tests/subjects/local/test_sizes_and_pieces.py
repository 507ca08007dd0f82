"""Which questions share a batch, how large it may be, and what text each token carries. No model is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.subjects.local.pieces import pieces
from snellen.subjects.local.sizes import BatchSize, PromptSize, pick

shapes = st.builds(PromptSize, st.sampled_from([(), ((4,),), ((9,),), ((4,), (4,))]), st.integers(1, 50))


@given(st.lists(shapes, min_size=1, max_size=30), st.integers(1, 9))
def test_a_batch_holds_the_oldest_and_fits_together(waiting: list[PromptSize], size: int) -> None:
    chosen = pick(waiting, size)
    assert 0 in chosen
    assert len(set(chosen)) == len(chosen) <= size
    assert len({len(waiting[i].images) for i in chosen}) == 1
    alike = sum(len(s.images) == len(waiting[0].images) for s in waiting)
    assert len(chosen) == min(size, alike)


def test_equal_images_go_together_before_equal_lengths() -> None:
    small, large = ((4,),), ((64,),)
    waiting = [
        PromptSize(small, 20),
        PromptSize(large, 20),
        PromptSize(small, 40),
        PromptSize(large, 21),
        PromptSize(small, 22),
    ]
    assert sorted(pick(waiting, 3)) == [0, 2, 4]
    assert sorted(pick(waiting, 2)) == [0, 4]


def test_a_batch_doubles_while_it_gets_faster() -> None:
    size = BatchSize(start=2, cap=64)
    for samples, seconds, then in [(2, 1.0, 4), (4, 1.1, 8), (8, 1.5, 16), (16, 3.0, 16), (16, 3.0, 8), (8, 0.1, 8)]:
        size.finished(samples, tokens=samples * 10, seconds=seconds)
        assert size.now == then
    assert size.settled


def test_one_slow_batch_is_not_the_last_word_and_a_short_one_says_nothing() -> None:
    size = BatchSize(start=2, cap=8)
    size.finished(2, 20, 1.0)
    size.finished(3, 30, 100.0)
    size.finished(4, 40, 9.0)
    assert (size.now, size.settled) == (4, False)
    size.finished(4, 40, 1.0)
    assert size.now == 8
    size.finished(8, 80, 1.0)
    assert (size.now, size.settled) == (8, True)


def test_memory_that_runs_out_halves_for_good() -> None:
    size = BatchSize(start=16, cap=16)
    size.ran_out(16)
    size.ran_out(8)
    assert (size.now, size.shrunk_at) == (4, [16, 8])
    size.finished(4, 40, 0.001)
    assert size.now == 4
    for _ in range(3):
        size.ran_out(1)
    assert size.now == 1


# ---------------------------------------------------------------- pieces


def tokenizers() -> dict[str, Any]:
    pytest.importorskip("transformers")
    from tests.support import tiny_models

    return {"words": tiny_models._words_tokenizer(400), "bytes": tiny_models._bytes_tokenizer()}


@pytest.fixture(scope="module", params=["words", "bytes"])
def tokenizer(request: pytest.FixtureRequest) -> Any:
    return tokenizers()[request.param]


def decoder(tokenizer: Any) -> Callable[[list[list[int]]], list[str]]:
    return lambda rows: tokenizer.backend_tokenizer.decode_batch(rows, skip_special_tokens=True)


@pytest.mark.parametrize("text", ["yes because a dog is visible", "naïve 🙂 because 汉字", " two  spaces\nand a line"])
def test_pieces_join_to_the_text(tokenizer: Any, text: str) -> None:
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    found = pieces(ids, decoder(tokenizer))
    assert "".join(found) == tokenizer.decode(ids, skip_special_tokens=True) == text
    assert len(found) == len(ids)
    assert "\ufffd" not in "".join(found)


def test_a_word_keeps_its_space_and_the_first_has_none() -> None:
    words = tokenizers()["words"]
    ids = [words.get_vocab()[t] for t in ("▁because", "▁the", "▁because")]
    assert pieces(ids, decoder(words)) == ["because", " the", " because"]


def test_pieces_of_whatever_ids_join_to_what_the_tokenizer_makes_of_them(tokenizer: Any) -> None:
    import random

    draw = random.Random(5)
    for _ in range(200):
        ids = [draw.randrange(len(tokenizer)) for _ in range(draw.randrange(30))]
        assert "".join(pieces(ids, decoder(tokenizer))) == tokenizer.decode(ids, skip_special_tokens=True)
