"""openadapt-grounding's readers and conversions that Snellen does not use: kept for the parity tests.

They record the original's behaviour where ours differs (docs/grounding.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.core.resizing import PixelLimits, smart_resize
from snellen.exams.grounding.compat.original import XY, XYWH, to_full

# UI-TARS's own helper (and openadapt-grounding), which disagrees with the server when small
UITARS_HELPER = PixelLimits(78_400, 12_845_056)

_POINT = re.compile(r"<point>(\d+)\s+(\d+)</point>")
_START = re.compile(r"start_box=['\"]?\((\d+),\s*(\d+)\)['\"]?")
_THOUGHT = re.compile(r"Thought:\s*(.+?)(?=\nAction:|$)", re.DOTALL)


def size_category(box: XYWH) -> str:
    """Return the size by the fraction of the screen, though the charts say pixels: under 0.001 small, under 0.01 medium, else large."""
    area = box[2] * box[3]
    return "small" if area < 0.001 else "medium" if area < 0.01 else "large"


def box_to_full(region: XYWH, box: XYWH) -> XYWH:
    """Convert a box as `to_full` does a point."""
    x, y = to_full(region, (box[0], box[1]))
    return x, y, box[2] * region[2], box[3] * region[3]


class UitarsReply(NamedTuple):
    """The original's reading of a reply; a point as fractions of the screen."""

    point: XY | None
    thought: str


def read_uitars(text: str, width: int, height: int) -> UitarsReply:
    """Read the first `<point>` anywhere, else `start_box=(`; whole numbers only; clamped to the screen."""
    said = _THOUGHT.search(text)
    thought = said.group(1).strip() if said else ""
    match = _POINT.search(text) or _START.search(text)
    if match is None:
        return UitarsReply(None, thought)
    wide, high = smart_resize(width, height, UITARS_HELPER)
    x, y = int(match.group(1)) / wide, int(match.group(2)) / high
    return UitarsReply((max(0.0, min(1.0, x)), max(0.0, min(1.0, y))), thought)


def convert_omniparser(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Convert an entry of OmniParser's list as the original does: no kind from V2, boxes over the edge dropped, null content fatal."""
    box = item.get("bbox", [])
    if len(box) != 4:
        return []
    x1, y1, x2, y2 = box
    if not all(0 <= v <= 1 for v in box) or x2 - x1 <= 0 or y2 - y1 <= 0:
        return []
    text, kind = item.get("content", ""), "unknown"
    for start, name in (("Text Box ID", "text"), ("Icon Box ID", "icon")):
        if text.startswith(start):
            kind, text = name, text.split(": ", 1)[1] if ": " in text else text
            break
    bounds = [x1, y1, x2 - x1, y2 - y1]
    return [{"bounds": bounds, "text": text, "element_type": kind, "confidence": item.get("confidence", 1.0)}]


def to_pixels(point: XY, width: int, height: int) -> tuple[int, int]:
    """Convert fractions to whole pixels; int() cuts fractions off."""
    return int(point[0] * width), int(point[1] * height)
