"""OmniParser's HTTP interface: the endpoint, the request, the reply, and its failure on pictures without text.

`POST /parse/` (the slash at the end matters: without it the server redirects) with `{"base64_image": ...}`. The reference server answers
500 where its OCR finds no text at all, which does not mean that nothing is there. So the picture is sent once more with a strip of text
below it, and detections in the strip are dropped.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret, has_login
from snellen.core.subject import Connection, Endpoint, Parsed
from snellen.core.text import one_line
from snellen.core.types import Failure, Struct
from snellen.exams.grounding.reading.predictions import Corners, Detection
from snellen.methods.base import Parse, ToolFailure
from snellen.methods.pictures import encoded, opened

STRIP_TEXT = "SNELLEN TEXT STRIP"
_STRIP_SIZE = (420, 64)
_STRIP_FONT = 32
MOST_ITEMS = 5000
SLACK = 0.05  # how far beyond the picture a box may reach and still be one of it
_OLD = re.compile(r"(Text|Icon) Box ID \d{1,6}:\s?(.*)", re.DOTALL)
_HINT = "start OmniParser's server, or name it with --omniparser-url or EVAL_OMNIPARSER_URL"
Send = Callable[[bytes], Awaitable[bytes | None]]
"""A function that posts a body and returns the reply's; None where the server failed on the picture (status 500)."""


class _OmniParserItem(Struct, frozen=True):
    """An entry of the server's list. Only its box has to be valid."""

    bbox: Corners
    content: Any = None
    type: Any = None
    confidence: Any = None


class _OmniParserReply(Struct, frozen=True):
    """A reply of the server. The picture with boxes in it is not read."""

    parsed_content_list: list[Any]


class OmniParserEndpoint(Endpoint):
    """One server, which has no model list and takes no key. Its status 500 on pictures without text is not retried with the same bytes."""

    kind = "omniparser"
    model = "omniparser"

    def __init__(self, url: str) -> None:
        self.connection = Connection(parse_url(url), probe_url(url), {}, Secret(""), _HINT)

    def parse(self, body: bytes) -> Parsed:
        """Return the server's list of detections as text."""
        kept = msgspec.json.encode({"parsed_content_list": _items(body)}).decode()
        return Parsed(text=kept, finish_reason="stop", cost=0.0, cost_source="server")

    def explain(self, status: int, body: bytes) -> Parsed:
        said = one_line(body[:2000].decode("utf-8", "replace"), 160)
        if status == 500:
            return Parsed(text=said, refused=True, cost=0.0, cost_source="refused")
        return Parsed(error=Failure(kind="parser", reason=f"OmniParser: status {status}: {said}"), status=status)


def parse_url(base: str) -> str:
    """Return the address for pictures, from any form of the server's address.

    >>> parse_url("http://localhost:8000")
    'http://localhost:8000/parse/'
    """
    return f"{_root(base)}/parse/"


def probe_url(base: str) -> str:
    """Return the address at which the server says that it is ready."""
    return f"{_root(base)}/probe/"


def _root(base: str) -> str:
    root = base.strip().rstrip("/")
    if has_login(root) or "?" in base or "#" in base:
        raise SnellenError("the OmniParser address must hold no user name, password, '?' or '#'")
    if not root.startswith(("http://", "https://")):
        raise SnellenError(f"the OmniParser address '{one_line(base, 100)}' must begin with http:// or https://")
    return root.removesuffix("/parse").removesuffix("/probe").rstrip("/")


def _items(body: bytes) -> list[Any]:
    """Return the list in a reply; raise ValueError where there is none."""
    try:
        return msgspec.json.decode(body, type=_OmniParserReply).parsed_content_list
    except msgspec.ValidationError:
        raise ValueError("no parsed_content_list in the reply") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not JSON ({one_line(str(error), 80)})") from None


def read_reply(body: bytes, width: int, height: int) -> Parse:
    """Return the server's detections, in pixels of the picture. Raise ToolFailure for a reply that cannot be read."""
    try:
        found = [convert(item, width, height) for item in _items(body)[:MOST_ITEMS]]
    except ValueError as error:
        raise ToolFailure("garbled", f"OmniParser: {error}") from None
    return Parse(width=width, height=height, detections=tuple(d for d in found if d is not None))


def convert(entry: Any, width: int, height: int) -> Detection | None:
    """Return one entry of the list as a Detection; None where it has no usable box. Boxes that reach over the edge by rounding are cut."""
    try:
        item = msgspec.convert(entry, _OmniParserItem)
    except msgspec.ValidationError:
        return None
    if not all(-SLACK <= v <= 1 + SLACK for v in item.bbox):
        return None
    x1, y1, x2, y2 = (min(1.0, max(0.0, v)) for v in item.bbox)
    if x2 <= x1 or y2 <= y1:
        return None
    text = item.content.strip() if isinstance(item.content, str) else ""
    kind = item.type if item.type in ("text", "icon") else "unknown"
    old = _OLD.fullmatch(text)
    if old:  # servers of the first version
        kind, text = old.group(1).lower(), old.group(2).strip()
    sure = item.confidence
    return Detection(
        box=(x1 * width, y1 * height, x2 * width, y2 * height),
        text=text,
        kind=kind,
        confidence=float(sure) if type(sure) in (int, float) and math.isfinite(sure) else None,
    )


# ---------------------------------------------------------------- pictures without text


def padded(image: bytes) -> tuple[bytes, tuple[int, int]]:
    """Return the picture with a strip of text below it (and, if it is narrow, wider), and its new size."""
    from PIL import Image

    picture = opened(image)
    size = max(picture.width, _STRIP_SIZE[0]), picture.height + _STRIP_SIZE[1]
    out = Image.new("RGB", size, (255, 255, 255))
    out.paste(picture, (0, 0))
    out.paste(strip(), (0, picture.height))
    return encoded(out), size


def strip() -> Any:
    """Draw the strip itself: large dark letters on white."""
    from PIL import Image, ImageDraw, ImageFont

    out = Image.new("RGB", _STRIP_SIZE, (255, 255, 255))
    ImageDraw.Draw(out).text((12, 14), STRIP_TEXT, fill=(0, 0, 0), font=ImageFont.load_default(_STRIP_FONT))
    return out


def unpadded(parse: Parse, width: int, height: int) -> Parse:
    """Return a parse of a padded picture as one of the picture. Boxes in the padding are dropped; boxes that reach into it are cut."""
    kept = []
    for found in parse.detections:
        x1, y1, x2, y2 = found.box
        if (x1 + x2) / 2 < width and (y1 + y2) / 2 < height:
            kept.append(msgspec.structs.replace(found, box=(x1, y1, min(x2, float(width)), min(y2, float(height)))))
    return Parse(width=width, height=height, detections=tuple(kept))


async def parse_image(send: Send, image: bytes) -> Parse:
    """Parse a picture. If the server fails, it is sent once more with the strip. A second 500 is a failure, not an empty screen."""
    try:
        size = opened(image).size
    except SnellenError as error:
        raise ToolFailure("image", str(error), lasting=True) from None
    body = await send(msgspec.json.encode({"base64_image": image}))
    if body is not None:
        return read_reply(body, *size)
    larger, larger_size = await asyncio.to_thread(padded, image)
    body = await send(msgspec.json.encode({"base64_image": larger}))
    if body is None:
        reason = "OmniParser fails on this picture (status 500), also with a strip of text added"
        raise ToolFailure("server-500", reason, lasting=True)
    return unpadded(read_reply(body, *larger_size), *size)
