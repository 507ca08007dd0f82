"""Decoding with entropies: the numbers needed of each step's scores are taken while the scores exist; the scores are not kept.

Keeping them, as `output_scores` does, takes steps x batch x vocabulary floats. Here a step leaves two floats a row.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

LEAST = -200.0  # exp of it is 0 in float32, and so is the product, which -inf would make a NaN


class DecodedReply(NamedTuple):
    """One reply as numbers, without its end token. `ended` tells whether the model ended it."""

    ids: list[int]
    logprobs: list[float]
    entropies: list[float]
    ended: bool


class Gauge:
    """Log-probability and entropy of rows of scores, in nats, over the whole vocabulary.

    With y = x - max and Z = sum of exp(y): ln p = y - ln Z, and H = ln Z - sum of y exp(y) / Z. This is several times faster than
    taking a log of every probability. The two temporaries of the scores' size are made once and used at every step.
    """

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._room: Any = None

    def __call__(self, scores: Any, chosen: Any | None = None) -> tuple[Any, Any]:
        """Return for each row the chosen token's log-probability (the likeliest one's if none is given) and the entropy."""
        torch = self._torch
        if self._room is None or self._room.shape[1:] != scores.shape:
            self._room = torch.empty((2, *scores.shape), dtype=torch.float32, device=scores.device)
        shifted, weights = self._room
        torch.sub(scores, scores.amax(-1, keepdim=True), out=shifted).clamp_min_(LEAST)
        score = 0.0 if chosen is None else shifted.gather(-1, chosen.unsqueeze(-1)).squeeze(-1)
        total = torch.exp(shifted, out=weights).sum(-1)
        log_total = total.log()
        return score - log_total, log_total - weights.mul_(shifted).sum(-1) / total


class Recorder:
    """A logits processor: as the only processor it sees raw scores, and passes them on.

    With a temperature it adds Gumbel noise, so that the largest score is a draw from the tempered distribution. Each row
    has random numbers of its own: its draw does not depend on the other rows of the batch. Entropies are of the raw scores.
    """

    def __init__(self, torch: Any, steps: int, temperature: float, seeds: Sequence[int]) -> None:
        """Reserve room for `steps`, the largest possible number of steps, at once. Small tensors that stay, made between large ones
        that go, would fragment the heap."""
        self._torch, self._temperature = torch, temperature
        self._gauge = Gauge(torch)
        self._draws = [torch.Generator().manual_seed(s) for s in seeds] if temperature > 0 else []
        # one more step: on some devices an extra last step is taken and undone
        self._found = torch.zeros((2, steps + 1, len(seeds)))
        self._step = 0

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        if self._step == 0:
            self._found = self._found.to(scores.device)
        given = self._drawn(scores) if self._draws else scores
        chosen = given.argmax(-1) if self._draws else None
        self._found[0, self._step], self._found[1, self._step] = self._gauge(scores, chosen)
        self._step += 1
        return given

    def _drawn(self, scores: Any) -> Any:
        torch = self._torch
        uniform = torch.stack([torch.rand(scores.shape[-1], generator=g, dtype=torch.float64) for g in self._draws])
        noise = -torch.log(-torch.log(uniform.clamp_min(1e-300)))
        return scores / self._temperature + noise.to(scores)

    def rows(self, new_ids: Any, ends: frozenset[int]) -> list[DecodedReply]:
        """Return the replies: each up to the first end token, everything after it masked."""
        logprobs, entropies = self._found[:, : new_ids.shape[1]].transpose(1, 2).tolist()
        return [_row(*each, ends) for each in zip(new_ids.tolist(), logprobs, entropies, strict=True)]


def _row(ids: list[int], logprobs: list[float], entropies: list[float], ends: frozenset[int]) -> DecodedReply:
    n = next((i for i, token in enumerate(ids) if token in ends), len(ids))
    return DecodedReply(ids[:n], logprobs[:n], entropies[:n], n < len(ids))


class Halt:
    """A stopping criterion that ends decoding after the present step once the subject is closed."""

    def __init__(self, torch: Any, closing: threading.Event) -> None:
        self._torch, self._closing = torch, closing

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        full = self._torch.full((input_ids.shape[0],), self._closing.is_set(), dtype=self._torch.bool)
        return full.to(input_ids.device)


def seed_of(seed: int, draw: str) -> int:
    """Return a sample's own seed."""
    return int.from_bytes(hashlib.sha256(f"{seed}\x1f{draw}".encode()).digest()[:7], "big")
