"""Entropies and log-probabilities against the plain formulas, and draws that do not depend on the batch."""

from __future__ import annotations

from typing import Any

import pytest

from snellen.subjects.local.decoding import Gauge, Recorder, seed_of

torch: Any = pytest.importorskip("torch")


def plain(scores: Any) -> tuple[Any, Any]:
    """By the book, in double precision."""
    logs = scores.double().log_softmax(-1)
    shares = logs.exp()
    return logs, -(shares * logs).nan_to_num(0.0).sum(-1)


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_the_gauge_is_the_plain_formula(scale: float) -> None:
    gauge = Gauge(torch)
    for rows in (3, 3, 5):
        scores = torch.randn(rows, 5000) * scale + 7.0
        logs, entropy = plain(scores)
        logprob, found = gauge(scores)
        assert torch.allclose(found.double(), entropy, atol=1e-4)
        assert torch.allclose(logprob.double(), logs.amax(-1), atol=1e-4)
        chosen = torch.arange(rows)
        assert torch.allclose(gauge(scores, chosen)[0].double(), logs[chosen, chosen].clamp_min(-210.0), atol=1e-3)


def test_words_that_are_ruled_out_count_nothing() -> None:
    scores = torch.tensor(
        [[1.0, 1.0, float("-inf"), float("-inf")], [0.0, float("-inf"), float("-inf"), float("-inf")]]
    )
    logprob, entropy = Gauge(torch)(scores)
    assert entropy.tolist() == pytest.approx([0.693147, 0.0], abs=1e-6)
    assert logprob.tolist() == pytest.approx([-0.693147, 0.0], abs=1e-6)


def test_rows_are_cut_at_their_first_end_token() -> None:
    recorder = Recorder(torch, 3, 0.0, [0, 0])
    for _ in range(3):
        recorder(None, torch.zeros(2, 4))
    rows = recorder.rows(torch.tensor([[1, 9, 0], [1, 2, 3]]), frozenset({9, 8}))
    assert [(r.ids, r.ended, len(r.entropies), len(r.logprobs)) for r in rows] == [
        ([1], True, 1, 1),
        ([1, 2, 3], False, 3, 3),
    ]
    assert rows[1].entropies == pytest.approx([1.386294] * 3, abs=1e-5)


def test_draws_follow_the_tempered_distribution() -> None:
    scores = torch.tensor([[2.0, 1.0, 0.0]]).repeat(6000, 1)
    drawn = Recorder(torch, 1, 2.0, [seed_of(0, str(i)) for i in range(6000)])(None, scores).argmax(-1)
    shares = torch.bincount(drawn, minlength=3) / 6000
    assert torch.allclose(shares, (scores[0] / 2.0).softmax(-1), atol=0.03)


def test_a_draw_is_the_samples_own() -> None:
    scores = torch.randn(2, 50)
    together = Recorder(torch, 1, 1.0, [seed_of(3, "a"), seed_of(3, "b")])(None, scores)
    alone = Recorder(torch, 1, 1.0, [seed_of(3, "b")])(None, scores[1:])
    assert torch.equal(together[1:], alone)
    assert not torch.equal(alone, Recorder(torch, 1, 1.0, [seed_of(4, "b")])(None, scores[1:]))
