"""The label of a synthetic set, inside the data: a single image or record is enough to tell that it was made.

The label has the same name everywhere. A parquet file has it in its notes, a PNG file as a text chunk, a JPEG file as a comment.
A JSON record has it as a field, a CSV file as a column. It holds the set's maker, version and seed. Only data with this label counts
as ours.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

MARK = "snellen.synthetic"
MARKER = "snellen_synthetic.json"
"""The file beside a folder of loose files with the same content. It tells makers what the folder holds; readers use the labels."""
FIELDS = ("generator", "version", "seed")
HEAD = 4096
"""The bytes of an image file that are searched for its label, which stands right behind the header."""
Label = dict[str, Any]
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_HEADER = 33  # the signature and the first chunk
_COMMENT, _APPLICATION, _SCAN = 0xFE, range(0xE0, 0xF0), 0xDA


def label_from(value: Any) -> Label:
    """Return a label from a note, a field or a cell (an object, or its JSON); empty if it is not one.

    >>> label_from('{"generator": "d3", "version": 2, "seed": 1, "count": 120}')
    {'generator': 'd3', 'version': 2, 'seed': 1}
    >>> label_from("synthetic"), label_from(True), label_from(None)
    ({}, {}, {})
    """
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    if not isinstance(value, Mapping) or not isinstance(value.get("generator"), str):
        return {}
    return {name: value[name] for name in FIELDS if name in value}


def labelled(picture: bytes, label: Mapping[str, Any]) -> bytes:
    """Return a PNG or JPEG file with a label behind its header; its pixels stay as they are."""
    text = json.dumps(label).encode("ascii")
    if picture.startswith(_PNG):
        body = b"tEXt" + MARK.encode() + b"\0" + text
        chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
        return picture[:_PNG_HEADER] + chunk + picture[_PNG_HEADER:]
    if not picture.startswith(b"\xff\xd8\xff"):
        raise ValueError("neither a PNG nor a JPEG file")
    at = 2
    while picture[at + 1] in _APPLICATION:
        at += 2 + int.from_bytes(picture[at + 2 : at + 4], "big")
    body = MARK.encode() + b" " + text
    return picture[:at] + struct.pack(">BBH", 0xFF, _COMMENT, len(body) + 2) + body + picture[at:]


def picture_label(head: bytes) -> Label:
    """Return the label of an image from the beginning of its file; empty if it has none."""
    texts = _png_texts(head) if head.startswith(_PNG) else _jpeg_comments(head) if head[:2] == b"\xff\xd8" else ()
    mark = MARK.encode()
    found = (text[len(mark) + 1 :] for text in texts if text.startswith((mark + b"\0", mark + b" ")))
    return next((label for text in found if (label := label_from(text.decode("latin-1")))), {})


def folder_label(records: Iterable[Any], pictures: Iterable[Path]) -> tuple[bool, Label]:
    """Return whether a folder of loose files is synthetic, and its label: by any of its records' fields, or by any of its images.
    One synthetic item among many others is enough.
    """
    label = next((found for value in records if (found := label_from(value))), None) or first_label(pictures)
    return bool(label), label


def first_label(files: Iterable[Path]) -> Label:
    """Return the first label among some image files; empty if none has one. Only the beginning of each is read."""
    for path in files:
        try:
            label = picture_label(_head(path))
        except OSError:
            continue  # the reader of the image reports the error
        if label:
            return label
    return {}


def _head(path: Path) -> bytes:
    """Return the beginning of a file, with as few calls as possible: real sets have tens of thousands. A pipe does not block it."""
    file = os.open(path, _FLAGS)
    try:
        return os.read(file, HEAD)
    finally:
        os.close(file)


def _png_texts(data: bytes) -> Iterable[bytes]:
    at = len(_PNG)
    while at + 8 <= len(data) and data[at + 4 : at + 8] not in (b"IDAT", b"IEND"):
        size = int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 8] == b"tEXt":
            yield data[at + 8 : at + 8 + size]
        at += 12 + size


def _jpeg_comments(data: bytes) -> Iterable[bytes]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != _SCAN:
        size = int.from_bytes(data[at + 2 : at + 4], "big")
        if data[at + 1] == _COMMENT:
            yield data[at + 4 : at + 2 + size]
        at += 2 + max(size, 2)
