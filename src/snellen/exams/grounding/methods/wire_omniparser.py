"""OmniParser's HTTP interface: the request, the reply, and its failure on pictures without text. Pure but for the given `send`.

`POST /parse/` (the slash at the end matters: without it the server redirects) with `{"base64_image": ...}`. The reference server answers
500 where its OCR finds no text at all, which is not "nothing found": the picture is sent once more with a strip of text below it, and
what is seen in the strip is thrown away.
"""

from __future__ import annotations

import asyncio
import base64
import math
import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.exams.grounding.methods.base import Parse, ToolFailure
from snellen.exams.grounding.methods.pictures import encoded, opened
from snellen.exams.grounding.reading.predictions import Detection

NAME = "omniparser"
STRIP_TEXT = "SNELLEN TEXT STRIP"
STRIP_HEIGHT = 64
STRIP_WIDTH = 420
STRIP_FONT = 32
MOST_ITEMS = 5000
SLACK = 0.05  # how far beyond the picture a box may reach and still be one of it
_OLD = re.compile(r"(Text|Icon) Box ID \d{1,6}:\s?(.*)", re.DOTALL)
Send = Callable[[bytes], Awaitable[tuple[int, bytes]]]


class Padding(NamedTuple):
    """The sizes of a picture before and after a strip was added below (and, if it was narrow, to the right)."""

    width: int
    height: int
    padded_width: int
    padded_height: int


def parse_url(base: str) -> str:
    """Where pictures go, whatever form of the server's address is given.

    >>> parse_url("http://localhost:8000")
    'http://localhost:8000/parse/'
    """
    return f"{_root(base)}/parse/"


def probe_url(base: str) -> str:
    """Where the server says that it is ready."""
    return f"{_root(base)}/probe/"


def _root(base: str) -> str:
    root = base.strip().rstrip("/")
    for ending in ("/parse", "/probe"):
        root = root.removesuffix(ending)
    if not root.startswith(("http://", "https://")):
        raise SnellenError(f"the OmniParser address '{one_line(base, 100)}' must begin with http:// or https://")
    return root.rstrip("/")


def request_body(image: bytes) -> bytes:
    """The JSON of a request: the encoded picture as plain base64."""
    return msgspec.json.encode({"base64_image": base64.b64encode(image).decode("ascii")})


def read_reply(status: int, body: bytes, width: int, height: int) -> Parse:
    """What the server saw, in pixels of the picture. Raises ToolFailure, which is never the same as an empty Parse."""
    if status != 200:
        raise ToolFailure(*_explained(status, body))
    try:
        data = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise ToolFailure("garbled", "OmniParser's reply is not JSON") from None
    items = data.get("parsed_content_list") if isinstance(data, dict) else None
    if not isinstance(items, list):
        raise ToolFailure("garbled", "OmniParser's reply has no parsed_content_list")
    found = (convert(item, width, height) for item in items[:MOST_ITEMS])
    return Parse(width=width, height=height, detections=tuple(d for d in found if d is not None), parser=NAME)


def _explained(status: int, body: bytes) -> tuple[str, str]:
    said = one_line(body[:2000].decode("utf-8", "replace"), 160)
    if status == 500:
        return "server-500", f"OmniParser failed on this picture (status 500: {said})"
    if status in (307, 308):
        return "redirect", f"OmniParser redirects (status {status}): the address needs /parse/ with a slash at the end"
    if status == 422:
        return "bad-request", f"OmniParser does not understand the request (status 422: {said})"
    return "status", f"OmniParser answered with status {status}: {said}"


def convert(item: Any, width: int, height: int) -> Detection | None:
    """One entry of the list as a Detection; None where it has no usable box. Boxes that reach over the edge by rounding are cut."""
    box = item.get("bbox") if isinstance(item, dict) else None
    if not isinstance(box, list) or len(box) != 4 or not all(_is_number(v) for v in box):
        return None
    if not all(-SLACK <= v <= 1 + SLACK for v in box):
        return None
    x1, y1, x2, y2 = (min(1.0, max(0.0, float(v))) for v in box)
    if x2 <= x1 or y2 <= y1:
        return None
    content = item.get("content")
    text = content.strip() if isinstance(content, str) else ""
    kind = item.get("type") if item.get("type") in ("text", "icon") else "unknown"
    old = _OLD.fullmatch(text)
    if old:  # servers of the first version
        kind, text = old.group(1).lower(), old.group(2).strip()
    confidence = item.get("confidence")
    interactive = item.get("interactivity")
    return Detection(
        box=(x1 * width, y1 * height, x2 * width, y2 * height),
        text=text,
        kind=str(kind),
        confidence=float(confidence) if _is_number(confidence) else None,
        interactive=interactive if isinstance(interactive, bool) else None,
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


# ---------------------------------------------------------------- pictures without text


def padded(image: bytes) -> tuple[bytes, Padding]:
    """The picture with a strip of text below it."""
    from PIL import Image

    picture = opened(image)
    wide, high = max(picture.width, STRIP_WIDTH), picture.height + STRIP_HEIGHT
    out = Image.new("RGB", (wide, high), (255, 255, 255))
    out.paste(picture, (0, 0))
    out.paste(strip(), (0, picture.height))
    return encoded(out), Padding(picture.width, picture.height, wide, high)


def strip() -> Any:
    """The strip itself: large dark letters on white."""
    from PIL import Image, ImageDraw, ImageFont

    out = Image.new("RGB", (STRIP_WIDTH, STRIP_HEIGHT), (255, 255, 255))
    ImageDraw.Draw(out).text((12, 14), STRIP_TEXT, fill=(0, 0, 0), font=ImageFont.load_default(STRIP_FONT))
    return out


def unpadded(parse: Parse, padding: Padding) -> Parse:
    """A parse of the padded picture as one of the picture: what lies in the padding is dropped, what reaches into it is cut."""
    kept = []
    for found in parse.detections:
        x1, y1, x2, y2 = found.box
        if (x1 + x2) / 2 < padding.width and (y1 + y2) / 2 < padding.height:
            box = (x1, y1, min(x2, float(padding.width)), min(y2, float(padding.height)))
            kept.append(msgspec.structs.replace(found, box=box))
    return Parse(width=padding.width, height=padding.height, detections=tuple(kept), parser=parse.parser, padded=True)


async def parse_image(send: Send, image: bytes) -> Parse:
    """Parse a picture with a function that posts a body and gives status and body back.

    A 500 is tried once more with the strip. If that fails too it is a failure, not an empty screen.
    """
    try:
        size = opened(image).size
    except SnellenError as error:
        raise ToolFailure("image", str(error), lasting=True) from None
    status, body = await send(request_body(image))
    if status != 500:
        return read_reply(status, body, *size)
    larger, padding = await asyncio.to_thread(padded, image)
    status, body = await send(request_body(larger))
    if status == 500:
        reason = "OmniParser fails on this picture (status 500), also with a strip of text added"
        raise ToolFailure("server-500", reason, lasting=True)
    return unpadded(read_reply(status, body, padding.padded_width, padding.padded_height), padding)
