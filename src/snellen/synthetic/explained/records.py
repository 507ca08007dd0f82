"""Code that the four makers share: the shape of a made record, names of files, and explanations as nlxgpt writes them."""

from __future__ import annotations

from typing import Any, NamedTuple

from snellen.synthetic.scenes.canvas import CanvasBox
from snellen.synthetic.scenes.model import Scene
from snellen.synthetic.scenes.render import draw, jpeg


class MadeRecord(NamedTuple):
    """One record: its picture (None where an earlier record of the same split has the file) and its text in the files."""

    key: str
    picture: tuple[str, bytes] | None
    record: Any
    extra: Any = None


def picture_name(task: str, split: str, index: int) -> str:
    """Return the name of a picture's file, which does not occur in real sets."""
    return f"snellen_{task}_{split}_{index:06d}.jpg"


def picture(scene: Scene) -> tuple[bytes, tuple[CanvasBox, ...]]:
    """Return the JPEG of a scene and the boxes of its people and things in pixels."""
    drawing = draw(scene)
    return jpeg(drawing.image), drawing.boxes


def plain(text: str) -> str:
    """Return an explanation as nlxgpt stores it: lower case, no full stops.

    >>> plain("The man is by a lake.")
    'the man is by a lake'
    """
    return text.lower().replace(".", "")
