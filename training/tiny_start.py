"""The initial weights of snellen-tiny, not random where their first task is known. Training changes all of them."""

from __future__ import annotations

from typing import Any

import torch
import transformers

from snellen.subjects.local.source import packaged
from training.tiny_model import IMAGE_TOKENS

QUICK, LOUD, QUIET = 4, 6.0, 0.1
"""The head that compares: the number of its quickest rotations in use, their loudness, and the factor for the rest."""
FINDING, ALIKE = 2, 1.5
"""The heads that find by likeness: the number of layers that have them, and their loudness."""


def see(model: Any) -> None:
    """Start the eye as that of tiny-siglip, which knows drawn scenes; patterns and hidden shapes are new to it."""
    scorer = transformers.AutoModel.from_pretrained(packaged("tiny-siglip"), local_files_only=True)
    tower = model.model.vision_tower
    known = scorer.vision_model.state_dict()
    inner = getattr(tower, "vision_model", tower)
    inner.load_state_dict({name: known[name] for name in inner.state_dict()})


def compare(model: Any) -> None:
    """Make one head of the language model look, from each patch of a second picture, at the same patch of the first.

    Its query and key are constants that rotary positions turn into a peak at the distance of one picture. Training decides how
    the result is used. Without this start, a small model takes longer than all of training to find such a head.
    """
    attention = model.model.language_model.layers[0].self_attn
    half = attention.head_dim // 2
    base = model.config.text_config.rope_parameters["rope_theta"]
    turns = IMAGE_TOKENS * base ** (-torch.arange(half) / half)
    loud = torch.where(torch.arange(half) < QUICK, LOUD, 0.0)
    with torch.no_grad():
        for part in (attention.q_proj, attention.k_proj):
            part.weight[: 2 * half] *= QUIET
        attention.k_proj.bias[:half] = loud
        attention.q_proj.bias[:half] = loud * turns.cos()
        attention.q_proj.bias[half : 2 * half] = -loud * turns.sin()


def find(model: Any) -> None:
    """Make some heads look for patches like the current word: the same few directions for query and key.

    They use only rotations so slow that distance does not matter. Patches lie near the words for what they show (see
    `Student.naming_loss`), so a question about a dog finds the dog.
    """
    generator = torch.Generator().manual_seed(0)
    for layer in model.model.language_model.layers[:FINDING]:
        attention = layer.self_attn
        size = attention.head_dim
        for head in (1, 2):
            alike = torch.linalg.qr(torch.randn(attention.q_proj.in_features, size, generator=generator))[0].T * ALIKE
            slow = torch.arange(size) % (size // 2) >= size // 4
            with torch.no_grad():
                for part in (attention.q_proj, attention.k_proj):
                    rows = part.weight[head * size : (head + 1) * size]
                    rows[slow] = alike[slow]
                    rows[~slow] *= QUIET
