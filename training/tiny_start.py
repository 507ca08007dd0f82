"""How snellen-tiny starts: weights that are not random where it is known what they should do at first. Training changes all of them."""

from __future__ import annotations

from typing import Any

import torch
import transformers

from snellen.subjects.local.source import packaged
from training.tiny_model import IMAGE_TOKENS

QUICK, LOUD, QUIET = 4, 6.0, 0.1
"""The head that compares: how many of its quickest rotations speak, how loud, and how much is left of what else it says."""
FINDING, ALIKE = 2, 1.5
"""The heads that find by likeness: in how many layers, and how loud they are."""


def see(model: Any) -> None:
    """Starts the eye as that of tiny-siglip, which knows drawn scenes; patterns and hidden shapes are new to it."""
    scorer = transformers.AutoModel.from_pretrained(packaged("tiny-siglip"), local_files_only=True)
    tower = model.model.vision_tower
    known = scorer.vision_model.state_dict()
    inner = getattr(tower, "vision_model", tower)
    inner.load_state_dict({name: known[name] for name in inner.state_dict()})


def compare(model: Any) -> None:
    """Starts one head of the language model looking, from each patch of a second picture, at the same patch of the first.

    Its query and key are constants that rotary positions turn into a peak at the distance of one picture; what it does with
    what it finds there is left to training. To find such a head by itself takes a small model longer than all of training.
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
    """Starts some heads looking for what is like the word at hand: the same few directions for query and key.

    Only rotations so slow that distance does not matter speak in them. Patches lie near the words for what they show (see
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
