"""Decoding images with Pillow, imported when used. Every conversion is named, so that the ledger can say what was done."""

from __future__ import annotations

import io

from snellen.core.errors import SnellenError
from snellen.core.images import ends_whole, sniff
from snellen.core.types import Picture


def decode_problem(data: bytes) -> str | None:
    """Why an image cannot be used; None when it decodes fully."""
    from PIL import Image, UnidentifiedImageError

    if not data:
        return "no image bytes"
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
    except UnidentifiedImageError:
        return "image does not decode (not an image format that is known)"
    except Image.DecompressionBombError:
        return "image larger than Pillow's safety limit"
    except Exception as error:
        return f"image does not decode ({type(error).__name__}: {error})"
    return None


def check_image(picture: Picture) -> None:
    """Refuse an image that does not decode, with its place; one whose header and end are in order is taken at its word."""
    head = sniff(picture.data)
    if head.width > 0 and ends_whole(head.codec, picture.data):
        return
    problem = decode_problem(picture.data)
    if problem:
        raise SnellenError(f"{picture.name}: {problem}")


def as_accepted(data: bytes, accepted: frozenset[str]) -> tuple[bytes, tuple[str, ...]]:
    """The original bytes where the endpoint takes their codec; otherwise a lossless PNG, with the conversion named."""
    head = sniff(data)
    taken = head.codec in accepted and head.width > 0
    if taken and ends_whole(head.codec, data):
        return data, ()
    problem = decode_problem(data)
    if problem:
        raise SnellenError(problem)
    if taken:
        return data, ()
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        out = io.BytesIO()
        mode = image.mode
        keep = mode in ("1", "L", "LA", "RGB", "RGBA", "P", "I;16")
        (image if keep else image.convert("RGB")).save(out, "PNG")
    done = (f"{head.codec} to png",) + (() if keep else (f"mode {mode} to RGB",))
    return out.getvalue(), done
