"""How many tokens a request will be, estimated before it is sent. What the endpoint reports replaces this afterwards."""

from __future__ import annotations

from math import ceil


def text_tokens(text: str, frame: int = 8) -> int:
    """About four characters a token, and a few for the chat frame: of the whole, or (4) of one more turn."""
    return ceil(len(text) / 4) + frame


def image_tokens(model: str, width: int, height: int) -> int:
    """By the published rule of the model's family; an unknown family counts a token for 750 pixels.

    >>> image_tokens("openai/gpt-4o", 1024, 1024)
    765
    """
    name = model.lower()
    if width <= 0 or height <= 0:
        return 1500
    if "gpt-4o-mini" in name:
        return 2833 + 5667 * _tiles(width, height)
    if "gpt-" in name:
        return 85 + 170 * _tiles(width, height)
    if "qwen3" in name:
        return ceil(width / 32) * ceil(height / 32)
    if "qwen" in name:
        return ceil(width / 28) * ceil(height / 28)
    if "gemini" in name:
        return 258 if max(width, height) <= 384 else 258 * ceil(width / 768) * ceil(height / 768)
    if "llava" in name:
        return 576
    return ceil(width * height / 750)


def _tiles(width: int, height: int) -> int:
    """OpenAI's rule: fit into 2048 square, shortest side to 768, count 512 px tiles."""
    scale = min(1.0, 2048 / max(width, height))
    width, height = int(width * scale), int(height * scale)
    scale = min(1.0, 768 / max(1, min(width, height)))
    return ceil(int(width * scale) / 512) * ceil(int(height * scale) / 512)
