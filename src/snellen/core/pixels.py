"""Open and decode images with Pillow, imported when used. Every conversion is named, so that the ledger can list it.

Images come from untrusted sources. They are opened only here, with formats that Pillow decodes itself (it would hand EPS
to Ghostscript, which runs it). The header's size is checked first, so that a file of a few bytes that claims to be
50,000 pixels wide costs nothing.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from snellen.core.errors import SnellenError
from snellen.core.images import ImageHeader, ends_whole, sniff
from snellen.core.types import Picture

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
MOST_PIXELS = 80_000_000  # four times the largest screenshots; Pillow itself warns from 89 million on
LONGEST_SIDE = 65_535


class BadPicture(SnellenError):
    """An image that cannot be used: a failure of its sample, never the end of a run."""


def too_large(width: int, height: int) -> str | None:
    """Return why a size is too large to decode, send or draw; None if it is not."""
    if width > LONGEST_SIDE or height > LONGEST_SIDE or width * height > MOST_PIXELS:
        most = f"{MOST_PIXELS // 1_000_000} million pixels and sides of {LONGEST_SIDE}"
        return f"image of {width} x {height} pixels: larger than what is taken, {most}"
    return None


def open_picture(data: bytes) -> Image:
    """Open an image without decoding its pixels; the caller closes it. Raise BadPicture for any fault in it."""
    from PIL import Image, UnidentifiedImageError

    if not data:
        raise BadPicture("no image bytes")
    problem = too_large(*sniff(data)[1:])
    if problem:
        raise BadPicture(problem)
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError:
        raise BadPicture(f"image does not decode (it is no {', '.join(FORMATS[:-1])} or {FORMATS[-1]})") from None
    except Image.DecompressionBombError:
        raise BadPicture("image larger than Pillow's safety limit") from None
    except Exception as error:  # Pillow's readers let any exception through
        raise _undecodable(error) from None
    problem = too_large(*image.size)
    if problem:
        image.close()
        raise BadPicture(problem)
    return image


def decoded(data: bytes) -> Image:
    """Return an image with its pixels in memory. Raise BadPicture if that fails."""
    image = open_picture(data)
    try:
        image.load()
    except Exception as error:  # likewise
        image.close()
        raise _undecodable(error) from None
    return image


def as_rgb(data: bytes) -> Image:
    """Return an image in three channels, otherwise unchanged. Raise BadPicture if that fails."""
    with decoded(data) as image:
        return image.convert("RGB")


def _undecodable(error: Exception) -> BadPicture:
    said = f": {error}" if str(error) else ""
    return BadPicture(f"image does not decode ({type(error).__name__}{said})")


def decode_problem(data: bytes) -> str | None:
    """Return why an image cannot be used; None if it decodes fully."""
    try:
        decoded(data).close()
    except BadPicture as error:
        return str(error)
    return None


def check_image(picture: Picture) -> None:
    """Refuse an image that does not decode, with its place. One with a valid header and end is not decoded."""
    head = sniff(picture.data)
    problem = too_large(head.width, head.height)
    if problem is None and not _at_its_word(head, picture.data):
        problem = decode_problem(picture.data)
    if problem:
        raise BadPicture(f"{picture.name}: {problem}")


def _at_its_word(head: ImageHeader, data: bytes) -> bool:
    return head.width > 0 and head.height > 0 and ends_whole(head.codec, data)


def as_accepted(data: bytes, accepted: frozenset[str]) -> tuple[bytes, tuple[str, ...]]:
    """Return the original bytes if the endpoint takes their codec; otherwise a lossless PNG, with the conversion named."""
    head = sniff(data)
    problem = too_large(head.width, head.height)
    if problem:
        raise BadPicture(problem)
    taken = head.codec in accepted and head.width > 0
    if taken and ends_whole(head.codec, data):
        return data, ()
    with decoded(data) as image:
        if taken:
            return data, ()
        out = io.BytesIO()
        mode = image.mode
        keep = mode in ("1", "L", "LA", "RGB", "RGBA", "P", "I;16")
        (image if keep else image.convert("RGB")).save(out, "PNG")
    done = (f"{head.codec} to png",) + (() if keep else (f"mode {mode} to RGB",))
    return out.getvalue(), done
