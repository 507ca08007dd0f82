"""Training of snellen-tiny's eye on the sheets of the eye exam: two layers on top of the old ones, and their output to the language model.

The old layers do not change, so their output for each sheet is computed once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from training import tiny_model
from training.common import Muon
from training.tiny_data import Row
from training.tiny_sheets import TAUGHT

LAYERS = 2
UNITS = 64
"""The number of new units of the projector."""
VALUES = 24
"""The number of values per patch from which a reply is made."""
STEPS, EACH, WARM_UP = 1000, 24, 40
"""Steps, and sheets of each faculty in a step."""
RATE, HEADS_RATE, REST_RATE = 0.02, 3e-3, 1e-3
AT_ONCE = 64


@torch.no_grad()
def looked(old: Any, rows: Sequence[Row]) -> torch.Tensor:
    """Return the old eye's output for the first picture of each row, in half precision."""
    tower, found = old.model.vision_tower, []
    for start in range(0, len(rows), AT_ONCE):
        x = tower.embeddings(
            tiny_model.pixels_of(np.stack([row.pictures[:1] for row in rows[start : start + AT_ONCE]]))
        )
        for layer in tower.encoder.layers:
            x = layer(x, None)
        found.append(x.half())
    return torch.cat(found)


class Look(torch.nn.Module):
    """The new layers, the new part of the projector, and the words.

    For each patch it gives VALUES numbers and, for each faculty, how much the patch matters. The values of the patches that matter are
    averaged, and the words most like the average are the reply. `tiny_eye.py` makes the language model do the same.
    """

    def __init__(self, old: Any, words: Sequence[str], seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        config = old.config.vision_config
        block = type(old.model.vision_tower.encoder.layers[0])
        self.words = list(words)
        self.layers = torch.nn.ModuleList(block(config) for _ in range(LAYERS))
        for part in self.layers.modules():
            if isinstance(part, torch.nn.Linear):
                torch.nn.init.xavier_uniform_(part.weight)
                torch.nn.init.zeros_(part.bias)
        self.first = torch.nn.Linear(2 * config.hidden_size, UNITS)
        self.second = torch.nn.Linear(old.config.text_config.hidden_size + UNITS, VALUES + len(TAUGHT))
        self.word = torch.nn.Linear(VALUES, len(self.words))
        self._old = [old.model.multi_modal_projector]  # in a list, so that it is not a submodule

    def more(self, seen: torch.Tensor) -> torch.Tensor:
        """Apply the new layers to the output of the old ones."""
        for layer in self.layers:
            seen = layer(seen, None)
        return seen

    def pooled(self, seen: torch.Tensor, faculty: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return how much each patch matters, and the average values, for sheets of these faculties (their places in TAUGHT)."""
        bridge = self._old[0]
        with torch.no_grad():
            units = functional.gelu(bridge.linear_1(seen))
            length = bridge.linear_2(units).square().mean(dim=-1, keepdim=True).sqrt()
        new = functional.gelu(self.first(torch.cat([seen, self.more(seen)], dim=-1)))
        told = self.second(torch.cat([units, new], dim=-1)) / length  # as the first norm of the language model does
        matter = told[..., VALUES:].gather(2, faculty[:, None, None].expand(-1, told.shape[1], 1))[..., 0]
        return matter, (matter.softmax(dim=1)[..., None] * told[..., :VALUES]).sum(dim=1)

    def forward(self, seen: torch.Tensor, faculty: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return how much each patch matters, and the score of each word."""
        matter, found = self.pooled(seen, faculty)
        return matter, self.word(found)


def learn(
    old: Any, sheets: Mapping[str, list[Row]], seen: Mapping[str, torch.Tensor], seed: int, steps: int = STEPS
) -> Look:
    """Train on these sheets, for which the old eye's output is `seen`."""
    words = sorted({row.blocks[0].reply for rows in sheets.values() for row in rows})
    look = Look(old, words, seed)
    truths = {name: torch.tensor([words.index(row.blocks[0].reply) for row in rows]) for name, rows in sheets.items()}
    where = {
        name: torch.tensor([row.facts[0][0].patches[0] for row in rows])
        for name, rows in sheets.items()
        if rows[0].facts[0][0].patches
    }
    matrices = [p for p in look.layers.parameters() if p.dim() == 2]
    rest = [p for p in look.layers.parameters() if p.dim() == 1]
    ends = [*look.first.parameters(), *look.second.parameters(), *look.word.parameters()]
    groups = [{"params": rest, "lr": REST_RATE}, {"params": ends, "lr": HEADS_RATE}]
    both = (Muon(matrices, lr=RATE), torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.0))
    every = [group for each in both for group in each.param_groups]
    full = [group["lr"] for group in every]
    rng, right, begin = np.random.default_rng([seed, 3]), dict.fromkeys(sheets, 0.0), time.perf_counter()
    kinds = torch.tensor([TAUGHT.index(name) for name in sheets for _ in range(EACH)])
    for step in range(1, steps + 1):
        for group, rate in zip(every, full, strict=True):
            group["lr"] = rate * min(1.0, step / WARM_UP) * (0.5 + 0.5 * math.cos(math.pi * step / steps))
        chosen = {name: torch.from_numpy(rng.integers(len(rows), size=EACH)) for name, rows in sheets.items()}
        matter, said = look(torch.cat([seen[name][at] for name, at in chosen.items()]).float(), kinds)
        truth = torch.cat([truths[name][at] for name, at in chosen.items()])
        loss = functional.cross_entropy(said, truth)
        for place, name in enumerate(chosen):
            if name in where:
                here = matter[place * EACH : (place + 1) * EACH]
                loss = loss + functional.cross_entropy(here, where[name][chosen[name]]) / len(sheets)
        for each in both:
            each.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*matrices, *rest, *ends], 1.0)
        for each in both:
            each.step()
        for name, hits in zip(sheets, (said.argmax(dim=1) == truth).float().reshape(-1, EACH).mean(dim=1), strict=True):
            right[name] = 0.95 * right[name] + 0.05 * float(hits)
        if step % 50 == 0:
            told = ", ".join(f"{name} {share:.2f}" for name, share in right.items())
            print(f"look {step}, {time.perf_counter() - begin:.0f} s: loss {loss.item():.2f}, {told}", flush=True)
    return look.eval()
