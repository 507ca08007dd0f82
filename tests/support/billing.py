"""A server that bills: it counts the tokens of what it really received, by the providers' published rules, implemented a second time.

Nothing is taken from Snellen: sizes are read with Pillow, words counted character by character, sizes searched step by step.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

Count = Callable[[int, int], int]


def words_in(text: str) -> int:
    """Count words, groups of up to three digits, runs of marks and of line breaks; long words are several pieces."""
    count, kind, length = 0, "", 0
    for char in text:
        now = "word" if char.isalpha() else "digit" if char.isdigit() else "break" if char == "\n" else "" if char.isspace() else "mark"  # fmt: skip
        if now != kind or (now == "digit" and length == 3) or (now == "word" and length == 12):
            count += bool(now)
            kind, length = now, 0
        length += 1
    return count


# ---------------------------------------------------------------- pictures


def openai_tiles(base: int, tile: int) -> Count:
    def count(width: int, height: int) -> int:
        wide, high = float(width), float(height)
        if max(wide, high) > 2048:
            wide, high = wide * 2048 / max(width, height), high * 2048 / max(width, height)
        if min(wide, high) > 768:
            wide, high = wide * 768 / min(wide, high), high * 768 / min(wide, high)
        across = down = 0
        while across * 512 < wide - 0.01:
            across += 1
        while down * 512 < high - 0.01:
            down += 1
        return base + tile * across * down

    return count


def openai_patches(multiplier: float, budget: int) -> Count:
    def covered(side: float) -> int:
        return int(side) // 32 + (int(side) % 32 > 0)

    def count(width: int, height: int) -> int:
        found = covered(width) * covered(height)
        if found > budget:
            shrink = (1024 * budget / (width * height)) ** 0.5
            shrink *= min(width * shrink // 32 / (width * shrink / 32), height * shrink // 32 / (height * shrink / 32))
            found = covered(width * shrink + 0.01) * covered(height * shrink + 0.01)
        exact = found * multiplier
        return int(exact) + (exact > int(exact) + 1e-6)

    return count


def claude(longest: int, most: int) -> Count:
    def patches(side: int) -> int:
        return (side + 27) // 28

    def count(width: int, height: int) -> int:
        long, short = max(width, height), min(width, height)
        for edge in range(long, 0, -1):  # the largest size of the same shape that keeps to both limits
            other = max(1, round(edge * short / long))
            if patches(edge) * 28 <= longest and patches(edge) * patches(other) <= most:
                return patches(edge) * patches(other)
        raise AssertionError("no size fits")

    return count


def gemini_2(width: int, height: int) -> int:
    if width <= 384 and height <= 384:
        return 258
    unit = int(min(width, height) / 1.5)
    unit = 256 if unit < 256 else 768 if unit > 768 else unit
    return 258 * (-(-width // unit)) * (-(-height // unit))


def gemini_3(_width: int, _height: int) -> int:
    return 1120


# ---------------------------------------------------------------- the bill


@dataclass
class Biller:
    """Answers and bills. `price` is (input, output, cached) in USD per million tokens; every `cached`-th call reads its words from a cache."""

    count: Count
    price: tuple[float, float, float]
    answer: str = "Color"
    thinking: int = 0
    cached: int = 0
    bills: list[float] = field(default_factory=list)
    tokens: list[tuple[int, int]] = field(default_factory=list)

    def __call__(self, request: dict[str, Any], _times: int) -> tuple[int, dict[str, str], bytes]:
        words, pictures = 3, 0
        for message in request["messages"]:
            content = message["content"]
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            words += 4
            for part in parts:
                if part["type"] == "text":
                    words += words_in(part["text"])
                else:
                    data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                    with Image.open(io.BytesIO(data)) as image:
                        pictures += self.count(*image.size)
        n = len(self.bills) + 1
        read = words if self.cached and n % self.cached == 0 else 0
        thought = self.thinking and self.thinking + n % 3 - 1
        output = words_in(self.answer) + 3 + thought
        inside = words + pictures
        per_input, per_output, per_cached = self.price
        self.bills.append(((inside - read) * per_input + read * per_cached + output * per_output) / 1e6)
        self.tokens.append((inside, output))
        usage = {
            "prompt_tokens": inside,
            "completion_tokens": output,
            "prompt_tokens_details": {"cached_tokens": read},
            "completion_tokens_details": {"reasoning_tokens": thought},
        }
        message = {"role": "assistant", "content": self.answer}
        body = {"id": f"r{n}", "model": request["model"], "choices": [{"message": message, "finish_reason": "stop"}]}
        return 200, {}, json.dumps({**body, "usage": usage}).encode()

    @property
    def bill(self) -> float:
        """The total cost."""
        return sum(self.bills)
