"""Facts about model families: the size at which they see an image, the parameters they take, the meaning of numbers in their replies.

The entries are data with a source and a date each (families.toml). They record claims; `snellen probe` measures.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Literal

from snellen.core.resizing import PixelLimits, to_multiples
from snellen.core.types import Struct
from snellen.data.declared import declared

Size = tuple[int, int]
Sure = Literal["documented", "measured", "reported", ""]
Space = Literal["image_pixels", "resized_pixels", "relative_1000", "unit", "percent", ""]
FORMATS: dict[str, Space] = {
    "pixels": "image_pixels",
    "gpt": "resized_pixels",
    "claude": "resized_pixels",
    "qwen2.5-vl": "resized_pixels",
    "qwen2-vl": "relative_1000",
    "qwen3-vl": "relative_1000",
    "unit": "unit",
    "molmo": "percent",
}
"""The grounding exam's point formats and the space of their numbers. (A test compares it with the exam's own list.)"""
PLAIN = {"image_pixels": "pixels", "relative_1000": "qwen3-vl", "unit": "unit", "percent": "molmo"}
"""The format that fits a space if the family is not known."""


class Family(Struct, frozen=True):
    """One family. Empty or 0 means unknown, or no such limit."""

    name: str
    models: tuple[str, ...]
    looked_up: str
    source: str
    sure: Sure
    longest: int = 0
    shortest: int = 0
    pixels: int = 0
    least_pixels: int = 0
    patch: int = 0
    patches: int = 0
    whole_patches: bool = False
    multiple: int = 0
    square: int = 0
    rule: str = ""
    codecs: tuple[str, ...] = ()
    most_bytes: int = 0
    most_images: int = 0
    space: Space = ""
    space_sure: Sure = ""
    space_source: str = ""
    format: str = ""
    detail: bool = False
    note: str = ""

    @property
    def sizes_known(self) -> bool:
        """True if there is a rule to compute sizes with."""
        return bool(self.longest or self.shortest or self.pixels or self.patches or self.square)

    def seen(self, width: int, height: int) -> Size:
        """Return the size at which an image is seen by the family's rule; its own size if no rule is known."""
        if self.square:
            return self.square, self.square
        if self.multiple:
            return to_multiples(width, height, PixelLimits(self.least_pixels, self.pixels), self.multiple)
        scale = min(1.0, self.longest / max(width, height)) if self.longest else 1.0
        if self.shortest:
            scale = min(scale, self.shortest / min(width, height))
        if self.pixels:
            scale = min(scale, math.sqrt(self.pixels / (width * height)))
        if self.patches:
            fit = _to_whole_patches if self.whole_patches else _within_patches
            scale = fit(width, height, scale, self.patch, self.patches)
        return max(1, math.floor(width * scale)), max(1, math.floor(height * scale))


def _within_patches(width: int, height: int, scale: float, patch: int, most: int) -> float:
    """Return the largest scale, not over the given one, at which at most that many patches cover the image."""

    def needed(at: float) -> int:
        return math.ceil(math.floor(width * at) / patch) * math.ceil(math.floor(height * at) / patch)

    if needed(scale) <= most:
        return scale
    low, high = 0.0, scale
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if needed(middle) <= most else (low, middle)
    return low


def _to_whole_patches(width: int, height: int, scale: float, patch: int, most: int) -> float:
    """Apply OpenAI's rule: scale to the area of that many patches, then down until one side is a whole number of patches."""
    if math.ceil(width * scale / patch) * math.ceil(height * scale / patch) <= most:
        return scale
    shrunk = math.sqrt(most * patch * patch / (width * height))
    sides = [side * shrunk / patch for side in (width, height)]
    return shrunk * min(math.floor(n) / n for n in sides)


@cache
def families() -> tuple[Family, ...]:
    """Return all entries, in the order of the file."""
    return declared("snellen.subjects", "families.toml", dict[str, tuple[Family, ...]])["family"]


def family_of(model: str) -> Family | None:
    """Return the family of a model by its name; None if no entry is of exactly this family. Nothing is guessed from a name's beginning.

    >>> family_of("openai/gpt-4o-2024-08-06").name, family_of("Qwen/Qwen2.5-VL-7B-Instruct").name, family_of("gpt-4o-audio-preview")
    ('gpt-4o', 'qwen2.5-vl', None)
    """
    name = model.lower().rpartition("/")[2]
    return next((f for f in families() if any(re.fullmatch(pattern, name) for pattern in f.models)), None)


def rows() -> list[dict[str, str]]:
    """Return the table for `snellen list families`."""
    return [
        {
            "family": f.name,
            "sees": _sees(f),
            "replies count": f"{f.space.replace('_', ' ')} ({f.space_sure})" if f.space else "not known",
            "format": f.format or "-",
            "takes": _takes(f),
            "sure": f"{f.sure}, {f.looked_up}",
            "source": f.source,
        }
        for f in families()
    ]


def _sees(f: Family) -> str:
    said = [
        f"{f.square} px square" if f.square else "",
        f"longest side {f.longest}" if f.longest else "",
        f"shortest side {f.shortest}" if f.shortest else "",
        f"{f.pixels / 1e6:.3g} megapixels" if f.pixels else "",
        f"{f.patches} patches of {f.patch} px" if f.patches else "",
    ]
    return ", ".join(s for s in (*said, f.rule) if s) or "not known"


def _takes(f: Family) -> str:
    said = [
        " ".join(f.codecs),
        f"{f.most_bytes / 2**20:.0f} MB" if f.most_bytes else "",
        f"{f.most_images} pictures" if f.most_images else "",
    ]
    return ", ".join(s for s in said if s) or "as the server"
