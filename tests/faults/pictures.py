"""Pictures that are none, too much, or more than they seem."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def claiming(width: int, height: int, *more: bytes) -> bytes:
    """A PNG of a few bytes that claims a size."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(b"\0" * 9))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(more) + body + chunk(b"IEND", b"")


def saved(kind: str, size: tuple[int, int] = (64, 64), **more: object) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, kind, **more)
    return out.getvalue()


def film(frames: int) -> bytes:
    out = io.BytesIO()
    pages = [Image.new("P", (9, 9), i % 250) for i in range(frames)]
    pages[0].save(out, "GIF", save_all=True, append_images=pages[1:])
    return out.getvalue()


_TEXT = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"a" * 80_000_000, 9))
_EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\n(ran) (w) file closefile\nshowpage\n%%EOF\n"
HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "text": b"<html><script>alert(1)</script>",
    "postscript": _EPS,
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><image href="file:///etc/passwd"/></svg>',
    "pickle": b"cos\nsystem\n(S'touch ran'\ntR.",
    "vast": claiming(2**31 - 1, 2**31 - 1),
    "large": claiming(40_000, 40_000),
    "flat": claiming(1, 2**31 - 1),
    "nothing": claiming(0, 0),
    "text bomb": claiming(8, 8, _TEXT),
    "endless chunks": claiming(8, 8, *[chunk(b"tEXt", b"a\0b")] * 20_000),
    "cut": saved("PNG")[:-20],
    "cut jpeg": saved("JPEG")[:-40],
    "doubled": saved("PNG") * 2,
    "webp": saved("WEBP"),
    "film": film(300),
    "tiff": saved("TIFF"),
    "exif": saved("JPEG", exif=b"Exif\0\0MM\0*" + b"\xff" * 200),
    "profile": saved("PNG", icc_profile=b"\xff" * 5000),
    "icon": saved("ICO"),
    "pdf": saved("PDF"),
}
