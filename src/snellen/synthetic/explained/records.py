"""What the four makers share: the shape of a made record, file numbers, and explanations as nlxgpt writes them."""

from __future__ import annotations

from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.synthetic.scenes.canvas import Box
from snellen.synthetic.scenes.model import Scene
from snellen.synthetic.scenes.render import draw, jpeg

SPLITS = ("train", "val", "test")
SPAN = 4_000_000
"""File numbers of each split; 7919 is prime to it, so numbers look scattered and no two samples share one."""


class Made(NamedTuple):
    """One record: its picture (None where an earlier record of the same split has the file) and what the files say."""

    key: str
    picture: tuple[str, bytes] | None
    record: Any
    extra: Any = None


def number(split: str, seed: int, index: int) -> int:
    """The number of a picture's file: scattered, unique over all splits, and the same for any count."""
    if index >= SPAN:
        raise SnellenError(f"a split has at most {SPAN} synthetic samples: choose a smaller count")
    return SPLITS.index(split) * SPAN + (index * 7919 + seed * 104_729 + 17) % SPAN + 1


def picture_name(task: str, split: str, index: int) -> str:
    """The name of a picture's file, which no real set has. The numbers of version 1 could be those of real pictures."""
    return f"snellen_{task}_{split}_{index:06d}.jpg"


def picture(scene: Scene) -> tuple[bytes, tuple[Box, ...]]:
    """The JPEG of a scene and the boxes of its people and things in pixels."""
    drawing = draw(scene)
    return jpeg(drawing.image), drawing.boxes


def plain(text: str) -> str:
    """An explanation as nlxgpt stores it: lower case, no full stops.

    >>> plain("The man is by a lake.")
    'the man is by a lake'
    """
    return text.lower().replace(".", "")
