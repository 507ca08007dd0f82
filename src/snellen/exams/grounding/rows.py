"""Rows of `snellen mark`: a screenshot's size and the right answers, beside a reply."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.exams.grounding.data import as_sample
from snellen.exams.grounding.formats.base import Screen


def sample_from_row(row: Mapping[str, Any]) -> Sample:
    """Return a light sample from a row of `snellen mark`: `width`, `height`, and `boxes` (corners in pixels), `polygons` or `absent`."""
    size = row.get("width"), row.get("height")
    if not all(isinstance(v, int) and not isinstance(v, bool) and v > 0 for v in size):
        raise SnellenError('fields "width" and "height" must be the screenshot\'s size in pixels')
    absent, boxes, polygons = bool(row.get("absent", False)), row.get("boxes") or [], row.get("polygons") or []
    if absent == bool(boxes or polygons) or not isinstance(boxes, list) or not isinstance(polygons, list):
        raise SnellenError(
            'a row needs "boxes", a list of [x1, y1, x2, y2] in pixels, or "polygons", a list of [x, y, x, y, ...], '
            'or "absent": true, not both'
        )
    element_type = str(row.get("element_type", "unknown"))
    screen = Screen("", str(row.get("split", "")), "", Path(), row["width"], row["height"]).asking(
        "",
        id="",
        instruction=str(row.get("instruction", "")),
        boxes=boxes,
        box_format="xyxy-pixels",
        polygons=polygons,
        element_type=element_type,
        text=row.get("text"),
        tags={"type": element_type},
    )
    return msgspec.structs.replace(as_sample(screen, screen.targets[0], "rows"), id=str(row["id"]))
