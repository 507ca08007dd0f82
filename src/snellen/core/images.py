"""The codec and pixel size of an image file, read from its header alone. No decoding, no imaging library."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from snellen.core.types import ImageSent

MIME = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "gif": "image/gif",
    "bmp": "image/bmp",
    "tiff": "image/tiff",
}


class ImageHeader(NamedTuple):
    """Codec name ('png', 'jpeg', ...; 'unknown' when not recognised) and size in pixels (0 when not found)."""

    codec: str
    width: int
    height: int


UNKNOWN = ImageHeader("unknown", 0, 0)


def sniff(data: bytes) -> ImageHeader:
    """Read codec and size from the first bytes of a file.

    >>> sniff(b"nonsense")
    ImageHeader(codec='unknown', width=0, height=0)
    """
    if data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR" and len(data) >= 24:
        return ImageHeader("png", int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    if data[:3] == b"\xff\xd8\xff":
        return _jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        return ImageHeader("gif", int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little"))
    if data[:2] == b"BM" and len(data) >= 26:
        height = int.from_bytes(data[22:26], "little", signed=True)
        return ImageHeader("bmp", int.from_bytes(data[18:22], "little"), abs(height))
    if data[:4] in (b"II*\x00", b"MM\x00*"):
        return ImageHeader("tiff", 0, 0)
    return UNKNOWN


def _jpeg(data: bytes) -> ImageHeader:
    """Walk the marker segments to the frame header (SOF0..SOF15 without DHT, JPG, DAC)."""
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            return ImageHeader("jpeg", 0, 0)
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return ImageHeader(
                "jpeg", int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
            )
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return ImageHeader("jpeg", 0, 0)


def _webp(data: bytes) -> ImageHeader:
    kind = data[12:16]
    if kind == b"VP8X" and len(data) >= 30:
        return ImageHeader("webp", 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little"))
    if kind == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return ImageHeader("webp", 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF))
    if kind == b"VP8 " and len(data) >= 30:
        return ImageHeader(
            "webp", int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
        )
    return ImageHeader("webp", 0, 0)


def ends_whole(codec: str, data: bytes) -> bool:
    """Tell whether a file ends as its codec requires, so that a cut one is noticed without decoding every image.

    >>> ends_whole("gif", b"GIF89a cut off")
    False
    """
    tail = data[-64:]
    if codec == "png":
        return b"IEND" in tail
    if codec == "jpeg":
        return b"\xff\xd9" in tail
    if codec == "webp":
        return len(data) >= 8 + int.from_bytes(data[4:8], "little")
    return codec != "gif" or b";" in tail


def ledger_entry(data: bytes, transforms: tuple[str, ...] = ()) -> ImageSent:
    """Return the record of an image as sent."""
    head = sniff(data)
    return ImageSent(
        sha256=hashlib.sha256(data).hexdigest(),
        codec=head.codec,
        width=head.width,
        height=head.height,
        bytes=len(data),
        transforms=transforms,
    )
