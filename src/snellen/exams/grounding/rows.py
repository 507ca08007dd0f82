"""Rows of `snellen mark`: a screenshot's size and the right answers, beside a reply."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.exams.grounding.data import as_sample
from snellen.exams.grounding.formats.base import Screen, Target, polygon_bounds, true_box
from snellen.exams.grounding.geometry import Pixels


def sample_from_row(row: Mapping[str, Any]) -> Sample:
    """Return a light sample from a row of `snellen mark`: `width`, `height`, and `boxes` (corners in pixels), `polygons` or `absent`."""
    size = row.get("width"), row.get("height")
    if not all(isinstance(v, int) and not isinstance(v, bool) and v > 0 for v in size):
        raise SnellenError('fields "width" and "height" must be the screenshot\'s size in pixels')
    space = Pixels(int(row["width"]), int(row["height"]))
    absent, given, shapes = bool(row.get("absent", False)), row.get("boxes") or [], row.get("polygons") or []
    if absent == bool(given or shapes) or not isinstance(given, list) or not isinstance(shapes, list):
        raise SnellenError(
            'a row needs "boxes", a list of [x1, y1, x2, y2] in pixels, or "polygons", a list of [x, y, x, y, ...], '
            'or "absent": true, not both'
        )
    around = tuple(polygon_bounds(shape, space) for shape in shapes)
    boxes = tuple(true_box(box, "xyxy-pixels", space) for box in given) or around
    element_type = str(row.get("element_type", "unknown"))
    target = Target(
        id="",
        instruction=str(row.get("instruction", "")),
        where="",
        boxes=boxes,
        polygons=tuple(tuple(float(v) for v in shape) for shape in shapes),
        element_type=element_type,
        text=row.get("text"),
        tags={"type": element_type},
    )
    screen = Screen("", str(row.get("split", "")), "", Path(), space.width, space.height, (target,))
    return msgspec.structs.replace(as_sample(screen, target, "rows"), id=str(row["id"]))
