"""Images in a format for browsers, for the page and the viewer."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

WEB = frozenset({"png", "jpeg", "webp", "gif"})


def as_webp(image: Image, side: int, quality: int) -> bytes:
    """Return a copy of an image with sides of at most `side` pixels."""
    clear = "A" in image.getbands() or "transparency" in image.info
    copy = image.convert("RGBA" if clear else "RGB")
    copy.thumbnail((side, side))
    out = io.BytesIO()
    copy.save(out, "WEBP", quality=quality, method=2)
    return out.getvalue()
